//! The blocks of an answer: words, calls of tools, thoughts.

use artoo_llm_client::{StopReason, ToolUse};
use serde_json::{Value, json};

use crate::decode::Answer;

/// The blocks of one answer, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    index: Option<u64>,
    /// As the server began it; pieces of text are added to its fields.
    value: Value,
    /// The input of a call that comes in pieces. They are JSON only together.
    input: String,
}

impl Blocks {
    /// Takes a block that came whole.
    pub(super) fn push(&mut self, value: &Value) {
        self.blocks.push(Block { index: None, value: value.clone(), input: String::new() });
    }

    /// Takes the event that begins a block.
    pub(super) fn start(&mut self, event: &Value) {
        let value = event.get("content_block").cloned().unwrap_or_default();
        self.blocks.push(Block { index: index(event), value, input: String::new() });
    }

    /// Takes the event that adds to a block. Gateways forget to begin one.
    pub(super) fn append(&mut self, event: &Value) {
        let Some(delta) = event.get("delta") else { return };
        let (kind, field) = match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => ("text", "text"),
            Some("thinking_delta") => ("thinking", "thinking"),
            Some("signature_delta") => ("thinking", "signature"),
            Some("input_json_delta") => ("tool_use", "partial_json"),
            _ => return, // citations, and what is yet to be invented
        };
        let Some(piece) = delta.get(field).and_then(Value::as_str) else { return };
        let index = index(event);
        let is_open = |block: &&mut Block| block.index == index && block.kind() == kind;
        let block = match self.blocks.iter_mut().rev().find(is_open) {
            Some(block) => block,
            None => {
                let value = json!({"type": kind});
                self.blocks.push_mut(Block { index, value, input: String::new() })
            }
        };
        if kind == "tool_use" {
            block.input.push_str(piece);
        } else if let Some(fields) = block.value.as_object_mut()
            && let Value::String(text) = fields.entry(field).or_insert_with(|| "".into())
        {
            text.push_str(piece);
        }
    }

    /// All words that have come, thoughts apart.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| [block.text(), block.input.as_str()])
    }

    /// The answer that they are. A thought without a signature is none that could be sent back: it was cut
    /// off, or the server signs nothing and wants nothing back.
    pub(super) fn into_answer(self, stop: StopReason) -> Answer {
        let mut answer = Answer { stop, ..Answer::of_text(String::new()) };
        for block in self.blocks {
            answer.text.push_str(block.text());
            match block.kind() {
                "tool_use" => answer.calls.push(block.into_call()),
                "redacted_thinking" => answer.reasoning.push(block.value),
                "thinking" if block.value.get("signature").is_some_and(|signature| signature != "") => {
                    answer.reasoning.push(block.value);
                }
                _ => {}
            }
        }
        answer
    }
}

impl Block {
    fn kind(&self) -> &str {
        self.value.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn text(&self) -> &str {
        if self.kind() == "text" {
            self.value.get("text").and_then(Value::as_str).unwrap_or_default()
        } else {
            ""
        }
    }

    fn into_call(self) -> ToolUse {
        let word = |name: &str| self.value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, name) = (word("id"), word("name"));
        let whole = || self.value.get("input").map(Value::to_string).unwrap_or_default();
        let arguments = if self.input.is_empty() { whole() } else { self.input };
        ToolUse { id, name, arguments }
    }
}

fn index(event: &Value) -> Option<u64> {
    event.get("index").and_then(Value::as_u64)
}
