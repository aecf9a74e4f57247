//! Call ledger of a subtask: the rules that decide whether a call may be made, and the record of calls. Pure,
//! so that it can be tested without a tool.

use std::collections::BTreeSet;

use artoo_types::{
    Arguments, BlockedApproach, BlockedProgram, BlockedTarget, FailureClass, PlanDirective, ToolCall,
    ToolName,
};

use crate::guided;

/// What a directive blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked {
    /// Whole tools.
    pub tools: BTreeSet<ToolName>,
    /// Programs, at any position of a command.
    pub programs: BTreeSet<BlockedProgram>,
    /// Exact inputs.
    pub targets: BTreeSet<BlockedTarget>,
    /// Tools for a certain intent, regardless of its word order.
    pub approaches: BTreeSet<BlockedApproach>,
}

impl From<&PlanDirective> for Blocked {
    fn from(directive: &PlanDirective) -> Self {
        Self {
            tools: directive.blocked_tools.iter().cloned().collect(),
            programs: directive.blocked_programs.iter().cloned().collect(),
            targets: directive.blocked_targets.iter().cloned().collect(),
            approaches: directive.blocked_approaches.iter().cloned().collect(),
        }
    }
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// The call may be made.
    Allowed,
    /// The call is refused; the model is told why and may try something else.
    Refused(String),
    /// The call was made before and nothing has changed since: this is its result.
    Known(Box<ToolCall>),
    /// The call is refused, and the attempt is over.
    Stopped(CallStopped),
}

/// Why an attempt is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallStopped {
    /// Earlier calls were requested again.
    ///
    /// The message omits the call: it comes back as a correction, and a small model copies what it reads.
    #[error("{times} calls of {tool} were asked for again, though their results were known")]
    Repeated {
        /// The tool.
        tool: ToolName,
        /// Its arguments in normal form.
        target: String,
        /// How many such calls there were in this attempt.
        times: u32,
    },
    /// Consent was denied. The effect may not be reached by other means, so the attempt is over.
    #[error("{reason}")]
    Denied {
        /// What was refused and why.
        reason: String,
    },
    /// The run is being cancelled.
    #[error("the run was cancelled")]
    Cancelled,
}

/// The calls of one subtask over all its attempts.
///
/// ```
/// use artoo_executor::{Blocked, Ledger, Ruling};
/// use artoo_types::ToolName;
///
/// let mut ledger = Ledger::new("Run the tests", &[], Blocked::default());
/// let shell = ToolName::new("shell");
/// let run = [("command".to_owned(), "make test".into())].into_iter().collect();
/// assert_eq!(ledger.rule(&shell, &run, 0), Ruling::Allowed);
/// assert!(matches!(ledger.rule(&shell, &run, 0), Ruling::Refused(_)));
/// // Something has changed: it is another question.
/// assert_eq!(ledger.rule(&shell, &run, 1), Ruling::Allowed);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    blocked: Blocked,
    intent: String,
    used: Vec<BlockedTarget>,
    /// Every requested call, refused ones included, with the number of changes in the run at that time.
    asked: Vec<(ToolName, Arguments, u64)>,
    calls: Vec<ToolCall>,
    duplicates: u32,
    guided: bool,
    /// Why the attempt is over, once it is.
    over: Option<CallStopped>,
}

impl Ledger {
    /// Creates an empty ledger for a subtask with this intent. `used` are the calls of earlier rounds, which a
    /// blocked approach may not repeat in kind.
    pub fn new(intent: &str, used: &[BlockedTarget], blocked: Blocked) -> Self {
        Self {
            blocked,
            intent: intent.to_owned(),
            used: used.to_vec(),
            asked: Vec::new(),
            calls: Vec::new(),
            duplicates: 0,
            guided: false,
            over: None,
        }
    }

    /// Sets whether the model is guided.
    #[must_use]
    pub fn guided(self, guided: bool) -> Self {
        Self { guided, ..self }
    }

    /// Begins another attempt: the duplicate count is reset, calls stay recorded, and a denial stays a
    /// denial.
    pub fn begin_attempt(&mut self) {
        self.duplicates = 0;
        self.over = self.calls.iter().find_map(denial).map(|reason| CallStopped::Denied { reason });
    }

    /// Decides whether this call may be made now. `changes` is the number of changes in the run: a
    /// byte-identical call is a duplicate only if nothing has changed since. Once an attempt is over, none of
    /// its calls is allowed, so that a behaviour that continues anyway has no effect.
    pub fn rule(&mut self, tool: &ToolName, arguments: &Arguments, changes: u64) -> Ruling {
        if let Some(over) = &self.over {
            return Ruling::Stopped(over.clone());
        }
        let call = BlockedTarget::of(tool, arguments);
        let is_new = !self.knows(tool, arguments, changes);
        if is_new {
            self.asked.push((tool.clone(), arguments.clone(), changes));
        } else {
            self.duplicates += 1;
            if self.guided && self.duplicates >= guided::MAX_DUPLICATES {
                let stopped =
                    CallStopped::Repeated { tool: call.tool, target: call.target, times: self.duplicates };
                self.over = Some(stopped.clone());
                return Ruling::Stopped(stopped);
            }
        }
        // A blocked call keeps its reason, however often it is requested.
        let forbidden = self.forbidden(&call);
        if forbidden != Ruling::Allowed || is_new {
            return forbidden;
        }
        let is_same = |known: &&ToolCall| known.tool == *tool && known.arguments == *arguments;
        match self.calls.iter().rev().find(is_same) {
            Some(known) => Ruling::Known(Box::new(known.clone())),
            None => {
                Ruling::Refused("this very call was asked for before; nothing has changed since".to_owned())
            }
        }
    }

    /// Whether an identical call was requested before and nothing has changed since, so that another one
    /// yields nothing new.
    pub fn knows(&self, tool: &ToolName, arguments: &Arguments, changes: u64) -> bool {
        let is_same =
            |asked: &(ToolName, Arguments, u64)| (&asked.0, &asked.1, asked.2) == (tool, arguments, changes);
        self.asked.iter().any(is_same)
    }

    /// Whether the call is refused regardless of the requester and the number of requests.
    pub(crate) fn forbidden(&self, call: &BlockedTarget) -> Ruling {
        if self.blocked.tools.contains(&call.tool) {
            return Ruling::Refused(format!(
                "the tool {} is blocked in this round; use another tool",
                call.tool
            ));
        }
        if self.blocked.targets.contains(call) {
            return Ruling::Refused(
                "this input failed in an earlier round and is blocked; use another".to_owned(),
            );
        }
        let programs = BlockedProgram::all_in(call);
        if let Some(blocked) = programs.iter().find(|program| self.blocked.programs.contains(program)) {
            return Ruling::Refused(format!(
                "{} failed at this in an earlier round and is blocked; use another program",
                blocked.program
            ));
        }
        let approach = |blocked: &BlockedApproach| blocked.tool == call.tool && blocked.is_for(&self.intent);
        if self.blocked.approaches.iter().any(approach) && self.used_before(call) {
            return Ruling::Refused(format!(
                "{} was used in the same way before and failed; use it differently",
                call.tool
            ));
        }
        Ruling::Allowed
    }

    /// Records a finished call. A denied call ends the attempt.
    pub fn record(&mut self, call: ToolCall) {
        if let Some(reason) = denial(&call) {
            self.over = Some(CallStopped::Denied { reason });
        }
        self.calls.push(call);
    }

    /// Every recorded call, oldest first.
    pub fn calls(&self) -> &[ToolCall] {
        &self.calls
    }

    fn used_before(&self, call: &BlockedTarget) -> bool {
        self.used.iter().any(|used| is_same_means(used, call))
    }
}

/// Whether two calls use the same tool and, for tools that run commands, a program in common.
fn is_same_means(one: &BlockedTarget, other: &BlockedTarget) -> bool {
    if one.tool != other.tool {
        return false;
    }
    let (ones, others) = (BlockedProgram::all_in(one), BlockedProgram::all_in(other));
    (ones.is_empty() && others.is_empty()) || ones.iter().any(|program| others.contains(program))
}

/// The reason for a denial, if the call was denied.
pub(crate) fn denial(call: &ToolCall) -> Option<String> {
    let failure = call.failure.as_ref().filter(|failure| failure.class == FailureClass::Denied)?;
    Some(failure.reason.clone())
}
