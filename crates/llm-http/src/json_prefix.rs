//! Whether a text that arrives in pieces is still the beginning of one JSON value, in time linear in the text.

/// What the text so far is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Blank.
    Empty,
    /// The beginning of a value.
    Open,
    /// One value, and nothing else.
    Whole,
    /// Neither, whatever follows.
    Broken,
}

/// The reading of a text so far.
///
/// It is more tolerant than a parser within strings and numbers: whoever wants the value parses it. But each
/// beginning of an object, an array or a string is [`Reading::Open`].
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonPrefix {
    /// The brackets that are open.
    open: Vec<Bracket>,
    expects: Expects,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    Object,
    Array,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expects {
    /// The value itself.
    #[default]
    Top,
    /// A value within.
    Value,
    /// A value, or the end of an array that has none yet.
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    /// A comma or the end of what is open.
    CommaOrEnd,
    /// The rest of a string; whether the next character is escaped, and whether the string is a key.
    Text {
        escaped: bool,
        key: bool,
    },
    /// The rest of a number or of a word.
    Word,
    /// Nothing more.
    End,
    /// It is broken.
    Nothing,
}

/// More brackets than any parser takes.
const MAX_DEPTH: usize = 128;

impl JsonPrefix {
    /// The reading of one text.
    pub(crate) fn of(text: &str) -> Reading {
        let mut prefix = Self::default();
        prefix.push(text);
        prefix.reading()
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, piece: &str) {
        for c in piece.chars() {
            if self.expects == Expects::Nothing {
                return;
            }
            self.take(c);
        }
    }

    /// What the text so far is.
    pub(crate) fn reading(&self) -> Reading {
        match self.expects {
            Expects::Top => Reading::Empty,
            Expects::End => Reading::Whole,
            Expects::Nothing => Reading::Broken,
            Expects::Value
            | Expects::ValueOrEnd
            | Expects::Key
            | Expects::KeyOrEnd
            | Expects::Colon
            | Expects::CommaOrEnd
            | Expects::Text { .. }
            | Expects::Word => Reading::Open,
        }
    }

    fn take(&mut self, c: char) {
        let is_blank = matches!(c, ' ' | '\t' | '\n' | '\r');
        self.expects = match (self.expects, c) {
            (Expects::Text { escaped: true, key }, _) => Expects::Text { escaped: false, key },
            (Expects::Text { key, .. }, '\\') => Expects::Text { escaped: true, key },
            (Expects::Text { key: true, .. }, '"') => Expects::Colon,
            (Expects::Text { key: false, .. }, '"') => self.after_value(),
            (text @ Expects::Text { .. }, _) => text,
            (Expects::Word, _) if c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.') => Expects::Word,
            (Expects::Word, _) => {
                self.expects = self.after_value();
                return self.take(c);
            }
            (expects, _) if is_blank => expects,
            (Expects::Top | Expects::Value | Expects::ValueOrEnd, '{') => self.enter(Bracket::Object),
            (Expects::Top | Expects::Value | Expects::ValueOrEnd, '[') => self.enter(Bracket::Array),
            (Expects::Top | Expects::Value | Expects::ValueOrEnd, '"') => {
                Expects::Text { escaped: false, key: false }
            }
            (Expects::Value | Expects::ValueOrEnd, _) if c.is_ascii_alphanumeric() || c == '-' => {
                Expects::Word
            }
            (Expects::Key | Expects::KeyOrEnd, '"') => Expects::Text { escaped: false, key: true },
            (Expects::Colon, ':') => Expects::Value,
            (Expects::CommaOrEnd, ',') => match self.open.last() {
                Some(Bracket::Object) => Expects::Key,
                Some(Bracket::Array) => Expects::Value,
                None => Expects::Nothing,
            },
            (Expects::KeyOrEnd | Expects::CommaOrEnd, '}') => self.leave(Bracket::Object),
            (Expects::ValueOrEnd | Expects::CommaOrEnd, ']') => self.leave(Bracket::Array),
            (
                Expects::Top
                | Expects::Value
                | Expects::ValueOrEnd
                | Expects::Key
                | Expects::KeyOrEnd
                | Expects::Colon
                | Expects::CommaOrEnd
                | Expects::End
                | Expects::Nothing,
                _,
            ) => Expects::Nothing,
        };
    }

    fn enter(&mut self, bracket: Bracket) -> Expects {
        if self.open.len() >= MAX_DEPTH {
            return Expects::Nothing;
        }
        self.open.push(bracket);
        match bracket {
            Bracket::Object => Expects::KeyOrEnd,
            Bracket::Array => Expects::ValueOrEnd,
        }
    }

    fn leave(&mut self, bracket: Bracket) -> Expects {
        if self.open.pop() == Some(bracket) { self.after_value() } else { Expects::Nothing }
    }

    fn after_value(&self) -> Expects {
        if self.open.is_empty() { Expects::End } else { Expects::CommaOrEnd }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn texts() {
        for (text, expected) in [
            ("", Reading::Empty),
            (" \n", Reading::Empty),
            ("{}", Reading::Whole),
            (" {\"a\": [1, -2.5e3, null, {\"b\": \"}\\\"\"}]} ", Reading::Whole),
            ("\"{\\\"a\\\": 1}\"", Reading::Whole),
            ("{\"a\": \"x{\"", Reading::Open),
            ("{\"a\": tru", Reading::Open),
            ("{}{}", Reading::Broken),
            ("{\"a\": \"x{\"a", Reading::Broken),
            ("{,", Reading::Broken),
            ("{]", Reading::Broken),
            ("{\"a\": 1]", Reading::Broken),
            ("and\": 1}", Reading::Broken),
            ("3", Reading::Broken),
        ] {
            assert_eq!(JsonPrefix::of(text), expected, "{text:?}");
        }
        assert_eq!(JsonPrefix::of(&"[".repeat(100_000)), Reading::Broken);
    }

    pub(super) fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            (-1.0e6..1.0e6_f64).prop_map(Value::from),
            "[a-z{}\\[\\]\":,🙂\\\\\n]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"]{0,3}", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn each_beginning_of_an_object_is_open_and_the_whole_is_whole(value in value()) {
            let text = json!({"value": value}).to_string();
            for (at, _) in text.char_indices().skip(1) {
                prop_assert_eq!(JsonPrefix::of(&text[..at]), Reading::Open, "{}", &text[..at]);
            }
            prop_assert_eq!(JsonPrefix::of(&text), Reading::Whole);
        }

        #[test]
        fn what_a_parser_takes_is_whole(text in "[\\[{]([{}\\[\\]\":,]|1|-|true|null|\"a\"){0,12}") {
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert_eq!(JsonPrefix::of(&text), Reading::Whole);
            }
        }
    }
}
