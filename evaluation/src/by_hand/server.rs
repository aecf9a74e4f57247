//! The server side: answers known questions, writes unknown ones to the folder, and ends a run that has to
//! wait.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Answer, Cassette, Exchange, Folder, Places, Question,
    answer::Tokens,
    conversation::{added, continues, find},
};
use crate::{Error, Result, files};

/// How long no new question may arrive before a waiting run is ended: concurrent questions are written
/// together.
const QUIET: Duration = Duration::from_millis(1500);

/// How a question was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The answered one, apart from figures and ids.
    Same,
    /// At the place of the answered one, in other words.
    Reworded,
    /// Not answered yet.
    Open,
}

/// Figures of one question of this run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The asking role.
    pub role: String,
    /// How it was matched.
    pub found: Match,
    /// Its position in the longest chain of dependent calls, from 1.
    pub depth: u32,
    /// Its token counts.
    pub tokens: Tokens,
    /// Tokens of system prompt, tools and schema.
    pub constant: u64,
    /// Tokens added since the model's last turn in this conversation.
    pub added: u64,
    /// The question of this run that it continues.
    pub after: Option<usize>,
    /// The number of tool calls in the answer.
    pub calls: usize,
    /// Whether it asks for a structured answer once more, because the one before could not be used.
    #[serde(default)]
    pub is_repair: bool,
}

/// The HTTP response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: String,
}

/// The server's state.
#[derive(Debug)]
pub struct Server {
    known: Vec<Exchange>,
    folder: Option<Folder>,
    record: Option<PathBuf>,
    places: Places,
    estimate: fn(&str) -> u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: Vec<bool>,
    asked: Vec<Asked>,
    /// The questions of this run with their answers, and as flat texts.
    told: Vec<(Question, Answer, String)>,
    depth: u32,
    put: usize,
    latest: Option<Instant>,
    closed: bool,
}

impl Server {
    /// A server that only plays a cassette.
    pub fn of(cassette: Cassette, estimate: fn(&str) -> u64) -> Self {
        let state = State { put: cassette.exchanges.len(), ..State::default() };
        Self {
            known: cassette.exchanges,
            folder: None,
            record: None,
            places: Places::default(),
            estimate,
            state: Mutex::new(state),
        }
    }

    /// Writes unanswered questions to this folder.
    #[must_use]
    pub fn asking(self, folder: Folder) -> Self {
        Self { folder: Some(folder), ..self }
    }

    /// Records the figures of the questions in this file.
    #[must_use]
    pub fn recording(self, record: PathBuf) -> Self {
        Self { record: Some(record), ..self }
    }

    /// Replaces paths.
    #[must_use]
    pub fn hiding(self, places: Places) -> Self {
        Self { places, ..self }
    }

    /// Answers a request to `path`. Blocks for a moment if there is no answer.
    pub fn reply(&self, path: &str, body: &Value) -> Reply {
        let streamed = body.get("stream").and_then(Value::as_bool).unwrap_or_default();
        let mut hidden = body.clone();
        self.places.hide(&mut hidden);
        match self.answer(Question::of(path, &hidden)) {
            Ok(Some((answer, number, tokens))) if streamed => Reply {
                status: 200,
                content_type: "text/event-stream",
                body: self.shown(answer).streamed(number, tokens),
            },
            Ok(Some((answer, number, tokens))) => Reply {
                status: 200,
                content_type: "application/json",
                body: self.shown(answer).whole(number, tokens),
            },
            Ok(None) => self.ended("this question has no answer yet; the run is to be made again with one"),
            Err(error) => self.ended(&error.to_string()),
        }
    }

    /// The figures so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }

    fn answer(&self, question: Question) -> Result<Option<(Answer, usize, Tokens)>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Ok(None);
        }
        state.used.resize(self.known.len(), false);
        let found = find(&question, &self.known, &state.used);
        let exchange = found.as_ref().and_then(|found| self.known.get(found.exchange));
        if let Some(found) = &found
            && let Some(used) = state.used.get_mut(found.exchange)
        {
            *used = true;
        }
        let state = &mut *state;
        if let (Some(found), Some(Exchange { answer: Some(answer), depth, .. })) = (&found, exchange) {
            let kind = if found.same { Match::Same } else { Match::Reworded };
            let tokens = self.tell(state, question, kind, answer, *depth)?;
            return Ok(Some((answer.clone(), found.exchange.saturating_add(1), tokens)));
        }
        // A question written before is written again only if it reads differently.
        if let Some(folder) = self.folder.as_ref().filter(|_| exchange.is_none()) {
            state.put = state.put.saturating_add(1);
            folder.put(state.put, &question, state.depth.saturating_add(1))?;
        }
        self.tell(state, question, Match::Open, &Answer::default(), state.depth.saturating_add(1))?;
        state.latest = Some(Instant::now());
        Ok(None)
    }

    /// Records a question of this run with its answer.
    fn tell(
        &self,
        state: &mut State,
        question: Question,
        found: Match,
        answer: &Answer,
        depth: u32,
    ) -> Result<Tokens> {
        /// Role markers and separators around each message, as chat templates add them.
        const PER_MESSAGE: u64 = 4;
        let flat = question.flat();
        let turns = u64::try_from(question.messages.len()).unwrap_or(u64::MAX).saturating_add(1);
        let count = |text: &str| (self.estimate)(text);
        let known = state.told.iter().map(|(_, _, earlier)| common_start(earlier, &flat)).max();
        let tokens = Tokens {
            prompt: count(&flat).saturating_add(turns.saturating_mul(PER_MESSAGE)),
            cached: count(flat.get(..known.unwrap_or_default()).unwrap_or_default()),
            completion: count(&answer.written()),
        };
        let after = state.told.iter().rposition(|(earlier, answer, _)| continues(earlier, answer, &question));
        state.asked.push(Asked {
            role: question.role.clone(),
            found,
            depth,
            tokens,
            constant: count(&question.constant()),
            added: added(&question).iter().map(|text| count(text).saturating_add(PER_MESSAGE)).sum(),
            after,
            calls: answer.calls.len(),
            is_repair: question.is_repair(),
        });
        if found != Match::Open {
            state.depth = state.depth.max(depth);
        }
        state.told.push((question, answer.clone(), flat));
        let Some(record) = &self.record else { return Ok(tokens) };
        let text = serde_json::to_string(&state.asked)
            .map_err(|error| Error::Other(format!("cannot write the record as JSON: {error}")))?;
        files::write(record, text + "\n")?;
        Ok(tokens)
    }

    fn shown(&self, answer: Answer) -> Answer {
        let Ok(mut value) = serde_json::to_value(&answer) else { return answer };
        self.places.show(&mut value);
        serde_json::from_value(value).unwrap_or(answer)
    }

    /// Waits until no other question arrives, then answers nothing any more.
    fn ended(&self, reason: &str) -> Reply {
        if self.folder.is_some() {
            loop {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let is_quiet = state.latest.is_none_or(|latest| latest.elapsed() >= QUIET);
                state.closed |= is_quiet;
                let closed = state.closed;
                drop(state);
                if closed {
                    break;
                }
                thread::sleep(QUIET / 10);
            }
        } else {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        }
        // A status that no client retries, with or without tools or a schema.
        Reply {
            status: 403,
            content_type: "application/json",
            body: serde_json::json!({"error": {"message": reason}}).to_string(),
        }
    }
}

/// The length in bytes of the common prefix of two texts.
fn common_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_start_ends_between_characters() {
        for (one, other, bytes) in [("", "a", 0), ("aé", "aéb", 3), ("aé", "aè", 1), ("ab", "ab", 2)] {
            assert_eq!(common_start(one, other), bytes, "{one} {other}");
        }
    }
}
