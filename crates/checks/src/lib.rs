//! Checks: criteria that code decides, against typed tool calls and the file system, without a model.
//!
//! [`lint()`] says whether a check can be evaluated at all; the planner's validator asks it. [`evaluate()`] decides one check
//! and returns a [`Finding`](artoo_types::Finding): a pass always points at what was seen. [`unborne()`] says what of an answer no
//! call shows, and [`unfounded()`] why somebody's pass may not stand.
//!
//! ```
//! use artoo_checks::{Subject, Filesystem, evaluate};
//! use artoo_types::{Check, Finding};
//! let world = Filesystem::new("/tmp", "/tmp", chrono::DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap());
//! let subject = Subject { output: "3\n", tool_calls: &[], answers: &[] };
//! let found = evaluate(&Check::OutputNumber { min: Some(0.0), max: None }, &subject, &world);
//! assert!(matches!(found, Finding::Pass { .. }));
//! ```
//!
//! *Architecture invariant*: this crate knows no role, no model and no clock. It reads files, and writes none.

mod absence;
mod answer;
mod borne_out;
mod content;
mod evaluate;
mod evidence;
mod files;
mod json_file;
mod lint;
mod listing;
mod named_paths;
mod number;
mod print;
mod same_lines;
mod table;

pub use absence::{missing_file, overlooked};
pub use answer::{agreed_answer, means_none, plain_number, same_answer};
pub use borne_out::{missing_subject, unborne};
pub use content::Content;
pub use evaluate::{Subject, evaluate};
pub use evidence::{Record, unfounded};
pub use files::Filesystem;
pub use lint::{Flaw, lint, lint_text, met_by, takes_any_text};
pub use named_paths::named_paths;
pub use number::computes_with;
