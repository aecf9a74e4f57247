//! Finds where a call may begin in a text: at a mark that is not quoted.

/// A mark of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Its first byte.
    pub(super) at: usize,
    /// Its bytes.
    pub(super) length: usize,
    /// Whether nothing but blanks stands before it on its line.
    pub(super) begins_line: bool,
    /// Whether nothing but a call is marked so. Other marks belong to a call only if one follows.
    pub(super) is_sure: bool,
}

/// The first mark outside of code, quotations and foreign data.
pub(super) fn next_mark(text: &str) -> Option<Mark> {
    let mut outer: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        match outer {
            Some(end) => {
                if closes(words, end) {
                    outer = None;
                }
            }
            None => {
                outer = opens(words);
                if outer.is_none()
                    && !words.starts_with('>')
                    && let Some(mark) = in_line(line)
                {
                    return Some(Mark { at: start + mark.at, ..mark });
                }
            }
        }
        start += line.len();
    }
    None
}

/// What ends the block that a line begins, if it begins one.
fn opens(line: &str) -> Option<&'static str> {
    for fence in ["```", "~~~"] {
        if let Some(rest) = line.strip_prefix(fence) {
            return if rest.contains(fence) { None } else { Some(fence) };
        }
    }
    let data = line.to_ascii_lowercase().contains("<<<data");
    data.then_some(DATA)
}

/// The end of the fence around foreign data.
const DATA: &str = "data>>>";

fn closes(line: &str, end: &str) -> bool {
    if end == DATA { line.to_ascii_lowercase().contains(DATA) } else { line.starts_with(end) }
}

/// The first mark of a line, outside of code quotes.
fn in_line(line: &str) -> Option<Mark> {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        if c == '`' {
            quoted = !quoted;
        }
        let rest = line.get(at..).unwrap_or_default();
        if quoted || !matches!(c, '<' | '[' | 't' | 'f') {
            continue;
        }
        if let Some((length, is_sure)) = mark(rest) {
            let before = line.get(..at).unwrap_or_default();
            return Some(Mark { at, length, begins_line: before.trim().is_empty(), is_sure });
        }
    }
    None
}

/// The length of the mark at the start of a text, and whether only calls are marked so.
fn mark(text: &str) -> Option<(usize, bool)> {
    if let Some(length) = token(text) {
        let name = text.get(..length).unwrap_or_default().to_ascii_lowercase();
        // Of a model's special tokens, those of calls have it in their names.
        let is_sure =
            ["tool", "function", "python_tag", "plugin", "call"].iter().any(|part| name.contains(part));
        return Some((length, is_sure));
    }
    for word in ["to=functions.", "functools["] {
        if text.starts_with(word) {
            return Some((1, true));
        }
    }
    if let Some(length) = bracket(text) {
        return Some((length, true));
    }
    let name = tag_name(text)?;
    let is_sure = ["tool_call", "tool_calls", "function_call", "function_calls", "invoke"].contains(&name)
        || ["<function=", "<parameter="].iter().any(|tag| text.starts_with(tag));
    let may_be = is_sure || matches!(name, "tools" | "tool" | "toolcall" | "function");
    may_be.then_some((name.len() + 1, is_sure))
}

/// The length of a special token at the start of a text: `<|name|>` or, in full width, `<｜name｜>`; some begin
/// with `<|` and end with `>`.
pub(super) fn token(text: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    let inner = text.strip_prefix("<|").or_else(|| text.strip_prefix("<｜"))?;
    let end = inner.bytes().take(LONGEST + 1).position(|c| c == b'>')?;
    let name = inner.get(..end)?;
    let is_name =
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '{' | '"'));
    is_name.then_some(text.len() - inner.len() + end + 1)
}

/// The length of a mark like `[TOOL_CALLS]` at the start of a text.
pub(super) fn bracket(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find(|c: char| !(c.is_ascii_uppercase() || matches!(c, '_' | '/')))?;
    let (name, rest) = inner.split_at_checked(end)?;
    (rest.starts_with(']') && name.contains("TOOL")).then_some(end + 2)
}

/// The name of the opening tag at the start of a text.
pub(super) fn tag_name(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
    let next = inner.get(end..)?.chars().next()?;
    (end > 0 && matches!(next, '>' | '=' | ' ')).then(|| inner.get(..end))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_outside_of_quotations() {
        let at = |text: &str| next_mark(text).map(|mark| (mark.at, mark.begins_line));
        assert_eq!(at("<tool_call>{}"), Some((0, true)));
        assert_eq!(at("I look.\n  [TOOL_CALLS][{}]"), Some((10, true)));
        assert_eq!(at("I look. <|python_tag|>{}"), Some((8, false)));
        assert_eq!(at("```\n<tool_call>\n```\nx <function=a>"), Some((22, false)));
        for none in [
            "",
            "no mark",
            "a < b and [1] and <b>",
            "`<tool_call>` is a tag",
            "```xml\n<tool_call>\n```",
            "~~~\n<tool_call>",
            "<<<data: tool output\n<tool_call>\ndata>>>",
            "<<<DATA: file a\n<tool_call>",
            "> <tool_call>{}</tool_call>",
        ] {
            assert_eq!(at(none), None, "{none}");
        }
        assert_eq!(at("```a``` <tool_call>"), Some((8, false)), "a block in one line");
    }
}
