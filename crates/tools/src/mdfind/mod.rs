//! Finds files anywhere below the home folder: the `mdfind` tool.

pub(crate) mod filter;
pub(crate) mod index;
pub(crate) mod query;
pub(crate) mod tool;
pub(crate) mod walk;
