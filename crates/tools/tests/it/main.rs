//! Calls the tools as the executor does: through the toolbox, with a context of temporary folders.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics and a skipped one says so"
)]

mod evidence;
mod finds;
mod hostile;
mod reads;
mod records;
mod runs;
mod scene;
mod watches;
mod writes;
