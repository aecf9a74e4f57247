//! What judges of criteria have in common, whether they judge a subtask or a whole task.
//!
//! [`ask_verdict`] puts one criterion to a model, and ties what it says to the call that bears it out; [`decided()`] lets a judge's
//! finding stand only where it came in time and points at a call that was really made; [`telling()`] shows of a long text what bears on
//! a criterion; [`conformance`] holds the laws that every judge keeps.
//!
//! *Architecture invariant*: this crate knows no role and no prompt. What is judged, and in which words a model is asked, is
//! its caller's; it evaluates no check and reads no file.

mod bearing;
pub mod conformance;
mod decided;
mod telling;
mod verdict;
mod words;

pub use decided::{JudgeError, decided};
pub use telling::telling;
pub use verdict::{Seen, ask_verdict};
