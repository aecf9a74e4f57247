//! Reads the calls behind a mark, in the syntaxes that models were trained on.
//!
//! They differ in what stands around a call, and agree in what a call is: a JSON object with a name and
//! arguments; or a name, and then the arguments as a JSON object, as tags, or in parentheses. So what stands
//! around is skipped, and a call is what then can be read as one.

use serde_json::{Map, Value};

use super::mark::{bracket, tag_name, token};
use super::{made, objects, offered, python, typed};
use crate::{ToolDefinition, ToolUse};

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    /// Whether a mark was read behind which no call could be.
    broken: bool,
}

/// Words that stand between a mark and a name, or a name and its arguments.
const AROUND: [&str; 12] = [
    "assistant",
    "commentary",
    "analysis",
    "function",
    "functions",
    "functools",
    "tool",
    "call",
    "json",
    "code",
    "python",
    "```json",
];
/// How many of them may.
const MOST_WORDS: usize = 6;
/// What stands between a name and its arguments in Mistral's syntax.
const ARGUMENTS: &str = "[ARGS]";

impl<'a> Cursor<'a> {
    pub(super) fn new(rest: &'a str) -> Self {
        Self { rest, broken: false }
    }

    /// The text behind what was read.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Whether what follows the calls that were read is marked as a call and cannot be read.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether JSON follows the mark.
    pub(super) fn is_json(mut self) -> bool {
        self.skip_around();
        self.rest.starts_with(['{', '['])
    }

    /// Reads the calls from here on, and what closes them.
    pub(super) fn calls(&mut self, tools: &[ToolDefinition]) -> Vec<ToolUse> {
        let mut calls = Vec::new();
        loop {
            let before = *self;
            let opened = self.skip_around();
            let here = self.rest;
            let Some(mut found) = self.call(tools) else {
                self.broken = opened;
                // What closes the last call belongs to it.
                self.rest = if opened || calls.is_empty() { before.rest } else { here };
                return calls;
            };
            calls.append(&mut found);
        }
    }

    /// Skips blanks, tokens, brackets, and the tags around calls. Whether one of them opens a call.
    fn skip_around(&mut self) -> bool {
        let mut opened = false;
        loop {
            let rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | ','));
            let closing = rest.strip_prefix("</").and_then(|tag| tag.find('>').map(|end| end + 3));
            let length = if let Some(length) = closing.filter(|length| *length < 40) {
                Some(length)
            } else if let Some(length) = token(rest) {
                let name = rest.get(..length).unwrap_or_default().to_ascii_lowercase();
                opened |=
                    ["tool", "python_tag", "call"].iter().any(|part| name.contains(part)) && !is_end(&name);
                Some(length)
            } else if let Some(length) = bracket(rest) {
                opened |= !rest.starts_with("[END") && !rest.starts_with("[/");
                Some(length)
            } else if rest.starts_with(ARGUMENTS) {
                Some(ARGUMENTS.len())
            } else if rest.starts_with("[CALL_ID]") {
                rest.find(ARGUMENTS).filter(|end| *end < 64)
            } else {
                tag_name(rest).filter(|name| is_wrapper(name)).map(|name| {
                    opened = true;
                    name.len() + 2
                })
            };
            self.rest = rest;
            match length.and_then(|length| rest.get(length..)) {
                Some(after) => self.rest = after,
                None => return opened,
            }
        }
    }

    /// The call here, or the calls of a list.
    fn call(&mut self, tools: &[ToolDefinition]) -> Option<Vec<ToolUse>> {
        self.rest = self.rest.strip_prefix("functools").unwrap_or(self.rest);
        if self.rest.starts_with(['{', '[']) {
            return match self.json() {
                Some(value) => objects(value, tools),
                None => self.python(tools),
            };
        }
        if let Some(tag) = tag_name(self.rest).filter(|name| ["function", "invoke", "tool"].contains(name)) {
            let (name, after) = attribute(self.rest.get(tag.len() + 1..)?)?;
            let tool = offered(name, tools)?;
            self.rest = after;
            let arguments = self.in_tags(tool, true)?;
            return Some(vec![made(tool.name.clone(), arguments)]);
        }
        if let Some(called) = self.python(tools) {
            return Some(called);
        }
        let tool = self.name(tools)?;
        let arguments = self.arguments(tool)?;
        Some(vec![made(tool.name.clone(), arguments)])
    }

    /// The name of an offered tool, behind the words of a header.
    fn name<'t>(&mut self, tools: &'t [ToolDefinition]) -> Option<&'t ToolDefinition> {
        for _ in 0..MOST_WORDS {
            self.skip_around();
            let end = self.rest.find(|c: char| !(c.is_alphanumeric() || "_-.:=".contains(c)));
            let (word, after) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
            let bare = word.strip_prefix("to=").or_else(|| word.strip_prefix("call:")).unwrap_or(word);
            let tool = offered(bare, tools);
            // "assistantcommentary", where the tokens between the words were taken out.
            let is_around = tool.is_some() || AROUND.iter().any(|around| word.ends_with(around));
            if word.is_empty() || !is_around {
                return None;
            }
            self.rest = after;
            if tool.is_some() {
                return tool;
            }
        }
        None
    }

    /// The arguments behind a name.
    fn arguments(&mut self, tool: &ToolDefinition) -> Option<Map<String, Value>> {
        for _ in 0..MOST_WORDS {
            self.skip_around();
            if self.rest.starts_with('{') {
                return self.object();
            }
            if self.rest.starts_with("<arg_key>") || self.rest.starts_with("<parameter") {
                return self.in_tags(tool, false);
            }
            let word =
                AROUND.iter().filter(|word| self.rest.starts_with(**word)).max_by_key(|word| word.len())?;
            self.rest = self.rest.get(word.len()..)?;
        }
        None
    }

    /// Arguments in tags, one for each, up to the closing tag; or as an object between the tags.
    fn in_tags(&mut self, tool: &ToolDefinition, needs_end: bool) -> Option<Map<String, Value>> {
        let mut arguments = Map::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with('{') && arguments.is_empty() {
                return self.object();
            }
            if self.rest.starts_with("<parameter") {
                let (name, after) = attribute(self.rest.strip_prefix("<parameter")?)?;
                let (value, after) = until_closed(after, "</parameter>")?;
                arguments.insert(name.to_owned(), typed(value, tool, name));
                self.rest = after;
            } else if let Some(after) = self.rest.strip_prefix("<arg_key>") {
                let (name, after) = after.split_once("</arg_key>")?;
                let after = after.trim_start().strip_prefix("<arg_value>")?;
                let (value, after) = until_closed(after, "</arg_value>")?;
                arguments.insert(name.trim().to_owned(), typed(value, tool, name.trim()));
                self.rest = after;
            } else {
                // Without its end it may be cut.
                let is_end = self.rest.starts_with("</") || !needs_end && !arguments.is_empty();
                return is_end.then_some(arguments);
            }
        }
    }

    fn python(&mut self, tools: &[ToolDefinition]) -> Option<Vec<ToolUse>> {
        let (calls, rest) = python::calls(self.rest, tools)?;
        self.rest = rest;
        Some(calls)
    }

    fn object(&mut self) -> Option<Map<String, Value>> {
        match self.json()? {
            Value::Object(fields) => {
                self.rest = self.rest.trim_start().strip_prefix("```").unwrap_or(self.rest);
                Some(fields)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    /// The JSON value here.
    fn json(&mut self) -> Option<Value> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = values.next()?.ok()?;
        self.rest = self.rest.get(values.byte_offset()..)?;
        Some(value)
    }
}

/// Whether a special token ends something.
fn is_end(name: &str) -> bool {
    name.contains("end") || name == "<|call|>"
}

/// The tags around calls that say nothing more.
fn is_wrapper(name: &str) -> bool {
    ["tool_call", "tool_calls", "toolcall", "function_call", "function_calls", "tools"].contains(&name)
}

/// The name in a tag, behind the tag's own: `=NAME>` or ` name="NAME">`; and what follows the tag.
fn attribute(tag: &str) -> Option<(&str, &str)> {
    let (inner, after) = tag.split_once('>')?;
    let name = inner.trim().trim_start_matches("name").trim_start().strip_prefix('=')?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some((name, after))
}

/// The text up to a closing tag, without the line breaks at its borders; and what follows. A text that
/// contains the tag goes on behind it: the one that counts stands before another tag or the end.
fn until_closed<'a>(text: &'a str, closing: &str) -> Option<(&'a str, &'a str)> {
    let ends = text.match_indices(closing).find(|(at, _)| {
        let after = text.get(at + closing.len()..).unwrap_or_default().trim_start();
        after.is_empty()
            || ["<parameter", "<arg_key", "</function", "</invoke", "</tool", "<|"]
                .iter()
                .any(|tag| after.starts_with(tag))
    });
    let (at, _) = ends?;
    let value = text.get(..at)?;
    let value = value.strip_prefix('\n').unwrap_or(value);
    let value = value.strip_suffix('\n').unwrap_or(value);
    Some((value, text.get(at + closing.len()..)?))
}
