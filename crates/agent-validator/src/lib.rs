//! R4a, the agent-validator: judges one subtask's result against its criteria, and drives the fast loop.
//!
//! Criteria with a check are decided by code, which runs a command if the criterion names one
//! ([`RunCommand`]). Only the rest go to a model, all at once, together with the evidence from the tool
//! calls. Whether the subtask matched is the AND of all verdicts, computed by code: a model cannot override
//! its own verdicts.
//!
//! To replace the judge, implement [`Judge`], pass it to the runtime's builder, and run the [`conformance`]
//! suite against it; to replace the whole role, publish what the bus contract allows.
//!
//! ```
//! use artoo_agent_validator::{FastLoop, Step, conformance};
//! use artoo_types::OutcomeStatus;
//!
//! // Two corrections are up to three attempts; an attempt without a verdict is none of them: nothing was judged.
//! let mut fast_loop = FastLoop::new(conformance::subtask("Count the files", &[]), 2);
//! let step = fast_loop.conclude(&conformance::result("3", Vec::new()), Vec::new());
//! assert!(matches!(step, Some(Step::Done(outcome)) if outcome.status == OutcomeStatus::Failed));
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It runs no tool except through that port, judges
//! no other subtask, and writes nothing to memory.

mod actor;
mod behaviour;
mod commands;
#[cfg(feature = "test-util")]
pub mod conformance;
mod fast_loop;
mod give_up_review;
mod model_judge;
mod prompt;
mod verdicts;

pub use actor::{Settings, run};
pub use artoo_judging::{Excerpts, JudgeError, NoRerun, PutOut, Rerun, Waiting};
pub use behaviour::{Judge, JudgeContext, StepMentions};
pub use commands::{CommandRun, NoCommands, RunCommand};
pub use fast_loop::{FastLoop, Step};
pub use model_judge::{GUIDED_PROMPT, ModelJudge, SYSTEM_PROMPT};
pub use verdicts::verdicts;
