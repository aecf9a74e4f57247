//! The lines of the default view: what happens, in plain words. Codes of roles and figures of the controller and of memory are in
//! the view of `-v`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use artoo_runtime::events::{CorrectionWords, Event, Line};
use artoo_types::{
    CallId, FileChangeKind, OutcomeStatus, PlannedSubTask, Role, SubTaskId, TerminalState, ToolKind,
};

use serde_json::Value;

use super::approval::{Asked, decision, difference, question};
use super::layout::Frame;
use super::preview::glance;
use super::steps::planned;
use super::units::{bytes, counted, seconds};
use super::{call_words, changed_files, detail, labels, memory};
use crate::terminal::{Style, width};

/// A call that took less is not timed.
const SHORT: Duration = Duration::from_secs(1);

/// What earlier lines leave to be known.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    request: String,
    plans: u32,
    /// The questions that nobody is asked: told if the answer is no.
    decided_alone: BTreeMap<CallId, Vec<String>>,
    /// How many lines each call adds and takes away.
    differences: BTreeMap<CallId, String>,
    /// Calls that were not allowed.
    refused: BTreeSet<CallId>,
    /// How many criteria of each step are met.
    met: BTreeMap<SubTaskId, u64>,
    /// Rows about what is not met. The end of a run that falls short tells it, so they wait for what comes next.
    unmet: Vec<String>,
    /// Sentences that are on the screen.
    said: BTreeSet<String>,
}

/// What else a line depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    /// The arguments of the call that the event ends.
    pub(super) call: Option<&'a Value>,
    /// The folder that the run works in.
    pub(super) folder: Option<&'a Path>,
    /// The number of the event's step with a blank behind it, where there are several.
    pub(super) number: &'a str,
}

impl Plain {
    /// The rows that a line adds to the view.
    pub(super) fn on(&mut self, line: &Line, around: Around<'_>, frame: Frame) -> Vec<String> {
        let rows = self.rows(line, around, frame);
        match &line.event {
            Event::SubTaskFinished { status: OutcomeStatus::Matched, .. } => rows,
            Event::Verdict { pass: false, .. } | Event::SubTaskFinished { .. } => {
                self.unmet.extend(rows);
                Vec::new()
            }
            // What was not met is the result of a run that fell short.
            Event::RunFinished {
                directive: Some(TerminalState::Success | TerminalState::Abandon),
                error: None,
                ..
            } => {
                self.unmet.clear();
                rows
            }
            Event::Verdict { pass: true, .. }
            | Event::RoundScored { .. }
            | Event::Usage { .. }
            | Event::MemoryWritten { .. } => rows,
            Event::RunStarted { .. }
            | Event::RequestUnderstood { .. }
            | Event::NoteGiven { .. }
            | Event::ClarificationRequested { .. }
            | Event::ClarificationAnswered { .. }
            | Event::MemoryRecalled { .. }
            | Event::PlanProposed { .. }
            | Event::PlanApprovalRequested { .. }
            | Event::PlanApprovalDecided { .. }
            | Event::ContinuationRequested { .. }
            | Event::ContinuationDecided { .. }
            | Event::SubTaskStarted { .. }
            | Event::ToolStarted { .. }
            | Event::ToolOutput { .. }
            | Event::ApprovalRequested { .. }
            | Event::ApprovalDecided { .. }
            | Event::ToolFinished { .. }
            | Event::Correction { .. }
            | Event::Directive { .. }
            | Event::Warning { .. }
            | Event::RunFinished { .. }
            | Event::RunUnfinished { .. } => {
                let mut all = std::mem::take(&mut self.unmet);
                all.extend(rows);
                all
            }
        }
    }

    fn rows(&mut self, line: &Line, around: Around<'_>, frame: Frame) -> Vec<String> {
        let row = |depth: usize, style: Option<Style>, text: &str| frame.line("", depth, style, text);
        let whole = |style: Style, text: &str| frame.whole().line("", 0, Some(style), text);
        let number = around.number;
        match &line.event {
            Event::RunStarted { request, errand, instructions, .. } => {
                self.request = request.trim().to_owned();
                self.says(request);
                let sign = frame.sign(labels::errand(*errand), "request:");
                let mut rows = vec![frame.bare(Style::Strong, &format!("{sign} {request}"))];
                rows.extend(detail::followed(instructions, frame));
                rows
            }
            Event::RequestUnderstood { intent } => {
                vec![whole(Style::Notice, &format!("understood: {intent}"))]
            }
            Event::ClarificationRequested { questions, .. } => {
                questions.iter().map(|question| whole(Style::Notice, &format!("? {question}"))).collect()
            }
            // What was typed stands behind the question.
            Event::ClarificationAnswered { .. } => Vec::new(),
            Event::NoteGiven { text } => vec![frame.bare(Style::Strong, &format!("» {text}"))],
            Event::MemoryRecalled { laws, .. } => {
                laws.iter().map(|law| row(0, None, &format!("your law: {}", law.content))).collect()
            }
            Event::PlanProposed { subtasks, kept, memory, .. } => {
                self.plans += 1;
                let known = memory.used.len() as u64;
                self.plan(subtasks, kept.len() as u64, known, frame)
            }
            Event::PlanApprovalRequested { subtasks } => self.plan_question(subtasks, frame),
            Event::PlanApprovalDecided { granted, reason } => {
                let word = if *granted { "the plan runs" } else { "the plan does not run" };
                vec![row(0, Some(Style::Notice), &format!("{word}: {reason}"))]
            }
            Event::ContinuationRequested { asked } => {
                vec![whole(Style::Notice, &format!("? this has taken {} so far; go on?", asked.taken()))]
            }
            Event::ContinuationDecided { granted, reason } => {
                let word = if *granted { "goes on" } else { "ends here" };
                vec![row(0, Some(Style::Notice), &format!("{word}: {reason}"))]
            }
            Event::ApprovalRequested { call_id, changes, person, .. } => {
                self.differences.insert(*call_id, difference(changes));
                let asked = Asked::in_event(&line.event, around.folder);
                let rows = asked.map(|asked| question(&asked, "", frame)).unwrap_or_default();
                if *person {
                    return rows;
                }
                self.decided_alone.insert(*call_id, rows);
                Vec::new()
            }
            Event::ApprovalDecided { call_id, granted, scope, reason, instead, .. } => {
                let alone = self.decided_alone.remove(call_id);
                let is_new = alone.is_none() || self.says(reason);
                if *granted && !is_new {
                    return Vec::new();
                }
                let mut rows = alone.filter(|_| !granted).unwrap_or_default();
                if !granted {
                    self.refused.insert(*call_id);
                }
                let text = decision(*granted, *scope, reason, instead.as_deref());
                rows.push(frame.whole().line("", 1, Some(Style::Notice), &text));
                rows
            }
            Event::ToolFinished { .. } => self.called(&line.event, around, frame),
            Event::Verdict { pass: true, .. } => {
                if let Some(subtask) = line.subtask_id {
                    *self.met.entry(subtask).or_default() += 1;
                }
                Vec::new()
            }
            Event::Verdict { pass: false, criterion, reason, .. } => {
                let whole = line.role == Some(Role::MetaValidator);
                let what = if whole { "not done as asked" } else { "not met" };
                let reason = reason.as_deref().filter(|reason| self.says(reason));
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                let mark = frame.sign("✗ ", "");
                vec![row(1, Some(Style::Bad), &format!("{mark}{number}{what}: {criterion}{reason}"))]
            }
            Event::Correction { correction } => {
                let why = self.trouble(correction);
                let mark = frame.sign("↻ ", "");
                vec![row(1, Some(Style::Notice), &format!("{mark}{number}tries again{why}"))]
            }
            Event::SubTaskFinished { status, failure_reason, .. } => {
                self.step_ended(line.subtask_id, number, (*status, failure_reason.as_deref()), frame)
            }
            Event::Directive { .. } => {
                vec![row(0, Some(Style::Notice), &format!("{}plans again", frame.sign("↻ ", "")))]
            }
            Event::Usage { error: Some(error), .. } => {
                if !self.says(error) {
                    return Vec::new();
                }
                vec![frame.whole().line("", 1, Some(Style::Bad), &format!("model call failed: {error}"))]
            }
            Event::Warning { message } => vec![whole(Style::Notice, &format!("warning: {message}"))],
            Event::SubTaskStarted { .. }
            | Event::ToolStarted { .. }
            | Event::ToolOutput { .. }
            | Event::RoundScored { .. }
            | Event::MemoryWritten { .. }
            | Event::Usage { error: None, .. }
            | Event::RunFinished { .. }
            | Event::RunUnfinished { .. } => Vec::new(),
        }
    }

    /// The plan. A single step that only repeats the request is none.
    fn plan(&mut self, subtasks: &[PlannedSubTask], kept: u64, known: u64, frame: Frame) -> Vec<String> {
        let head = if self.plans > 1 { "new plan" } else { "plan" };
        let kept = (kept > 0).then(|| format!(", {} kept", counted(kept, "step", "steps")));
        let known =
            (known > 0).then(|| format!(", with {} from memory", counted(known, "lesson", "lessons")));
        let more: String = [kept, known].into_iter().flatten().collect();
        if let [only] = subtasks {
            let text = match (only.intent.trim() == self.request, self.says(&only.intent)) {
                (true, _) if self.plans == 1 => return Vec::new(),
                (true, _) | (false, false) => "the same step".to_owned(),
                (false, true) => only.intent.clone(),
            };
            return vec![frame.line("", 0, Some(Style::Strong), &format!("{head}: {text}{more}"))];
        }
        let steps = counted(subtasks.len() as u64, "step", "steps");
        let mut rows = vec![frame.line("", 0, Some(Style::Strong), &format!("{head}: {steps}{more}"))];
        rows.extend((1..).zip(subtasks).map(|(at, subtask)| frame.line("", 1, None, &planned(at, subtask))));
        rows
    }

    /// The question about the plan above it: each step that did not fit there, and when it is done.
    fn plan_question(&self, subtasks: &[PlannedSubTask], frame: Frame) -> Vec<String> {
        let whole = frame.whole();
        let mut rows =
            vec![whole.line("", 0, Some(Style::Notice), "Run this plan? Nothing of it has run yet.")];
        for (at, subtask) in (1_usize..).zip(subtasks) {
            let was_cut = width(&whole.line("", 1, None, &planned(at, subtask))) >= frame.columns;
            let number = if subtasks.len() > 1 { format!("step {at} ") } else { String::new() };
            if was_cut || (subtasks.len() == 1 && subtask.intent.trim() == self.request) {
                rows.push(whole.line("", 1, None, &format!("{number}{}", subtask.intent)));
            }
            let done = |text: &str| whole.line("", 1, None, &format!("{number}is done when: {text}"));
            rows.extend(subtask.success_criteria.iter().map(|criterion| done(&criterion.text)));
        }
        rows
    }

    /// A call that has ended: what it was, what came of it, and the files that it changed.
    fn called(&mut self, event: &Event, around: Around<'_>, frame: Frame) -> Vec<String> {
        let number = around.number;
        let Event::ToolFinished {
            call_id,
            tool,
            ending,
            failure,
            duration_ms,
            shown,
            bytes: size,
            dropped_bytes,
            files,
            build_output,
            held,
        } = event
        else {
            return Vec::new();
        };
        let difference = self.differences.remove(call_id).filter(|text| !text.is_empty());
        // The answer to the question has said it.
        if self.refused.remove(call_id) && failure.is_some() {
            return Vec::new();
        }
        let call = around.call.map_or_else(|| tool.to_string(), |given| call_words::row(tool, given, frame));
        let kind = tool.kind();
        let renames = changed_files::renames(files);
        let mut rows = Vec::new();
        let changes = changed_files::rows(files, &renames, around.folder, false);
        let is_written = matches!(kind, Some(ToolKind::WriteFile | ToolKind::EditFile));
        match (failure, files.as_slice()) {
            // The change is all that the call did.
            (None, [only]) if is_written && only.change != FileChangeKind::Deleted => {
                let difference = difference.map(|text| format!(" {text}")).unwrap_or_default();
                let change = changes.concat();
                return vec![frame.line("", 1, None, &format!("{number}{change}{difference}"))];
            }
            (None, _) => {
                let came = match kind {
                    Some(ToolKind::ReadFile | ToolKind::ReadEvidence | ToolKind::Fetch) => bytes(*size),
                    Some(_) | None => glance(shown),
                };
                rows.extend(came_of(
                    frame,
                    None,
                    &format!("{number}{call}"),
                    &came,
                    took(*duration_ms, *dropped_bytes),
                ));
            }
            (Some(failure), _) => {
                let ending = labels::ending_of_program(ending)
                    .filter(|ending| !failure.reason.contains(ending.as_str()));
                let ending = ending.map(|ending| format!("{ending}, "));
                let came = format!("failed: {}{}", ending.unwrap_or_default(), failure.reason);
                let took = took(*duration_ms, *dropped_bytes);
                rows.extend(came_of(frame, Some(Style::Bad), &format!("{number}{call}"), &came, took));
            }
        }
        let held = held.iter().map(memory::held_in_words);
        rows.extend(held.map(|text| frame.line("", 2, Some(Style::Notice), &text)));
        let built = changed_files::built(build_output, around.folder);
        rows.extend(changes.iter().chain(&built).map(|text| frame.line("", 2, None, text)));
        rows
    }

    fn step_ended(
        &mut self,
        id: Option<SubTaskId>,
        number: &str,
        (status, why): (OutcomeStatus, Option<&str>),
        frame: Frame,
    ) -> Vec<String> {
        let met = id.and_then(|id| self.met.remove(&id)).unwrap_or_default();
        let is_new = why.is_some_and(|why| self.says(why));
        let why = why.filter(|_| is_new).map(|why| format!(": {why}")).unwrap_or_default();
        if number.is_empty() && why.is_empty() {
            return Vec::new();
        }
        let of = if number.is_empty() { String::new() } else { format!("step {number}") };
        let (style, mark, word) = match status {
            OutcomeStatus::Matched => (Some(Style::Good), frame.sign("✓ ", ""), "done"),
            OutcomeStatus::Failed => (Some(Style::Bad), frame.sign("✗ ", ""), "failed"),
            OutcomeStatus::Skipped => (Some(Style::Bad), "", "skipped"),
            OutcomeStatus::Unjudged => (Some(Style::Bad), "", "not judged"),
        };
        let met = match (status, met) {
            (OutcomeStatus::Matched, 1..) => format!(", {}", counted(met, "criterion met", "criteria met")),
            (
                OutcomeStatus::Matched
                | OutcomeStatus::Failed
                | OutcomeStatus::Skipped
                | OutcomeStatus::Unjudged,
                _,
            ) => String::new(),
        };
        vec![frame.line("", 1, style, &format!("{mark}{of}{word}{met}{why}"))]
    }

    /// What was wrong with an attempt, if it is not on the screen yet.
    fn trouble(&mut self, correction: &CorrectionWords) -> String {
        let wrong = correction.what_was_wrong.trim();
        if wrong.is_empty() || !self.says(wrong) { String::new() } else { format!(": {wrong}") }
    }

    /// Whether a text is new to the screen. It is on it from now on.
    fn says(&mut self, text: &str) -> bool {
        self.said.insert(text.trim().trim_end_matches('.').to_owned())
    }
}

/// How long a call took, if that is worth a word, and whether its output was cut.
fn took(duration_ms: u64, dropped: u64) -> String {
    let time = Duration::from_millis(duration_ms);
    let time = (time >= SHORT).then(|| seconds(time));
    let cut = (dropped > 0).then(|| "output cut".to_owned());
    let all: Vec<String> = time.into_iter().chain(cut).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// A call and what came of it: on one line if both fit, otherwise on two.
fn came_of(frame: Frame, style: Option<Style>, call: &str, came: &str, took: String) -> Vec<String> {
    let one = format!("{call}{}{came}{took}", frame.sign(" → ", ", result: "));
    let whole = frame.whole().plain().line("", 1, None, &one);
    if frame.verbose || width(&whole) < frame.columns {
        return vec![frame.line("", 1, style, &one)];
    }
    let came = format!("{}{came}{took}", frame.sign("→ ", "result: "));
    vec![frame.line("", 1, style, call), frame.line("", 2, style, &came)]
}
