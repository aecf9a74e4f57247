//! Runs in temporary folders, undone.

mod cases;
mod exact;
mod hostile;
mod law;
mod named;
pub(crate) mod tree;
