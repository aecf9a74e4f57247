//! What the caller of a run is told: its end, or its question.

use std::collections::BTreeMap;

use crate::ask::choices_of_agent;
use artoo_front_end::{Worth, question_text, result_text};
use artoo_runtime::UserQuestion;
use artoo_runtime::events::{Event, Line};
use artoo_types::{CallId, RunId, SessionId};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

/// How many refused effects and changed files a result names; the record has all.
const NAMED: usize = 100;

/// What is known of a run so far.
#[derive(Debug)]
pub(crate) struct Report {
    run: RunId,
    session: Option<SessionId>,
    /// What was asked about, by call.
    asked: BTreeMap<CallId, String>,
    refused: Vec<Refused>,
    end: Option<RunEnd>,
}

/// Something that was not done for lack of consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Refused {
    /// What would have been done.
    command: String,
    /// Who said no, and why.
    reason: String,
}

#[derive(Debug)]
struct RunEnd {
    status: &'static str,
    is_fault: bool,
    exit_code: u8,
    text: String,
    output: Value,
    files: Vec<ChangedFile>,
}

/// A file that the run changed.
#[derive(Debug, Serialize)]
struct ChangedFile {
    path: String,
    change: &'static str,
}

/// The structured result of a run that has ended.
#[derive(Serialize)]
struct Ended<'a> {
    run: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    status: &'a str,
    exit_code: u8,
    output: &'a Value,
    changed_files: &'a [ChangedFile],
    not_allowed: &'a [Refused],
}

/// The structured result of a run that asks something.
#[derive(Serialize)]
struct Asking {
    run: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    status: &'static str,
    question: String,
    choices: Vec<Choice>,
}

#[derive(Serialize)]
struct Choice {
    answer: &'static str,
    label: String,
}

impl Report {
    /// Of a run that has just begun.
    pub(crate) fn new(run: RunId, session: Option<SessionId>) -> Self {
        Self { run, session, asked: BTreeMap::new(), refused: Vec::new(), end: None }
    }

    /// Takes note of an event.
    pub(crate) fn on(&mut self, line: &Line) {
        if let Event::ApprovalRequested { call_id, command, .. } = &line.event {
            self.asked.insert(*call_id, command.clone());
        } else if let Event::ApprovalDecided { call_id, granted: false, reason, .. } = &line.event {
            let command = self.asked.get(call_id).cloned().unwrap_or_default();
            if self.refused.len() < NAMED {
                self.refused.push(Refused { command, reason: reason.clone() });
            }
        } else if let Event::RunFinished { output, files, exit_code, .. } = &line.event {
            let worth = Worth::of(&line.event).unwrap_or(Worth::Fault);
            let file = |file: &artoo_types::FileChange| ChangedFile {
                path: file.path.display().to_string(),
                change: file.change.name(),
            };
            self.end = Some(RunEnd {
                status: worth.name(),
                is_fault: worth == Worth::Fault,
                exit_code: *exit_code,
                text: result_text(&line.event).unwrap_or_default(),
                output: output.clone(),
                files: files.iter().take(NAMED).map(file).collect(),
            });
        }
    }

    /// The result of the call, once the run has ended.
    pub(crate) fn ended(&self) -> CallToolResult {
        let Some(end) = &self.end else {
            let text = format!("run {} has ended without a result on record", self.run);
            return CallToolResult::error(vec![ContentBlock::text(text)]);
        };
        let mut text = end.text.clone();
        if !self.refused.is_empty() {
            text.push_str("\n\nNot done, for it was not allowed:");
            for Refused { command, reason } in &self.refused {
                text.push_str(&format!("\n- {command} ({reason})"));
            }
        }
        let structured = Ended {
            run: self.run,
            session: self.session,
            status: end.status,
            exit_code: end.exit_code,
            output: &end.output,
            changed_files: &end.files,
            not_allowed: &self.refused,
        };
        let make = if end.is_fault { CallToolResult::error } else { CallToolResult::success };
        with_structure(make(vec![ContentBlock::text(text)]), &structured)
    }

    /// The result of the call where the run asks what only another call can answer.
    pub(crate) fn asking(&self, question: &UserQuestion) -> CallToolResult {
        let offered: Vec<Choice> = choices_of_agent(question)
            .into_iter()
            .map(|choice| Choice { answer: choice.name, label: choice.label })
            .collect();
        let asked = question_text(question);
        let mut text = format!("The run asks:\n\n{asked}\n");
        for Choice { answer, label } in &offered {
            text.push_str(&format!("\n- {answer}: {label}"));
        }
        text.push_str(&format!(
            "\n\nAsk the user, and pass the answer on with the tool `answer` (run {}). Without one, it is a no.",
            self.run
        ));
        let structured = Asking {
            run: self.run,
            session: self.session,
            status: "asking",
            question: asked,
            choices: offered,
        };
        with_structure(CallToolResult::success(vec![ContentBlock::text(text)]), &structured)
    }
}

fn with_structure(mut result: CallToolResult, structure: &impl Serialize) -> CallToolResult {
    // What cannot be written as JSON is in the text.
    result.structured_content = serde_json::to_value(structure).ok();
    result
}
