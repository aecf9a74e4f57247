//! Splits the arguments of a program into options and operands.

use super::value::Value;

/// Parsed arguments.
pub(super) struct Given {
    /// Words that are neither options nor values of options.
    pub(super) operands: Vec<Value>,
    /// Each option, as `-o` or `--output`, with its value: the rest of its word, or the next word.
    pub(super) options: Vec<(String, Value)>,
}

/// Parses the arguments of a program with conventional options: short options may be combined, and the
/// letters in `values` take a value.
pub(super) fn take(arguments: &[Value], values: &str) -> Given {
    let mut given = Given { operands: Vec::new(), options: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(value) = rest.next() {
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
                None => (text, rest.as_slice().first().cloned().unwrap_or_default()),
            };
            given.options.push((name.to_owned(), value));
        } else {
            let mut letters = text.chars();
            letters.next();
            while let Some(letter) = letters.next() {
                let name = format!("-{letter}");
                if !values.contains(letter) {
                    given.options.push((name.clone(), Value::any(name)));
                    continue;
                }
                let value = match letters.as_str() {
                    "" => rest.next().cloned().unwrap_or_default(),
                    attached => value.with(attached),
                };
                given.options.push((name, value));
                break;
            }
        }
    }
    given
}

impl Given {
    /// The values of the given options, which are separated by blanks.
    pub(super) fn of(&self, options: &str) -> impl Iterator<Item = &Value> {
        self.options.iter().filter(move |(given, _)| any(given, options)).map(|(_, value)| value)
    }

    pub(super) fn has(&self, options: &str) -> bool {
        self.of(options).next().is_some()
    }
}

/// Whether an option is one of these; long options may be abbreviated.
pub(super) fn any(given: &str, options: &str) -> bool {
    let is_cut = given.starts_with("--") && given.len() > 2;
    options.split_ascii_whitespace().any(|one| one == given || (is_cut && one.starts_with(given)))
}
