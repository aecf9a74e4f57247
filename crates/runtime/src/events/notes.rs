//! Which of the person's notes somebody has taken into account.

use artoo_types::{Judge, Message};

/// The notes of a run so far. R2 and R4b hear everything in one order: what stands before the answer of
/// memory is in the plan that follows it, and what stands before the last outcome is with the judge of the
/// whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    all: Vec<String>,
    /// How many of them the next plan is made with, and the next judge sees.
    planned_with: usize,
    judged_with: usize,
    used: usize,
}

impl Notes {
    pub(super) fn on(&mut self, message: &Message) {
        if let Message::PersonNote(note) = message {
            self.all.push(note.text.clone());
        } else if let Message::MemoryReply(_) = message {
            self.planned_with = self.all.len();
        } else if let Message::Plan(_) = message {
            self.used = self.used.max(self.planned_with);
        } else if let Message::SubTaskOutcome(_) | Message::DispatchManifest(_) = message {
            self.judged_with = self.all.len();
        } else if let Message::VerdictReached(reached) = message
            && reached.verdict.whole
            && reached.verdict.judge == Judge::Model
        {
            self.used = self.used.max(self.judged_with);
        }
    }

    /// Those that nobody has taken into account.
    pub(super) fn unused(&self) -> Box<[String]> {
        self.all.get(self.used..).unwrap_or_default().into()
    }
}
