//! The small commands, one module each. `run`, `setup` and `doctor` have folders of their own.

pub(crate) mod audit;
mod audit_page;
pub(crate) mod completions;
pub(crate) mod config;
mod loaded;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod policy;
pub(crate) mod runs;
mod undo;

pub(crate) use loaded::{Loaded, embedded_state, path_value};
