//! The changes a preview found.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use artoo_anchored_files::as_text;

/// Everything that the command changed in its overlays, sorted by path; parents come before their contents.
/// Folder times are left out, because they change with every temporary file; a commit sets them all the same.
///
/// ```
/// use artoo_sandbox::preview::Changes;
///
/// let changes = Changes::default();
/// assert!(changes.is_empty() && changes.only_creates_in(&[]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Changes {
    pub(super) list: Vec<Change>,
}

/// The change of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The real path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The current entry, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Entry>,
    /// The entry after a commit, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Entry>,
    /// The other end of a move: the file has the same bytes, mode and time at both.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_text")]
    pub moved: Option<PathBuf>,
    /// The path of which this is another hard link.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_text")]
    pub same_file_as: Option<PathBuf>,
    /// The changed lines as a unified diff; only for small text files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A new entry.
    Created,
    /// Other content: a file's bytes, a link's target, or another type.
    Changed,
    /// Only the mode, the owner, the time or extended attributes differ.
    Attributes,
    /// Removed.
    Deleted,
    /// A file moved here from another path of the list, which is [`MovedAway`](Self::MovedAway).
    MovedHere,
    /// A file moved from here to another path of the list.
    MovedAway,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The type.
    #[serde(flatten)]
    pub kind: EntryKind,
    /// Permissions with the set-id and sticky bits.
    pub mode: u32,
    /// The size of a file, or of a link's target, in bytes; 0 for a folder.
    pub size: u64,
    /// The names of its extended attributes and access lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
}

/// The type of a folder entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link {
        /// Its target.
        #[serde(serialize_with = "as_text")]
        target: PathBuf,
    },
    /// A device, a socket or a FIFO, which a preview can only remove.
    Other,
}

impl Changes {
    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All changes.
    pub fn iter(&self) -> std::slice::Iter<'_, Change> {
        self.list.iter()
    }

    /// Whether every change creates something inside one of the folders `free` (real paths) that is not
    /// hidden, is no hard link to an existing file and grants no other user's rights: such changes need no
    /// question. True if nothing changes.
    pub fn only_creates_in(&self, free: &[PathBuf]) -> bool {
        self.beyond(free).next().is_none()
    }

    /// The changes that do more than that. The target of a move counts as new, its source as removed.
    pub fn beyond<'a>(&'a self, free: &'a [PathBuf]) -> impl Iterator<Item = &'a Change> {
        self.list.iter().filter(|change| {
            let is_new = match change.kind {
                ChangeKind::Created => true,
                ChangeKind::MovedHere => change.before.is_none(),
                ChangeKind::Changed
                | ChangeKind::Attributes
                | ChangeKind::Deleted
                | ChangeKind::MovedAway => false,
            };
            let is_free = is_new
                && change.after.as_ref().is_some_and(|after| !after.gives_rights() || is_folder(after))
                && change.same_file_as.as_ref().is_none_or(|other| self.creates(other))
                && free.iter().any(|root| is_visible_below(root, &change.path));
            !is_free
        })
    }

    /// The changes at or below one of these places, and those that remove a folder containing one.
    pub fn touching<'a>(&'a self, places: &'a [PathBuf]) -> impl Iterator<Item = &'a Change> {
        self.list.iter().filter(|change| {
            let within = |place: &PathBuf| change.path.starts_with(place);
            let around = |place: &PathBuf| place.starts_with(&change.path) && change.replaces_folder();
            places.iter().any(|place| within(place) || around(place))
        })
    }

    /// The changes that are neither this folder nor below it.
    pub fn outside(&self, folder: &Path) -> Self {
        let is_outside = |change: &&Change| !change.path.starts_with(folder);
        Self { list: self.list.iter().filter(is_outside).cloned().collect() }
    }

    fn creates(&self, path: &Path) -> bool {
        self.list.iter().any(|change| change.path == path && change.kind == ChangeKind::Created)
    }
}

impl<'a> IntoIterator for &'a Changes {
    type Item = &'a Change;
    type IntoIter = std::slice::Iter<'a, Change>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The set-user-id and the set-group-id bit.
const SET_ID: u32 = 0o6000;

/// The attribute that grants capabilities to whoever runs a file.
const CAPABILITY: &str = "security.capability";

impl Entry {
    /// Whether running the entry grants another user's rights.
    pub fn gives_rights(&self) -> bool {
        self.mode & SET_ID != 0 || self.attributes.iter().any(|name| name == CAPABILITY)
    }
}

fn is_folder(entry: &Entry) -> bool {
    entry.kind == EntryKind::Folder
}

fn is_visible_below(root: &Path, path: &Path) -> bool {
    let hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    path.strip_prefix(root)
        .is_ok_and(|below| below.components().next().is_some() && !below.components().any(hidden))
}

impl Change {
    /// Whether a folder is removed or replaced by something else.
    fn replaces_folder(&self) -> bool {
        self.before.as_ref().is_some_and(is_folder) && !self.after.as_ref().is_some_and(is_folder)
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Attributes => "mode, time or attributes",
            Self::Deleted => "deleted",
            Self::MovedHere => "moved here",
            Self::MovedAway => "moved away",
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            EntryKind::File => write!(f, "file of {} bytes, mode {:04o}", self.size, self.mode),
            EntryKind::Folder => write!(f, "folder, mode {:04o}", self.mode),
            EntryKind::Link { target } => write!(f, "link to {}", target.display()),
            EntryKind::Other => f.write_str("device, socket or fifo"),
        }?;
        if self.attributes.is_empty() { Ok(()) } else { write!(f, ", {}", self.attributes.join(", ")) }
    }
}

fn maybe_text<S: serde::Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => as_text(path, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: bool, kind: ChangeKind) -> Change {
        let entry = Entry { kind: EntryKind::File, mode: 0o644, size: 1, attributes: Vec::new() };
        Change {
            path: path.into(),
            kind,
            before: before.then(|| entry.clone()),
            after: (kind != ChangeKind::Deleted).then_some(entry),
            moved: None,
            same_file_as: None,
            diff: None,
        }
    }

    #[test]
    fn what_is_free_is_new_visible_and_in_a_free_folder() {
        let free = [PathBuf::from("/w"), PathBuf::from("/home/p")];
        let is_free = |change: Change| Changes { list: vec![change] }.only_creates_in(&free);
        for (path, expected) in [
            ("/w/new", true),
            ("/home/p/a/b", true),
            ("/w/.hidden", false),
            ("/w/.git/hooks/post-checkout", false),
            ("/w/a/.b/c", false),
            ("/w", false),
            ("/w2/new", false),
            ("/home/other", false),
        ] {
            assert_eq!(is_free(change(path, false, ChangeKind::Created)), expected, "{path}");
        }
        for kind in [ChangeKind::Changed, ChangeKind::Attributes, ChangeKind::Deleted, ChangeKind::MovedHere]
        {
            assert!(!is_free(change("/w/old", true, kind)), "{kind}");
        }
        let mut set_id = change("/w/new", false, ChangeKind::Created);
        set_id.after.as_mut().unwrap().mode = 0o4755;
        assert!(!is_free(set_id.clone()));
        let after = set_id.after.as_mut().unwrap();
        (after.mode, after.attributes) = (0o755, vec![CAPABILITY.to_owned()]);
        assert!(!is_free(set_id));
    }

    #[test]
    fn a_second_name_is_free_only_where_the_first_is_new() {
        let free = [PathBuf::from("/w")];
        let name = |other: &str| Change {
            same_file_as: Some(other.into()),
            ..change("/w/b", false, ChangeKind::Created)
        };
        assert!(!Changes { list: vec![name("/w/old")] }.only_creates_in(&free));
        let both = vec![change("/w/a", false, ChangeKind::Created), name("/w/a")];
        assert!(Changes { list: both }.only_creates_in(&free));
    }

    #[test]
    fn what_is_outside_of_a_folder_is_neither_it_nor_in_it() {
        let all = ["/w/r/.git", "/w/r/.git/HEAD", "/w/r/.gitignore", "/w/r/a"];
        let list = all.map(|path| change(path, true, ChangeKind::Changed)).to_vec();
        let outside = Changes { list }.outside(Path::new("/w/r/.git"));
        let paths: Vec<_> = outside.iter().map(|change| change.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["/w/r/.gitignore", "/w/r/a"]);
    }

    #[test]
    fn a_place_is_touched_by_what_is_in_it_and_by_the_end_of_what_holds_it() {
        let mut folder = change("/w/repo", true, ChangeKind::Deleted);
        folder.before.as_mut().unwrap().kind = EntryKind::Folder;
        let list = vec![
            folder,
            change("/w/repo/.git/config", true, ChangeKind::Changed),
            change("/w/repository", true, ChangeKind::Changed),
        ];
        let changes = Changes { list };
        let touched = |place: &str| changes.touching(&[place.into()]).count();
        assert_eq!([touched("/w/repo/.git"), touched("/w/repo"), touched("/w/other")], [2, 2, 0]);
    }
}
