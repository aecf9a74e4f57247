//! The vocabulary of artoo: every message that passes between roles, and the values inside them.
//!
//! The field names are those of the specification (v0.8, then v0.8-detail, v0.7, v0.6, v0.3); what the project adds is
//! said on the field. Each message has a JSON Schema, [`MessageKind::schema`], and a golden file in `tests/golden`.
//!
//! ```
//! use artoo_types::{MessageKind, Role, Warning};
//! let warning = Warning { role: Role::Planner, message: "a step was left out".to_owned() };
//! assert_eq!(serde_json::to_value(&warning)?["role"], "planner");
//! assert!(MessageKind::Warning.schema().pointer("/properties/role").is_some());
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! *Architecture invariant*: data only. This crate knows no role's behaviour, no async, no file, no clock, no random
//! number and no network: an id or a time is always handed in.
//!
//! *API boundary*: embedders and journals depend on these shapes. A changed shape needs its golden files
//! rewritten (`cargo test -p artoo-types --test it -- --ignored rewrite_golden_files`) and a word in
//! the changelog.

mod anomaly;
mod approval;
mod audit;
mod briefing;
mod build_folder;
mod clarification;
mod conduct;
mod confidence;
mod continuation;
mod control;
mod criterion;
mod direct_answer;
mod excerpt;
mod execution;
mod fault;
mod file_change;
mod git_moves;
mod guard;
mod ids;
mod instruction;
mod intent;
mod memory;
mod message;
mod money;
mod note;
mod outcome;
mod plan;
mod programs;
mod progress;
mod rehearsal;
mod remedy;
mod role;
mod settings;
mod slug;
mod task;
mod terminal_text;
mod told_changes;
mod tool_call;
mod tool_kind;
mod trust;
mod usage;
mod user_statement;
mod verdict;
mod workplace;

pub use anomaly::{Anomaly, AnomalyKind, IdKind, RunLimit};
pub use approval::{
    Approval, ApprovalDecided, ApprovalRequested, ApprovalScope, CommittedChange, CommittedFile, Effect,
    EffectKind, PlanApprovalDecided, PlanApprovalRequested, PreviewedChange, PreviewedKind, ProposedCommit,
    ProposedRule, UnknownApproval, UnknownEffectKind,
};
pub use audit::{
    AuditEvent, AuditQuery, AuditReport, AuditTrigger, GapTrend, ModelRecord, PeriodicReports, ToolHealth,
    ToolRecord, Trend,
};
pub use briefing::{Briefing, Lesson};
pub use build_folder::BuildFolder;
pub use clarification::{ClarificationAnswered, ClarificationRequested};
pub use conduct::{BoundaryViolation, Crossing, DriftAlert, DriftMeasure, Share};
pub use confidence::Confidence;
pub use continuation::{Checkpoints, ContinuationDecided, ContinuationRequested};
pub use control::{
    ActionState, BlockedApproach, BlockedTarget, DominantClass, FinalResult, Loss, MacroState, PartialOutput,
    PlanDirective, PrevDirective, TerminalState, UnitInterval, UnmetCriterion,
};
pub use criterion::{Check, Criterion, Mode};
pub use direct_answer::{Basis, DirectAnswer};
pub use excerpt::{Excerpt, head_tail, head_tail_of_ends, place_of, printable};
pub use execution::{ExecutionFailure, ExecutionResult, ExecutionStatus, GaveUp, GiveUpKind, Samples};
pub use fault::{Fault, FaultKind, Warning};
pub use file_change::{FileChange, FileChangeKind};
pub use git_moves::{
    CheckedOut, Course, GitMoves, GitOperation, HeadMove, NewCommit, OperationMove, PathSample, RefMove,
};
pub use guard::{GuardAction, GuardQuery, GuardReply, Held, HeldEnd, MemoryGuard, PlanMemory};
pub use ids::{CallId, EvidenceId, MegramId, RunId, SessionId, SubTaskId, TaskId, short_id};
pub use instruction::{Instruction, MAX_INSTRUCTION_BYTES};
pub use intent::same_intent;
pub use memory::{
    DreamReport, Entity, Experience, Law, Level, Megram, MegramState, MegramWrite, MemoryAction, MemoryQuery,
    MemoryReply, Origin, PairMemory, Polarity, Potentials, RecallReason, SopRecord, Space, TagPair,
};
pub use message::{Envelope, Message, MessageKind, Payload};
pub use money::{Amount, Price, Prices};
pub use note::{MAX_NOTE_BYTES, NoteError, PersonNote};
pub use outcome::{
    Answer, AnswerOrigin, FailureReport, FailureReportRequest, OutcomeStatus, OutcomeSummary, ReplanRequest,
    StructuredOutput, SubTaskOutcome,
};
pub use plan::{DispatchManifest, EarlierResult, Plan, PlannedSubTask, StepKind, SubTask};
pub use programs::BlockedProgram;
pub use progress::{ActivityReport, Progress, RetryReason, TrialFiles};
pub use rehearsal::{NotRehearsed, Perturbation, Rehearsed, RehearsedChanges, Said};
pub use remedy::Remedy;
pub use role::Role;
pub use settings::{ControlSettings, DecidingGradient, Hyperparameters, SolverOrigin, Weighing};
pub use slug::intent_slug;
pub use task::{
    Constraints, Errand, Limits, MAX_TURNS, Rejection, Surroundings, TaskSpec, Turn, UserRequest,
};
pub use terminal_text::{Settled, settled};
pub use told_changes::{MoreCreated, ToldChanges};
pub use tool_call::{
    Arguments, CallEnding, CallFailure, OutputRecord, ToolCall, ToolFinished, ToolName, ToolOutput,
    ToolStarted, Untried,
};
pub use tool_kind::ToolKind;
pub use trust::{Foreign, Taint, Trust};
pub use usage::ModelCall;
pub use user_statement::{ConsentDecision, UserStatement};
pub use verdict::{
    CorrectionSignal, CriterionVerdict, Evidence, FailureClass, Finding, GapEntry, Judge, VerdictReached,
};
pub use workplace::{CommandNetwork, RepositoryState, Workplace, Writes};
