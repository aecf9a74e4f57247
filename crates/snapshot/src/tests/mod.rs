//! Runs in temporary folders, undone.

mod cases;
mod exact;
mod named;
mod properties;
mod tampered_records;
pub(crate) mod tree;
