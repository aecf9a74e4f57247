//! What speaks against the experiences of a run whose result the person rejected. Pure.
//!
//! Source: `docs/deviations.md`, "Revocation".

use std::collections::BTreeSet;

use artoo_types::{Megram, MegramId, MegramState, Origin, Polarity, RunId};
use chrono::{DateTime, FixedOffset};

use crate::dreamer::Entry;
use crate::{Rules, contradiction, decay, polarity};

/// The maximum length of the reason in a revocation, in characters.
pub const MAX_REASON: usize = 200;

/// The Megrams that revoke what a run taught in one pair, from the live entries of the pair. Empty if the run
/// taught nothing there that the person approved of, or was revoked there before.
///
/// - An experience of positive valence gets a Megram with what it still weighs, its decay rate and the opposite
///   sign, so that both together decide nothing, now and later. What remains of them is attention.
/// - A practice that such an experience is part of gets an experience against it, as
///   [`record_negative_feedback`](crate::MemoryService::record_negative_feedback) gives.
///
/// `mint` creates the ids; `now` is the time of the revocation.
/// ```
/// # use artoo_mkct_memory::{Rules, dreamer::Entry, matrix, potentials, revocations};
/// # use artoo_types::{Entity, Megram, MegramId, MegramState, MemoryAction, Origin, RunId, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id: MegramId = "01970000-0000-7000-8000-000000000001".parse()?;
/// let run = RunId::OPERATOR;
/// let learned = matrix::megram(id, MegramState::Accept, now, Space::intent("a"), Entity::local(), "used glob".into());
/// let learned = Megram { origin: Some(Origin::Run(run)), ..learned };
/// let entry = Entry { megram: learned.clone(), sources: Vec::new() };
/// let against = revocations(&[entry], run, &Rules::default(), now, &|| id, "undone");
/// assert_eq!((against[0].sigma, against[0].content.as_str()), (-1.0, "Rejected by the user: undone"));
/// assert_eq!(potentials::direct([&learned, &against[0]], now).action, MemoryAction::Caution);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn revocations(
    entries: &[Entry],
    run: RunId,
    rules: &Rules,
    now: DateTime<FixedOffset>,
    mint: &dyn Fn() -> MegramId,
    reason: &str,
) -> Vec<Megram> {
    if revoked(entries).contains(&run) {
        return Vec::new();
    }
    let reason: String =
        reason.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_REASON).collect();
    let content = format!("Rejected by the user: {reason}");
    let is_its = |megram: &Megram| megram.origin == Some(Origin::Run(run)) && megram.sigma > 0.0;
    let against = |Entry { megram, sources }: &Entry| {
        if sources.is_empty() && is_its(megram) {
            Some(Megram {
                id: mint(),
                created_at: now,
                last_recalled_at: None,
                content: content.clone(),
                state: MegramState::ChangeApproach,
                f: megram.f * decay::weight(megram.k, decay::age_days(megram, now)),
                sigma: -megram.sigma,
                origin: Some(Origin::Revoked(run)),
                ..megram.clone()
            })
        } else if polarity(megram.sigma) == Polarity::Practice && sources.iter().any(is_its) {
            let against = contradiction(megram, rules, mint(), now, &content);
            Some(Megram { origin: Some(Origin::Revoked(run)), ..against })
        } else {
            None
        }
    };
    entries.iter().filter_map(against).collect()
}

/// The runs that were revoked, from the live entries of a pair.
pub(crate) fn revoked(entries: &[Entry]) -> BTreeSet<RunId> {
    let run = |entry: &Entry| match entry.megram.origin {
        Some(Origin::Revoked(run)) => Some(run),
        Some(Origin::Run(_) | Origin::Person | Origin::Dreamer | Origin::Import) | None => None,
    };
    entries.iter().filter_map(run).collect()
}

/// Whether an experience still stands: it is not one that a revoked run approved of.
pub(crate) fn stands(megram: &Megram, revoked: &BTreeSet<RunId>) -> bool {
    match megram.origin {
        Some(Origin::Run(run)) => megram.sigma <= 0.0 || !revoked.contains(&run),
        Some(Origin::Revoked(_) | Origin::Person | Origin::Dreamer | Origin::Import) | None => true,
    }
}
