//! Assembles streamed tool calls.

use artoo_llm_client::ToolUse;
use serde_json::Value;

/// The calls of one answer received so far.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: Vec<(Option<u64>, ToolUse)>,
}

impl ToolCalls {
    /// Takes the pieces of a chunk, or the calls of a whole answer.
    pub(super) fn take(&mut self, pieces: Option<&Value>) {
        for piece in pieces.and_then(Value::as_array).into_iter().flatten() {
            self.piece(piece);
        }
    }

    /// The calls in the server's order.
    pub(super) fn into_calls(self) -> Vec<ToolUse> {
        self.calls.into_iter().map(|(_, call)| call).collect()
    }

    /// Whether none has arrived.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// All text received so far.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().flat_map(|(_, call)| [call.name.as_str(), &call.arguments])
    }

    fn piece(&mut self, piece: &Value) {
        let word = |pointer: &str| piece.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (id, name) = (word("/id"), word("/function/name"));
        let index = piece.get("index").and_then(Value::as_u64);
        let is_open = |(known, call): &&mut (Option<u64>, ToolUse)| match index {
            // Some servers give all calls the same index: a new name and id together start another call.
            Some(_) => {
                *known == index && (name.is_empty() || id.is_empty() || call.id == id || call.id.is_empty())
            }
            None => name.is_empty(),
        };
        let open = match self.calls.iter_mut().rev().find(is_open) {
            Some((_, open)) => open,
            None => {
                let new = ToolUse { id: String::new(), name: String::new(), arguments: String::new() };
                &mut self.calls.push_mut((index, new)).1
            }
        };
        for (known, given) in [(&mut open.id, id), (&mut open.name, name)] {
            if known.is_empty() {
                given.clone_into(known);
            }
        }
        match piece.pointer("/function/arguments") {
            Some(Value::String(more)) => open.arguments.push_str(more),
            Some(whole @ Value::Object(_)) => open.arguments = whole.to_string(),
            _ => {}
        }
    }
}
