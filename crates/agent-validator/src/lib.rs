//! R4a, the agent-validator: judges one subtask's result against its criteria, and drives the fast loop.
//!
//! Criteria with a check are decided by code, which runs a command where one names it ([`RunCommand`]). Only the rest go to a model, all at once, with the evidence of the tool
//! calls in front of it. Whether the subtask matched is the AND of all verdicts, taken by code: no word of a model can
//! override its own list.
//!
//! To replace the judge, implement [`Judge`], hand it to the runtime's builder, and let [`conformance`] put it to the contract; to
//! replace the whole role, publish what the bus contract allows.
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
//! *Architecture invariant*: this crate knows no other role. It runs no tool but by that port, judges no other subtask, and writes nothing to memory.

mod actor;
mod behaviour;
mod commands;
#[cfg(feature = "test-util")]
pub mod conformance;
mod fast_loop;
mod given_up;
mod model_judge;
mod prompt;
mod verdicts;

pub use actor::{Settings, run};
pub use artoo_judging::{JudgeError, NothingAgain, PutOut, RunAgain};
pub use behaviour::{Judge, JudgeContext};
pub use commands::{CommandRun, NoCommands, RunCommand};
pub use fast_loop::{FastLoop, Step};
pub use model_judge::{GUIDED_PROMPT, ModelJudge, SYSTEM_PROMPT};
pub use verdicts::verdicts;
