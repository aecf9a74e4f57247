//! Splits the words behind a program into options and operands.

use super::rules::{Act, Options};
use super::value::Value;

/// What was found among the words of a program.
pub(super) struct Given {
    /// Words that are no options.
    pub(super) operands: Vec<Value>,
    /// Options that the rule names, with the word that they do it to.
    pub(super) hits: Vec<(Act, Value)>,
    /// Words that may turn out to be such options.
    pub(super) unsure: Vec<Value>,
}

/// Reads the words of a program whose options are written in the usual way.
///
/// Where it is open how an option is meant, the worse meaning counts: `--o` is `--output`, and a letter in a cluster counts wherever it
/// stands, unless a letter before it takes the rest as its value.
pub(super) fn take(arguments: &[Value], options: Options) -> Given {
    let mut given = Given { operands: Vec::new(), hits: Vec::new(), unsure: Vec::new() };
    let (mut at, mut only_operands) = (0, false);
    while let Some(value) = arguments.get(at) {
        at += 1;
        let next = arguments.get(at).cloned().unwrap_or_default();
        if only_operands || !value.may_be_option() {
            given.operands.push(value.clone());
            continue;
        }
        let Some(text) = value.text.as_deref() else {
            let begins = |option: &str| {
                value.splits
                    || value.prefix.is_empty()
                    || option.starts_with(&value.prefix)
                    || value.prefix.starts_with('-')
            };
            if options.but.iter().any(|(option, _)| begins(option)) {
                given.unsure.push(value.clone());
            }
            given.operands.push(value.clone());
            continue;
        };
        if text == "--" {
            only_operands = true;
        } else if text.starts_with("--") {
            let (name, attached) =
                text.split_once('=').map_or((text, None), |(name, rest)| (name, Some(rest)));
            for (_, act) in options.but.iter().filter(|(option, _)| option.starts_with(name)) {
                let value = attached.map_or_else(|| next.clone(), |rest| of(rest, text));
                given.hits.push((*act, named(value, text)));
            }
        } else if let Some((_, act)) =
            options.but.iter().find(|(option, _)| option.len() > 2 && *option == text)
        {
            // `-delete` and its like: one dash, several letters.
            given.hits.push((*act, named(next, text)));
        } else {
            let mut letters = text.chars();
            letters.next();
            while let Some(letter) = letters.next() {
                let short = |option: &str| {
                    let mut all = option.chars();
                    (all.next(), all.next(), all.next()) == (Some('-'), Some(letter), None)
                };
                let rest = letters.as_str();
                if let Some((_, act)) = options.but.iter().find(|(option, _)| short(option)) {
                    let value = if rest.is_empty() { next.clone() } else { of(rest, text) };
                    given.hits.push((*act, named(value, text)));
                }
                if options.values.contains(letter) {
                    if rest.is_empty() {
                        at += 1;
                    }
                    break;
                }
            }
        }
    }
    given
}

fn of(value: &str, source: &str) -> Value {
    Value { source: source.to_owned(), ..Value::known(value) }
}

/// A value whose source is never empty, so that every reason names a word.
fn named(value: Value, option: &str) -> Value {
    if value.source.is_empty() { Value { source: option.to_owned(), ..value } } else { value }
}
