//! Answers recall queries from the state.

use artoo_mkct_memory::recall;
use artoo_mkct_memory::similar::{self, Grams, MAX_CANDIDATES, MAX_SIMILAR, Similar};
use artoo_types::{Level, MemoryQuery, MemoryReply, PairMemory, RecallReason, TagPair};
use chrono::{DateTime, FixedOffset};

use crate::state::State;
use crate::table::TableError;

/// The reply to a query. Read-only: no recall is recorded.
pub(super) fn reply(
    state: &State,
    query: &MemoryQuery,
    now: DateTime<FixedOffset>,
) -> Result<MemoryReply, TableError> {
    let asked = query.pairs.iter().map(|pair| pair_memory(state, pair, RecallReason::Asked, now));
    let mut recalled: Vec<PairMemory> = asked.collect::<Result<_, _>>()?;
    if let Some(like) = &query.like {
        recalled.extend(like_these_words(state, like, &query.pairs, now)?);
    }
    Ok(MemoryReply { recalled, laws: state.laws() })
}

fn pair_memory(
    state: &State,
    pair: &TagPair,
    reason: RecallReason,
    now: DateTime<FixedOffset>,
) -> Result<PairMemory, TableError> {
    let TagPair { space, entity } = pair;
    let potentials = state.potentials(space, entity, now)?;
    let (sops, entries) = (state.sops(space, entity)?, state.entries(space, entity)?);
    Ok(recall::of_pair(pair.clone(), reason, potentials, sops, &entries, now))
}

/// What is known of pairs with similar words, except the requested ones.
fn like_these_words(
    state: &State,
    like: &str,
    asked: &[TagPair],
    now: DateTime<FixedOffset>,
) -> Result<Vec<PairMemory>, TableError> {
    let found = pairs_like(state, like, asked)?;
    let mut told = Vec::with_capacity(found.len());
    for Similar { key: pair, score } in found {
        let entries = state.entries(&pair.space, &pair.entity)?;
        // Laws are in every reply, so a pair with only laws adds nothing.
        if entries.iter().any(|entry| entry.megram.level != Level::T) {
            let text = similar::pair_text(&pair, entries.iter().map(|entry| &entry.megram));
            let shared = similar::shared(like, &text);
            told.push(pair_memory(state, &pair, RecallReason::Similar { score, shared }, now)?);
        }
    }
    Ok(told)
}

/// The pairs with the most similar words, except `asked`, the most similar first.
pub(super) fn pairs_like(
    state: &State,
    like: &str,
    asked: &[TagPair],
) -> Result<Vec<Similar<TagPair>>, TableError> {
    let candidates =
        state.words(MAX_CANDIDATES).map(|words| words.map(|(pair, grams)| (pair, Grams::from_hashes(grams))));
    let mut candidates: Vec<(TagPair, Grams)> = candidates.collect::<Result<_, _>>()?;
    candidates.retain(|(pair, _)| !asked.contains(pair));
    Ok(similar::rank(&Grams::of(like), candidates, MAX_SIMILAR))
}
