//! What the controller computes and says: loss, macro-states, directives, the final result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Arguments, Basis, BlockedProgram, Confidence, Fault, GaveUp, Mode, OutcomeStatus, RunId,
    StructuredOutput, SubTaskId, TaskId, ToolName,
};

/// A number from 0 to 1.
///
/// ```
/// use artoo_types::UnitInterval;
/// assert_eq!(UnitInterval::clamped(1.7).get(), 1.0);
/// assert_eq!(UnitInterval::clamped(f64::NAN).get(), 0.0);
/// assert!(UnitInterval::new(-0.1).is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct UnitInterval(#[schemars(range(min = 0.0, max = 1.0))] f64);

impl UnitInterval {
    /// 0.
    pub const ZERO: Self = Self(0.0);
    /// 1.
    pub const ONE: Self = Self(1.0);

    /// Takes a number from 0 to 1; `None` outside, and for NaN.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The nearest number from 0 to 1; 0 for NaN.
    pub fn clamped(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for UnitInterval {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::new(value).ok_or_else(|| serde::de::Error::custom(format!("{value} is not from 0 to 1")))
    }
}

/// The loss of one round and its parts. Source: specification v0.8, "The Loss Function".
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Loss {
    /// Intent-result distance.
    #[serde(rename = "D")]
    pub d: UnitInterval,
    /// Process implausibility.
    #[serde(rename = "P")]
    pub p: UnitInterval,
    /// Resource cost.
    #[serde(rename = "Omega")]
    pub omega: UnitInterval,
    /// The weighted sum.
    #[serde(rename = "L")]
    pub l: f64,
}

/// Every state that a round can end in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MacroState {
    /// Every criterion met.
    Accept,
    /// Close enough, with the unmet criteria named.
    Success,
    /// Stop, with what there is.
    Abandon,
    /// Stuck with a wrong approach: another class of tools.
    BreakSymmetry,
    /// Moving with a wrong approach: another method.
    ChangeApproach,
    /// Stuck with a sound approach: another target.
    ChangePath,
    /// Moving with a sound approach: tighter parameters.
    Refine,
}

/// The states after which R2 plans again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionState {
    /// See [`MacroState::BreakSymmetry`].
    BreakSymmetry,
    /// See [`MacroState::ChangeApproach`].
    ChangeApproach,
    /// See [`MacroState::ChangePath`].
    ChangePath,
    /// See [`MacroState::Refine`].
    Refine,
}

/// The states that end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TerminalState {
    /// See [`MacroState::Accept`].
    Accept,
    /// See [`MacroState::Success`].
    Success,
    /// See [`MacroState::Abandon`].
    Abandon,
}

/// The state before this one: `init` in the first round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrevDirective {
    /// No round came before.
    #[default]
    Init,
    /// An action state came before. Terminal states have no successor.
    #[serde(untagged)]
    Action(ActionState),
}

impl From<ActionState> for MacroState {
    fn from(state: ActionState) -> Self {
        match state {
            ActionState::BreakSymmetry => Self::BreakSymmetry,
            ActionState::ChangeApproach => Self::ChangeApproach,
            ActionState::ChangePath => Self::ChangePath,
            ActionState::Refine => Self::Refine,
        }
    }
}

impl From<TerminalState> for MacroState {
    fn from(state: TerminalState) -> Self {
        match state {
            TerminalState::Accept => Self::Accept,
            TerminalState::Success => Self::Success,
            TerminalState::Abandon => Self::Abandon,
        }
    }
}

impl MacroState {
    /// The name on the wire, for example `change_path`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Success => "success",
            Self::Abandon => "abandon",
            Self::BreakSymmetry => "break_symmetry",
            Self::ChangeApproach => "change_approach",
            Self::ChangePath => "change_path",
            Self::Refine => "refine",
        }
    }
}

impl PrevDirective {
    /// The name on the wire, for example `init`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Action(state) => MacroState::from(state).name(),
        }
    }
}

/// An input that failed: this tool with these arguments, in [`crate::ToolCall::target`]'s form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct BlockedTarget {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments in normal form.
    pub target: String,
}

impl BlockedTarget {
    /// The target of a call with these arguments.
    pub fn of(tool: &ToolName, arguments: &Arguments) -> Self {
        Self { tool: tool.clone(), target: crate::tool_call::normalised_target(arguments) }
    }
}

/// Where blocking a tool would leave nothing to work with, the way of using it is blocked instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct BlockedApproach {
    /// The tool.
    pub tool: ToolName,
    /// The intent of the subtask that failed with it.
    pub approach: String,
}

impl BlockedApproach {
    /// Whether this is the approach to an intent, whatever the order, the case and the marks of its words.
    ///
    /// ```
    /// use artoo_types::{BlockedApproach, ToolName};
    /// let blocked = BlockedApproach { tool: ToolName::new("glob"), approach: "Count the files in docs".into() };
    /// assert!(blocked.is_for("In docs, count the files") && !blocked.is_for("Count the files in logs"));
    /// ```
    pub fn is_for(&self, intent: &str) -> bool {
        crate::intent::same_intent(&self.approach, intent)
    }
}

/// The classes among a round's failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DominantClass {
    /// More logical than environmental.
    Logical,
    /// More environmental than logical.
    Environmental,
    /// As many of both, or none classified.
    Mixed,
}

/// What R2 must change. R7 to R2 and R3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDirective {
    /// The task's label.
    pub task_id: TaskId,
    /// The round that this directive judges, from 1.
    pub round: u32,
    /// The loss of that round.
    pub loss: Loss,
    /// The directive before.
    pub prev_directive: PrevDirective,
    /// The directive.
    pub directive: ActionState,
    /// Tools that the next plan and its calls may not use.
    pub blocked_tools: Vec<ToolName>,
    /// Inputs that they may not use, over all rounds of the run.
    pub blocked_targets: Vec<BlockedTarget>,
    /// Programs that its commands may not use: the tool that starts them stays usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_programs: Vec<BlockedProgram>,
    /// Ways of using a tool that they may not repeat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_approaches: Vec<BlockedApproach>,
    /// The criterion that weighs most in D.
    pub failed_criterion: String,
    /// Every criterion that this round left unmet, with what was wrong: of subtasks and of the whole task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<UnmetCriterion>,
    /// The class of the round's failures.
    pub failure_class: DominantClass,
    /// L now minus L before; 0 in the first round.
    pub grad_l: f64,
    /// The same for alpha*D + beta*P, without the clock: the number that decides in the default profile.
    pub grad_goal: f64,
    /// Why, in words.
    pub rationale: String,
}

/// The end of a run. R7 to the user, exactly one per run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FinalResult {
    /// The run.
    pub run_id: RunId,
    /// The task's label.
    pub task_id: TaskId,
    /// One or two sentences for the person.
    pub summary: String,
    /// The deliverable; null where there is none.
    pub output: Value,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Basis::is_evidence")]
    pub basis: Basis,
    /// What came of the schema that the output is to meet, where there is one and the run was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<StructuredOutput>,
    /// The last loss.
    pub loss: Loss,
    /// The last gradient of L.
    pub grad_l: f64,
    /// The last gradient of the goal.
    pub grad_goal: f64,
    /// Replans used.
    pub replans: u32,
    /// The directive before.
    pub prev_directive: PrevDirective,
    /// How the run ended.
    pub directive: TerminalState,
    /// How far it is to be believed, where every criterion is met. `success` where that is too little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Criteria that are not met; empty for `accept`.
    pub unmet: Vec<UnmetCriterion>,
    /// What each subtask put out, where the run was not accepted.
    pub partial: Vec<PartialOutput>,
    /// What would be needed, where the run was given up for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GaveUp>,
    /// The fault that ended the run, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

impl FinalResult {
    /// One of a run of which nothing came: abandoned, without a word.
    pub fn nothing(run_id: RunId, label: &str) -> Self {
        Self {
            run_id,
            task_id: TaskId::from_text(label),
            summary: String::new(),
            output: Value::Null,
            basis: Basis::Evidence,
            structured: None,
            loss: Loss::default(),
            grad_l: 0.0,
            grad_goal: 0.0,
            replans: 0,
            prev_directive: PrevDirective::Init,
            directive: TerminalState::Abandon,
            confidence: None,
            unmet: Vec::new(),
            partial: Vec::new(),
            gave_up: None,
            fault: None,
        }
    }

    /// What speaks for a result that meets everything and was not accepted all the same.
    pub fn unconfirmed(&self) -> Option<&Confidence> {
        let confidence = self.confidence.as_ref().filter(|confidence| !confidence.confirms());
        confidence.filter(|_| self.directive == TerminalState::Success)
    }
}

/// A criterion that is not met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnmetCriterion {
    /// In words.
    pub criterion: String,
    /// How it weighs.
    pub mode: Mode,
    /// Of which subtask; `None` is a task criterion.
    pub subtask_id: Option<SubTaskId>,
    /// What was wrong.
    pub reason: String,
}

/// What one subtask put out, labelled with how far it can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartialOutput {
    /// Which subtask.
    pub subtask_id: SubTaskId,
    /// What it was to do.
    pub intent: String,
    /// Whether its output was checked and matched.
    pub status: OutcomeStatus,
    /// The output.
    pub output: Value,
}
