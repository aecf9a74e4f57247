//! Splits the words behind a program into options and operands.

use super::value::Value;

/// What was found among the words of a program.
pub(super) struct Given {
    /// Words that are no options and no values of options.
    pub(super) operands: Vec<Value>,
    /// Each option, as `-o` or `--output`, and what would be its value: the rest of its word, or the next word.
    pub(super) options: Vec<(String, Value)>,
}

/// Reads the words of a program whose options are written in the usual way: letters may stand together, and these take a value.
pub(super) fn take(arguments: &[Value], values: &str) -> Given {
    let mut given = Given { operands: Vec::new(), options: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(value) = rest.next() {
        let next = || rest.as_slice().first().cloned().unwrap_or_default();
        let text = value.text();
        if text == "--" {
            given.operands.extend(rest.cloned());
            break;
        }
        if !value.is_option() {
            given.operands.push(value.clone());
        } else if text.starts_with("--") {
            let (name, value) = match text.split_once('=') {
                Some((name, attached)) => (name, value.with(attached)),
                None => (text, next()),
            };
            given.options.push((name.to_owned(), value));
        } else {
            let mut letters = text.chars();
            letters.next();
            while let Some(letter) = letters.next() {
                let attached = letters.as_str();
                let value = if attached.is_empty() { next() } else { value.with(attached) };
                given.options.push((format!("-{letter}"), value));
                if values.contains(letter) {
                    if attached.is_empty() {
                        rest.next();
                    }
                    break;
                }
            }
        }
    }
    given
}

impl Given {
    /// The values of the options that are one of these, a blank between them.
    pub(super) fn of(&self, options: &str) -> impl Iterator<Item = &Value> {
        self.options.iter().filter(move |(given, _)| any(given, options)).map(|(_, value)| value)
    }

    pub(super) fn has(&self, options: &str) -> bool {
        self.of(options).next().is_some()
    }
}

/// Whether an option is one of these; long ones may be cut.
pub(super) fn any(given: &str, options: &str) -> bool {
    let is_cut = given.starts_with("--") && given.len() > 2;
    options.split_ascii_whitespace().any(|one| one == given || (is_cut && one.starts_with(given)))
}
