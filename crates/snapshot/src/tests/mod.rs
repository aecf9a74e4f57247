//! Runs in temporary folders, taken back.

mod cases;
mod exact;
mod hostile;
mod law;
mod named;
pub(crate) mod tree;
