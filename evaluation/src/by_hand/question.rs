//! A question from artoo to its model, as received over the wire.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How a judge's turn begins that continues the executor's conversation (`crates/meta-validator/prompts/continued.md`).
const JUDGES_TURN: &str = "The work above is over and your role changes:";

/// The address that executor, planner and judge of the whole share: the judge may continue the executor's conversation
/// only where both have one model, address included, and may not be weaker than the planner.
const SHARED: &str = "executor";

/// How the names of a planner's schemas begin.
const PLANS: &str = "plan";

/// One question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The asking role. Each has an address of its own, but for executor, planner and judge of the whole.
    pub role: String,
    /// The constant part of the prompt.
    pub system: String,
    /// The offered tools, in the wire format.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tools: Value,
    /// The schema of the answer, with its name.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// The conversation, in the wire format.
    pub messages: Vec<Value>,
}

impl Question {
    /// The question in a chat completions request to `/ROLE/...`.
    pub fn of(path: &str, body: &Value) -> Self {
        let role = path.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
        let list = |name: &str| body.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let (system, messages): (Vec<Value>, Vec<Value>) =
            list("messages").into_iter().partition(|message| is_from(message, "system"));
        let system = system.iter().map(words).collect::<Vec<_>>().join("\n\n");
        let tools = body.get("tools").cloned().unwrap_or_default();
        let schema = body.pointer("/response_format/json_schema").cloned().unwrap_or_default();
        let question = Self { role, system, tools, schema, messages };
        if question.role == SHARED {
            Self { role: question.shared_role().to_owned(), ..question }
        } else {
            question
        }
    }

    /// Who asks at the shared address. The executor asks for calls of tools, never for an answer of a schema.
    fn shared_role(&self) -> &'static str {
        let is_judge = || self.messages.last().is_some_and(|last| words(last).starts_with(JUDGES_TURN));
        match (self.schema.is_null(), self.shape().starts_with(PLANS)) {
            (true, _) if is_judge() => "meta_validator",
            (true, _) => "executor",
            (false, true) => "planner",
            (false, false) => "meta_validator",
        }
    }

    /// The model's turns in this conversation, in order: its text and calls, without ids.
    pub(super) fn said(&self) -> Vec<Value> {
        self.messages.iter().filter(|message| is_from(message, "assistant")).map(what_was_said).collect()
    }

    /// The name of the schema, empty if there is none.
    pub(super) fn shape(&self) -> &str {
        self.schema.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether a structured answer is asked for once more: the model has answered in this conversation already.
    pub(super) fn is_repair(&self) -> bool {
        !self.schema.is_null() && self.messages.iter().any(is_models)
    }

    /// The part that is constant over a conversation, as one text.
    pub(super) fn constant(&self) -> String {
        let text = |value: &Value| if value.is_null() { String::new() } else { value.to_string() };
        format!("{}{}{}", text(&self.tools), text(&self.schema), self.system)
    }

    /// Everything that the model reads, in the order in which a provider caches it.
    pub(super) fn flat(&self) -> String {
        let turns = self.messages.iter().map(|message| format!("\n{}", read(message)));
        std::iter::once(self.constant()).chain(turns).collect()
    }

    /// Its lines without figures and ids, to find a question of an earlier run again: times, durations and
    /// hashes differ.
    pub(super) fn lines(&self) -> Vec<String> {
        let turns = self.messages.iter().map(read);
        let whole: Vec<String> = std::iter::once(self.constant()).chain(turns).collect();
        whole.join("\n").lines().map(without_figures).collect()
    }

    /// The question for a person who answers it: everything that the model would see.
    pub fn markdown(&self, number: usize) -> String {
        let mut text = format!("# Question {number}, of the {}\n", self.role);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## System\n\n{}\n", self.system);
        for tool in self.tools.as_array().into_iter().flatten() {
            let tool = tool.get("function").unwrap_or(tool);
            let field = |name: &str| tool.get(name).map(shown).unwrap_or_default();
            let _ = write!(
                text,
                "\n## Tool `{}`\n\n{}\n\nArguments: {}\n",
                field("name"),
                field("description"),
                field("parameters")
            );
        }
        for message in &self.messages {
            text.push_str(&turn(message));
        }
        if let Some(schema) = self.schema.get("schema") {
            let _ = write!(text, "\n## Answer with JSON of this schema\n\n{schema}\n");
        }
        text
    }

    /// The turns after the model's last turn.
    pub fn news(&self) -> String {
        let from = self.messages.iter().rposition(|message| is_from(message, "assistant"));
        self.messages.iter().skip(from.map_or(0, |at| at.saturating_add(1))).map(turn).collect()
    }
}

/// Whether a turn is the model's.
pub(super) fn is_models(message: &Value) -> bool {
    is_from(message, "assistant")
}

/// A turn as the model reads it: its text and calls, without wire details.
pub(super) fn read(message: &Value) -> String {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let calls = calls.into_iter().flatten().filter_map(|call| call.get("function")).map(|function| {
        let field = |name: &str| function.get(name).map(shown).unwrap_or_default();
        format!("{}{}", field("name"), field("arguments"))
    });
    std::iter::once(words(message)).chain(calls).collect()
}

fn what_was_said(message: &Value) -> Value {
    let calls = message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let calls: Vec<&Value> = calls.iter().filter_map(|call| call.get("function")).collect();
    json!({"content": words(message), "calls": calls})
}

fn is_from(message: &Value, role: &str) -> bool {
    message.get("role").and_then(Value::as_str) == Some(role)
}

/// The text of a turn. Parts that are not text are named.
fn words(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let part = |part: &Value| match part.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => format!("[{}]", part.get("type").map(shown).unwrap_or_default()),
            };
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => String::new(),
    }
}

fn turn(message: &Value) -> String {
    let speaker = message.get("role").map(shown).unwrap_or_default();
    let of = message.get("tool_call_id").map(|id| format!(" {}", shown(id))).unwrap_or_default();
    let mut text = format!("\n## {speaker}{of}\n\n{}\n", words(message));
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let field = |pointer: &str| call.pointer(pointer).map(shown).unwrap_or_default();
        let _ = writeln!(
            text,
            "\ncall {}: `{}` {}",
            field("/id"),
            field("/function/name"),
            field("/function/arguments")
        );
    }
    text
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A line with a placeholder for each word that contains a digit.
fn without_figures(line: &str) -> String {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '_');
    let mut told = String::with_capacity(line.len());
    let mut word = String::new();
    let end = |word: &mut String, told: &mut String| {
        if word.chars().any(|c| c.is_ascii_digit()) {
            told.push('#')
        } else {
            told.push_str(word)
        }
        word.clear();
    };
    for c in line.chars() {
        if is_inside(c) {
            word.push(c);
        } else {
            end(&mut word, &mut told);
            told.push(c);
        }
    }
    end(&mut word, &mut told);
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Value {
        json!({
            "model": "by-hand", "stream": true,
            "messages": [
                {"role": "system", "content": "Work."},
                {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url"}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "call_1_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "call_1_1", "content": "It is blue."},
            ],
            "tools": [{"type": "function", "function": {"name": "look", "description": "looks", "parameters": {"type": "object"}}}],
        })
    }

    #[test]
    fn a_request_is_read() {
        let question = Question::of("/executor/v1/chat/completions", &body());
        assert_eq!((question.role.as_str(), question.system.as_str()), ("executor", "Work."));
        assert_eq!(question.messages.len(), 3);
        assert_eq!(question.said(), [json!({"content": "", "calls": [{"name": "look", "arguments": "{}"}]})]);
        assert_eq!(question.news(), "\n## tool call_1_1\n\nIt is blue.\n");
        assert!(question.flat().ends_with("Work.\nLook.\n[image_url]\nlook{}\nIt is blue."));
    }

    #[test]
    fn the_judge_at_the_executors_address_is_told_apart() {
        let role = |body: &Value| Question::of("/executor/v1/chat/completions", body).role;
        let mut judged = body();
        assert_eq!(role(&judged), "executor");
        judged["messages"]
            .as_array_mut()
            .unwrap()
            .push(json!({"role": "user", "content": format!("{JUDGES_TURN} judge.")}));
        assert_eq!(role(&judged), "meta_validator");
        for (name, asking) in
            [("verdict", "meta_validator"), ("plan", "planner"), ("plan_in_short", "planner")]
        {
            let schema = json!({"type": "json_schema", "json_schema": {"name": name}});
            assert_eq!(role(&json!({"messages": [], "response_format": schema})), asking, "{name}");
        }
        let prompt = crate::files::root().join("crates/meta-validator/prompts/continued.md");
        let prompt = crate::files::read(&prompt).unwrap();
        assert!(prompt.starts_with(JUDGES_TURN), "the judge's turn begins otherwise: {prompt}");
    }

    #[test]
    fn all_that_a_model_sees_stands_in_the_text() {
        let told = Question::of("/executor/v1/chat/completions", &body()).markdown(7);
        for part in ["Question 7, of the executor", "Work.", "`look`", "looks", "Look.", "It is blue."] {
            assert!(told.contains(part), "{part}: {told}");
        }
        let mut body = body();
        body["response_format"] =
            json!({"type": "json_schema", "json_schema": {"name": "plan", "schema": {"type": "object"}}});
        let question = Question::of("/planner/v1/chat/completions", &body);
        assert_eq!(question.shape(), "plan");
        assert!(question.markdown(1).contains("{\"type\":\"object\"}"));
    }

    #[test]
    fn figures_and_ids_are_no_difference() {
        let lines = ["Ran 3 tests in 0.001s", "at 2026-11-23 09:14", "commit 1a2b3c4 (x)", "no figure"];
        assert_eq!(lines.map(without_figures), ["Ran # tests in #", "at # #", "commit # (x)", "no figure"]);
    }

    #[test]
    fn what_is_no_request_is_an_empty_question() {
        for body in [Value::Null, json!([]), json!({"messages": 3}), json!({"messages": [3, null]})] {
            let question = Question::of("", &body);
            assert_eq!((question.role.as_str(), question.said().len()), ("", 0));
            assert!(!question.markdown(1).is_empty());
        }
    }
}
