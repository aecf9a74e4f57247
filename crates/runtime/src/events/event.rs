//! The closed set of events. Readers must ignore types that they do not know.

use std::path::PathBuf;

use artoo_types::{
    ApprovalScope, Basis, BlockedApproach, BlockedProgram, BlockedTarget, BuildFolder, CallEnding,
    CallFailure, CallId, Confidence, ContinuationRequested, Criterion, DominantClass, Effect, Errand,
    Evidence, FailureClass, Fault, FileChange, GitMoves, Held, Judge, Law, Limits, Loss, MacroState,
    MegramId, MegramState, Mode, OutcomeStatus, PairMemory, PartialOutput, PlanMemory, PlannedSubTask,
    PrevDirective, PreviewedChange, Prices, ProposedCommit, ProposedRule, Role, RunId, SubTaskId,
    TerminalState, ToolName, UnmetCriterion,
};
use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CorrectionWords, Cost, Cumulative, InstructionFile, RoleUsage};
use crate::journal::RunState;

/// One line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Version of this format: 1.
    pub v: u32,
    /// Number of the line in its run, from 1.
    pub seq: u64,
    /// Local time with its offset.
    pub ts: DateTime<FixedOffset>,
    /// The run.
    pub run_id: RunId,
    /// Whose doing it is, where it is a role's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The round it belongs to, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The subtask it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<SubTaskId>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Event {
    /// A run begins.
    #[serde(rename = "run.started")]
    RunStarted {
        /// The request, verbatim.
        request: String,
        /// What it is: a task, or a command of the person's own.
        #[serde(default, skip_serializing_if = "Errand::is_task")]
        errand: Errand,
        /// Where relative paths lie.
        working_folder: PathBuf,
        /// Where new files go.
        workspace: PathBuf,
        /// What it may spend.
        limits: Limits,
        /// What its models cost, where that is known.
        #[serde(default, skip_serializing_if = "Prices::is_empty")]
        prices: Prices,
        /// Whose advice it follows, where there is any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        instructions: Vec<InstructionFile>,
    },
    /// The person is asked what words of the request refer to.
    #[serde(rename = "clarification.requested")]
    ClarificationRequested {
        /// Which round of questions, from 1.
        asked: u32,
        /// The questions.
        questions: Vec<String>,
    },
    /// The person answered.
    #[serde(rename = "clarification.answered")]
    ClarificationAnswered {
        /// To which round.
        asked: u32,
        /// In words; empty means: go ahead.
        answer: String,
    },
    /// The request says more than the person's words alone: earlier turns, or answers, went into it.
    #[serde(rename = "request.understood")]
    RequestUnderstood {
        /// What the run works on.
        intent: String,
    },
    /// The person said something unasked.
    #[serde(rename = "note.given")]
    NoteGiven {
        /// Their words.
        text: String,
    },
    /// Memory answered.
    #[serde(rename = "memory.recalled")]
    MemoryRecalled {
        /// The pairs that were asked for, the intent's first, then similar ones.
        recalled: Vec<PairMemory>,
        /// The person's laws.
        laws: Vec<Law>,
    },
    /// A plan.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        /// Assertions about the combined output.
        task_criteria: Vec<Criterion>,
        /// Its subtasks.
        subtasks: Vec<PlannedSubTask>,
        /// Earlier subtasks whose outputs it keeps.
        kept: Vec<SubTaskId>,
        /// What of memory it was made with, what was left out, and what its calls are held to.
        #[serde(default, skip_serializing_if = "PlanMemory::is_empty")]
        memory: PlanMemory,
    },
    /// The person is asked whether the plan may run.
    #[serde(rename = "plan_approval.requested")]
    PlanApprovalRequested {
        /// What would be run.
        subtasks: Vec<PlannedSubTask>,
    },
    /// The person decided.
    #[serde(rename = "plan_approval.decided")]
    PlanApprovalDecided {
        /// Yes or no.
        granted: bool,
        /// Who decided and why.
        reason: String,
    },
    /// The person is asked whether the run shall go on, since it has taken so much.
    #[serde(rename = "continuation.requested")]
    ContinuationRequested {
        /// The question.
        #[serde(flatten)]
        asked: ContinuationRequested,
    },
    /// The person decided.
    #[serde(rename = "continuation.decided")]
    ContinuationDecided {
        /// Yes or no.
        granted: bool,
        /// Who decided and why.
        reason: String,
    },
    /// A subtask begins.
    #[serde(rename = "subtask.started")]
    SubTaskStarted {
        /// What to do.
        intent: String,
        /// Its group.
        sequence: u32,
        /// Assertions about its output.
        success_criteria: Vec<Criterion>,
    },
    /// A call begins.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// Its id.
        call_id: CallId,
        /// Which tool.
        tool: ToolName,
        /// With what.
        arguments: Value,
    },
    /// A piece of a call's output.
    #[serde(rename = "tool.output")]
    ToolOutput {
        /// Of which call.
        call_id: CallId,
        /// The text.
        text: String,
    },
    /// Consent to what a call would do is needed.
    #[serde(rename = "approval.requested")]
    ApprovalRequested {
        /// For which call.
        call_id: CallId,
        /// Which tool.
        tool: ToolName,
        /// The command, or what stands for one.
        command: String,
        /// The effects that need consent.
        effects: Vec<Effect>,
        /// What a preview found that it would change.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<PreviewedChange>,
        /// The commit that it would make.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<ProposedCommit>,
        /// What it would move in a git repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moves: Option<Box<GitMoves>>,
        /// The rule that asks.
        rule: String,
        /// That rule in words.
        reason: String,
        /// Whether a person is asked. Otherwise what the run knows decides, at once.
        person: bool,
        /// The Megrams that advise against the call, where it is memory that asks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        because: Vec<MegramId>,
    },
    /// It was decided about. The line has a role where no person decided.
    #[serde(rename = "approval.decided")]
    ApprovalDecided {
        /// About which call.
        call_id: CallId,
        /// Yes or no.
        granted: bool,
        /// For how long a yes holds.
        scope: ApprovalScope,
        /// Who decided and why.
        reason: String,
        /// What the person wants done instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<String>,
        /// The rule that the person has written with the answer *always*.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<ProposedRule>,
    },
    /// A call ended.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// Its id.
        call_id: CallId,
        /// Which tool.
        tool: ToolName,
        /// How it ended: exit status, time-out, refusal.
        ending: CallEnding,
        /// Why it counts as failed.
        failure: Option<CallFailure>,
        /// Milliseconds.
        duration_ms: u64,
        /// Head and tail of the output.
        shown: String,
        /// Bytes of output.
        bytes: u64,
        /// Bytes beyond the cap.
        dropped_bytes: u64,
        /// Files that it created or changed.
        files: Vec<FileChange>,
        /// Folders of build output in which it changed files, which are counted and not listed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        build_output: Vec<BuildFolder>,
        /// What memory had to do with it, where it advises against the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held: Option<Held>,
    },
    /// A verdict fell.
    #[serde(rename = "verdict")]
    Verdict {
        /// The criterion in words.
        criterion: String,
        /// How it weighs.
        mode: Mode,
        /// Whether it is met.
        pass: bool,
        /// Who decided.
        judge: Judge,
        /// The class of a failure.
        class: Option<FailureClass>,
        /// What was wrong.
        reason: Option<String>,
        /// What shows it.
        evidence: Option<Evidence>,
    },
    /// Another attempt follows.
    #[serde(rename = "correction")]
    Correction {
        /// The directions.
        #[serde(flatten)]
        correction: CorrectionWords,
    },
    /// A subtask ended.
    #[serde(rename = "subtask.finished")]
    SubTaskFinished {
        /// How.
        status: OutcomeStatus,
        /// Its output.
        output: Value,
        /// Why it failed.
        failure_reason: Option<String>,
    },
    /// The controller scored the round.
    #[serde(rename = "round.scored")]
    RoundScored {
        /// D, P, Omega and L.
        #[serde(flatten)]
        loss: Loss,
        /// L now minus L before.
        grad_l: f64,
        /// The same without the clock.
        grad_goal: f64,
    },
    /// What the next plan must change.
    #[serde(rename = "directive")]
    Directive {
        /// The directive before.
        prev: PrevDirective,
        /// The directive now.
        current: MacroState,
        /// Tools that may not be used.
        blocked_tools: Vec<ToolName>,
        /// Inputs that may not be used.
        blocked_targets: Vec<BlockedTarget>,
        /// Programs that commands may not use.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blocked_programs: Vec<BlockedProgram>,
        /// Ways of using a tool that may not be repeated.
        blocked_approaches: Vec<BlockedApproach>,
        /// The class of the failures.
        failure_class: DominantClass,
        /// The criterion that weighs most.
        failed_criterion: String,
        /// Why, in words.
        rationale: String,
    },
    /// Something was remembered.
    #[serde(rename = "memory.written")]
    MemoryWritten {
        /// First half of the tag pair.
        space: String,
        /// Second half.
        entity: String,
        /// What made it.
        state: MegramState,
        /// Magnitude.
        f: f64,
        /// Valence.
        sigma: f64,
        /// Decay per day.
        k: f64,
    },
    /// A model call ended.
    #[serde(rename = "usage")]
    Usage {
        /// The model.
        model: String,
        /// Tokens read.
        prompt_tokens: u64,
        /// Of those, tokens that needed no work.
        cached_tokens: u64,
        /// Tokens written.
        completion_tokens: u64,
        /// Milliseconds.
        elapsed_ms: u64,
        /// Whether the counts are estimates.
        estimated: bool,
        /// Why it failed.
        error: Option<String>,
        /// What it cost, where its price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
        /// The run so far.
        cumulative: Cumulative,
    },
    /// Something worth knowing.
    #[serde(rename = "warning")]
    Warning {
        /// What.
        message: String,
    },
    /// The run has no end on record. Never told by a run: `runs show --json` adds it behind the last line of such a run.
    #[serde(rename = "run.unfinished")]
    RunUnfinished {
        /// Where it stands.
        state: RunState,
    },
    /// A run ended.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// What was asked for: a task, or a command of the person's own.
        #[serde(default, skip_serializing_if = "Errand::is_task")]
        errand: Errand,
        /// How; null where a fault ended it.
        directive: Option<TerminalState>,
        /// How far it is to be believed, where every criterion is met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<Box<Confidence>>,
        /// The fault.
        error: Option<Fault>,
        /// One or two sentences.
        summary: String,
        /// The deliverable.
        output: Value,
        /// What it rests on: `model` where the request was answered from the model's knowledge, and nothing was checked.
        #[serde(default, skip_serializing_if = "Basis::is_evidence")]
        basis: Basis,
        /// The value that meets the schema of `--output-schema`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured: Option<Box<Value>>,
        /// Why there is no such value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured_error: Option<Box<str>>,
        /// Criteria that are not met.
        unmet: Vec<UnmetCriterion>,
        /// D, P, Omega and L.
        loss: Box<Loss>,
        /// The last gradient of L.
        grad_l: f64,
        /// The last gradient of the goal.
        grad_goal: f64,
        /// Replans used.
        replans: u32,
        /// The directive before.
        prev_directive: PrevDirective,
        /// Outputs of subtasks, where the run was not accepted.
        partial: Vec<PartialOutput>,
        /// Files that the run created, changed or deleted, each once, in order; of commands, what differs where they may write.
        files: Vec<FileChange>,
        /// Folders of build output in which it changed files, which are counted and not listed: each file once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        build_output: Vec<BuildFolder>,
        /// What the person said unasked, and neither a plan nor the judge of the whole has seen.
        #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
        unused_notes: Box<[String]>,
        /// What it cost.
        usage: Cumulative,
        /// How many of its model calls had to follow one another: the longest chain of calls of which each began
        /// after the one before it had ended.
        #[serde(default)]
        depth: u32,
        /// What each role cost.
        roles: Vec<RoleUsage>,
        /// Milliseconds, without the time that a person was asked.
        elapsed_ms: u64,
        /// The exit code of `artoo run`.
        exit_code: u8,
    },
}
