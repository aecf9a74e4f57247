//! What a recall returns about a pair: its rules, its potentials and the strongest experiences. Data, never
//! text for a prompt.

use std::collections::{HashMap, HashSet};

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

/// Number of Megrams named as the sources of a rule, the last ones. A rule of a thousand runs would make each message about it a thousand
/// ids long.
const SOURCES_TOLD: usize = 16;

/// What is known of a pair, from its live entries: of its experiences those that state something, and, where
/// there is a question, those that are about what is asked. A pair is filed under three words of a request, and
/// these may begin any other. Rules of the pair are returned whatever is asked. Experiences of a revoked run are
/// left out; the revocation is not.
pub fn of_pair(
    pair: TagPair,
    (reason, question): (RecallReason, Option<&Question>),
    potentials: Potentials,
    mut sops: Vec<SopRecord>,
    entries: &[Entry],
    now: DateTime<FixedOffset>,
) -> PairMemory {
    let raw = |entry: &&Entry| match entry.megram.level {
        Level::M | Level::K => true,
        Level::C | Level::T => false,
    };
    let revoked = revoked(entries);
    let strength = |megram: &Megram| megram.f * decay::weight(megram.k, decay::age_days(megram, now));
    let standing = entries.iter().filter(|entry| raw(entry) && stands(&entry.megram, &revoked));
    let mut standing: Vec<(f64, &Megram)> =
        standing.map(|entry| (strength(&entry.megram), &entry.megram)).collect();
    // Among equals the newest, which is the current one.
    standing.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(other.id.cmp(&one.id)));
    // A repeated lesson, as from each run of a task in its folder, is returned once, and taken apart once. Most are not taken apart at
    // all: the strongest come first, and few are returned.
    let (mut told, mut facts) = (HashSet::new(), HashMap::new());
    let mut experiences = Vec::new();
    for (strength, megram) in standing {
        let content = megram.content.as_str();
        let is_told = is_revocation(megram)
            || *facts.entry(content).or_insert_with(|| states_a_fact(content, question));
        if !is_told || !told.insert(content) {
            continue;
        }
        experiences.push(Experience {
            id: megram.id,
            created_at: megram.created_at,
            origin: megram.origin,
            state: megram.state,
            content: megram.content.clone(),
            strength,
            sigma: megram.sigma,
        });
        if experiences.len() == TOLD {
            break;
        }
    }
    for rule in &mut sops {
        let beyond = rule.sources.len().saturating_sub(SOURCES_TOLD);
        rule.sources.drain(..beyond);
    }
    PairMemory { pair, reason, potentials, sops, experiences }
}

/// Whether it says that the user rejected what was learned here: a fact, whatever its words.
fn is_revocation(megram: &Megram) -> bool {
    matches!(megram.origin, Some(Origin::Revoked(_)))
}

fn states_a_fact(content: &str, question: Option<&Question>) -> bool {
    !content.trim().is_empty() && question.is_none_or(|question| question.is_like(&Grams::of(content)))
}

#[cfg(test)]
mod tests {
    use artoo_types::{Entity, MegramId, Polarity, Space};

    use super::*;
    use crate::potentials;

    #[test]
    fn a_rule_of_many_runs_names_its_last_sources() {
        let ids: Vec<MegramId> = (0..100).map(|n| MegramId::new(uuid::Uuid::from_u128(n))).collect();
        let (space, entity) = (Space::intent("count"), Entity::local());
        let rule = SopRecord {
            id: MegramId::new(uuid::Uuid::from_u128(200)),
            space: space.clone(),
            entity: entity.clone(),
            content: "use glob".to_owned(),
            polarity: Polarity::Practice,
            sources: ids.clone(),
        };
        let (pair, now) = (TagPair::new(space, entity), DateTime::UNIX_EPOCH.fixed_offset());
        let none = potentials::direct(&[], now);
        let known = of_pair(pair, (RecallReason::Asked, None), none, vec![rule], &[], now);
        assert_eq!(known.sops[0].sources, ids[100 - SOURCES_TOLD..]);
    }
}
