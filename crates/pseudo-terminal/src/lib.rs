//! A terminal to show programs to: a keyboard that is typed on by code, and a screen that can be read.
//!
//! It understands what a program writes as a terminal of today would, and answers where its cursor is. Waiting is for what is shown, and says
//! when that came.
//!
//! *Architecture invariant*: it knows nothing of what runs in it and starts nothing; no program of artoo contains it, only tests and
//! measurements.

mod error;
mod shown;
mod terminal;

pub use vt100;

pub use error::Error;
pub use shown::Shown;
pub use terminal::{PseudoTerminal, Size, ends};
