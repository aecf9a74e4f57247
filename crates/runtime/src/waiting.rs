//! The question that a run waits for, and how long the run's clock has rested meanwhile.

use std::time::Duration;

use artoo_bus::RunBus;
use artoo_types::Envelope;
use tokio::time::Instant;

use crate::{Question, Questions, question::Asked};

/// The person's side of a run.
#[derive(Default)]
pub(crate) struct Waiting {
    questions: Questions,
    /// The last question that was answered, until its answer has passed.
    answered: Option<Asked>,
    /// How long the run has waited before, and since when it waits.
    before: Duration,
    since: Option<Instant>,
}

impl Waiting {
    /// The question that waits for an answer.
    pub(crate) fn asked(&self) -> Option<Question> {
        let first = self.questions.first().filter(|first| Some(*first) != self.answered);
        first.map(|asked| asked.question)
    }

    /// Applies a message.
    pub(crate) fn on(&mut self, envelope: &Envelope, bus: &RunBus) {
        self.questions.on(envelope);
        self.rest(bus);
    }

    /// The question has its answer, which is on its way.
    pub(crate) fn answered(&mut self, bus: &RunBus) {
        self.answered = self.questions.first();
        self.rest(bus);
    }

    /// When a run that began then and may take so long ends; none while it waits.
    pub(crate) fn end_of(&self, begun: Instant, max_time: Duration) -> Option<Instant> {
        if self.since.is_some() {
            return None;
        }
        begun.checked_add(max_time)?.checked_add(self.before)
    }

    /// Pauses the run's clock while a question is open.
    fn rest(&mut self, bus: &RunBus) {
        match (self.since, self.asked()) {
            (None, Some(_)) => {
                self.since = Some(Instant::now());
                bus.pause();
            }
            (Some(since), None) => {
                self.before += since.elapsed();
                self.since = None;
                bus.resume();
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
    }
}
