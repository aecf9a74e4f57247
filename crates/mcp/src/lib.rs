//! Servers of tools that others wrote, over the Model Context Protocol: started confined, approved as they describe themselves, asked about
//! before they act.
//!
//! A [`ServerConfig`] is a program or an address, made of a [`ServerTable`] or a [`McpJson`]. [`Connection::start`] starts it: a program under
//! the kernel's rules of any command, with what the user gave it and nothing else. What it says of its tools are [`Definition`]s; [`Pins`]
//! keeps those that a person has approved, and [`compare`] says what differs. [`McpTool`] is one of them as a tool of the executor, and
//! [`ServerTools`] are all of a run. A server at an address may want a [`login()`].
//!
//! *Architecture invariant*: nothing is approved here, and nobody's yes is made up. What a server claims of itself never makes artoo less
//! strict: what it may change is what the kernel and the configuration leave it. No process of a server outlives its connection. No secret
//! stands in a configuration, an error or a log. The crate reads no environment, no home folder and no clock; [`StartContext`] has them.
//!
//! Source: `docs/design/mcp.md`.
//!
//! # Example
//!
//! ```
//! use artoo_mcp::{Definition, DefinitionChange, Identity, Pins, ServerTable, approved_of, compare};
//! use artoo_tools::ServerReach;
//!
//! let table = ServerTable { command: Some("mcp-server-time".into()), ..ServerTable::default() };
//! let server = table.into_config("time".parse()?, "/home/ada".as_ref())?;
//! assert_eq!(server.reach(), ServerReach::Nothing); // it gets no folder and no network
//!
//! let listed = vec![Definition {
//!     name: "now".into(),
//!     title: None,
//!     description: Some("Says what time it is.".into()),
//!     input: serde_json::json!({"type": "object"}),
//!     output: None,
//!     annotations: None,
//! }];
//! let folder = tempfile::tempdir()?;
//! let pins = Pins::new(folder.path().join("mcp"));
//! let approved = pins.approved(&Identity::of(&server))?.unwrap_or_default();
//! assert!(matches!(compare(&approved, &listed)[..], [DefinitionChange::Added(_)])); // a person is asked
//! pins.approve(&Identity::of(&server), listed.clone())?;
//! let approved = pins.approved(&Identity::of(&server))?.unwrap_or_default();
//! assert_eq!(approved_of(&approved, &listed), listed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod child;
mod config;
mod connection;
mod definition;
mod definition_change;
mod elicitation;
mod end;
mod error;
mod event_stream;
mod guarded_transport;
mod handler;
mod http;
mod line_limit;
mod listing;
mod login;
mod login_store;
mod mcp_json;
mod mcp_tool;
mod own_folder;
mod pins;
mod plain_schema;
mod requests;
mod resources;
mod server_name;
mod server_table;
mod server_tools;
mod start_context;
mod template;
mod tool_answer;
mod tool_names;

pub use config::{Http, ServerConfig, ServerLimits, Stdio, Transport};
pub use connection::{Connection, ServerState, start_all};
pub use definition::Definition;
pub use definition_change::{DefinitionChange, approved_of, compare};
pub use error::McpError;
pub use listing::Unusable;
pub use login::{KnownClient, OpenPage, has_login, login, logout};
pub use mcp_json::McpJson;
pub use mcp_tool::McpTool;
pub use pins::{Identity, Pins};
pub use resources::{PromptEntry, ResourceEntry};
pub use server_name::ServerName;
pub use server_table::ServerTable;
pub use server_tools::ServerTools;
pub use start_context::StartContext;
pub use template::Template;
pub use tool_names::tool_names;
