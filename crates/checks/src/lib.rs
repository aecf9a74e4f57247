//! Checks: criteria that code decides, against typed tool calls and the file system, without a model.
//!
//! [`lint()`] says whether a check can be evaluated at all; the planner's validator uses it. [`evaluate()`]
//! decides one check and returns a [`Finding`](artoo_types::Finding): a pass always points at evidence.
//! [`unsupported_claim()`] says which part of an answer no call shows, and [`invalid_pass()`] why a judge's pass is
//! invalid.
//!
//! ```
//! use artoo_checks::{Subject, Filesystem, evaluate};
//! use artoo_types::{Check, Finding};
//! let world = Filesystem::new("/tmp", "/tmp", chrono::DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap());
//! let subject = Subject { output: "3\n", tool_calls: &[] };
//! let found = evaluate(&Check::OutputNumber { min: Some(0.0), max: None }, &subject, &world);
//! assert!(matches!(found, Finding::Pass { .. }));
//! ```
//!
//! *Architecture invariant*: this crate knows no role, no model and no clock. It reads files, and writes
//! none.

mod claim_support;
mod content;
mod evaluate;
mod files;
mod json_file;
mod lint;
mod mentions;
mod missing_name;
mod name_search;
mod named_paths;
mod names_in;
mod number;
mod pass_validity;
mod path_list;
mod print_only;
mod running_program;
mod same_answer;
mod same_lines;
mod table;
mod unrelated_answer;

pub use claim_support::unsupported_claim;
pub use content::Content;
pub use evaluate::{Subject, evaluate};
pub use files::{ClosedFiles, Filesystem, Original, Originals};
pub use lint::{Flaw, lint, lint_text, matches_any_text, met_by};
pub use mentions::Mentions;
pub use missing_name::MissingName;
pub use number::computes_with;
pub use pass_validity::{Record, invalid_pass};
pub use running_program::runs_program;
pub use same_answer::{means_none, plain_number, same_answer};
pub use table::table;
pub use unrelated_answer::is_unrelated;
