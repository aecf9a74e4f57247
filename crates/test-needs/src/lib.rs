//! What the tests need of a machine beyond Rust and a C compiler: programs, which `cargo xtask test-tools` installs, and abilities of the
//! kernel and of the file system.
//!
//! A test asks [`has`] for a program, and calls [`skip`] where something else is missing. A skip is printed by name. Where the variable
//! `ARTOO_TESTS_NEED` lists the name, the skip is a failure: the gate lists every name, so that no test is left out there in silence.
//!
//! *Architecture invariant*: the crate knows nothing of artoo and depends on nothing; no program of artoo contains it. It starts no
//! process: who installs a tool is xtask.
#![expect(clippy::print_stderr, reason = "a test says what it leaves out")]

mod needs;
mod place;
mod skips;
mod table;

pub use needs::{Needs, Unknown, VARIABLE, names};
pub use place::{folder, is_there, path, programs};
pub use skips::{has, skip, without};
pub use table::{Ability, Locked, Pin, Set, Source, TOOLS, Tool, Wheel};
