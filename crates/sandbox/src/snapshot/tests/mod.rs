//! Runs in temporary folders, taken back.

mod cases;
mod hostile;
mod law;
pub(crate) mod tree;
