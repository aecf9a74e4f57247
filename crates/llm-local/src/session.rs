//! Answers requests with a loaded model, in batches of samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use artoo_llm_client::{Completion, Progress, Reporter, Request, Usage};
use llguidance::toktrie::TokenId;

use crate::chat;
use crate::engine::{Model, Part, State};
use crate::error::LocalError;
use crate::grammar::Grammars;
use crate::options::LocalOptions;
use crate::prefix_cache::Prefixes;
use crate::prefix_disk_cache::PrefixFiles;
use crate::sampler::Seeded;
use crate::sequence::Sequence;
use crate::vocab::Vocab;

/// Prompt tokens processed at once: enough to amortise unpacking weights, few enough to bound its memory.
const PROMPT_CHUNK: usize = 256;

/// Number of prompts whose states are kept: a question in three forms is asked again.
const LAST_PROMPTS: usize = 3;

/// Who waits for a job.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    /// Returns whether nobody waits any more.
    pub(crate) cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Takes the reports of how far it is.
    pub(crate) reporter: &'a Reporter,
}

/// A loaded model and its caches between requests.
pub(crate) struct Session {
    options: LocalOptions,
    model: Model,
    vocab: Arc<Vocab>,
    grammars: Grammars,
    prefixes: Prefixes,
    files: Option<PrefixFiles>,
    /// The last prompts and their states, the latest first: the next one often goes on with the same conversation.
    last: Vec<(Vec<TokenId>, State)>,
    random: Seeded,
}

impl Session {
    /// Loads the model, and tells how many of its bytes are in memory, of all.
    pub(crate) fn open(options: &LocalOptions, loaded: &dyn Fn(u64, u64)) -> Result<Self, LocalError> {
        let (model, vocab) = Model::open(options, loaded)?;
        let bad = |reason: String| LocalError::BadFile { file: options.file.clone(), reason };
        let grammars = Grammars::new(&vocab, options).map_err(bad)?;
        let prefixes = Prefixes::new(options.prefixes);
        let files = options.prefix_folder.as_deref();
        let files = files.and_then(|folder| PrefixFiles::of(folder, &options.file));
        let random = Seeded::new(options.seed);
        Ok(Self {
            options: options.clone(),
            model,
            vocab,
            grammars,
            prefixes,
            files,
            last: Vec::new(),
            random,
        })
    }

    /// Answers requests, all at once: as many of them, from the first on, as can be begun; `None` if cancelled.
    ///
    /// The prompt of samples of one question is processed once, and its state copied for each of them. Each step of all
    /// answers reads every weight once.
    ///
    /// # Errors
    /// The first request cannot be begun, or the model is broken.
    pub(crate) fn complete(
        &mut self,
        requests: &[Request],
        watch: Watch<'_>,
    ) -> Result<Option<Vec<Completion>>, LocalError> {
        let started = Instant::now();
        let mut answers: Vec<Answer<'_>> = Vec::with_capacity(requests.len());
        for samples in requests.chunk_by(is_same_question) {
            match self.begin(samples, watch) {
                Ok(Some(begun)) => answers.extend(begun),
                Ok(None) => return Ok(None),
                Err(error) if answers.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        let penalty = self.options.repetition_penalty_percent;
        let decoding = Instant::now();
        loop {
            watch.reporter.report(Progress::ReceivingAnswer {
                tokens: answers.iter().map(|answer| answer.sequence.length() as u64).sum(),
                within_ms: milliseconds(decoding),
            });
            let mut open: Vec<_> = answers
                .iter_mut()
                .map(|answer| &mut answer.sequence)
                .filter(|one| !one.has_ended())
                .collect();
            if open.is_empty() {
                break;
            }
            let mut parts: Vec<_> = open.iter_mut().map(|sequence| sequence.part()).collect();
            let Some(scores) = self.model.read(&mut parts, true, watch.cancelled) else { return Ok(None) };
            for (sequence, scores) in open.into_iter().zip(scores) {
                sequence.was_read();
                sequence.choose(scores, &self.vocab, penalty)?;
            }
        }
        // The time of all is counted with the first.
        let times = std::iter::once(milliseconds(started)).chain(std::iter::repeat(0));
        let completion = |(answer, elapsed_ms): (&Answer<'_>, u64)| {
            let usage = Usage {
                prompt_tokens: answer.prompt as u64,
                cached_tokens: answer.cached as u64,
                completion_tokens: 0,
                estimated: false,
                elapsed_ms,
                requests: 1,
            };
            answer.sequence.completion(answer.request, &self.vocab, &self.options.name, usage)
        };
        Ok(Some(answers.iter().zip(times).map(completion).collect()))
    }

    /// Processes the prompt that these samples share, and chooses the first token of each; `None` if cancelled.
    fn begin<'r>(
        &mut self,
        samples: &'r [Request],
        watch: Watch<'_>,
    ) -> Result<Option<Vec<Answer<'r>>>, LocalError> {
        let Some(request) = samples.first() else { return Ok(Some(Vec::new())) };
        let prefix = chat::system_turn(&self.vocab, &request.system);
        let mut pending = chat::conversation(&self.vocab, &request.messages, &request.answer_begins);
        let whole: Vec<TokenId> = prefix.iter().chain(&pending).copied().collect();
        let prompt = whole.len();
        if prompt >= self.options.context {
            return Err(LocalError::TooLong {
                tokens: prompt,
                limit: self.options.context.saturating_sub(1),
            });
        }
        let constraint = match &request.schema {
            Some(schema) => Some(self.grammars.constraint(schema)?),
            None => None,
        };
        let Some((mut state, mut cached)) = self.prefix(&request.system, &prefix, (prompt, watch)) else {
            return Ok(None);
        };
        if let Some((longer, known)) = self.known(&prefix, &pending) {
            (state, cached) = (longer, prefix.len() + known);
            pending.drain(..known);
        }
        let room = (request.max_tokens as usize).min(self.options.context - prompt);
        let mut first = Sequence::begin(constraint, state, pending, room)?;
        let mut scores = Vec::new();
        if !first.has_ended() {
            let part = first.part();
            let Some(read) = self.read(part.state, part.tokens, Score::Last, (prompt, watch)) else {
                return Ok(None);
            };
            if self.options.prefixes > 0 {
                self.last.retain(|(tokens, _)| *tokens != whole);
                self.last.truncate(LAST_PROMPTS - 1);
                self.last.insert(0, (whole, part.state.cut(prompt)));
            }
            first.was_read();
            scores = read;
        }
        let penalty = self.options.repetition_penalty_percent;
        let mut answers = Vec::with_capacity(samples.len());
        for (number, sample) in samples.iter().enumerate() {
            let mut sequence = first.fork(sample, self.dice(sample));
            if !sequence.has_ended() {
                sequence.choose(scores.clone(), &self.vocab, penalty)?;
            }
            // The prompt's cost is counted with the first.
            let cached = if number == 0 { cached } else { prompt };
            answers.push(Answer { request: sample, sequence, prompt, cached });
        }
        Ok(Some(answers))
    }

    /// The state of that last prompt which begins most like this one, as far as it does, and how many of the tokens
    /// behind the prefix it has; `None` if none goes beyond the prefix. The last token is always left to be read.
    fn known(&self, prefix: &[TokenId], pending: &[TokenId]) -> Option<(State, usize)> {
        let alike = |(tokens, state): &'_ (Vec<TokenId>, State)| {
            let behind = tokens.strip_prefix(prefix)?;
            let alike = behind.iter().zip(pending).take_while(|(one, other)| one == other).count();
            let known = alike.min(pending.len().saturating_sub(1));
            (known > 0).then(|| (known, state.cut(prefix.len() + known)))
        };
        let longest = self.last.iter().filter_map(alike).max_by_key(|(known, _)| *known);
        longest.map(|(known, state)| (state, known))
    }

    /// The random numbers of a request: from its seed, or from the session's generator.
    fn dice(&mut self, request: &Request) -> Seeded {
        match request.seed {
            Some(seed) => Seeded::new(self.options.seed).apart(seed),
            None => self.random.fork(),
        }
    }

    /// Processes a system text in advance; false if cancelled.
    pub(crate) fn warm(&mut self, system: &Arc<str>, watch: Watch<'_>) -> Result<bool, LocalError> {
        let prefix = chat::system_turn(&self.vocab, system);
        if prefix.len() >= self.options.context {
            let limit = self.options.context.saturating_sub(1);
            return Err(LocalError::TooLong { tokens: prefix.len(), limit });
        }
        Ok(self.prefix(system, &prefix, (prefix.len(), watch)).is_some())
    }

    /// The state after a system text, and how many of its tokens came from a cache; `None` if cancelled. The whole prompt has
    /// `prompt` tokens.
    fn prefix(
        &mut self,
        system: &Arc<str>,
        tokens: &[TokenId],
        (prompt, watch): (usize, Watch<'_>),
    ) -> Option<(State, usize)> {
        if let Some(state) = self.prefixes.get(system) {
            return Some((state, tokens.len()));
        }
        if let Some(state) = self.files.as_ref().and_then(|files| files.load(tokens, &self.model)) {
            self.prefixes.keep(system, &state);
            return Some((state, tokens.len()));
        }
        let mut state = self.model.fresh();
        self.read(&mut state, tokens, Score::None, (prompt, watch))?;
        self.prefixes.keep(system, &state);
        if let Some(files) = &self.files {
            files.keep(tokens, &state);
        }
        Some((state, 0))
    }

    /// Processes tokens; returns the logits after the last one, if requested. `None` if cancelled. Reports how much of the
    /// `prompt` is processed, layer by layer: a layer of a large model takes a second on a small machine.
    fn read(
        &self,
        state: &mut State,
        tokens: &[TokenId],
        score: Score,
        (prompt, watch): (usize, Watch<'_>),
    ) -> Option<Vec<f32>> {
        let mut scores = Vec::new();
        let mut left = tokens.len();
        let (layers, before) = (self.model.layers(), state.len());
        for chunk in tokens.chunks(PROMPT_CHUNK) {
            let first = before + tokens.len() - left;
            left -= chunk.len();
            let is_scored = score == Score::Last && left == 0;
            let layer = AtomicUsize::new(0);
            let before_layer = || {
                let done = first + chunk.len() * layer.fetch_add(1, Ordering::Relaxed) / layers.max(1);
                let (done, total) = (done.min(prompt) as u64, prompt as u64);
                watch.reporter.report(Progress::ReadingPrompt { done, total });
                (watch.cancelled)()
            };
            let mut part = [Part { state: &mut *state, tokens: chunk }];
            scores = self.model.read(&mut part, is_scored, &before_layer)?.pop().unwrap_or_default();
        }
        Some(scores)
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// An answer being decoded, with the length of its prompt and what of that came from a cache, in tokens.
struct Answer<'r> {
    request: &'r Request,
    sequence: Sequence,
    prompt: usize,
    cached: usize,
}

/// Whether two requests differ at most in their sampling.
fn is_same_question(one: &Request, other: &Request) -> bool {
    let bare = |request: &Request| Request { temperature_percent: 0, seed: None, ..request.clone() };
    bare(one) == bare(other)
}

/// The output of processing tokens, besides the new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Score {
    /// Nothing.
    None,
    /// The logits after the last token.
    Last,
}
