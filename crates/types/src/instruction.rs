//! What a person wants of all work in a place, from files of theirs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most bytes that the instructions of a run have together. Every prompt of the planner and the executor has them.
pub const MAX_INSTRUCTION_BYTES: usize = 16 * 1024;

/// A person's advice on how work is done here: an `AGENTS.md`. It is weaker than the request, and grants nothing: no code reads a
/// permission, an address or any other choice from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Instruction {
    /// Where it is from: the path of its file.
    pub source: String,
    /// What it says.
    pub text: String,
}

impl Instruction {
    /// The same instructions, at most [`MAX_INSTRUCTION_BYTES`] of text together: the first ones whole, the one that does not fit up to
    /// where it does, with a word about what is left out, and those behind it not at all.
    ///
    /// ```
    /// use artoo_types::{Instruction, MAX_INSTRUCTION_BYTES};
    ///
    /// let long = Instruction { source: "AGENTS.md".into(), text: "ö".repeat(MAX_INSTRUCTION_BYTES) };
    /// let [cut] = Instruction::bounded(vec![long]).try_into().unwrap();
    /// assert!(cut.text.ends_with("ö\n[... 16384 more bytes are left out ...]"));
    /// ```
    pub fn bounded(instructions: Vec<Self>) -> Vec<Self> {
        let mut left = MAX_INSTRUCTION_BYTES;
        let mut kept = Vec::new();
        for Self { source, text } in instructions {
            if left == 0 {
                break;
            }
            let text = cut(&text, left);
            left = left.saturating_sub(text.len());
            kept.push(Self { source, text });
        }
        kept
    }
}

/// At most so many bytes of a text, with a word about the others.
fn cut(text: &str, bytes: usize) -> String {
    match text.get(..text.floor_char_boundary(bytes)) {
        Some(head) if head.len() < text.len() => {
            format!("{head}\n[... {} more bytes are left out ...]", text.len() - head.len())
        }
        Some(_) | None => text.to_owned(),
    }
}
