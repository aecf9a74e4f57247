//! The executor's tools: how a step of a plan acts on the machine, and how each call is recorded.
//!
//! A [`Tool`] takes named arguments and returns a [`ToolReport`]. The [`Toolbox`] finds a tool by its name,
//! bounds the call, stores the full output in the run's [`EvidenceStore`] and turns every outcome, including
//! refusals and wrong arguments, into one typed [`ToolCall`](artoo_types::ToolCall). [`Toolbox::probe`] finds
//! out which tools work on a machine and were granted; embedders add their own.
//!
//! *Architecture invariant*: this crate knows no role, no plan and no model. It reads no environment, no home
//! folder and no wall clock: the [`ToolContext`] provides them. It never gives consent: the context's
//! [`Consent`](artoo_consent::Consent) is asked, and without a yes the call is refused with class `denied`. Tools that reach outside
//! the machine or into the user's apps are not offered without a grant. No command is rewritten.
//!
//! # Example
//! ```
//! use artoo_tools::{Tool, Toolbox, WriteFile};
//!
//! let toolbox = Toolbox::standard();
//! let names: Vec<_> = toolbox.tools().map(|tool| tool.name().to_string()).collect();
//! assert_eq!(names, ["glob", "grep", "read_file", "read_evidence", "write_file", "edit_file", "shell", "job"]);
//! assert_eq!(WriteFile.arguments()["required"][0], "path");
//! ```

mod apps;
mod arguments;
mod blocking;
mod build_output;
mod call_snapshot;
mod coercion;
mod consent;
mod contents_before;
mod context;
mod created_paths;
mod edit_file;
mod error;
mod evidence;
mod file_target;
mod function_tool;
mod git;
mod glob;
mod glob_pattern;
mod glob_walk;
mod grep;
mod grep_excerpt;
mod grep_pieces;
mod grep_search;
mod installed_programs;
mod jobs;
mod kept_places;
mod line_endings;
mod listing;
mod live_view;
mod mdfind;
mod named_in_request;
mod new_file;
mod open_file;
mod open_files;
mod other_names;
mod paths;
mod picture;
mod private_keys;
mod probe;
mod program;
mod protected;
mod read_evidence;
mod read_file;
mod read_lines;
mod read_text;
mod reduced_mode;
mod seen_files;
mod server_calls;
mod shell;
mod shell_failure;
mod suggestion;
mod system_program;
mod text_form;
mod tool;
mod toolbox;
mod undo_run;
mod utf8_decoder;
mod writable_folders;
mod write_file;

pub use apps::applescript::AppleScript;
pub use apps::shortcuts::Shortcuts;
pub use arguments::Given;
pub use blocking::blocking;
pub use build_output::BuildRules;
pub use consent::{Case, Step, gate};
pub use context::{Explain, LocalTime, OnOutput, PageLimits, RunFolders, ToolContext, ToolLimits};
pub use created_paths::CreatedPaths;
pub use edit_file::EditFile;
pub use error::ToolError;
pub use evidence::{EvidenceStore, writer::EvidenceWriter};
pub use function_tool::FunctionTool;
pub use git::{CommitProblem, CommitTakenBack, CommitsUndo, GitCommit, MoveProblem, repository_state};
pub use glob::Glob;
pub use grep::Grep;
pub use installed_programs::{installed_programs, is_executable};
pub use jobs::Jobs;
pub use jobs::job_tool::LookAtJob;
pub use mdfind::tool::Mdfind;
pub use open_files::OpenFiles;
pub use probe::{Grants, Probed, ToolState, ToolStatus, WebGrant};
pub use protected::ProtectedPlaces;
pub use read_evidence::ReadEvidence;
pub use read_file::ReadFile;
pub use seen_files::SeenFiles;
pub use server_calls::{ServerPlace, WatchedFolders};
pub use shell::rehearsal::{Rehearsal, leaving_nothing};
pub use shell::{Outlook, Shell, can_try, outlook};
pub use system_program::{SystemProgram, shell_program};
pub use text_form::Encoding;
pub use tool::{Captured, FileContent, ServerReach, Tool, ToolEffect, ToolReport};
pub use toolbox::Toolbox;
pub use undo_run::{EarlierRun, UndoRun};
pub use write_file::WriteFile;
