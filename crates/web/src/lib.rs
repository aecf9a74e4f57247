//! The web: which addresses may be reached, how a page is got, and how it becomes text.
//!
//! [`Fetch`] and [`Search`] are tools as any other; [`grant`] makes of them what `artoo_tools::Grants` takes. A [`Web`] gets pages and does nothing
//! else, by an [`AddressRule`] that holds for every hop. A [`SearchProvider`] is a search engine; [`DuckDuckGo`] needs no key, [`Brave`] one.
//!
//! *Architecture invariant*: no address is reached that the rule forbids, by whatever name or redirect. Nothing is sent but what was asked for.
//!
//! ```
//! use std::sync::Arc;
//! use artoo_tools::{Grants, Toolbox};
//! use artoo_web::{AddressRule, DuckDuckGo, Web, grant};
//!
//! let web = grant(Web::new(AddressRule::public()), Arc::new(DuckDuckGo::default()));
//! let probed = Toolbox::probe(&["/usr/bin".into()], &Grants { web: Some(web), ..Grants::default() });
//! assert!(probed.toolbox.get(&artoo_types::ToolName::new("fetch")).is_some());
//! ```

mod address;
mod brave;
mod charset;
mod client;
mod dns;
mod duckduckgo;
mod error;
mod fetch;
mod markup;
mod page_text;
mod search;

use std::sync::Arc;

use artoo_tools::WebGrant;

pub use address::AddressRule;
pub use brave::{Brave, SearchKey};
pub use client::Web;
pub use dns::{Names, SystemNames};
pub use duckduckgo::DuckDuckGo;
pub use error::WebError;
pub use fetch::Fetch;
pub use search::{Search, SearchProvider, SearchResult};

/// The tools that read the web, as a grant: pages are got by `web`, and this engine is asked for them.
pub fn grant(web: Web, search: Arc<dyn SearchProvider>) -> WebGrant {
    let how = search.name().to_owned();
    WebGrant { search: Arc::new(Search::new(search)), how, fetch: Arc::new(Fetch::new(web)) }
}
