//! `RunRequest`: the input that starts a run.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use artoo_meta_validator::OutputSchema;
use artoo_sandbox::{Network, SandboxMode};
use artoo_tools::{EarlierRun, OpenFiles};
use artoo_types::{Approval, Constraints, EffectKind, Instruction, Limits, Surroundings, Turn};

/// A request with everything that its run may know of its environment.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The user's words.
    pub text: String,
    /// Earlier turns of the session, oldest first.
    pub turns: Vec<Turn>,
    /// Earlier runs of the session that this one may undo, the newest first. If there are any, the run has the tool
    /// for it.
    pub undoable: Vec<EarlierRun>,
    /// The person's standing instructions here, the most general first. Beyond
    /// [`MAX_INSTRUCTION_BYTES`](artoo_types::MAX_INSTRUCTION_BYTES) the run gets the beginning. They are
    /// advice and grant no permission.
    pub instructions: Vec<Instruction>,
    /// Place and time.
    pub surroundings: Surroundings,
    /// The folder that the request applies to, and when it must be done, where the user states it beside the
    /// words. Both only take away: of the folders in which tools may change things the run keeps what lies in that
    /// folder, and the time budget ends with the deadline at the latest.
    pub constraints: Constraints,
    /// The run's budgets.
    pub limits: Limits,
    /// What commands may change.
    pub sandbox: SandboxMode,
    /// Whether confined commands may use the network.
    pub network: Network,
    /// The effects that a person is asked about.
    pub approval: Approval,
    /// Kinds of effects granted in advance.
    pub granted: BTreeSet<EffectKind>,
    /// The maximum time of the run, including questions to the person; `None` leaves only the time budget.
    pub timeout: Option<Duration>,
    /// Whether a person is present to answer questions, through [`Run::answerer`](crate::Run::answerer).
    pub person_present: bool,
    /// The user's editor, if the request comes from one: what is unsaved there counts for the tools that read and write single files.
    pub open_files: Option<Arc<dyn OpenFiles>>,
    /// The schema of the output. An accepted run then has a
    /// [`StructuredOutput`](artoo_types::StructuredOutput): the value, or why there is none, which is exit
    /// code 3.
    pub output_schema: Option<OutputSchema>,
}

impl RunRequest {
    /// A request in these words, with the default permissions and budgets, and with nobody to be asked.
    pub fn new(text: impl Into<String>, surroundings: Surroundings) -> Self {
        Self {
            text: text.into(),
            turns: Vec::new(),
            undoable: Vec::new(),
            instructions: Vec::new(),
            surroundings,
            constraints: Constraints::default(),
            limits: Limits::default(),
            sandbox: SandboxMode::default(),
            network: Network::default(),
            approval: Approval::default(),
            granted: BTreeSet::new(),
            timeout: None,
            person_present: false,
            open_files: None,
            output_schema: None,
        }
    }
}
