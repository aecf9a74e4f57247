//! Answers recall queries from the state.

use artoo_mkct_memory::recall;
use artoo_mkct_memory::similar::{self, Grams, MAX_CANDIDATES, MAX_SIMILAR, Question, Similar};
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
    let question = query.like.as_deref().map(Question::of);
    let asked = |pair| pair_memory(state, pair, (RecallReason::Asked, question.as_ref()), now);
    let mut recalled: Vec<PairMemory> = query.pairs.iter().map(asked).collect::<Result<_, _>>()?;
    if let (Some(like), Some(question)) = (&query.like, &question) {
        recalled.extend(like_these_words(state, (like, question), &query.pairs, now)?);
    }
    Ok(MemoryReply { recalled, laws: state.laws() })
}

fn pair_memory(
    state: &State,
    pair: &TagPair,
    why: (RecallReason, Option<&Question>),
    now: DateTime<FixedOffset>,
) -> Result<PairMemory, TableError> {
    let TagPair { space, entity } = pair;
    let potentials = state.potentials(space, entity, now)?;
    let (sops, entries) = (state.sops(space, entity)?, state.entries(space, entity)?);
    Ok(recall::of_pair(pair.clone(), why, potentials, sops, &entries, now))
}

/// What is known of pairs with similar words, except the requested ones.
fn like_these_words(
    state: &State,
    (like, question): (&str, &Question),
    asked: &[TagPair],
    now: DateTime<FixedOffset>,
) -> Result<Vec<PairMemory>, TableError> {
    let found = pairs_like(state, question, asked)?;
    let mut told = Vec::with_capacity(found.len());
    for Similar { key: pair, score } in found {
        let entries = state.entries(&pair.space, &pair.entity)?;
        // Laws are in every reply, so a pair with only laws adds nothing.
        if entries.iter().any(|entry| entry.megram.level != Level::T) {
            let text = similar::pair_text(&pair, entries.iter().map(|entry| &entry.megram));
            let shared = similar::shared(like, &text);
            let why = (RecallReason::Similar { score, shared }, Some(question));
            told.push(pair_memory(state, &pair, why, now)?);
        }
    }
    Ok(told)
}

/// The pairs with the most similar words, except `asked`, the most similar first.
pub(super) fn pairs_like(
    state: &State,
    question: &Question,
    asked: &[TagPair],
) -> Result<Vec<Similar<TagPair>>, TableError> {
    let candidates =
        state.words(MAX_CANDIDATES).map(|words| words.map(|(pair, grams)| (pair, Grams::from_hashes(grams))));
    let mut candidates: Vec<(TagPair, Grams)> = candidates.collect::<Result<_, _>>()?;
    candidates.retain(|(pair, _)| !asked.contains(pair));
    Ok(similar::rank(question, candidates, MAX_SIMILAR))
}
