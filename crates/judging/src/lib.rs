//! What judges of criteria have in common, whether they judge a subtask or a whole task.
//!
//! [`ask_whole`] puts the whole of a request to a model, which takes it apart by quotation; [`dependences`] finds out whether calls say anything of
//! what they are about. [`Exhibits`] is what a judge is shown, as much of it as its model can take; [`ask_verdicts`] puts criteria to a model, and ties what it
//! says of each to the call that bears it out; [`decided()`] lets a judge's findings stand only where they came in time and point at
//! calls that were really made; [`excerpt()`] shows of a long text what bears on a criterion; [`conformance`] holds the laws that every judge
//! keeps.
//!
//! ```
//! use artoo_judging::excerpt;
//! let log = format!("{}error: disk full\n{}", "ordinary line\n".repeat(500), "ordinary line\n".repeat(500));
//! let shown = excerpt(&log, 400, "The error names the disk");
//! assert!(shown.len() < log.len() && shown.contains("disk full"));
//! ```
//!
//! *Architecture invariant*: this crate knows no role and no prompt. What is judged, and in which words a model is asked, is
//! its caller's; it evaluates no check.

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
