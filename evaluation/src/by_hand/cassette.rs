//! Cassette: recorded questions and answers in one readable file, in which repeated turns are stored once.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, Question};
use crate::{Error, Result, files};

/// The version of the format.
const VERSION: u32 = 1;

/// One question and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The question, with neutral paths.
    pub question: Question,
    /// The answer; `None` while it is awaited.
    pub answer: Option<Answer>,
    /// Its position in the longest chain of dependent calls, from 1.
    pub depth: u32,
}

/// The exchanges of a run, in the order in which they were first asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cassette {
    /// The exchanges.
    pub exchanges: Vec<Exchange>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u32,
    /// The parts that are constant over a conversation.
    constants: Vec<Constant>,
    exchanges: Vec<Kept>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    role: String,
    system: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    tools: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    schema: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    constant: usize,
    /// The exchange whose first turns precede, and how many of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<(usize, usize)>,
    /// The new turns.
    turns: Vec<Value>,
    answer: Answer,
    depth: u32,
}

impl Cassette {
    /// Reads a cassette.
    ///
    /// # Errors
    /// It does not exist, or has another version.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&files::read(path)?).map_err(|reason| Error::Content { path: path.to_path_buf(), reason })
    }

    /// Writes the cassette.
    ///
    /// # Errors
    /// An answer is missing, or an I/O error.
    pub fn write(&self, path: &Path) -> Result<()> {
        let content = |reason: String| Error::Content { path: path.to_path_buf(), reason };
        files::write(path, self.text().map_err(content)?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if written.v != VERSION {
            return Err(format!("is of version {}, not {VERSION}", written.v));
        }
        let mut exchanges: Vec<Exchange> = Vec::new();
        for kept in written.exchanges {
            let Some(constant) = written.constants.get(kept.constant).cloned() else {
                return Err(format!("an exchange has no constant {}", kept.constant));
            };
            let mut messages = Vec::new();
            if let Some((at, turns)) = kept.after {
                let before = exchanges.get(at).ok_or_else(|| format!("exchange {at} is not before it"))?;
                messages.extend(before.question.messages.iter().take(turns).cloned());
            }
            messages.extend(kept.turns);
            let Constant { role, system, tools, schema } = constant;
            exchanges.push(Exchange {
                question: Question { role, system, tools, schema, messages },
                answer: Some(kept.answer),
                depth: kept.depth,
            });
        }
        Ok(Self { exchanges })
    }

    fn text(&self) -> Result<String, String> {
        let mut written = Written { v: VERSION, constants: Vec::new(), exchanges: Vec::new() };
        for (number, exchange) in self.exchanges.iter().enumerate() {
            let Question { role, system, tools, schema, messages } = exchange.question.clone();
            let constant = Constant { role, system, tools, schema };
            let at = written.constants.iter().position(|other| *other == constant).unwrap_or_else(|| {
                written.constants.push(constant);
                written.constants.len().saturating_sub(1)
            });
            let earlier = self.exchanges.iter().take(number).enumerate();
            let shared = earlier.map(|(at, other)| (at, shared(&other.question.messages, &messages)));
            let after = shared.filter(|(_, turns)| *turns > 0).max_by_key(|(_, turns)| *turns);
            let Some(answer) = exchange.answer.clone() else {
                return Err(format!("question {} has no answer", number.saturating_add(1)));
            };
            let turns = messages.into_iter().skip(after.map_or(0, |(_, turns)| turns)).collect();
            written.exchanges.push(Kept { constant: at, after, turns, answer, depth: exchange.depth });
        }
        serde_json::to_string_pretty(&written).map(|text| text + "\n").map_err(|error| error.to_string())
    }
}

fn shared(one: &[Value], other: &[Value]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cassette() -> Cassette {
        let turn = |role: &str, text: &str| json!({"role": role, "content": text});
        let exchange = |role: &str, messages: Vec<Value>, depth: u32| Exchange {
            question: Question { role: role.into(), system: "Work.".into(), messages, ..Question::default() },
            answer: Some(Answer { text: "look".into(), ..Answer::default() }),
            depth,
        };
        let first = vec![turn("user", "Step.")];
        let second = vec![turn("user", "Step."), turn("assistant", "look"), turn("user", "blue")];
        Cassette {
            exchanges: vec![
                exchange("planner", vec![turn("user", "Plan.")], 1),
                exchange("executor", first, 2),
                exchange("executor", second, 3),
            ],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let cassette = cassette();
        let text = cassette.text().unwrap();
        assert_eq!(Cassette::parse(&text).unwrap(), cassette);
        assert_eq!(text.matches("Step.").count(), 1, "a turn is written once: {text}");
    }

    #[test]
    fn what_is_no_cassette_is_refused() {
        for text in ["", "{}", "[]", r#"{"v": 2, "constants": [], "exchanges": []}"#] {
            assert!(Cassette::parse(text).is_err(), "{text}");
        }
        let text = cassette().text().unwrap();
        for (from, to) in
            [("\"constant\": 1", "\"constant\": 9"), ("\"after\": [\n        1", "\"after\": [\n        7")]
        {
            assert!(text.contains(from), "{text}");
            assert!(Cassette::parse(&text.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn an_open_question_is_not_kept() {
        let mut cassette = cassette();
        cassette.exchanges[1].answer = None;
        assert_eq!(cassette.text().unwrap_err(), "question 2 has no answer");
    }
}
