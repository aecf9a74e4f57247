//! The smaller commands, one module each. `run`, `setup` and `doctor` have folders of their own.

pub(crate) mod acp;
pub(crate) mod audit;
mod audit_page;
mod audit_tail;
mod audit_verify;
pub(crate) mod completions;
pub(crate) mod config;
mod delete_runs;
mod diff;
mod load_config;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod policy;
mod rejected_run;
pub(crate) mod resume;
pub(crate) mod runs;
pub(crate) mod sessions;
mod stop;
mod undo;
mod what_if;

pub(crate) use audit_verify::{both_gone, unexplained};
pub(crate) use diff::changed_by;
pub(crate) use load_config::{Loaded, path_value};
pub(crate) use runs::explained as unreadable_run;
