//! The record of a run as typed facts, and who is shown which of them.
//!
//! A [`CaseFile`] is the fold of the messages of one run: the request, what memory recalled, each plan with its
//! outcomes and verdicts, and what the user said meanwhile. The bus keeps one for each run, and a role takes
//! all of its facts from there. [`visibility`] is the table of who is shown what, in which form and up to which
//! size; prompts are built by it, and the docs print it.
//!
//! ```
//! use artoo_case_file::CaseFile;
//! use artoo_types::{PersonNote, TaskSpec, UserStatement};
//!
//! let mut case = CaseFile::default();
//! case.on(&TaskSpec::verbatim("Sort the photos").into(), artoo_types::Role::Perceiver);
//! case.on(&PersonNote { text: "By year".into() }.into(), artoo_types::Role::User);
//! assert_eq!(case.task().unwrap().intent, "Sort the photos\nBy year");
//! assert_eq!(case.statements(), [UserStatement::Note("By year".into())]);
//! ```
//!
//! *Architecture invariant*: messages in, facts out. This crate knows no role's behaviour, no prompt, no model,
//! no file and no clock; the same messages give the same case file, live or from a journal.

mod background;
mod case_file;
mod plan_record;
mod questions;
pub mod visibility;

pub use background::{Background, Unmet};
pub use case_file::CaseFile;
pub use plan_record::PlanRecord;
