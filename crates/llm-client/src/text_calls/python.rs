//! Calls as a program in Python would make them: `[look(at="a"), count(n=3)]`, the syntax of Llama 4 and
//! others.

use serde_json::{Map, Value};

use super::{made, offered};
use crate::{ToolDefinition, ToolUse};

/// How deep values may be nested.
const MAX_DEPTH: usize = 32;

/// Reads a list of calls, or one call; and what follows.
pub(super) fn calls<'a>(text: &'a str, tools: &[ToolDefinition]) -> Option<(Vec<ToolUse>, &'a str)> {
    let text = text.trim_start();
    let Some(mut rest) = text.strip_prefix('[') else {
        let (call, rest) = one(text, tools)?;
        return Some((vec![call], rest));
    };
    let mut calls = Vec::new();
    loop {
        let (call, after) = one(rest.trim_start(), tools)?;
        calls.push(call);
        let after = after.trim_start();
        if let Some(after) = after.strip_prefix(']') {
            return Some((calls, after));
        }
        rest = after.strip_prefix(',')?;
    }
}

fn one<'a>(text: &'a str, tools: &[ToolDefinition]) -> Option<(ToolUse, &'a str)> {
    let (name, rest) = text.split_once('(')?;
    let tool = offered(name, tools)?;
    let mut arguments = Map::new();
    let mut rest = rest.trim_start();
    while !rest.starts_with(')') {
        let (field, after) = rest.split_once('=')?;
        let field = field.trim();
        let is_name = !field.is_empty() && field.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (value, after) = value(after.trim_start(), MAX_DEPTH).filter(|_| is_name)?;
        arguments.insert(field.to_owned(), value);
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.starts_with(')') => after,
            None => return None,
        };
    }
    Some((made(tool.name.clone(), arguments), rest.get(1..)?))
}

fn value(text: &str, depth: usize) -> Option<(Value, &str)> {
    let depth = depth.checked_sub(1)?;
    match text.chars().next()? {
        quote @ ('"' | '\'') => string(text.get(1..)?, quote).map(|(text, rest)| (text.into(), rest)),
        '[' => {
            let mut items = Vec::new();
            let mut rest = text.get(1..)?.trim_start();
            while !rest.starts_with(']') {
                let (item, after) = value(rest, depth)?;
                items.push(item);
                rest = separated(after, ']')?;
            }
            Some((items.into(), rest.get(1..)?))
        }
        '{' => {
            let mut fields = Map::new();
            let mut rest = text.get(1..)?.trim_start();
            while !rest.starts_with('}') {
                let (Value::String(name), after) = value(rest, depth)? else { return None };
                let (field, after) = value(after.trim_start().strip_prefix(':')?.trim_start(), depth)?;
                fields.insert(name, field);
                rest = separated(after, '}')?;
            }
            Some((fields.into(), rest.get(1..)?))
        }
        _ => {
            let end =
                text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(text.len());
            let (word, rest) = text.split_at_checked(end)?;
            let word = match word {
                "True" => "true",
                "False" => "false",
                "None" => "null",
                other => other,
            };
            Some((serde_json::from_str(word).ok()?, rest))
        }
    }
}

/// The rest of a list behind one of its items: behind the comma, or at the end.
fn separated(text: &str, end: char) -> Option<&str> {
    let text = text.trim_start();
    match text.strip_prefix(',') {
        Some(rest) => Some(rest.trim_start()),
        None => text.starts_with(end).then_some(text),
    }
}

/// A string behind its first quote, and what follows its last.
fn string(text: &str, quote: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == quote => return Some((out, text.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                '\n' => {}
                known @ ('\\' | '\'' | '"') => out.push(known),
                // Python keeps the backslash of an escape that it does not know. One that it knows and we do
                // not would change the argument, so the call is not read.
                'x' | 'u' | 'U' | 'N' | '0'..='7' | 'a' | 'b' | 'f' | 'v' => return None,
                other => out.extend(['\\', other]),
            },
            '\n' => return None,
            _ => out.push(c),
        }
    }
    None
}
