//! The events of a run as updates of its session.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate, ToolCall,
    ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use artoo_front_end::{result_text, undo_text};
use artoo_runtime::events::{Event, Line};
use artoo_types::{CallId, OutcomeStatus, SubTaskId};

use crate::{diffs, tool_calls};

/// How many bytes of a live output are shown: its end.
const SHOWN: usize = 4 * 1024;

/// The updates of one run.
#[derive(Debug)]
pub(crate) struct Updates {
    folder: PathBuf,
    plan: Vec<PlannedStep>,
    /// The end of each live output.
    outputs: BTreeMap<CallId, String>,
}

/// A step of the plan.
#[derive(Debug)]
struct PlannedStep {
    intent: String,
    id: Option<SubTaskId>,
    state: StepState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepState {
    Waiting,
    Begun,
    Done,
    Failed,
}

impl Updates {
    /// Of a run in this folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, plan: Vec::new(), outputs: BTreeMap::new() }
    }

    /// What a client is told of an event.
    pub(crate) fn on(&mut self, line: &Line) -> Vec<SessionUpdate> {
        match &line.event {
            Event::PlanProposed { subtasks, kept, .. } => {
                self.plan.retain(|step| step.id.is_some_and(|id| kept.contains(&id)));
                let new = subtasks.iter().map(|step| PlannedStep {
                    intent: step.intent.clone(),
                    id: None,
                    state: StepState::Waiting,
                });
                self.plan.extend(new);
                vec![self.plan()]
            }
            Event::SubTaskStarted { intent, .. } => {
                let waiting = |step: &&mut PlannedStep| step.id.is_none() && step.intent == *intent;
                if let Some(step) = self.plan.iter_mut().find(waiting) {
                    (step.id, step.state) = (line.subtask_id, StepState::Begun);
                }
                vec![self.plan()]
            }
            Event::SubTaskFinished { status, .. } => {
                let of_it = |step: &&mut PlannedStep| step.id.is_some() && step.id == line.subtask_id;
                if let Some(step) = self.plan.iter_mut().find(of_it) {
                    step.state = match status {
                        OutcomeStatus::Matched | OutcomeStatus::Unjudged => StepState::Done,
                        OutcomeStatus::Failed | OutcomeStatus::Skipped => StepState::Failed,
                    };
                }
                vec![self.plan()]
            }
            Event::ToolStarted { call_id, tool, arguments } => {
                let call = ToolCall::new(call_id.to_string(), tool_calls::title(tool, arguments))
                    .name(tool.to_string())
                    .kind(tool_calls::kind(tool))
                    .status(ToolCallStatus::InProgress)
                    .locations(tool_calls::locations(tool, arguments, &self.folder))
                    .raw_input(arguments.clone());
                vec![SessionUpdate::ToolCall(call)]
            }
            Event::ToolOutput { call_id, text } => {
                let output = self.outputs.entry(*call_id).or_default();
                output.push_str(text);
                let begin = output.ceil_char_boundary(output.len().saturating_sub(SHOWN));
                output.drain(..begin);
                let fields = ToolCallUpdateFields::new().content(vec![code(output)]);
                vec![update(*call_id, fields)]
            }
            Event::ToolFinished { call_id, failure, shown, files, .. } => {
                self.outputs.remove(call_id);
                let mut content = diffs::of_files(files);
                if !shown.trim().is_empty() {
                    content.push(code(shown));
                }
                content.extend(failure.as_ref().map(|failure| diffs::noted(&failure.reason)));
                let status = match failure {
                    Some(_) => ToolCallStatus::Failed,
                    None => ToolCallStatus::Completed,
                };
                let mut fields = ToolCallUpdateFields::new().status(status).content(content);
                if !files.is_empty() {
                    let paths = files.iter().map(|file| &file.path);
                    fields = fields.locations(tool_calls::locations_of(paths));
                }
                vec![update(*call_id, fields)]
            }
            Event::RequestUnderstood { intent } => vec![thought(format!("Understood as: {intent}"))],
            Event::Correction { correction } => vec![thought(format!(
                "{} was not met: {} Next: {}",
                correction.failed_criterion, correction.what_was_wrong, correction.what_to_do
            ))],
            Event::Directive { rationale, .. } => vec![thought(format!("The plan changes: {rationale}"))],
            Event::Warning { message } => vec![thought(format!("Warning: {message}"))],
            Event::RunFinished { .. } => {
                let undo = undo_text(&line.event, line.run_id);
                let text = result_text(&line.event).into_iter().chain(undo).collect::<Vec<_>>().join("\n\n");
                vec![message(text)]
            }
            Event::RunStarted { .. }
            | Event::ClarificationRequested { .. }
            | Event::ClarificationAnswered { .. }
            | Event::NoteGiven { .. }
            | Event::MemoryRecalled { .. }
            | Event::PlanApprovalRequested { .. }
            | Event::PlanApprovalDecided { .. }
            | Event::ContinuationRequested { .. }
            | Event::ContinuationDecided { .. }
            | Event::ApprovalRequested { .. }
            | Event::ApprovalDecided { .. }
            | Event::Verdict { .. }
            | Event::RoundScored { .. }
            | Event::MemoryWritten { .. }
            | Event::Usage { .. }
            | Event::RunUnfinished { .. } => Vec::new(),
        }
    }

    fn plan(&self) -> SessionUpdate {
        let entry = |step: &PlannedStep| {
            let (status, mark) = match step.state {
                StepState::Waiting => (PlanEntryStatus::Pending, ""),
                StepState::Begun => (PlanEntryStatus::InProgress, ""),
                StepState::Done => (PlanEntryStatus::Completed, ""),
                // The protocol has no word for a step that failed.
                StepState::Failed => (PlanEntryStatus::Completed, "✗ "),
            };
            PlanEntry::new(format!("{mark}{}", step.intent), PlanEntryPriority::Medium, status)
        };
        SessionUpdate::Plan(Plan::new(self.plan.iter().map(entry).collect()))
    }
}

fn update(call: CallId, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.to_string(), fields))
}

/// A text as it is: Markdown in it is no Markdown.
fn code(text: &str) -> ToolCallContent {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    diffs::noted(format!("{fence}\n{}\n{fence}", text.trim_end()))
}

/// A message of the agent.
pub(crate) fn message(text: impl Into<String>) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(chunk(text))
}

/// A remark of the agent that is not its answer.
pub(crate) fn thought(text: impl Into<String>) -> SessionUpdate {
    // Chunks follow one another without a gap.
    SessionUpdate::AgentThoughtChunk(chunk(format!("{}\n\n", text.into())))
}

pub(crate) fn chunk(text: impl Into<String>) -> ContentChunk {
    ContentChunk::new(ContentBlock::from(text.into()))
}
