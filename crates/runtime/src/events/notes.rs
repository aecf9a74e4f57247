//! Tracks which of the person's notes were taken into account.

use artoo_types::{Judge, Message};

/// The notes of a run so far. R2 and R4b receive everything in one order: a note before memory's answer is in
/// the plan that follows it, and a note before the last outcome reaches the judge of the whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    all: Vec<String>,
    /// How many of them the next plan uses, and the next judge sees.
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
        } else if let Message::Plan(_) | Message::DirectAnswer(_) = message {
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

    /// The notes that were not taken into account.
    pub(super) fn unused(&self) -> Box<[String]> {
        self.all.get(self.used..).unwrap_or_default().into()
    }
}
