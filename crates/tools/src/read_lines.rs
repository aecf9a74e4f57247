//! Reads a range of lines as text, with notes on truncation and encoding.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use artoo_types::ToolName;

use crate::arguments::Given;
use crate::read_text::{Part, Selected, decode, from_utf16, is_utf16, select};
use crate::{ToolContext, ToolError};

/// Maximum size of a UTF-16 text, which is decoded as a whole.
const LARGEST_UTF16: u64 = 16 * 1024 * 1024;

/// The arguments `first_line`, `last_line` and `first_column`; all lines if they are missing.
pub(crate) fn part(given: Given<'_>) -> Result<Part, ToolError> {
    let first = given.whole("first_line", 1..=u64::MAX)?.unwrap_or(1);
    let last = given.whole("last_line", 1..=u64::MAX)?.unwrap_or(u64::MAX);
    if last < first {
        return Err(ToolError::argument("last_line", format!("must not be less than first_line, {first}")));
    }
    let column = given.whole("first_column", 1..=u64::MAX)?.unwrap_or(1);
    Ok(Part { lines: first..=last, column })
}

/// The lines as text. Blocks.
pub(crate) fn lines_of<R: Read + Seek>(
    mut from: R,
    shown: &str,
    part: &Part,
    tool: &ToolName,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let failed = |source| ToolError::Io { action: "read", path: shown.to_owned(), source };
    let mut beginning = Vec::new();
    (&mut from).take(2).read_to_end(&mut beginning).map_err(failed)?;
    from.seek(SeekFrom::Start(0)).map_err(failed)?;
    let (cap, time) = (cx.limits.read, cx.limits.walk_time);
    let selected = if is_utf16(&beginning) {
        let mut whole = Vec::new();
        from.take(LARGEST_UTF16).read_to_end(&mut whole).map_err(failed)?;
        select(from_utf16(&whole).as_bytes(), part, cap, time, &cx.cancel)
    } else {
        select(BufReader::with_capacity(64 * 1024, from), part, cap, time, &cx.cancel)
    };
    let selected = selected.map_err(|error| {
        if error.kind() != io::ErrorKind::TimedOut {
            failed(error)
        } else if cx.cancel.is_cancelled() {
            ToolError::Cancelled
        } else {
            ToolError::TimedOut { tool: tool.clone(), after: time }
        }
    })?;
    let lines = &part.lines;
    if selected.last < *lines.start() && *lines.start() > 1 {
        let problem = format!("is beyond the end: {shown} has {} lines", selected.last);
        return Err(ToolError::argument("first_line", problem));
    }
    if selected.bytes.is_empty() && part.column > 1 {
        let problem = format!("is beyond the end of line {}", lines.start());
        return Err(ToolError::argument("first_column", problem));
    }
    Ok(with_notes(selected, shown, part, cx.limits.shown))
}

/// The text, followed by notes on what it does not show, and on what a prompt that shows so many bytes does not.
fn with_notes(selected: Selected, shown: &str, part: &Part, prompt: usize) -> String {
    let Selected { mut bytes, last, cut, reached, total } = selected;
    let (first, column) = (*part.lines.start(), part.column);
    if column > 1 {
        // The rest of a character.
        let rest = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        if rest < bytes.len() {
            bytes.drain(..rest);
        }
    }
    let length = bytes.len();
    let (mut text, is_windows) = decode(bytes, cut);
    let long = if is_windows { None } else { long_line(&text, prompt) };
    // A character that the cap has split comes with the next call.
    let next =
        reached.saturating_sub(if is_windows { 0 } else { length.saturating_sub(text.len()) as u64 }) + 1;
    let mut note = |line: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    };
    if is_windows {
        note("[not valid UTF-8: read as Windows-1252]\n".to_owned());
    }
    let of = total.map_or_else(|| format!("more than {last}"), |total| total.to_string());
    if cut {
        // A line of usual length is read again from its beginning.
        let inside = if reached > prompt as u64 { format!(", first_column {next}") } else { String::new() };
        note(format!(
            "[lines {first} to {last} of {of} in {shown}, the last in part: go on with first_line {last}{inside}]\n"
        ));
    } else if first > 1 || column > 1 || total != Some(last) {
        note(format!("[lines {first} to {last} of {of}]\n"));
    }
    if let Some(LongLine { line, at }) = long {
        let (line, at) = (first + line, if line == 0 { column + at } else { at + 1 });
        note(format!("[line {line} is long: first_line {line}, first_column {at} reads on inside it]\n"));
    }
    text
}

/// A line that a prompt shows in part: its place among the lines, and how many of its bytes are shown.
struct LongLine {
    line: u64,
    at: u64,
}

/// The line in which a prompt breaks off, if a prompt cannot show it whole.
fn long_line(text: &str, prompt: usize) -> Option<LongLine> {
    if text.len() <= prompt {
        return None;
    }
    // What is shown of the beginning is a little less.
    let end = text.floor_char_boundary(prompt.saturating_sub(prompt / 4));
    let (shown, rest) = text.split_at(end);
    let begin = shown.rfind('\n').map_or(0, |at| at + 1);
    let length = shown.len() - begin + rest.find('\n').unwrap_or(rest.len());
    let line = shown.matches('\n').count() as u64;
    (length > prompt).then_some(LongLine { line, at: (end - begin) as u64 })
}
