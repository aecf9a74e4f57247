//! How a law of memory is enforced.

use std::path::PathBuf;

use crate::Block;

/// What `policy.toml` has for a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// A place that every run leaves alone.
    Place {
        /// The file or folder. Absolute.
        path: PathBuf,
        /// What no run may do there.
        block: Block,
    },
    /// A program that no run starts, as far as the words of its commands show.
    Program(String),
}
