//! Retention: which runs keep their contents for undo.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::record::{BEFORE, BESIDE, CHANGES, Course, Lines, OBJECTS, TAKEN};

/// How long and how much is kept for undo, over all runs.
///
/// ```
/// use artoo_snapshot::Retention;
///
/// assert_eq!(Retention::default().max_age.as_secs(), 30 * 24 * 60 * 60);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Older runs cannot be undone.
    pub max_age: Duration,
    /// The most bytes of contents, over all runs.
    pub max_bytes: u64,
}

impl Default for Retention {
    /// 30 days and 2 GiB.
    fn default() -> Self {
        Self { max_age: Duration::from_secs(30 * 24 * 60 * 60), max_bytes: 2 * 1024 * 1024 * 1024 }
    }
}

/// Whether a run can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Undoable {
    /// It changed nothing that was scanned.
    Nothing,
    /// An undo can be tried.
    Yes,
    /// It was killed during a call: its changes cannot be distinguished from later ones.
    Unfinished,
    /// An undo was interrupted; it can be completed.
    Halfway,
    /// It was undone.
    Undone,
    /// It changed something that there was no room to keep: undo refuses, and names it.
    Unkept,
    /// Its original contents are no longer kept.
    Expired,
    /// The record cannot be read.
    Damaged,
}

/// Whether the run recorded in this folder can be undone. Reads no content and examines no path of the run.
pub fn undoable(folder: &Path) -> Undoable {
    if !folder.join(CHANGES).exists() {
        return Undoable::Nothing;
    }
    match Course::read(folder) {
        Err(_) => Undoable::Damaged,
        Ok(course) if course.undone => Undoable::Undone,
        Ok(course) if course.after.is_empty() && course.open == 0 && !course.has_beside => Undoable::Nothing,
        Ok(_) if !folder.join(BEFORE).exists() => Undoable::Expired,
        Ok(course) if course.undoing.is_some() => Undoable::Halfway,
        Ok(course) if course.open > 0 => Undoable::Unfinished,
        Ok(course) if course.changed_what_had_no_room() => Undoable::Unkept,
        Ok(_) => Undoable::Yes,
    }
}

/// Removes contents beyond the limits of age and size, the oldest first. `records` are the folders of records
/// with their age. A run in progress, or being undone, is skipped. Returns how many records lost their
/// contents.
///
/// # Errors
///
/// If a content cannot be removed; the others still are.
pub fn retain(mut records: Vec<(PathBuf, Duration)>, retention: Retention) -> io::Result<usize> {
    records.sort_by_key(|(_, age)| *age);
    let (mut bytes, mut expired, mut failed) = (0_u64, 0, None);
    for (folder, age) in records {
        let own = [OBJECTS, BESIDE, TAKEN].map(|name| size(&folder.join(name)));
        let own = own.into_iter().fold(0_u64, u64::saturating_add);
        let total = bytes.saturating_add(own);
        if age <= retention.max_age && total <= retention.max_bytes {
            bytes = total;
            continue;
        }
        match expire(&folder) {
            Ok(true) => expired += 1,
            Ok(false) => bytes = total,
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(expired), Err)
}

/// Returns `false` if there is nothing to remove, or the record is in use.
fn expire(folder: &Path) -> io::Result<bool> {
    let lines = match Lines::reopen(&folder.join(CHANGES)) {
        Ok(lines) => lines,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if !lines.lock()? {
        return Ok(false);
    }
    // The index goes first, so that a half-removed store is never mistaken for a complete one.
    let mut removed = remove(fs::remove_file(folder.join(BEFORE)))?;
    for contents in [OBJECTS, BESIDE, TAKEN] {
        removed |= remove(fs::remove_dir_all(folder.join(contents)))?;
    }
    Ok(removed)
}

fn remove(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}
