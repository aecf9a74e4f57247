//! The live view: lines that stay, and one line at the bottom that says who is at work.

use std::collections::BTreeMap;
use std::time::Duration;

use artoo_runtime::events::{Cumulative, Event, Line};
use artoo_types::{CallId, Role, SubTaskId};

use super::events::{Before, lines};
use super::frame::Frame;
use super::units::{counted, seconds, spent};
use super::words;
use crate::terminal::neutral_line;

/// What the view remembers of a run. A fold over its lines, so the journal gives the same view as the run itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// The numbers of subtasks, in the order in which they began.
    subtasks: BTreeMap<SubTaskId, usize>,
    /// Subtasks at work, with the role that has them.
    working: BTreeMap<usize, (Role, String)>,
    /// Calls that run, with what they do.
    calls: BTreeMap<CallId, String>,
    losses: Vec<f64>,
    plans: u32,
    usage: Cumulative,
    doing: Doing,
}

/// What is going on where no subtask is at work.
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
    /// The lines that one line adds.
    pub(crate) fn on(&mut self, line: &Line, frame: Frame) -> Vec<String> {
        let subtask = line.subtask_id.map(|id| self.number(id));
        let ended = if let Event::ToolFinished { call_id, .. } = &line.event {
            self.calls.remove(call_id)
        } else {
            None
        };
        self.remember(line, subtask);
        let before = Before { subtask, losses: &self.losses, plan: self.plans, call: ended.as_deref() };
        lines(line, before, frame)
    }

    /// Who is at work, since when, and what it cost so far. What matters most comes first: a narrow terminal shows no more.
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
                self.calls.insert(*call_id, words::arguments(arguments));
                works(Role::Executor, &format!("{tool} {}", words::arguments(arguments)));
            }
            Event::ToolFinished { .. } => works(Role::Executor, "thinks"),
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
            Event::ClarificationRequested { .. } => self.doing = Doing::Asking,
            Event::ClarificationAnswered { .. } => self.doing = Doing::Reading,
            Event::ToolOutput { .. } | Event::MemoryWritten { .. } | Event::Warning { .. } => {}
        }
    }
}
