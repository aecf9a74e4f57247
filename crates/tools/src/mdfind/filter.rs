//! Filters and sorts candidate files: what matches, what is skipped, what is listed first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::query::Query;
use crate::glob_walk::{Item, Kind as EntryKind, USUALLY_SKIPPED};
use crate::protected::Protected;

/// The filter of one call.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) query: Query,
    pub(crate) home: PathBuf,
    /// The home folder without symlinks, to recognise protected places.
    pub(crate) real_home: PathBuf,
    pub(crate) protected: Arc<Protected>,
}

/// Why an entry was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    Hidden,
    /// In a folder of generated files.
    Generated,
    Protected,
    /// In the index, but no longer on the disk.
    Gone,
}

/// The filtered result.
#[derive(Debug, Default)]
pub(crate) struct Sifted {
    pub(crate) fits: u64,
    /// Newest first.
    pub(crate) listed: Vec<Item>,
    pub(crate) left_out: BTreeMap<Reason, u64>,
}

impl Rules {
    /// Why an entry below home, with everything in it, is skipped. Its parents were not skipped.
    pub(crate) fn leaves_out(&self, path: &Path) -> Option<Reason> {
        let name = path.file_name()?.as_encoded_bytes();
        if name.starts_with(b".") && !self.query.is_dotted() {
            return Some(Reason::Hidden);
        }
        if USUALLY_SKIPPED.iter().any(|skipped| skipped.as_bytes() == name) {
            return Some(Reason::Generated);
        }
        let below = path.strip_prefix(&self.home).unwrap_or(path);
        self.protected.covers(&self.real_home.join(below)).then_some(Reason::Protected)
    }

    /// Adds a path from an index, if it matches and is not skipped.
    pub(crate) fn candidate(&self, path: &Path, sifted: &mut Sifted) {
        let Ok(below) = path.strip_prefix(&self.home).or_else(|_| path.strip_prefix(&self.real_home)) else {
            return;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // A name that cannot match needs no disk access.
        if !(self.query.fits(&name, false) || self.query.fits(&name, true)) {
            return;
        }
        let mut so_far = self.home.clone();
        for part in below.components() {
            let Component::Normal(part) = part else { return };
            so_far.push(part);
            if let Some(reason) = self.leaves_out(&so_far) {
                *sifted.left_out.entry(reason).or_default() += 1;
                return;
            }
        }
        match so_far.symlink_metadata() {
            Ok(metadata) => self.entry(so_far, &metadata, sifted),
            Err(_) => *sifted.left_out.entry(Reason::Gone).or_default() += 1,
        }
    }

    /// Adds an existing entry that was not skipped.
    pub(crate) fn entry(&self, path: PathBuf, metadata: &std::fs::Metadata, sifted: &mut Sifted) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !self.query.fits(&name, metadata.is_dir()) {
            return;
        }
        sifted.fits += 1;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Folder,
            kind if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        };
        sifted.listed.push(Item { path, kind, bytes: metadata.len(), modified: metadata.modified().ok() });
    }
}

impl Sifted {
    /// Keeps the newest entries.
    pub(crate) fn keep(&mut self, most: usize) {
        self.listed.sort_by(|a, b| (Reverse(a.modified), &a.path).cmp(&(Reverse(b.modified), &b.path)));
        self.listed.dedup_by(|a, b| a.path == b.path);
        self.listed.truncate(most);
    }
}
