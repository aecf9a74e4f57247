//! Reads one answer from its bytes, however they are cut: a stream of events, or JSON from servers that do
//! not stream. No socket and no clock.

use artoo_redaction::Redactor;
use serde_json::Value;

use crate::decode::{Answer, Bad, Decode, Heard, Progress};
use crate::error_body::ErrorBody;
use crate::sse::{Event, SseParser};

/// The answer read so far.
pub(crate) struct Reader<'a, D> {
    decoder: D,
    redaction: &'a Redactor,
    form: Form,
}

/// The form of a body, which its first character shows.
enum Form {
    /// Nothing but blanks so far.
    Unknown(Vec<u8>),
    /// JSON, of which the whole is needed.
    Json(Vec<u8>),
    /// A page for people, where the server has no model.
    Page(Vec<u8>),
    /// Anything else is read as events.
    Events(Events),
}

struct Events {
    parser: SseParser,
    /// Whether there was any.
    seen: bool,
    /// The server said that it is done.
    done: bool,
    /// The first bytes, for the message about a body that has no event.
    first: Vec<u8>,
}

/// As much of a body without an answer as a message may need.
const FIRST_BYTES: usize = 4096;

impl<'a, D: Decode> Reader<'a, D> {
    /// A reader in front of the decoder of a wire format. Keys are removed from what it quotes of a server.
    pub(crate) fn new(decoder: D, redaction: &'a Redactor) -> Self {
        Self { decoder, redaction, form: Form::Unknown(Vec::new()) }
    }

    /// Takes the next bytes. After [`Progress::Done`] there is nothing more to take.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Progress, Bad> {
        if let Form::Unknown(blank) = &mut self.form {
            let seen = blank.len();
            blank.extend_from_slice(bytes);
            let begun = std::mem::take(blank);
            self.form = match first_character(&begun, seen) {
                None => Form::Unknown(begun),
                Some(b'{' | b'[') => Form::Json(begun),
                Some(b'<') => Form::Page(begun),
                Some(_) => {
                    let events =
                        Events { parser: SseParser::default(), seen: false, done: false, first: Vec::new() };
                    self.form = Form::Events(events);
                    return self.events(&begun);
                }
            };
        } else {
            match &mut self.form {
                Form::Json(body) | Form::Page(body) | Form::Unknown(body) => body.extend_from_slice(bytes),
                Form::Events(_) => return self.events(bytes),
            }
        }
        match &self.form {
            Form::Page(body) if body.len() >= FIRST_BYTES => Err(self.page(body)),
            Form::Page(_) | Form::Json(_) | Form::Unknown(_) | Form::Events(_) => Ok(Progress::More),
        }
    }

    /// The usage received so far, and the answer or why there is none.
    pub(crate) fn finish(mut self) -> (Heard, Result<Answer, Bad>) {
        let ended = self.end();
        let heard = self.decoder.heard();
        (heard, ended.and_then(|()| self.decoder.finish()))
    }

    /// The usage received so far.
    pub(crate) fn heard(&self) -> Heard {
        self.decoder.heard()
    }

    /// The tokens received so far, for whoever waits: with the reasoning, which may be most of them.
    pub(crate) fn tokens(&self) -> u64 {
        self.decoder.heard().tokens().saturating_add(self.decoder.thought())
    }

    fn events(&mut self, bytes: &[u8]) -> Result<Progress, Bad> {
        let Form::Events(Events { parser, seen, done, first }) = &mut self.form else {
            return Ok(Progress::More);
        };
        let room = FIRST_BYTES.saturating_sub(first.len()).min(bytes.len());
        first.extend_from_slice(bytes.get(..room).unwrap_or_default());
        let mut events = Vec::new();
        parser.feed(bytes, &mut events);
        for event in events {
            *seen = true;
            if *done || self.decoder.event(&event)? == Progress::Done {
                *done = true;
                return Ok(Progress::Done);
            }
        }
        Ok(Progress::More)
    }

    /// Takes the end of the body.
    fn end(&mut self) -> Result<(), Bad> {
        match std::mem::replace(&mut self.form, Form::Unknown(Vec::new())) {
            Form::Unknown(_) => Err(Bad::Broken("the answer is empty".to_owned())),
            Form::Json(body) => self.json(&String::from_utf8_lossy(&body)),
            Form::Page(body) => Err(self.page(&body)),
            Form::Events(Events { done: true, .. }) => Ok(()),
            Form::Events(Events { parser, seen, first, .. }) => {
                let mut events = Vec::new();
                parser.finish(&mut events);
                let none = events.is_empty() && !seen;
                for event in events {
                    let progress = self.decoder.event(&event).map_err(|bad| match bad {
                        // The last event was truncated, so an error in it is expected.
                        Bad::Protocol(reason) => Bad::Broken(reason),
                        bad @ (Bad::Broken(_)
                        | Bad::Incomplete(_)
                        | Bad::Foreign(_)
                        | Bad::Reported { .. }) => bad,
                    })?;
                    if progress == Progress::Done {
                        break;
                    }
                }
                if none {
                    let words = ErrorBody::read(&first, self.redaction).message;
                    return Err(Bad::Foreign(format!("neither an event stream nor JSON, but {words:?}")));
                }
                Ok(())
            }
        }
    }

    fn page(&self, body: &[u8]) -> Bad {
        let begins = body.get(..FIRST_BYTES).unwrap_or(body);
        Bad::Foreign(ErrorBody::read(begins, self.redaction).message)
    }

    /// Takes a body of JSON: one answer, or the pieces of a stream as a list or one a line.
    fn json(&mut self, body: &str) -> Result<(), Bad> {
        let body = body.trim_start_matches('\u{feff}').trim();
        let pieces: Vec<String> = match serde_json::from_str::<Vec<Value>>(body) {
            Ok(list) => list.iter().map(Value::to_string).collect(),
            Err(_) if is_several(body) => body.lines().map(str::to_owned).collect(),
            Err(_) => return self.decoder.whole(body),
        };
        for data in pieces.into_iter().filter(|data| !data.trim().is_empty()) {
            if self.decoder.event(&Event { data, ..Event::default() })? == Progress::Done {
                break;
            }
        }
        Ok(())
    }
}

/// Whether a text is one JSON value a line.
fn is_several(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    let first = values.next().is_some_and(|value| value.is_ok());
    let rest = text.get(values.byte_offset()..).unwrap_or_default();
    first && rest.starts_with(['\n', '\r']) && !rest.trim().is_empty()
}

/// The first byte that is neither whitespace nor part of a byte order mark. Among the first `seen` bytes there was none.
fn first_character(bytes: &[u8], seen: usize) -> Option<u8> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if MARK.starts_with(bytes) {
        return None;
    }
    // The first bytes may only have looked like a mark, so they are looked at again.
    let from = if seen > MARK.len() {
        seen
    } else if bytes.starts_with(MARK) {
        MARK.len()
    } else {
        0
    };
    bytes.iter().skip(from).copied().find(|byte| !byte.is_ascii_whitespace())
}
