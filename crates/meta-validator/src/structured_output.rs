//! Structured output: a value of the person's schema, which a model builds from the evidence and code checks.

use artoo_judging::Exhibits;
use artoo_llm_client::{LlmClient, Message, ModelProfile, Obtained, Origin, Request, ask, ask_once, inline};
use artoo_text::is_unspaced;
use artoo_types::StructuredOutput;
use serde_json::Value;

use crate::{OutputSchema, compose::Grounds};

/// The constant part of the prompt.
pub const STRUCTURED_PROMPT: &str = include_str!("../prompts/structured.md");

/// A longer text is prose: its numbers and names must occur in the evidence, its words need not.
const WORDS_OF_A_VALUE: usize = 8;

/// Asks for the value, and once more if it does not match the schema or contains unsupported claims.
pub(crate) async fn structured(
    grounds: &Grounds<'_>,
    schema: &OutputSchema,
    model: &dyn LlmClient,
) -> StructuredOutput {
    let request = request(grounds, &model.profile()).with_schema(schema.asked());
    let mut request = request.with_max_tokens(model.profile().output_tokens);
    let first = match ask::<Value>(model, request.clone()).await {
        Ok(answered) => answered,
        Err(error) => return StructuredOutput::Missing(error.to_string()),
    };
    let Some(wrong) = unsupported_claim(&first.value, grounds, schema) else {
        return StructuredOutput::Value(first.value);
    };
    if matches!(first.obtained, Obtained::Repaired { .. }) {
        // It was requested twice already.
        return StructuredOutput::Missing(wrong);
    }
    request.messages.push(Message::assistant(first.value.to_string()));
    request.messages.push(Message::user(format!(
        "This cannot be handed over: {wrong}. Answer again, with nothing in it that the results do not show."
    )));
    match ask_once::<Value>(model, request).await {
        Ok(second) => match unsupported_claim(&second.value, grounds, schema) {
            None => StructuredOutput::Value(second.value),
            Some(wrong) => StructuredOutput::Missing(wrong),
        },
        Err(error) => StructuredOutput::Missing(error.to_string()),
    }
}

fn request(grounds: &Grounds<'_>, profile: &ModelProfile) -> Request {
    let mut shown = Exhibits::default();
    shown.line(grounds.surroundings.now_line());
    shown.line(format!("Request: {}", grounds.spec.intent.trim()));
    for (number, call) in (1..).zip(grounds.tool_calls.iter().filter(|call| call.showed())) {
        shown.call(number, call);
    }
    for part in grounds.parts {
        shown.line(format!("Result ({}):", inline(part.intent)));
        shown.text(Origin::SubTask, part.text());
    }
    Request::new("structured", STRUCTURED_PROMPT, shown.render(profile, &grounds.spec.intent))
}

/// The parts of a value that neither the evidence nor the request nor the schema supports, in words.
fn unsupported_claim(value: &Value, grounds: &Grounds<'_>, schema: &OutputSchema) -> Option<String> {
    let mut evidence: Vec<String> = grounds.told().into_iter().map(|told| told.output).collect();
    for call in grounds.tool_calls {
        evidence.extend([call.output.shown.clone(), call.stderr.shown.clone(), call.target()]);
    }
    let evidence = Evidence { grounds, schema, text: folded(&evidence.join("\n")) };
    evidence.lacks(value)
}

struct Evidence<'a> {
    grounds: &'a Grounds<'a>,
    schema: &'a OutputSchema,
    /// The whole evidence in lower case with single blanks.
    text: String,
}

impl Evidence<'_> {
    fn lacks(&self, value: &Value) -> Option<String> {
        match value {
            Value::Null | Value::Bool(_) => None,
            Value::Number(_) if self.schema.numbers().contains(&value) => None,
            Value::Number(number) => self.grounds.unsupported_claim(&number.to_string()),
            Value::String(text) => self.lacks_text(text),
            Value::Array(items) => items.iter().find_map(|item| self.lacks(item)),
            Value::Object(fields) => {
                fields.iter().find_map(|(name, field)| self.lacks_text(name).or_else(|| self.lacks(field)))
            }
        }
    }

    fn lacks_text(&self, text: &str) -> Option<String> {
        let sought = folded(text);
        if self.schema.texts().contains(text) || is_within(&sought, &self.text) {
            return None;
        }
        if sought.split(' ').count() > WORDS_OF_A_VALUE {
            return self.grounds.unsupported_claim(text);
        }
        Some(format!("nothing shows the text {text:?}"))
    }
}

/// The text in lower case with single blanks.
fn folded(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Whether a text occurs in another as whole words: `10` is not in `2010`.
fn is_within(sought: &str, text: &str) -> bool {
    let goes_on = |neighbour: Option<char>, edge: Option<char>| {
        let is_of_a_word = |c: char| c.is_alphanumeric() && !is_unspaced(c);
        neighbour.is_some_and(is_of_a_word) && edge.is_some_and(is_of_a_word)
    };
    sought.is_empty()
        || text.match_indices(sought).any(|(start, found)| {
            let before = text.get(..start).and_then(|before| before.chars().next_back());
            let after = text.get(start + found.len()..).and_then(|after| after.chars().next());
            !goes_on(before, found.chars().next()) && !goes_on(after, found.chars().next_back())
        })
}
