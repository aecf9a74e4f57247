//! Shared parts of the judges of criteria, both of a subtask and of a whole task.
//!
//! [`ask_whole`] asks a model about a whole request, which the model has to split by quotation;
//! [`dependences`] tests whether the outputs of calls depend on their subject. [`Exhibits`] builds what a
//! judge is shown, within the limits of its model; [`ask_verdicts`] asks a model about criteria, and ties
//! each verdict to the call that supports it; [`decided()`] accepts a judge's findings only if they came in
//! time and point at calls that were really made; [`excerpt()`] selects from a long text what bears on a
//! criterion; [`conformance`] holds the laws for every judge.
//!
//! *Architecture invariant*: this crate knows no role and no prompt. The caller decides what is judged and
//! how a model is asked; this crate evaluates no check.

pub mod conformance;
mod decided;
mod dependence;
mod excerpt;
mod exhibits;
mod guided;
mod supporting_call;
mod verdict;
mod whole;
mod words;

pub use decided::{JudgeError, decided};
pub use dependence::{Dependence, NothingAgain, PutOut, RunAgain, dependences, matters};
pub use excerpt::excerpt;
pub use exhibits::Exhibits;
pub use verdict::{Question, Seen, ask_verdicts, asked};
pub use whole::{Grounds, WHOLE, ask_whole};
