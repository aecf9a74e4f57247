//! Applies the rules to candidates: what fits, what is left out, and what is listed first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::query::Query;
use crate::glob_walk::{Item, Kind as EntryKind, USUALLY_SKIPPED};
use crate::protected::Protected;

/// The rules of one call.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) query: Query,
    pub(crate) home: PathBuf,
    /// Without symlinks, by which protected places are recognised.
    pub(crate) real_home: PathBuf,
    pub(crate) protected: Arc<Protected>,
}

/// Why something was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    Hidden,
    /// Among generated files.
    Generated,
    Protected,
    /// The index knows it, and it is there no more.
    Gone,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Sifted {
    pub(crate) fits: u64,
    /// The newest first.
    pub(crate) listed: Vec<Item>,
    pub(crate) left_out: BTreeMap<Reason, u64>,
}

impl Rules {
    /// Why an entry below home, and all that is in it, is not looked at. Its parents were not left out.
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

    /// A path that an index names: the entry, or nothing where it does not fit or is left out.
    pub(crate) fn candidate(&self, path: &Path, sifted: &mut Sifted) {
        let Ok(below) = path.strip_prefix(&self.home).or_else(|_| path.strip_prefix(&self.real_home)) else {
            return;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What cannot fit is not worth a look at the disk.
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

    /// An entry that is there and was not left out.
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
    /// Keeps the newest.
    pub(crate) fn keep(&mut self, most: usize) {
        self.listed.sort_by(|a, b| (Reverse(a.modified), &a.path).cmp(&(Reverse(b.modified), &b.path)));
        self.listed.dedup_by(|a, b| a.path == b.path);
        self.listed.truncate(most);
    }
}
