//! What a run waits for: the status line.

use std::collections::BTreeMap;
use std::time::Duration;

use artoo_front_end::{activity_detail, activity_text};
use artoo_runtime::events::{Cumulative, Event};
use artoo_types::{ActivityReport, CallId, Progress, Role};

use super::call_words;
use super::last_line::LastLine;
use super::units::{counted, seconds, spent};
use crate::terminal::{clip, neutral_line, width};

/// What is waited for, by the events so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// The active calls.
    calls: BTreeMap<CallId, Call>,
    /// What each active step waits for.
    steps: BTreeMap<usize, Phase>,
    /// What the run waits for while no step is active.
    run: Phase,
    usage: Cumulative,
    phases: u64,
    /// The phase that was drawn last, and when it was drawn first.
    drawn: Option<(u64, Duration)>,
}

/// The moment that a line is drawn for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    /// The time of the run.
    pub(crate) elapsed: Duration,
    /// What goes on.
    pub(crate) activities: &'a [ActivityReport],
}

/// An active call.
#[derive(Clone, Debug)]
struct Call {
    /// What is waited for.
    phase: Phase,
    /// The call in words.
    words: String,
    output: LastLine,
}

/// What is waited for, in words.
struct Awaited {
    words: String,
    /// How long, from a comma on.
    time: String,
    details: Vec<String>,
    /// Whether the details are as good as the words, which then get half of the line.
    shares: bool,
}

/// Something that is waited for.
#[derive(Clone, Debug)]
struct Phase {
    /// Its number, in the order of beginning.
    number: u64,
    words: String,
}

impl Default for Phase {
    fn default() -> Self {
        Self { number: 0, words: "reading the request".to_owned() }
    }
}

const MODEL: &str = "waiting for the model";
const PERSON: &str = "waiting for your answer";
/// Columns of a command's last line.
const LINE: usize = 40;

impl Waiting {
    /// Takes note of an event of the step with this number.
    pub(super) fn on(&mut self, event: &Event, step: Option<usize>) {
        match event {
            Event::RunStarted { .. } | Event::ClarificationAnswered { .. } => self.run("reading the request"),
            Event::ClarificationRequested { .. } | Event::PlanApprovalRequested { .. } => self.run(PERSON),
            Event::RequestUnderstood { .. } | Event::MemoryRecalled { .. } | Event::Directive { .. } => {
                self.run("planning");
            }
            Event::PlanProposed { .. } | Event::PlanApprovalDecided { granted: true, .. } => {
                self.run("starting the plan");
            }
            Event::PlanApprovalDecided { granted: false, .. }
            | Event::RunFinished { .. }
            | Event::RunUnfinished { .. } => self.run("ending"),
            Event::SubTaskStarted { .. } | Event::Correction { .. } => self.step(step, MODEL),
            Event::ToolStarted { call_id, tool, arguments } => {
                let words = call_words::now(tool, arguments);
                let phase = self.phase(&words);
                self.calls.insert(*call_id, Call { phase, words, output: LastLine::default() });
            }
            Event::ApprovalRequested { person: true, call_id, .. } => {
                let phase = self.phase(PERSON);
                match self.calls.get_mut(call_id) {
                    Some(call) => call.phase = phase,
                    None => self.step(step, PERSON),
                }
            }
            Event::ApprovalDecided { call_id, .. } => {
                let words = self.calls.get(call_id).map_or(MODEL, |call| &call.words).to_owned();
                let phase = self.phase(&words);
                match self.calls.get_mut(call_id) {
                    Some(call) => call.phase = phase,
                    None => self.step(step, MODEL),
                }
            }
            Event::ToolOutput { call_id, text } => {
                self.calls.get_mut(call_id).into_iter().for_each(|call| call.output.push(text));
            }
            Event::ToolFinished { call_id, .. } => {
                self.calls.remove(call_id);
                self.step(step, MODEL);
            }
            Event::Verdict { .. } => self.step(step, "checking"),
            Event::SubTaskFinished { .. } => {
                step.map(|step| self.steps.remove(&step));
                self.run("checking the result");
            }
            Event::Usage { cumulative, .. } => self.usage.clone_from(cumulative),
            Event::ApprovalRequested { person: false, .. }
            | Event::NoteGiven { .. }
            | Event::ContinuationRequested { .. }
            | Event::ContinuationDecided { .. }
            | Event::RoundScored { .. }
            | Event::MemoryWritten { .. }
            | Event::Warning { .. } => {}
        }
    }

    fn run(&mut self, words: &str) {
        self.run = self.phase(words);
    }

    fn step(&mut self, step: Option<usize>, words: &str) {
        let phase = self.phase(words);
        step.map(|step| self.steps.insert(step, phase));
    }

    fn phase(&mut self, words: &str) -> Phase {
        self.phases += 1;
        Phase { number: self.phases, words: words.to_owned() }
    }

    /// The status line: what is waited for and since when, then details, the time and the cost so far. The most important
    /// part comes first, because a narrow terminal cuts the rest; what is waited for gives way to its time.
    pub(super) fn status(&mut self, beat: usize, now: Moment<'_>, columns: usize) -> String {
        const BEATS: [&str; 4] = ["◐", "◓", "◑", "◒"];
        let beat = BEATS.get(beat % BEATS.len()).copied().unwrap_or("◐");
        let Awaited { words, time, details, shares } = self.awaited(now);
        let room = columns.saturating_sub(width(&time) + width(beat) + 3);
        let room = if shares { room.min(columns / 2) } else { room };
        let words = clip(&neutral_line(&words), room);
        let parts =
            [format!("{beat} {words}{time}")].into_iter().chain(details).chain([self.so_far(now.elapsed)]);
        neutral_line(&parts.collect::<Vec<_>>().join(" · "))
    }

    /// The same as a sentence, for a reader of lines.
    pub(super) fn sentence(&mut self, now: Moment<'_>) -> String {
        let Awaited { words, time, details, .. } = self.awaited(now);
        let parts = [format!("{words}{time}")].into_iter().chain(details).chain([self.so_far(now.elapsed)]);
        neutral_line(&parts.collect::<Vec<_>>().join("; "))
    }

    /// The time and the cost.
    fn so_far(&self, elapsed: Duration) -> String {
        let total = match elapsed.as_secs() {
            0 => String::new(),
            total => format!("{} in all, ", whole(total)),
        };
        let calls = counted(self.usage.calls, "model call", "model calls");
        format!("{total}{calls}, {}", spent(&self.usage))
    }

    /// What is waited for: the newest call of a tool, otherwise what the models and the trials tell, otherwise the phase.
    fn awaited(&mut self, now: Moment<'_>) -> Awaited {
        let newest = self.calls.values().max_by_key(|call| call.phase.number);
        if let Some(Call { phase, output, .. }) = newest.cloned() {
            let details = Vec::from_iter(output.text().map(|line| clip(&neutral_line(&line), LINE)));
            let (time, shares) = (self.since(&phase, now.elapsed), !details.is_empty());
            return Awaited { words: phase.words, time, details, shares };
        }
        if let Some(report) = shown(now.activities) {
            let time = match report.progress {
                // It counts down.
                Progress::WaitingToRetry { .. } => String::new(),
                Progress::WaitingForModel
                | Progress::Queued
                | Progress::LoadingModel { .. }
                | Progress::ReadingPrompt { .. }
                | Progress::ReceivingAnswer { .. }
                | Progress::TryingCommand { .. }
                | Progress::RunningTool { .. } => waited(Duration::from_millis(report.age_ms)),
            };
            let purpose = self.purpose(report.role);
            let details = activity_detail(report).into_iter().chain(purpose).collect();
            return Awaited { words: activity_text(report), time, details, shares: false };
        }
        let phase = self.phase_now();
        let time = self.since(&phase, now.elapsed);
        Awaited { words: phase.words, time, details: Vec::new(), shares: false }
    }

    /// How long this phase is waited for, since it was drawn first.
    fn since(&mut self, phase: &Phase, elapsed: Duration) -> String {
        let since = match self.drawn {
            Some((drawn, since)) if drawn == phase.number => since,
            Some(_) | None => elapsed,
        };
        self.drawn = Some((phase.number, since));
        waited(elapsed.saturating_sub(since))
    }

    /// What a role works at.
    fn purpose(&self, role: Role) -> Option<String> {
        match role {
            Role::Perceiver => Some("reading the request".to_owned()),
            Role::Planner => Some("planning".to_owned()),
            Role::Executor if self.steps.len() > 1 => Some(format!("{} steps", self.steps.len())),
            Role::AgentValidator => Some("checking".to_owned()),
            Role::MetaValidator => Some("checking the result".to_owned()),
            Role::Executor
            | Role::SharedMemory
            | Role::Ggs
            | Role::Auditor
            | Role::Dispatcher
            | Role::Supervisor
            | Role::User => None,
        }
    }

    fn phase_now(&self) -> Phase {
        match (self.steps.len(), self.steps.values().next()) {
            (0, _) | (_, None) => self.run.clone(),
            (1, Some(step)) => step.clone(),
            (several, Some(_)) => {
                Phase { number: self.run.number, words: format!("working on {several} steps") }
            }
        }
    }
}

/// The activity that is shown: one that waits to be made again, otherwise the newest. Calls of tools come as events.
fn shown(activities: &[ActivityReport]) -> Option<&ActivityReport> {
    let is_retry = |one: &&ActivityReport| matches!(one.progress, Progress::WaitingToRetry { .. });
    let is_tool = |one: &&ActivityReport| matches!(one.progress, Progress::RunningTool { .. });
    activities.iter().rfind(is_retry).or_else(|| activities.iter().rfind(|one| !is_tool(one)))
}

/// A time that is waited; nothing before there is a second of it.
fn waited(time: Duration) -> String {
    match time.as_secs() {
        0 => String::new(),
        seconds => format!(", {}", whole(seconds)),
    }
}

/// Whole seconds: a tenth that changes eight times a second tells nothing.
fn whole(whole: u64) -> String {
    if whole < 60 { format!("{whole} s") } else { seconds(Duration::from_secs(whole)) }
}

#[cfg(test)]
mod tests;
