//! Directory walk with limits on time and listed entries.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use ignore::{DirEntry, WalkBuilder};
use tokio_util::sync::CancellationToken;

use crate::glob_pattern::Pattern;
use crate::protected::Protected;

/// Folders full of generated files, skipped unless the pattern names them.
pub(crate) const USUALLY_SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// The parameters of a walk.
pub(crate) struct Walk {
    pub(crate) pattern: Pattern,
    /// The base folder without symlinks, to recognise protected places.
    pub(crate) real_base: PathBuf,
    pub(crate) wanted: Wanted,
    pub(crate) order: Order,
    pub(crate) hidden: bool,
    pub(crate) gitignore: bool,
    pub(crate) most: usize,
    pub(crate) time: Duration,
    pub(crate) protected: Arc<Protected>,
    pub(crate) cancel: CancellationToken,
}

/// Which kinds of entries count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    Files,
    Folders,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Name,
    /// Largest first.
    Size,
    /// Newest first.
    Modified,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) seen: u64,
    pub(crate) files: u64,
    pub(crate) folders: u64,
    /// Links, pipes, sockets, devices.
    pub(crate) others: u64,
    /// Total bytes of the files.
    pub(crate) bytes: u64,
    /// The first matches in the requested order.
    pub(crate) listed: Vec<Item>,
    /// Number of skipped folders by reason.
    pub(crate) skipped: BTreeMap<String, u64>,
    /// Number of entries that could not be read.
    pub(crate) unreadable: u64,
    /// The walk timed out.
    pub(crate) incomplete: bool,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
}

/// The kind of a match. A symlink counts as itself, not as its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Other,
}

impl Found {
    /// The result for a single named file.
    pub(crate) fn of_file(path: PathBuf) -> Self {
        Self { listed: vec![Item { path, kind: Kind::File, bytes: 0, modified: None }], ..Self::default() }
    }
}

impl Walk {
    /// Walks without following symlinks until the end, the time limit or cancellation. Blocks.
    pub(crate) fn run(self) -> Found {
        let begin = Instant::now();
        let skipped = Arc::new(Mutex::new(BTreeMap::new()));
        let mut found = Found::default();
        for entry in self.walker(Arc::clone(&skipped)) {
            if self.cancel.is_cancelled() || begin.elapsed() > self.time {
                found.incomplete = true;
                break;
            }
            match entry {
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) => self.look_at(&entry, &mut found),
                Err(_) => found.unreadable += 1,
            }
        }
        self.keep_first(&mut found.listed);
        found.skipped = std::mem::take(&mut *skipped.lock().unwrap_or_else(PoisonError::into_inner));
        found
    }

    fn walker(&self, skipped: Arc<Mutex<BTreeMap<String, u64>>>) -> ignore::Walk {
        let names: Vec<&str> = USUALLY_SKIPPED.into_iter().filter(|name| !self.pattern.names(name)).collect();
        let hidden = self.hidden || self.pattern.dotted;
        let (protected, base, real_base) =
            (Arc::clone(&self.protected), self.pattern.base.clone(), self.real_base.clone());
        let is_protected = move |path: &Path| {
            path.strip_prefix(&base).is_ok_and(|below| protected.covers(&real_base.join(below)))
        };
        let mut builder = WalkBuilder::new(&self.pattern.base);
        builder.standard_filters(false).follow_links(false).max_depth(self.pattern.depth).require_git(false);
        builder
            .git_ignore(self.gitignore)
            .git_exclude(self.gitignore)
            .ignore(self.gitignore)
            .parents(self.gitignore);
        builder.filter_entry(move |entry| {
            let Some(reason) = why_skip(entry, &names, hidden, &is_protected) else { return true };
            *skipped.lock().unwrap_or_else(PoisonError::into_inner).entry(reason).or_default() += 1;
            false
        });
        builder.build()
    }

    fn look_at(&self, entry: &DirEntry, found: &mut Found) {
        found.seen += 1;
        let relative = entry.path().strip_prefix(&self.pattern.base).unwrap_or(entry.path());
        if !self.pattern.matcher.is_match(relative) {
            return;
        }
        let Ok(metadata) = entry.metadata() else {
            found.unreadable += 1;
            return;
        };
        let kind = match metadata.file_type() {
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_symlink() => Kind::Link,
            _ => Kind::Other,
        };
        let wanted = match self.wanted {
            Wanted::All => !self.pattern.folders_only || kind == Kind::Folder,
            Wanted::Files => kind == Kind::File && !self.pattern.folders_only,
            Wanted::Folders => kind == Kind::Folder,
        };
        if !wanted {
            return;
        }
        match kind {
            Kind::File => {
                found.files += 1;
                found.bytes += metadata.len();
            }
            Kind::Folder => found.folders += 1,
            Kind::Link | Kind::Other => found.others += 1,
        }
        let item = Item {
            path: entry.path().to_owned(),
            kind,
            bytes: metadata.len(),
            modified: metadata.modified().ok(),
        };
        found.listed.push(item);
        // Periodic sorting and truncating bounds the memory, however many matches there are.
        if found.listed.len() >= self.most.saturating_mul(2).max(1_000) {
            self.keep_first(&mut found.listed);
        }
    }

    fn keep_first(&self, listed: &mut Vec<Item>) {
        match self.order {
            Order::Name => listed.sort_by(|a, b| a.path.cmp(&b.path)),
            Order::Size => {
                listed.sort_by(|a, b| (Reverse(a.bytes), &a.path).cmp(&(Reverse(b.bytes), &b.path)))
            }
            Order::Modified => {
                listed.sort_by(|a, b| (Reverse(a.modified), &a.path).cmp(&(Reverse(b.modified), &b.path)));
            }
        }
        listed.truncate(self.most);
    }
}

fn why_skip(
    entry: &DirEntry,
    names: &[&str],
    hidden: bool,
    is_protected: &dyn Fn(&Path) -> bool,
) -> Option<String> {
    if entry.depth() == 0 {
        return None;
    }
    let name = entry.file_name();
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    match names.iter().find(|skipped| is_folder && OsStr::new(skipped) == name) {
        Some(skipped) => Some((*skipped).to_owned()),
        None if !hidden && name.as_encoded_bytes().starts_with(b".") => Some("hidden".to_owned()),
        None if is_folder && is_protected(entry.path()) => Some("protected".to_owned()),
        None => None,
    }
}

/// Whether a walk can start here.
pub(crate) fn check_base(base: &Path) -> std::io::Result<PathBuf> {
    let real = base.canonicalize()?;
    if real.is_dir() { Ok(real) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
}
