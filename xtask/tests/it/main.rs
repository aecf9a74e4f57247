//! The tasks over the real workspace.

mod schemas;
mod tidy;
