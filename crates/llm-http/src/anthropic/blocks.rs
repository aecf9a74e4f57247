//! Content blocks of an answer: text, tool calls, thinking.

use artoo_llm_client::{StopReason, ToolUse};
use serde_json::{Value, json};

use crate::arguments::{Arguments, plain};
use crate::decode::Answer;

/// The blocks of one answer received so far.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    index: Option<u64>,
    /// As the server started it; pieces of text are appended to its fields.
    value: Value,
    /// The input of a call that arrives in pieces, which are JSON only together.
    input: Arguments,
}

impl Blocks {
    /// Takes a whole block.
    pub(super) fn push(&mut self, value: &Value) {
        self.blocks.push(Block { index: None, value: value.clone(), input: Arguments::default() });
    }

    /// Takes the event that starts a block.
    pub(super) fn start(&mut self, event: &Value) {
        let value = event.get("content_block").cloned().unwrap_or_default();
        self.blocks.push(Block { index: index(event), value, input: Arguments::default() });
    }

    /// Takes the event that extends a block. Some gateways omit the start event.
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
                self.blocks.push_mut(Block { index, value, input: Arguments::default() })
            }
        };
        if kind == "tool_use" {
            block.input.push(piece);
        } else if let Some(fields) = block.value.as_object_mut()
            && let Value::String(text) = fields.entry(field).or_insert_with(|| "".into())
        {
            text.push_str(piece);
        }
    }

    /// All text received so far, without thinking.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| std::iter::once(block.text()).chain(block.input.words()))
    }

    /// All thinking received so far.
    pub(super) fn thoughts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| block.value.get("thinking")?.as_str())
    }

    /// The finished answer. A thinking block without a signature is not kept for sending back: it was
    /// truncated, or the server signs nothing and wants nothing back.
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
        let pieces = self.input.finish();
        let arguments = if pieces.trim().is_empty() { plain(whole()) } else { pieces };
        ToolUse { id, name, arguments }
    }
}

fn index(event: &Value) -> Option<u64> {
    event.get("index").and_then(Value::as_u64)
}
