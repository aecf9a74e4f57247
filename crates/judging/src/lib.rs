//! What judges of criteria have in common, whether they judge a subtask or a whole task.
//!
//! [`ask_verdict`] puts one criterion to a model and reads what it says; [`decided()`] lets a judge's finding stand only where it
//! came in time and points at a call that was really made; [`conformance`] holds the laws that every judge keeps.
//!
//! *Architecture invariant*: this crate knows no role and no prompt. What is judged, and in which words a model is asked, is
//! its caller's; it evaluates no check and reads no file.

pub mod conformance;
mod decided;
mod verdict;

pub use decided::{JudgeError, decided};
pub use verdict::ask_verdict;
