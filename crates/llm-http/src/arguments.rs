//! The arguments of one call, which servers send whole, in pieces, twice, or encoded twice.

use serde_json::Value;

use crate::json_prefix::{JsonPrefix, Reading};

/// The arguments of one call received so far.
///
/// A call has one JSON object for arguments. So what continues the text to an object continues it; a whole
/// object behind a whole one is the same again, or a fuller one; a text that repeats all before it takes its
/// place. What has no such meaning stays as it came, and is no object: the model is told so, and nothing is
/// carried out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    /// Each but the last is whole.
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    text: String,
    prefix: JsonPrefix,
}

impl Part {
    fn of(text: &str) -> Self {
        let mut part = Self::default();
        part.push(text);
        part
    }

    fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.prefix.push(piece);
    }

    fn with(&self, piece: &str) -> Reading {
        let mut prefix = self.prefix.clone();
        prefix.push(piece);
        prefix.reading()
    }
}

impl Arguments {
    /// What the arguments so far are.
    pub(crate) fn reading(&self) -> Reading {
        self.parts.last().map_or(Reading::Empty, |part| part.prefix.reading())
    }

    /// What they would be with this piece behind them.
    pub(crate) fn with(&self, piece: &str) -> Reading {
        self.parts.last().map_or_else(|| JsonPrefix::of(piece), |part| part.with(piece))
    }

    /// Whether the text so far is an object without fields, which some servers send before the arguments.
    pub(crate) fn is_placeholder(&self) -> bool {
        matches!(self.parts.as_slice(), [one] if is_blank(one.text.trim()))
    }

    /// Whether a whole object says the same as the arguments so far, or the same and more.
    pub(crate) fn are_in(&self, whole: &str) -> bool {
        let value = |text: &str| serde_json::from_str::<Value>(text).ok();
        let so_far = self.parts.last().and_then(|part| value(&part.text));
        so_far.zip(value(whole)).is_some_and(|(before, after)| extends(&before, &after))
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, piece: &str) {
        let Some(last) = self.parts.last_mut() else {
            self.parts.push(Part::of(piece));
            return;
        };
        let fits = last.with(piece) != Reading::Broken;
        let begins = matches!(JsonPrefix::of(piece), Reading::Open | Reading::Whole);
        if !fits && begins && last.prefix.reading() == Reading::Whole {
            self.parts.push(Part::of(piece));
        } else if !fits && begins && piece.starts_with(&last.text) {
            *last = Part::of(piece);
        } else {
            last.push(piece);
        }
    }

    /// All text received so far.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.text.as_str())
    }

    /// The arguments as one JSON object, if they are one; else as they came.
    pub(crate) fn finish(self) -> String {
        let mut parts = self.parts.into_iter().map(|part| part.text);
        let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
        let mut text = parts.next().unwrap_or_default();
        let mut value = parse(&text);
        for next in parts {
            match (&value, parse(&next)) {
                (Some(before), Some(after)) if extends(before, &after) => {
                    (text, value) = (next, Some(after));
                }
                (Some(before), Some(after)) if extends(&after, before) => {}
                // The beginning of the same again.
                (Some(_), None) if text.trim_start().starts_with(next.trim()) => {}
                // One text behind another is no value, whatever follows.
                _ => {
                    text.push_str(&next);
                    value = None;
                }
            }
        }
        plain(text)
    }
}

/// How often arguments may be encoded into a string, one in the other.
const MAX_ENCODED: usize = 3;

/// Arguments that were encoded into a string are decoded; what servers send for no arguments is none.
pub(crate) fn plain(mut text: String) -> String {
    for _ in 0..MAX_ENCODED {
        if !text.trim_start().starts_with('"') {
            break;
        }
        match serde_json::from_str::<String>(&text) {
            Ok(inner) if inner.trim().is_empty() || inner.trim_start().starts_with(['{', '"']) => {
                text = inner
            }
            Ok(_) | Err(_) => break,
        }
    }
    if is_blank(text.trim()) && text.trim() != "{}" { String::new() } else { text }
}

/// No arguments, as servers write them: the languages of some have one empty list for lists and objects.
fn is_blank(text: &str) -> bool {
    const LONGEST: usize = 16;
    if text.len() > LONGEST {
        return false;
    }
    let without_blanks: String = text.split_whitespace().collect();
    matches!(without_blanks.as_str(), "" | "null" | "[]" | "{}" | "\"\"")
}

/// Whether `after` says all that `before` says, and perhaps more: a server that sends what it could parse so
/// far sends each time the same object with longer texts and more fields.
fn extends(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(name, value)| after.get(name).is_some_and(|after| extends(value, after)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len()
                && before.iter().zip(after).all(|(before, after)| extends(before, after))
        }
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (Value::Null, _) => true,
        (Value::Array(before), Value::Object(_)) => before.is_empty(),
        (before, after) => before == after,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::conversation::pieces;

    fn of(pieces: &[&str]) -> String {
        let mut arguments = Arguments::default();
        pieces.iter().for_each(|piece| arguments.push(piece));
        arguments.finish()
    }

    #[test]
    fn arguments_as_servers_send_them() {
        let whole = "{\"a\":\"bc\"}";
        for sent in [
            &[whole][..],
            &["", whole, ""],
            &["{\"a\"", ":\"bc\"}"],
            &["{\"a\"", ":\"bc\"}", whole],
            &["{\"a\"", ":\"bc\"}", "{\"a\"", ":\"bc\"}"],
            &["{\"a\"", ":\"bc\"}", "{\"a\""],
            &["{}", whole],
            &["[]", whole],
            &[whole, "{}"],
            &["{", "{\"a\"", "{\"a\":\"b", whole],
            &["{\"a\":\"\"}", "{\"a\":\"b\"}", whole],
            &["\"{\\\"a\\\":", "\\\"bc\\\"}\""],
            &["\"\\\"{\\\\\\\"a\\\\\\\":\\\\\\\"bc\\\\\\\"}\\\"\""],
        ] {
            assert_eq!(of(sent), whole, "{sent:?}");
        }
        for none in [&[][..], &[""], &["null"], &["[]"], &["\"\""], &["\"{}\"", ""]] {
            assert!(matches!(of(none).as_str(), "" | "{}"), "{none:?}");
        }
    }

    #[test]
    fn what_has_no_one_meaning_is_no_object() {
        for sent in [
            &["{\"a\":1}", "{\"a\":2}"][..],
            &["{\"a\":\"x", "{\"a\":\"y\"}"],
            &["{\"a\":"],
            &["nonsense", "{}"],
            &["\"words\""],
            &["{\"a\":1}", "words"],
        ] {
            assert!(serde_json::from_str::<serde_json::Map<String, Value>>(&of(sent)).is_err(), "{sent:?}");
        }
    }

    proptest! {
        /// However an object is cut, sent again, or encoded once more, it is one object.
        #[test]
        fn an_object_stays_one(
            fields in prop::collection::btree_map("[a-z]{1,3}", "[a-z{}\\[\\]\":,🙂\\\\\n]{0,8}", 0..4),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
            again in any::<bool>(), encoded in any::<bool>(), placeholder in any::<bool>(),
        ) {
            let object = json!(fields);
            let text = if encoded { json!(object.to_string()).to_string() } else { object.to_string() };
            let mut arguments = Arguments::default();
            if placeholder && !encoded {
                arguments.push("{}");
            }
            pieces(&text, &cuts).into_iter().for_each(|piece| arguments.push(piece));
            if again {
                arguments.push(&text);
            }
            let finished = arguments.finish();
            prop_assert_eq!(serde_json::from_str::<Value>(&finished).unwrap(), object, "{}", finished);
        }

        /// The beginning of an object is never taken for one.
        #[test]
        fn a_beginning_is_no_object(text in "[a-z{}\":🙂\\\\]{1,12}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6), end in any::<prop::sample::Index>()) {
            let whole = json!({"a": text}).to_string();
            let borders: Vec<usize> = whole.char_indices().map(|(at, _)| at).skip(1).collect();
            let cut = &whole[..*end.get(&borders)];
            let mut arguments = Arguments::default();
            pieces(cut, &cuts).into_iter().for_each(|piece| arguments.push(piece));
            prop_assert!(serde_json::from_str::<Value>(&arguments.finish()).is_err());
        }
    }
}
