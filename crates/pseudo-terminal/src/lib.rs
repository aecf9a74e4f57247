//! A pseudo-terminal for tests: code types on its keyboard and reads its screen.
//!
//! It interprets a program's output as a modern terminal would, and answers queries of the cursor position.
//! [`PseudoTerminal::wait`] waits until the screen meets a condition and returns when the last output
//! arrived.
//!
//! *Architecture invariant*: the crate knows nothing about the programs on the terminal and starts none; no
//! program of artoo depends on it, only tests and measurements.

mod error;
mod shown;
mod terminal;

pub use vt100;

pub use error::Error;
pub use shown::Shown;
pub use terminal::{PseudoTerminal, Size, ends};
