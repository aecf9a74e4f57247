//! The live view of a run: permanent lines, and a status line at the bottom.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use artoo_runtime::events::{Event, Line};
use artoo_types::CallId;
use serde_json::Value;

use super::detail::{Before, lines};
use super::labels;
use super::layout::Frame;
use super::outcome::Outcome;
use super::plain::{Around, Plain};
use super::story::Story;
use super::waiting::{Moment, Waiting};
use crate::terminal::Style;

/// How often a view that is not redrawn says what is waited for.
const LINE_PACE: Duration = Duration::from_secs(10);

/// State of the view: a fold over the run's lines, so replaying the journal gives the same view.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// The arguments of the active calls.
    calls: BTreeMap<CallId, Value>,
    losses: Vec<f64>,
    plans: u32,
    plain: Plain,
    story: Story,
    waiting: Waiting,
    /// When something was shown last, in a view that is not redrawn.
    shown: Option<Duration>,
    /// Hashes of the outputs of calls.
    put_out: BTreeSet<u64>,
}

impl Live {
    /// The rows that a line adds to the view.
    pub(crate) fn on(&mut self, line: &Line, frame: Frame) -> Vec<String> {
        let ended = if let Event::ToolFinished { call_id, .. } = &line.event {
            self.calls.remove(call_id)
        } else {
            None
        };
        self.remember(line);
        self.story.on(line);
        let subtask = self.story.steps().number(line.subtask_id);
        self.waiting.on(&line.event, subtask);
        let rows = self.rows(line, (subtask, ended.as_ref()), frame);
        if !rows.is_empty() {
            self.shown = None;
        }
        rows
    }

    fn rows(
        &mut self,
        line: &Line,
        (subtask, ended): (Option<usize>, Option<&Value>),
        frame: Frame,
    ) -> Vec<String> {
        if !frame.verbose {
            let number = self.story.steps().prefix(line.subtask_id);
            let around = Around { call: ended, folder: self.story.folder(), number: &number };
            return self.plain.on(line, around, frame);
        }
        let call = ended.map(labels::arguments);
        let before = Before {
            subtask,
            losses: &self.losses,
            plan: self.plans,
            call: call.as_deref(),
            folder: self.story.folder(),
        };
        lines(line, before, frame)
    }

    /// Whether the result is the output of a call: it is then not rendered as Markdown, whatever it contains.
    pub(crate) fn is_quoted(&self, outcome: &Outcome) -> bool {
        outcome.output.as_str().is_some_and(|output| self.put_out.contains(&hash(output)))
    }

    /// The status line: what is waited for.
    pub(crate) fn status(&mut self, beat: usize, now: Moment<'_>, columns: usize) -> String {
        self.waiting.status(beat, now, columns)
    }

    /// The same as a row for a view that is not redrawn: one when nothing else was shown for ten seconds.
    pub(crate) fn waiting_row(&mut self, now: Moment<'_>, frame: Frame) -> Option<String> {
        let since = *self.shown.get_or_insert(now.elapsed);
        if now.elapsed.saturating_sub(since) < LINE_PACE {
            return None;
        }
        self.shown = Some(now.elapsed);
        Some(frame.bare(Style::Faint, &format!("still at work: {}", self.waiting.sentence(now))))
    }

    /// What the run did and what was checked of it.
    pub(crate) fn story(&self) -> &Story {
        &self.story
    }

    fn remember(&mut self, line: &Line) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "four of many events count for later lines")]
        match &line.event {
            Event::PlanProposed { .. } => self.plans += 1,
            Event::ToolStarted { call_id, arguments, .. } => {
                self.calls.insert(*call_id, arguments.clone());
            }
            Event::ToolFinished { shown, .. } => {
                self.put_out.insert(hash(shown));
            }
            Event::RoundScored { loss, .. } => self.losses.push(loss.l),
            _ => {}
        }
    }
}

/// Hash of a text without surrounding whitespace.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}
