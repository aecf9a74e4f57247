//! What a recall returns about a pair: its rules, its potentials and the strongest experiences. Data, never
//! text for a prompt.

use std::collections::HashSet;

use artoo_types::{Experience, Level, PairMemory, Potentials, RecallReason, SopRecord, TagPair};
use chrono::{DateTime, FixedOffset};

use crate::decay;
use crate::dreamer::Entry;

/// Number of experiences returned per pair, each with a different lesson.
const TOLD: usize = 3;

/// What is known of a pair, from its live entries.
pub fn of_pair(
    pair: TagPair,
    reason: RecallReason,
    potentials: Potentials,
    sops: Vec<SopRecord>,
    entries: &[Entry],
    now: DateTime<FixedOffset>,
) -> PairMemory {
    let raw = |entry: &&Entry| match entry.megram.level {
        Level::M | Level::K => true,
        Level::C | Level::T => false,
    };
    let mut experiences: Vec<Experience> = entries
        .iter()
        .filter(raw)
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
