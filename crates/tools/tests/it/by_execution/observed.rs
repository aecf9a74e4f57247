//! State of a whole tree, and the differences that are not allowed after a command without consent.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{lgetxattr, llistxattr};

/// All entries of a tree, by relative path as bytes, which compare much faster than paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Observed(BTreeMap<OsString, Entry>);

/// The state of an entry without its atime and ctime.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    mode: u32,
    owner: (u32, u32),
    /// The inode, and its number of hard links.
    identity: (u64, u64),
    names: u64,
    size: u64,
    modified: (i64, i64),
    attributes: BTreeMap<OsString, Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// With its content, if readable.
    File(Option<Vec<u8>>),
    Folder,
    /// With its target.
    Link(PathBuf),
    Pipe,
    Socket,
    Device,
}

/// One forbidden difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) path: PathBuf,
    what: String,
}

impl Violation {
    pub(crate) fn new(path: impl Into<PathBuf>, what: &str) -> Self {
        Self { path: path.into(), what: what.to_owned() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.path, self.what)
    }
}

impl Observed {
    /// Records a tree, and single paths elsewhere.
    pub(crate) fn of(top: &Path, elsewhere: &[PathBuf]) -> Self {
        let mut all = BTreeMap::new();
        walk(top, top, &mut all);
        for path in elsewhere.iter().filter(|path| path.symlink_metadata().is_ok()) {
            all.insert(path.clone().into_os_string(), Entry::of(path));
        }
        Self(all)
    }

    /// The differences that are not free. Free are new visible entries below the folders `free`, and the
    /// resulting changes of their parent folders: size, time and number of links.
    pub(crate) fn violations(&self, after: &Self, free: &[&str]) -> Vec<Violation> {
        let new: Vec<&Path> =
            after.0.keys().filter(|path| !self.0.contains_key(*path)).map(AsRef::as_ref).collect();
        let is_free = |path: &Path| free.iter().any(|root| path.strip_prefix(root).is_ok_and(is_visible));
        let grown: BTreeSet<&Path> =
            new.iter().filter(|path| is_free(path)).filter_map(|path| path.parent()).collect();
        let unfree = new.iter().filter(|path| !is_free(path));
        let made = unfree.map(|path| Violation::new(*path, "is new and not free"));
        let differs = self.0.iter().filter_map(|(path, before)| {
            let what = match after.0.get(path) {
                None => "is gone".to_owned(),
                Some(now) => before.difference(now, grown.contains(Path::new(path)))?,
            };
            Some(Violation::new(path, &what))
        });
        differs.chain(made).collect()
    }

    /// The new entries: each path and its kind, without parts that differ from run to run.
    pub(crate) fn made_since(&self, before: &Self) -> Vec<String> {
        let new = self.0.iter().filter(|(path, _)| !before.0.contains_key(*path));
        new.map(|(path, entry)| {
            let content = match &entry.kind {
                Kind::File(content) => String::from_utf8_lossy(content.as_deref().unwrap_or_default()),
                kind @ (Kind::Folder | Kind::Link(_) | Kind::Pipe | Kind::Socket | Kind::Device) => {
                    format!("{kind:?}").into()
                }
            };
            format!("{path:?} {:o} {} {content:?}", entry.mode, entry.attributes.len())
        })
        .collect()
    }
}

fn is_visible(below: &Path) -> bool {
    let hidden = |part: &OsStr| part.as_bytes().starts_with(b".");
    below.components().next().is_some() && !below.components().any(|part| hidden(part.as_os_str()))
}

fn walk(top: &Path, path: &Path, all: &mut BTreeMap<OsString, Entry>) {
    let entry = Entry::of(path);
    let is_folder = entry.kind == Kind::Folder;
    all.insert(path.strip_prefix(top).unwrap().into(), entry);
    if is_folder {
        // An unreadable folder hides its content before and after alike.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            walk(top, &entry.path(), all);
        }
    }
}

impl Entry {
    fn of(path: &Path) -> Self {
        let found = path.symlink_metadata().unwrap();
        let kind = match found.file_type() {
            kind if kind.is_file() => Kind::File(fs::read(path).ok()),
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_symlink() => Kind::Link(fs::read_link(path).unwrap()),
            kind if kind.is_fifo() => Kind::Pipe,
            kind if kind.is_socket() => Kind::Socket,
            _ => Kind::Device,
        };
        Self {
            kind,
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            identity: (found.dev(), found.ino()),
            names: found.nlink(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            attributes: attributes(path),
        }
    }

    /// The difference. A folder that received a free entry may have another time, size and number of links.
    fn difference(&self, now: &Self, is_grown: bool) -> Option<String> {
        let Self { kind, mode, owner, identity, names, size, modified, attributes } = self;
        let differs = [
            ("kind, content or target", *kind != now.kind),
            ("mode", *mode != now.mode),
            ("owner", *owner != now.owner),
            ("identity", *identity != now.identity),
            ("number of names", *names != now.names && !is_grown),
            ("size", *size != now.size && !is_grown),
            ("time", *modified != now.modified && !is_grown),
            ("attributes", *attributes != now.attributes),
        ];
        let words: Vec<&str> =
            differs.iter().filter(|(_, differs)| *differs).map(|(word, _)| *word).collect();
        (!words.is_empty()).then(|| format!("has another {}", words.join(", ")))
    }
}

fn attributes(path: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let mut names = vec![0; 4096];
    let Ok(filled) = llistxattr(path, &mut names) else { return BTreeMap::new() };
    let names =
        names.get(..filled).unwrap_or_default().split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let (name, mut value) = (OsStr::from_bytes(name), vec![0; 4096]);
            let length = lgetxattr(path, name, &mut value).unwrap_or_default();
            value.truncate(length);
            (name.to_owned(), value)
        })
        .collect()
}
