//! What starts a run.

use std::{collections::BTreeSet, time::Duration};

use artoo_meta_validator::OutputSchema;
use artoo_sandbox::{Network, SandboxMode};
use artoo_types::{Approval, EffectKind, Instruction, Limits, Surroundings, Turn};

/// A request with all that its run may know of the outside.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The user's words.
    pub text: String,
    /// Earlier turns of the session, oldest first.
    pub turns: Vec<Turn>,
    /// What the person wants of all work here, the most general first. Of more than
    /// [`MAX_INSTRUCTION_BYTES`](artoo_types::MAX_INSTRUCTION_BYTES) the run is told the beginning. Advice:
    /// nothing of it is a permission.
    pub instructions: Vec<Instruction>,
    /// Where and when.
    pub surroundings: Surroundings,
    /// What the run may spend.
    pub limits: Limits,
    /// What commands may change.
    pub sandbox: SandboxMode,
    /// Whether confined commands may use the network.
    pub network: Network,
    /// Before which effects a person is asked.
    pub approval: Approval,
    /// Kinds of effects that are granted in advance.
    pub granted: BTreeSet<EffectKind>,
    /// The longest that the run may take, questions to the person included; `None` is no bound but the time
    /// budget's.
    pub timeout: Option<Duration>,
    /// Whether somebody is there to be asked back, and answers by [`Run::answerer`](crate::Run::answerer).
    pub person_present: bool,
    /// The schema that the output is to meet. An accepted run then has a
    /// [`StructuredOutput`](artoo_types::StructuredOutput): the value, or why there is none, which is exit
    /// code 3.
    pub output_schema: Option<OutputSchema>,
}
