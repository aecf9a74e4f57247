//! Reads a range of lines as text, with notes on truncation and encoding.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;

use artoo_types::ToolName;

use crate::arguments::Given;
use crate::read_text::{Selected, decode, from_utf16, is_utf16, select};
use crate::{ToolContext, ToolError};

/// Maximum size of a UTF-16 text, which is decoded as a whole.
const LARGEST_UTF16: u64 = 16 * 1024 * 1024;

/// The arguments `first_line` and `last_line`; all lines if they are missing.
pub(crate) fn range(given: Given<'_>) -> Result<RangeInclusive<u64>, ToolError> {
    let first = given.whole("first_line", 1..=u64::MAX)?.unwrap_or(1);
    let last = given.whole("last_line", 1..=u64::MAX)?.unwrap_or(u64::MAX);
    if last < first {
        return Err(ToolError::argument("last_line", format!("must not be less than first_line, {first}")));
    }
    Ok(first..=last)
}

/// The lines as text. Blocks.
pub(crate) fn lines_of<R: Read + Seek>(
    mut from: R,
    shown: &str,
    lines: &RangeInclusive<u64>,
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
        select(from_utf16(&whole).as_bytes(), lines, cap, time, &cx.cancel)
    } else {
        select(BufReader::with_capacity(64 * 1024, from), lines, cap, time, &cx.cancel)
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
    if selected.last < *lines.start() && *lines.start() > 1 {
        let problem = format!("is beyond the end: {shown} has {} lines", selected.last);
        return Err(ToolError::argument("first_line", problem));
    }
    Ok(with_notes(selected, shown, *lines.start()))
}

/// The text, followed by notes on what it does not show.
fn with_notes(selected: Selected, shown: &str, first: u64) -> String {
    let Selected { bytes, last, cut, total } = selected;
    let (mut text, latin1) = decode(bytes, cut);
    let mut note = |line: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    };
    if latin1 {
        note("[not valid UTF-8: read as Latin-1]\n".to_owned());
    }
    let of = total.map_or_else(|| format!("more than {last}"), |total| total.to_string());
    if cut {
        note(format!(
            "[lines {first} to {last} of {of} in {shown}, the last in part: go on with first_line {last}]\n"
        ));
    } else if first > 1 || total != Some(last) {
        note(format!("[lines {first} to {last} of {of}]\n"));
    }
    text
}
