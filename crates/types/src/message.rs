//! The closed set of messages, and the envelope around them.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ApprovalDecided, ApprovalRequested, AuditQuery, AuditReport, ClarificationAnswered,
    ClarificationRequested, ContinuationDecided, ContinuationRequested, ControlSettings, CorrectionSignal,
    DirectAnswer, DispatchManifest, DreamReport, ExecutionResult, FailureReport, FailureReportRequest, Fault,
    FinalResult, GuardQuery, GuardReply, MegramWrite, MemoryQuery, MemoryReply, ModelCall, OutcomeSummary,
    PersonNote, Plan, PlanApprovalDecided, PlanApprovalRequested, PlanDirective, ReplanRequest, Role, RunId,
    SubTask, SubTaskOutcome, TaskSpec, ToolFinished, ToolOutput, ToolStarted, UserRequest, VerdictReached,
    Warning,
};

/// A message as the bus delivers it and the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// Its number in its run, from 1, without gaps.
    pub seq: u64,
    /// The run.
    pub run_id: RunId,
    /// Local time with its offset.
    pub at: DateTime<FixedOffset>,
    /// Milliseconds since the run began, without the time that a person was asked.
    pub elapsed_ms: u64,
    /// The sender.
    pub from: Role,
    /// The message. Shared: the bus hands the same one to every receiver.
    #[serde(flatten)]
    pub message: Arc<Message>,
}

/// What a [`Message`] of one kind carries.
pub trait Payload {
    /// The payload of a message of this kind; `None` for every other kind.
    fn of(message: &Message) -> Option<&Self>;
}

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// Every message that may pass over the bus.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
        pub enum Message {
            $($(#[$doc])* $name($name),)+
        }

        /// The kind of a [`Message`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum MessageKind {
            $($(#[$doc])* $name,)+
        }

        impl Message {
            /// Its kind.
            pub fn kind(&self) -> MessageKind {
                match self {
                    $(Self::$name(_) => MessageKind::$name,)+
                }
            }
        }

        impl MessageKind {
            /// Every kind, in the order in which a run meets them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name of the payload's type, for example `TaskSpec`.
            pub fn type_name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// The JSON Schema (draft 2020-12) of the payload.
            pub fn schema(self) -> schemars::Schema {
                match self {
                    $(Self::$name => schemars::schema_for!($name),)+
                }
            }
        }

        $(impl From<$name> for Message {
            fn from(payload: $name) -> Self {
                Self::$name(payload)
            }
        }

        impl Payload for $name {
            fn of(message: &Message) -> Option<&Self> {
                if let Message::$name(payload) = message { Some(payload) } else { None }
            }
        })+
    };
}

messages! {
    /// What the controller goes by.
    ControlSettings,
    /// The request.
    UserRequest,
    /// Questions back to the person.
    ClarificationRequested,
    /// The person's answer.
    ClarificationAnswered,
    /// What the person says while the run works.
    PersonNote,
    /// The request, structured.
    TaskSpec,
    /// A question to memory.
    MemoryQuery,
    /// Memory's answer.
    MemoryReply,
    /// A proposed plan.
    Plan,
    /// An answer without work, in place of a plan.
    DirectAnswer,
    /// A question to the person about the plan.
    PlanApprovalRequested,
    /// The person's answer.
    PlanApprovalDecided,
    /// A question to the person whether the run shall go on.
    ContinuationRequested,
    /// The person's answer.
    ContinuationDecided,
    /// What R4b waits for.
    DispatchManifest,
    /// A subtask to run.
    SubTask,
    /// A question to memory about a call.
    GuardQuery,
    /// Memory's answer.
    GuardReply,
    /// A call begins.
    ToolStarted,
    /// A piece of a call's output.
    ToolOutput,
    /// A call ended.
    ToolFinished,
    /// A question to the person.
    ApprovalRequested,
    /// The person's answer.
    ApprovalDecided,
    /// An attempt ended.
    ExecutionResult,
    /// A verdict was reached.
    VerdictReached,
    /// Another attempt, with directions.
    CorrectionSignal,
    /// A subtask ended.
    SubTaskOutcome,
    /// All is met.
    OutcomeSummary,
    /// Something is missing.
    ReplanRequest,
    /// What the next plan must change.
    PlanDirective,
    /// A question for the story of a failure.
    FailureReportRequest,
    /// The story.
    FailureReport,
    /// Something to remember.
    MegramWrite,
    /// What the Dreamer did.
    DreamReport,
    /// The end of the run.
    FinalResult,
    /// A fault.
    Fault,
    /// Something worth knowing.
    Warning,
    /// A model call ended.
    ModelCall,
    /// The operator asks the auditor.
    AuditQuery,
    /// The auditor answers.
    AuditReport,
}

impl Message {
    /// The payload, if the message is of this kind. For readers that pick a few kinds; where each kind is a question, the
    /// kinds are matched, so that a new one does not compile until it is answered.
    ///
    /// ```
    /// use artoo_types::{Message, Plan, Role, Warning};
    ///
    /// let warning = Warning { role: Role::Auditor, message: "12 MB left".into() };
    /// let message = Message::from(warning.clone());
    /// assert_eq!((message.payload::<Warning>(), message.payload::<Plan>()), (Some(&warning), None));
    /// ```
    pub fn payload<P: Payload>(&self) -> Option<&P> {
        P::of(self)
    }
}

impl MessageKind {
    /// Whether it is a question to the person: the run's clock rests until its answer.
    pub fn is_question(self) -> bool {
        matches!(
            self,
            Self::ClarificationRequested
                | Self::PlanApprovalRequested
                | Self::ContinuationRequested
                | Self::ApprovalRequested
        )
    }

    /// Whether it is the answer to a question to the person.
    pub fn is_answer(self) -> bool {
        matches!(
            self,
            Self::ClarificationAnswered
                | Self::PlanApprovalDecided
                | Self::ContinuationDecided
                | Self::ApprovalDecided
        )
    }

    /// The name on the wire, for example `task_spec`.
    pub fn name(self) -> String {
        let mut name = String::with_capacity(24);
        for c in self.type_name().chars() {
            if c.is_ascii_uppercase() {
                if !name.is_empty() {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            } else {
                name.push(c);
            }
        }
        name
    }
}
