//! Extracts the first complete JSON value from a model's text.

use serde_json::Value;

/// Maximum bytes of a searched answer. Longer ones are refused.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// Maximum nesting of arrays and objects.
pub const MAX_DEPTH: usize = 64;

/// The kind of value to look for.
///
/// Prose is full of brackets ("as in \[1\]"): knowing that an object is wanted avoids taking one of those for
/// the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// An object.
    Object,
    /// An array.
    Array,
    /// Any value. Numbers, strings and words count only if they are the whole text.
    Any,
}

impl Want {
    /// The kind that a JSON Schema requires, judged by its top-level `type`.
    pub fn of_schema(schema: &Value) -> Self {
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => Self::Object,
            Some("array") => Self::Array,
            _ => Self::Any,
        }
    }
}

/// A JSON value and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Extracted {
    /// The value.
    pub value: Value,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// Whether the text contains nothing else but whitespace.
    pub alone: bool,
    /// Whether a second complete value follows. The first one counts.
    pub more: bool,
}

/// Why no value was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// Nothing looks like JSON.
    #[error("there is no JSON value in the answer")]
    Nothing,
    /// A value begins but the text ends within it. An inner value is never taken for the whole.
    #[error("the JSON value that begins at byte {at} is cut off")]
    Cut {
        /// Where it begins.
        at: usize,
    },
    /// A value begins but breaks the grammar.
    #[error("the JSON value that begins at byte {at} is malformed: {reason}")]
    Malformed {
        /// Where it begins.
        at: usize,
        /// The parser's message; line and column count from the beginning of the value.
        reason: String,
    },
    /// The text is longer than [`MAX_ANSWER_BYTES`].
    #[error("the answer has {bytes} bytes; at most {MAX_ANSWER_BYTES} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The value is nested deeper than [`MAX_DEPTH`].
    #[error("the JSON value that begins at byte {at} is nested deeper than {MAX_DEPTH} levels")]
    TooDeep {
        /// Where it begins.
        at: usize,
    },
}

/// Finds the first complete JSON value in `text`, whatever comes before and after it.
///
/// Prose, code fences and brackets in prose are skipped. What clearly begins as an object but is truncated or
/// malformed is an error, never skipped in favour of a fragment inside it: half a plan must not pass for a
/// plan. Reasoning blocks are not handled here; see [`strip_reasoning`](crate::strip_reasoning).
///
/// # Errors
///
/// [`ExtractError`] says what was found instead.
/// ```
/// use artoo_llm_client::{extract_json, Want};
///
/// let found = extract_json("Here you are:\n```json\n{\"files\": 3}\n```\nDone.", Want::Object)?;
/// assert_eq!(found.value["files"], 3);
/// assert!(!found.alone);
/// # Ok::<(), artoo_llm_client::ExtractError>(())
/// ```
pub fn extract_json(text: &str, want: Want) -> Result<Extracted, ExtractError> {
    if text.len() > MAX_ANSWER_BYTES {
        return Err(ExtractError::TooLong { bytes: text.len() });
    }
    if want == Want::Any
        && let Some(scalar) = whole_scalar(text)
    {
        return Ok(scalar);
    }
    let (value, start, end) = first_value(text, 0, want)?;
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let alone = before.trim().is_empty() && after.trim().is_empty();
    let more = !alone && first_value(text, end, want).is_ok();
    Ok(Extracted { value, start, end, alone, more })
}

/// A number, string, boolean or null that is the whole text.
fn whole_scalar(text: &str) -> Option<Extracted> {
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '[']) {
        return None;
    }
    let value = serde_json::from_str(trimmed).ok()?;
    let start = text.len() - text.trim_start().len();
    Some(Extracted { value, start, end: start + trimmed.len(), alone: true, more: false })
}

/// The first value at or after byte `from`, with its span.
fn first_value(text: &str, from: usize, want: Want) -> Result<(Value, usize, usize), ExtractError> {
    let mut at = from;
    let mut cut_array = None;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find(['{', '['])) {
        at += offset;
        let candidate = text.get(at..).unwrap_or_default();
        let mut parser = serde_json::Deserializer::from_str(candidate).into_iter::<Value>();
        let failure = match parser.next() {
            Some(Ok(value)) => {
                let end = at + parser.byte_offset();
                if !wanted(&value, want) {
                    at = end;
                    continue;
                }
                if depth(&value) > MAX_DEPTH {
                    return Err(ExtractError::TooDeep { at });
                }
                return Ok((value, at, end));
            }
            Some(Err(failure)) => failure,
            None => return Err(ExtractError::Nothing),
        };
        // The parser stops at 128 levels. Prose is never nested like that; trying each inner bracket in turn
        // would take 128 passes.
        if failure.to_string().starts_with("recursion limit") {
            return Err(ExtractError::TooDeep { at });
        }
        if begins_like_json(candidate, want) {
            return Err(match failure {
                failure if failure.is_eof() => ExtractError::Cut { at },
                failure => ExtractError::Malformed { at, reason: failure.to_string() },
            });
        }
        if failure.is_eof() {
            cut_array = cut_array.or(Some(at));
        }
        at += 1; // both brackets are one byte long
    }
    Err(cut_array.map_or(ExtractError::Nothing, |at| ExtractError::Cut { at }))
}

/// Whether a complete value may be the answer. If an object is wanted, an array without one is a footnote or
/// an index; an array with one is an answer of the wrong shape, and taking its first element would hide that.
fn wanted(value: &Value, want: Want) -> bool {
    match (want, value) {
        (Want::Object, Value::Array(items)) => items.iter().any(Value::is_object),
        _ => true,
    }
}

/// Whether a bracket opens JSON rather than a remark: an object with a quoted key and a colon, or, if an
/// array may be the answer, a list of such objects or of strings.
fn begins_like_json(text: &str, want: Want) -> bool {
    let Some(inner) = text.strip_prefix('{') else {
        let inner = text.strip_prefix('[').unwrap_or_default().trim_start();
        return match inner.chars().next() {
            Some('{') => begins_like_json(inner, want),
            Some('"') => want == Want::Array,
            _ => false,
        };
    };
    let Some(key) = inner.trim_start().strip_prefix('"') else {
        return false;
    };
    let mut escaped = false;
    for (index, c) in key.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                let after = key.get(index + 1..).unwrap_or_default().trim_start();
                return after.is_empty() || after.starts_with(':');
            }
            '\n' => return false,
            _ => {}
        }
    }
    // Truncated inside its first key.
    true
}

/// The nesting of a value. Recursion is bounded by the parser's own limit of 128.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + inner.unwrap_or(0)
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
