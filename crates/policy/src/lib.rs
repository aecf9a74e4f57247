//! The person's own rules of consent, `policy.toml`: read, checked, added to, explained.
//!
//! [`read`](read()) gives the [`Policy`] of a file, rules whose examples hold and places that runs leave alone, or says with line and column what is wrong. [`add`](add()) puts one more
//! rule behind them, and nothing else of the file changes; [`enforce`] and [`lift`] do the same for what enforces a law of memory. [`explain`](explain()) tells what a run would do with a command, by the same functions as the
//! run. [`schema`] is the file's JSON Schema. Design: `docs/design/consent.md`.
//!
//! *Architecture invariant*: a rule is used only where its examples hold, and nothing here runs a command. Paths come in; no environment is read.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let (file, home) = (folder.path().join("policy.toml"), std::path::Path::new("/home/ada"));
//! std::fs::write(&file, r#"
//! [[rule]]
//! decision = "ask"
//! effects = ["creates"]
//! reason = "new files need a look"
//! "#)?;
//! assert_eq!(artoo_policy::read(&file, home)?.rules.rules().count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod add;
mod enforcement;
mod error;
mod explain;
mod file;
mod place;

pub use add::{add, enforce, lift, rule_text};
pub use enforcement::Enforcement;
pub use error::{PolicyError, Spot};
pub use explain::{Situation, explain};
pub use file::{Policy, enforced, read, schema};
pub use place::{Block, Place};
