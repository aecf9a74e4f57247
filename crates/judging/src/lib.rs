//! Shared parts of the judges of criteria, both of a subtask and of a whole task.
//!
//! [`ask_whole`] asks a model about a whole request, which the model has to split by quotation.
//! [`ask_continued`] asks the same by continuing the conversation in which the work was done.
//! [`ask_verdicts`] asks a model about criteria, and ties each verdict to the call that supports it.
//! [`decided()`] asks a judge once more if no verdict came, and accepts its findings only if they point at
//! calls that were really made. [`dependences`] tests whether the outputs of calls depend on their subject.
//! [`Exhibits`] builds what a judge is shown, within the limits of its model; [`excerpt()`] selects from a
//! long text the lines that matter to a criterion. [`conformance`] holds the laws for every judge.
//!
//! ```
//! use artoo_judging::excerpt;
//! let log = format!("{}error: disk full\n{}", "ordinary line\n".repeat(500), "ordinary line\n".repeat(500));
//! let shown = excerpt(&log, 400, "The error names the disk");
//! assert!(shown.len() < log.len() && shown.contains("disk full"));
//! ```
//!
//! *Architecture invariant*: this crate knows no role and no prompt. The caller decides what is judged and
//! how a model is asked; this crate evaluates no check.

mod answer_schema;
#[cfg(feature = "test-util")]
pub mod conformance;
mod content_dependence;
mod continued_judge;
mod dependence;
mod excerpt;
mod exhibits;
mod guarded_judge;
mod guided;
mod request_judge;
mod supporting_call;
mod verdict;
mod words;

pub use continued_judge::ask_continued;
pub use dependence::{Dependence, NoRerun, PutOut, Rerun, dependences, matters};
pub use excerpt::excerpt;
pub use exhibits::{Excerpts, Exhibits};
pub use guarded_judge::{JudgeError, Waiting, decided};
pub use request_judge::{Grounds, WHOLE, WholeRequest, ask_whole};
pub use verdict::{Question, Seen, ask_verdicts, asked};
