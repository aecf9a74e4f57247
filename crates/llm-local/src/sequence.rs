//! One answer being decoded: its chosen tokens, and what may come next.

use artoo_llm_client::{Completion, Request, StopReason, Usage};
use llguidance::toktrie::TokenId;

use crate::confidence;
use crate::engine::{Part, State};
use crate::error::LocalError;
use crate::grammar::Constraint;
use crate::sampler::{self, Seeded};
use crate::vocab::Vocab;

/// Maximum allowed tokens for a choice to count as one from a list: with more it is free text. Summing all
/// probabilities takes a while.
const FEW: usize = 256;

/// One of the answers that continue one prompt.
pub(crate) struct Sequence {
    constraint: Option<Constraint>,
    state: State,
    /// Tokens of the answer, or of the prompt, that the model has not processed yet.
    pending: Vec<TokenId>,
    answer: Vec<TokenId>,
    /// The probability of each token of the answer among the allowed ones; `None` if unknown.
    odds: Vec<Option<f32>>,
    random: Seeded,
    temperature_percent: u16,
    room: usize,
    stop: Option<StopReason>,
}

impl Sequence {
    /// An answer in the state before `pending`, which ends the prompt. Tokens forced by the grammar are taken
    /// at once.
    pub(crate) fn begin(
        constraint: Option<Constraint>,
        state: State,
        pending: Vec<TokenId>,
        room: usize,
    ) -> Result<Self, LocalError> {
        let mut sequence = Self {
            constraint,
            state,
            pending,
            answer: Vec::new(),
            odds: Vec::new(),
            random: Seeded::new(0),
            temperature_percent: 0,
            room,
            stop: None,
        };
        sequence.go_on()?;
        Ok(sequence)
    }

    /// A copy from here on, with its own random numbers.
    pub(crate) fn fork(&self, request: &Request, random: Seeded) -> Self {
        Self {
            constraint: self.constraint.as_ref().map(Constraint::fork),
            state: self.state.clone(),
            pending: self.pending.clone(),
            answer: self.answer.clone(),
            odds: self.odds.clone(),
            random,
            temperature_percent: request.temperature_percent,
            room: self.room,
            stop: self.stop,
        }
    }

    /// Whether nothing can follow.
    pub(crate) fn has_ended(&self) -> bool {
        self.stop.is_some()
    }

    /// The tokens of the answer so far.
    pub(crate) fn length(&self) -> usize {
        self.answer.len()
    }

    /// The model's next input.
    pub(crate) fn part(&mut self) -> Part<'_> {
        Part { state: &mut self.state, tokens: &self.pending }
    }

    /// Marks the pending tokens as processed.
    pub(crate) fn was_read(&mut self) {
        self.pending.clear();
    }

    /// Chooses the next token from its logits.
    pub(crate) fn choose(
        &mut self,
        mut scores: Vec<f32>,
        vocab: &Vocab,
        repetition_penalty_percent: u16,
    ) -> Result<(), LocalError> {
        let allowed = match &mut self.constraint {
            Some(constraint) => Some(constraint.allowed()?),
            None => {
                sampler::penalize(&mut scores, &self.answer, repetition_penalty_percent);
                None
            }
        };
        let token = sampler::choose(&scores, allowed.as_ref(), self.temperature_percent, &mut self.random)
            .ok_or_else(|| LocalError::Broken { reason: "no token can follow".to_owned() })?;
        if vocab.is_control(token) {
            self.stop = Some(StopReason::End);
            return Ok(());
        }
        let few = allowed.filter(|allowed| allowed.num_set() <= FEW);
        self.odds.push(few.and_then(|allowed| sampler::probability(&scores, &allowed, token)));
        if let Some(constraint) = &mut self.constraint {
            constraint.take(token)?;
        }
        self.answer.push(token);
        self.pending.push(token);
        self.go_on()
    }

    /// Takes the tokens forced by the grammar, and detects the end of the answer.
    fn go_on(&mut self) -> Result<(), LocalError> {
        if let Some(constraint) = &mut self.constraint {
            let mut forced = constraint.take_forced()?;
            forced.truncate(self.room.saturating_sub(self.answer.len()));
            self.answer.extend_from_slice(&forced);
            self.odds.resize(self.answer.len(), Some(1.0));
            self.pending.extend(forced);
            if constraint.is_complete() {
                self.stop = Some(StopReason::End);
                return Ok(());
            }
        }
        if self.answer.len() >= self.room {
            self.stop = Some(StopReason::Length);
        }
        Ok(())
    }

    /// The answer and its usage.
    pub(crate) fn completion(
        &self,
        request: &Request,
        vocab: &Vocab,
        model: &str,
        usage: Usage,
    ) -> Completion {
        let texts = self.answer.iter().map(|token| vocab.bytes(*token));
        let bytes: Vec<u8> = texts.clone().flatten().copied().collect();
        // A truncated character is dropped.
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
        }
        let lengths: Vec<_> = texts.map(<[u8]>::len).zip(self.odds.iter().copied()).collect();
        let choices = match &request.schema {
            Some(schema) => confidence::of(&schema.schema, &bytes, &lengths),
            None => Vec::new(),
        };
        let usage = Usage { completion_tokens: self.answer.len() as u64, ..usage };
        let stop = self.stop.unwrap_or(StopReason::Length);
        Completion { stop, choices, ..Completion::of_text(text, usage, model) }
    }
}
