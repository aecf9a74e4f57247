//! A file that a run was to create.

use std::path::Path;

use super::{Delivered, Held, Place};
use crate::files;

pub(super) fn objection(name: &str, place: Place, holds: &Held, delivered: Delivered<'_>) -> Option<String> {
    let places: &[&Path] = match place {
        Place::Workspace => &[delivered.workspace],
        Place::Anywhere => &[delivered.workspace, delivered.home],
    };
    let Some(path) = places.iter().map(|place| place.join(name)).find(|path| path.is_file()) else {
        return Some(format!("{name} was not created where it should be"));
    };
    let Ok(text) = files::read(&path) else { return Some(format!("{name} is not text")) };
    let right = match holds {
        Held::Text(wanted) => text.trim() == wanted.trim(),
        Held::LinesNaming(names) => {
            let mut lines: Vec<&str> = text.lines().map(last_part).filter(|line| !line.is_empty()).collect();
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.sort_unstable();
            names.sort_unstable();
            lines == names
        }
    };
    (!right).then(|| format!("{name} holds something else"))
}

/// A line's file name: without a list mark, quotes and folders.
fn last_part(line: &str) -> &str {
    let line = line.trim().trim_start_matches("- ").trim_start_matches("* ").trim_matches(['`', '"', '\'']);
    line.rsplit('/').next().unwrap_or(line)
}
