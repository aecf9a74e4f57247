//! Calls the tools as the executor does: through the toolbox, with a context of temporary folders.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics and a skipped one says so"
)]

mod apps;
mod by_execution;
mod consents;
mod edits;
mod evidence;
mod finds;
mod greps;
mod homes;
mod hostile;
mod jobs;
mod protected_reads;
mod reads;
mod records;
mod rehearsals;
mod runs;
mod scene;
mod told;
mod trial_only;
mod tried;
mod undoes;
mod watches;
mod writes;
