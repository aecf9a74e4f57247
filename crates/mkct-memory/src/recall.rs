//! What a recall returns about a pair: its rules, its potentials and the strongest experiences. Data, never
//! text for a prompt.

use std::collections::HashSet;

use artoo_types::{
    Experience, Level, Megram, Origin, PairMemory, Potentials, RecallReason, SopRecord, TagPair,
};
use chrono::{DateTime, FixedOffset};

use crate::decay;
use crate::dreamer::Entry;
use crate::revocation::{revoked, stands};
use crate::similar::{Grams, Question};

/// Number of experiences returned per pair, each with a different lesson.
const TOLD: usize = 3;

/// What is known of a pair, from its live entries: of its experiences those that state something, and, where
/// there is a question, those that are about what is asked. A pair is filed under three words of a request, and
/// these may begin any other. Rules of the pair are returned whatever is asked. Experiences of a revoked run are
/// left out; the revocation is not.
pub fn of_pair(
    pair: TagPair,
    (reason, question): (RecallReason, Option<&Question>),
    potentials: Potentials,
    sops: Vec<SopRecord>,
    entries: &[Entry],
    now: DateTime<FixedOffset>,
) -> PairMemory {
    let raw = |entry: &&Entry| match entry.megram.level {
        Level::M | Level::K => true,
        Level::C | Level::T => false,
    };
    let revoked = revoked(entries);
    let mut experiences: Vec<Experience> = entries
        .iter()
        .filter(|entry| raw(entry) && stands(&entry.megram, &revoked))
        .filter(|entry| is_revocation(&entry.megram) || states_a_fact(&entry.megram.content, question))
        .map(|entry| {
            let megram = &entry.megram;
            Experience {
                id: megram.id,
                created_at: megram.created_at,
                origin: megram.origin,
                state: megram.state,
                content: megram.content.clone(),
                strength: megram.f * decay::weight(megram.k, decay::age_days(megram, now)),
                sigma: megram.sigma,
            }
        })
        .collect();
    // Among equals the newest, which is the current one.
    experiences.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(b.id.cmp(&a.id)));
    // A repeated lesson, as from each run of a task in its folder, is returned once.
    let mut told = HashSet::new();
    experiences.retain(|experience| told.insert(experience.content.clone()));
    experiences.truncate(TOLD);
    PairMemory { pair, reason, potentials, sops, experiences }
}

/// Whether it says that the user rejected what was learned here: a fact, whatever its words.
fn is_revocation(megram: &Megram) -> bool {
    matches!(megram.origin, Some(Origin::Revoked(_)))
}

fn states_a_fact(content: &str, question: Option<&Question>) -> bool {
    !content.trim().is_empty() && question.is_none_or(|question| question.is_like(&Grams::of(content)))
}
