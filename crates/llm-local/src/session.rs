//! One request from prompt to answer.

use std::sync::Arc;
use std::time::Instant;

use artoo_llm_client::{Completion, Request, StopReason, Usage};
use llguidance::toktrie::TokenId;

use crate::chat;
use crate::engine::{Model, State};
use crate::error::LocalError;
use crate::grammar::Grammars;
use crate::options::LocalOptions;
use crate::prefixes::Prefixes;
use crate::sample::{self, Seeded};
use crate::vocab::Vocab;

/// Prompt tokens read at once: enough to make unpacking weights cheap, few enough to bound the memory for it.
const PROMPT_CHUNK: usize = 256;

/// Asks whether nobody waits for the answer any more.
pub(crate) type Cancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// A loaded model and what is kept between requests.
pub(crate) struct Session {
    options: LocalOptions,
    model: Model,
    vocab: Arc<Vocab>,
    grammars: Grammars,
    prefixes: Prefixes,
    random: Seeded,
}

impl Session {
    /// Loads the model.
    pub(crate) fn open(options: &LocalOptions) -> Result<Self, LocalError> {
        let (model, vocab) = Model::open(options)?;
        let bad = |reason: String| LocalError::BadFile { file: options.file.clone(), reason };
        let grammars = Grammars::new(&vocab, options).map_err(bad)?;
        let prefixes = Prefixes::new(options.prefixes);
        let random = Seeded::new(options.seed);
        Ok(Self { options: options.clone(), model, vocab, grammars, prefixes, random })
    }

    /// Answers a request; `None` when `cancelled` said so on the way.
    pub(crate) fn complete(
        &mut self,
        request: &Request,
        cancelled: Cancelled<'_>,
    ) -> Result<Option<Completion>, LocalError> {
        let started = Instant::now();
        let broken = |reason: String| LocalError::Broken { reason };
        let prefix = chat::system_turn(&self.vocab, &request.system).map_err(broken)?;
        let mut pending = chat::conversation(&self.vocab, &request.messages).map_err(broken)?;
        let prompt = prefix.len() + pending.len();
        if prompt >= self.options.context {
            return Err(LocalError::TooLong {
                tokens: prompt,
                limit: self.options.context.saturating_sub(1),
            });
        }
        let mut constraint = match &request.schema {
            Some(schema) => Some(self.grammars.constraint(schema)?),
            None => None,
        };
        let Some((mut state, cached)) = self.prefix(&request.system, &prefix, cancelled) else {
            return Ok(None);
        };
        let room = (request.max_tokens as usize).min(self.options.context - prompt);
        let mut answer: Vec<TokenId> = Vec::new();
        let stop = loop {
            if let Some(constraint) = &mut constraint {
                let mut forced = constraint.take_forced()?;
                forced.truncate(room - answer.len());
                answer.extend_from_slice(&forced);
                pending.extend(forced);
                if constraint.is_complete() {
                    break StopReason::End;
                }
            }
            if answer.len() >= room {
                break StopReason::Length;
            }
            let Some(mut logits) = self.read(&mut state, &pending, true, cancelled) else { return Ok(None) };
            pending.clear();
            let allowed = match &mut constraint {
                Some(constraint) => Some(constraint.allowed()?),
                None => {
                    sample::penalize(&mut logits, &answer, self.options.repetition_penalty_percent);
                    None
                }
            };
            let token =
                sample::choose(&logits, allowed.as_ref(), request.temperature_percent, &mut self.random)
                    .ok_or_else(|| broken("no token can follow".to_owned()))?;
            if self.vocab.is_control(token) {
                break StopReason::End;
            }
            if let Some(constraint) = &mut constraint {
                constraint.take(token)?;
            }
            answer.push(token);
            pending.push(token);
        };
        let usage = Usage {
            prompt_tokens: prompt as u64,
            cached_tokens: cached as u64,
            completion_tokens: answer.len() as u64,
            estimated: false,
            elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            requests: 1,
        };
        let answer = Completion::of_text(self.text(&answer), usage, &self.options.name);
        Ok(Some(Completion { stop, ..answer }))
    }

    /// Reads a system text in advance; false when cancelled.
    pub(crate) fn warm(&mut self, system: &Arc<str>, cancelled: Cancelled<'_>) -> Result<bool, LocalError> {
        let prefix =
            chat::system_turn(&self.vocab, system).map_err(|reason| LocalError::Broken { reason })?;
        if prefix.len() >= self.options.context {
            let limit = self.options.context.saturating_sub(1);
            return Err(LocalError::TooLong { tokens: prefix.len(), limit });
        }
        Ok(self.prefix(system, &prefix, cancelled).is_some())
    }

    /// The state after a system text, and how many of its tokens did not have to be read for it; `None` when cancelled.
    fn prefix(
        &mut self,
        system: &Arc<str>,
        tokens: &[TokenId],
        cancelled: Cancelled<'_>,
    ) -> Option<(State, usize)> {
        if let Some(state) = self.prefixes.get(system) {
            return Some((state, tokens.len()));
        }
        let mut state = self.model.fresh();
        self.read(&mut state, tokens, false, cancelled)?;
        self.prefixes.keep(system, &state);
        Some((state, 0))
    }

    /// Reads tokens; where `score`, returns the scores of what follows the last one. `None` when cancelled.
    fn read(
        &self,
        state: &mut State,
        tokens: &[TokenId],
        score: bool,
        cancelled: Cancelled<'_>,
    ) -> Option<Vec<f32>> {
        let mut logits = Vec::new();
        let mut left = tokens.len();
        for chunk in tokens.chunks(PROMPT_CHUNK) {
            left -= chunk.len();
            logits = self.model.read(state, chunk, score && left == 0, cancelled)?;
        }
        Some(logits)
    }

    /// The text of an answer; a character that was cut in the middle is left out.
    fn text(&self, answer: &[TokenId]) -> String {
        let bytes: Vec<u8> = answer.iter().flat_map(|token| self.vocab.bytes(*token)).copied().collect();
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
        }
        text
    }
}
