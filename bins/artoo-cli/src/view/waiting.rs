//! What a run waits for: the status line.

use std::collections::BTreeMap;
use std::time::Duration;

use artoo_runtime::events::{Cumulative, Event};
use artoo_types::CallId;

use super::call_words;
use super::units::{counted, seconds, spent};
use crate::terminal::neutral_line;

/// What is waited for, by the events so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// The active calls: what is waited for, and the call in words.
    calls: BTreeMap<CallId, (Phase, String)>,
    /// What each active step waits for.
    steps: BTreeMap<usize, Phase>,
    /// What the run waits for while no step is active.
    run: Phase,
    usage: Cumulative,
    phases: u64,
    /// The phase that was drawn last, and when it was drawn first.
    drawn: Option<(u64, Duration)>,
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
                self.calls.insert(*call_id, (phase, words));
            }
            Event::ApprovalRequested { person: true, call_id, .. } => {
                let phase = self.phase(PERSON);
                match self.calls.get_mut(call_id) {
                    Some((now, _)) => *now = phase,
                    None => self.step(step, PERSON),
                }
            }
            Event::ApprovalDecided { call_id, .. } => {
                let words = self.calls.get(call_id).map_or(MODEL, |(_, words)| words).to_owned();
                let phase = self.phase(&words);
                match self.calls.get_mut(call_id) {
                    Some((now, _)) => *now = phase,
                    None => self.step(step, MODEL),
                }
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
            | Event::ToolOutput { .. }
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

    /// The status line: what is waited for and since when, then the time and the cost so far. The most important part comes first,
    /// because a narrow terminal cuts the rest.
    pub(super) fn status(&mut self, beat: usize, elapsed: Duration) -> String {
        const BEATS: [&str; 4] = ["◐", "◓", "◑", "◒"];
        let beat = BEATS.get(beat % BEATS.len()).copied().unwrap_or("◐");
        let Phase { number, words } = self.now();
        let since = match self.drawn {
            Some((drawn, since)) if drawn == number => since,
            Some(_) | None => elapsed,
        };
        self.drawn = Some((number, since));
        let waited = match elapsed.saturating_sub(since).as_secs() {
            0 => String::new(),
            waited => format!(", {}", whole(waited)),
        };
        let total = match elapsed.as_secs() {
            0 => String::new(),
            total => format!("{} in all, ", whole(total)),
        };
        let calls = counted(self.usage.calls, "model call", "model calls");
        neutral_line(&format!("{beat} {words}{waited} · {total}{calls}, {}", spent(&self.usage)))
    }

    fn now(&self) -> Phase {
        let newest = self.calls.values().map(|(phase, _)| phase).max_by_key(|phase| phase.number);
        match (newest, self.steps.len(), self.steps.values().next()) {
            (Some(call), ..) => call.clone(),
            (None, 0, _) | (None, _, None) => self.run.clone(),
            (None, 1, Some(step)) => step.clone(),
            (None, several, Some(_)) => {
                Phase { number: self.run.number, words: format!("working on {several} steps") }
            }
        }
    }
}

/// Whole seconds: a tenth that changes eight times a second tells nothing.
fn whole(whole: u64) -> String {
    if whole < 60 { format!("{whole} s") } else { seconds(Duration::from_secs(whole)) }
}

#[cfg(test)]
mod tests {
    use artoo_types::ToolName;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_time_is_that_of_what_is_waited_for() {
        let mut waiting = Waiting::default();
        let at = |waiting: &mut Waiting, seconds| waiting.status(0, Duration::from_secs(seconds));
        assert_eq!(at(&mut waiting, 0), "◐ reading the request · 0 model calls, 0 tokens");
        let call_id: CallId = "01970000-0000-7000-8000-0000000000c1".parse().unwrap();
        let arguments = json!({"command": "cargo test\n"});
        let started = Event::ToolStarted { call_id, tool: ToolName::new("shell"), arguments };
        waiting.on(&started, Some(1));
        assert_eq!(at(&mut waiting, 20), "◐ running cargo test · 20 s in all, 0 model calls, 0 tokens");
        let output = Event::ToolOutput { call_id, text: "ok\n".to_owned() };
        waiting.on(&output, Some(1));
        let status = at(&mut waiting, 95);
        assert_eq!(status, "◐ running cargo test, 1 min 15 s · 1 min 35 s in all, 0 model calls, 0 tokens");
        // The same again is another call.
        waiting.on(&started, Some(1));
        assert!(at(&mut waiting, 96).starts_with("◐ running cargo test · "));
    }
}
