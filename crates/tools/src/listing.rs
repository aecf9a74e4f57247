//! Formats the result of a walk as text.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use crate::glob_walk::{Found, Item, Kind};
use crate::{ToolContext, paths};

/// A line with the totals, a line for each match, and a line for each caveat that a reader needs.
pub(crate) fn listing(pattern: &str, base: &std::path::Path, found: &Found, cx: &ToolContext) -> String {
    let matches = found.files + found.folders + found.others;
    // Writing to a string cannot fail.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "matches: {matches} (files: {}, bytes in them: {}, folders: {}, others: {}); searched: {}; for: {pattern}; \
         entries seen: {}",
        found.files,
        found.bytes,
        found.folders,
        found.others,
        paths::show(base, cx),
        found.seen,
    );
    for item in &found.listed {
        let _ = writeln!(text, "{}", line(item, cx));
    }
    let unlisted = matches - found.listed.len() as u64;
    if unlisted > 0 {
        let _ = writeln!(text, "[not listed: {unlisted} more matches]");
    }
    text.push_str(&left_out(found));
    text
}

/// A line for each kind of skipped or unreadable entry.
pub(crate) fn left_out(found: &Found) -> String {
    let mut text = String::new();
    for (name, count) in &found.skipped {
        let _ = match name.as_str() {
            "hidden" => writeln!(text, "[left out: {count} hidden; hidden = true includes them]"),
            "protected" => writeln!(text, "[left out: {count} protected]"),
            name => {
                writeln!(text, "[left out: {count} named {name}; a pattern with {name} in it searches them]")
            }
        };
    }
    if found.unreadable > 0 {
        let _ = writeln!(text, "[could not be read: {}]", found.unreadable);
    }
    if found.incomplete {
        text.push_str("[the time was up before the end: there may be more]\n");
    }
    text
}

/// `path | size | mtime`, in local time.
pub(crate) fn line(item: &Item, cx: &ToolContext) -> String {
    let path = paths::show(&item.path, cx);
    let what = match item.kind {
        Kind::File => format!("{} bytes", item.bytes),
        Kind::Folder => "folder".to_owned(),
        Kind::Link => match item.path.read_link() {
            Ok(target) => format!("link to {}", paths::show(&target, cx)),
            Err(_) => "link".to_owned(),
        },
        Kind::Other => "neither file nor folder".to_owned(),
    };
    let time = item.modified.map(|time| cx.time.local(DateTime::<Utc>::from(time)));
    let time = time.map(|time| time.format("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default();
    let slash = if item.kind == Kind::Folder { "/" } else { "" };
    format!("{path}{slash} | {what} | {time}")
}
