//! The live view of a run: permanent lines, and a status line at the bottom.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use artoo_runtime::events::{Cumulative, Event, Line};
use artoo_types::{CallId, Role, SubTaskId};

use super::events::{Before, lines};
use super::labels;
use super::layout::Frame;
use super::outcome::Outcome;
use super::units::{counted, seconds, spent};
use crate::terminal::{Style, neutral_line};

/// State of the view: a fold over the run's lines, so replaying the journal gives the same view.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Subtask numbers, in the order in which they started.
    subtasks: BTreeMap<SubTaskId, usize>,
    /// Active subtasks, with the role that works on each.
    working: BTreeMap<usize, (Role, String)>,
    /// Active calls, with their arguments.
    calls: BTreeMap<CallId, String>,
    losses: Vec<f64>,
    plans: u32,
    usage: Cumulative,
    doing: Doing,
    /// The held-back lines of met criteria, by subtask.
    met: BTreeMap<Option<usize>, Vec<String>>,
    /// Hashes of the outputs of calls.
    put_out: BTreeSet<u64>,
}

/// Activity while no subtask is active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doing {
    #[default]
    Reading,
    Asking,
    AskingForConsent,
    Planning,
    Starting,
    Merging,
    Ending,
}

impl Live {
    /// The rows that a line adds to the view.
    pub(crate) fn on(&mut self, line: &Line, frame: Frame) -> Vec<String> {
        let subtask = line.subtask_id.map(|id| self.number(id));
        let ended = if let Event::ToolFinished { call_id, .. } = &line.event {
            self.calls.remove(call_id)
        } else {
            None
        };
        self.remember(line, subtask);
        let before = Before { subtask, losses: &self.losses, plan: self.plans, call: ended.as_deref() };
        let rows = lines(line, before, frame);
        if matches!(line.event, Event::Verdict { pass: true, .. }) && !frame.verbose {
            self.met.entry(subtask).or_default().extend(rows);
            return Vec::new();
        }
        let mut folded = self.folded(line, subtask, frame);
        folded.extend(rows);
        folded
    }

    /// The held-back rows of met criteria, before another line: a single
    /// criterion in full, several as one row.
    fn folded(&mut self, line: &Line, subtask: Option<usize>, frame: Frame) -> Vec<String> {
        let ended: Vec<Option<usize>> = match &line.event {
            Event::Verdict { .. } | Event::Correction { .. } | Event::SubTaskFinished { .. } => vec![subtask],
            Event::PlanProposed { .. }
            | Event::RoundScored { .. }
            | Event::Directive { .. }
            | Event::RunFinished { .. }
            | Event::RunUnfinished { .. } => self.met.keys().copied().collect(),
            Event::RunStarted { .. }
            | Event::RequestUnderstood { .. }
            | Event::NoteGiven { .. }
            | Event::ClarificationRequested { .. }
            | Event::ClarificationAnswered { .. }
            | Event::MemoryRecalled { .. }
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
            | Event::MemoryWritten { .. }
            | Event::Usage { .. }
            | Event::Warning { .. } => Vec::new(),
        };
        let mut rows = Vec::new();
        for subtask in ended {
            match self.met.remove(&subtask).unwrap_or_default() {
                one if one.len() < 2 => rows.extend(one),
                several => {
                    let number = subtask.map(|number| format!("{number} ")).unwrap_or_default();
                    let mark = frame.sign("✓ ", "");
                    let code = labels::code(Some(Role::AgentValidator));
                    let text = format!("{number}{mark}{} criteria met", several.len());
                    rows.push(frame.line(code, 1, Some(Style::Good), &text));
                }
            }
        }
        rows
    }

    /// Whether the result is the output of a call: it is then not rendered as Markdown, whatever it contains.
    pub(crate) fn is_quoted(&self, outcome: &Outcome) -> bool {
        outcome.output.as_str().is_some_and(|output| self.put_out.contains(&hash(output)))
    }

    /// The status line: activity, elapsed time and cost. The most important part comes first, because a
    /// narrow terminal cuts the rest.
    pub(crate) fn status(&self, beat: usize, elapsed: Duration) -> String {
        const BEATS: [&str; 4] = ["◐", "◓", "◑", "◒"];
        let beat = BEATS.get(beat % BEATS.len()).copied().unwrap_or("◐");
        let cost = format!("{}, {}", counted(self.usage.calls, "call", "calls"), spent(&self.usage));
        neutral_line(&format!("{beat} {} {} · {cost}", seconds(elapsed), self.at_work()))
    }

    fn at_work(&self) -> String {
        if let Some(call) = self.calls.values().next_back() {
            return format!("R3 {call}");
        }
        match (self.working.len(), self.working.iter().next_back()) {
            (0, _) | (_, None) => match self.doing {
                Doing::Reading => "R1 reads the request",
                Doing::Asking => "R1 asks you",
                Doing::AskingForConsent => "the plan waits for your word",
                Doing::Planning => "R2 plans",
                Doing::Starting => "starts the plan",
                Doing::Merging => "R4b looks at the whole",
                Doing::Ending => "ends",
            }
            .to_owned(),
            (1, Some((number, (role, what)))) => format!("{} {number} {what}", role.code()),
            (several, Some(_)) => format!("works on {several} subtasks"),
        }
    }

    fn number(&mut self, id: SubTaskId) -> usize {
        let next = self.subtasks.len() + 1;
        *self.subtasks.entry(id).or_insert(next)
    }

    fn remember(&mut self, line: &Line, subtask: Option<usize>) {
        let mut works = |role: Role, what: &str| {
            if let Some(number) = subtask {
                self.working.insert(number, (role, what.to_owned()));
            }
        };
        match &line.event {
            Event::RunStarted { .. } => self.doing = Doing::Reading,
            Event::MemoryRecalled { .. } | Event::Directive { .. } => self.doing = Doing::Planning,
            Event::PlanProposed { .. } => {
                self.plans += 1;
                self.doing = Doing::Starting;
            }
            Event::SubTaskStarted { .. } => works(Role::Executor, "thinks"),
            Event::ToolStarted { call_id, tool, arguments } => {
                self.calls.insert(*call_id, labels::arguments(arguments));
                works(Role::Executor, &format!("{tool} {}", labels::arguments(arguments)));
            }
            Event::ToolFinished { shown, .. } => {
                works(Role::Executor, "thinks");
                self.put_out.insert(hash(shown));
            }
            Event::Verdict { .. } => works(Role::AgentValidator, "judges"),
            Event::Correction { .. } => works(Role::Executor, "tries again"),
            Event::SubTaskFinished { .. } => {
                if let Some(number) = subtask {
                    self.working.remove(&number);
                }
                self.doing = Doing::Merging;
            }
            Event::RoundScored { loss, .. } => self.losses.push(loss.l),
            Event::Usage { cumulative, .. } => self.usage.clone_from(cumulative),
            Event::RunFinished { .. } | Event::RunUnfinished { .. } => self.doing = Doing::Ending,
            Event::PlanApprovalRequested { .. } => self.doing = Doing::AskingForConsent,
            Event::PlanApprovalDecided { granted, .. } => {
                self.doing = if *granted { Doing::Starting } else { Doing::Ending };
            }
            Event::ApprovalRequested { person: true, .. } => works(Role::Executor, "waits for your word"),
            Event::ApprovalRequested { person: false, .. } | Event::ApprovalDecided { .. } => {}
            Event::RequestUnderstood { .. } => self.doing = Doing::Planning,
            Event::ClarificationRequested { .. } => self.doing = Doing::Asking,
            Event::ClarificationAnswered { .. } => self.doing = Doing::Reading,
            Event::NoteGiven { .. }
            | Event::ContinuationRequested { .. }
            | Event::ContinuationDecided { .. }
            | Event::ToolOutput { .. }
            | Event::MemoryWritten { .. }
            | Event::Warning { .. } => {}
        }
    }
}

/// Hash of a text without surrounding whitespace.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}
