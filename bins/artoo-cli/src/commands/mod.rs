//! The smaller commands, one module each. `run`, `setup` and `doctor` have folders of their own.

pub(crate) mod audit;
mod audit_page;
mod audit_tail;
pub(crate) mod completions;
pub(crate) mod config;
mod loaded;
pub(crate) mod man;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod policy;
mod replay;
pub(crate) mod runs;
pub(crate) mod sessions;
mod stop;
mod undo;

pub(crate) use loaded::{Loaded, embedded_state, path_value};
pub(crate) use runs::explained as unreadable_run;
