//! What a command changed in the data of a repository, as the layers have it. Nothing here asks git.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use artoo_anchored_files::read_regular;
use artoo_sandbox::preview::{Change, ChangeKind, Entry, EntryKind, Preview};
use artoo_types::GitOperation;
use sha2::{Digest as _, Sha256};

use super::notes;
use super::parts::{Part, STASH, is_branch, is_id, part};
use super::problem::MoveProblem;
use crate::ToolError;
use crate::git::repository::{UNDER_WAY, digest_of};

/// The longest reference, note and log that are read, and the most bytes of new objects.
const MOST_REFERENCE: u64 = 4096;
const MOST_NOTE: u64 = 16 * 1024 * 1024;
const MOST_LOG: u64 = 64 * 1024 * 1024;
const MOST_OBJECTS: u64 = 1024 * 1024 * 1024;

/// A digest of the content of a file; `None` where there is none.
pub(super) type FileDigest = Option<[u8; 32]>;

/// What the command changed.
#[derive(Debug)]
pub(super) struct RepositoryChanges {
    /// The `.git`.
    pub(super) git: PathBuf,
    /// The ids of the new objects.
    pub(super) objects: Vec<String>,
    /// The references that lead elsewhere.
    pub(super) references: Vec<RefChange>,
    /// What is checked out, before and after, as `HEAD` has it.
    pub(super) head: (String, String),
    /// Whether the index is another one.
    pub(super) has_index: bool,
    /// The other files that an undo puts back.
    pub(super) files: Vec<FileDifference>,
    /// Each operation that is under way before or after.
    pub(super) operations: Vec<Operation>,
    /// The digest of the packed references, which stay as they are.
    pub(super) packed: FileDigest,
}

/// A reference that leads elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefChange {
    /// Its full name.
    pub(super) name: String,
    /// The id before and after; `None` where there is no such reference.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// What git notes of a rebase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rebase {
    /// The branch that it moves when it ends, by its full name; `None` where it began at a commit without a branch.
    pub(super) branch: Option<String>,
    /// The commit that it builds on.
    pub(super) onto: Option<String>,
}

/// A file that an undo puts back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDifference {
    /// Its path below `.git`.
    pub(super) below: String,
    pub(super) before: FileDigest,
    pub(super) after: FileDigest,
}

/// A merge, a rebase or the like that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) what: GitOperation,
    /// What git notes of a rebase: afterwards if it is under way then, otherwise before.
    pub(super) rebase: Option<Rebase>,
    pub(super) before: bool,
    pub(super) after: bool,
    /// Whether the command changed what git notes of it.
    pub(super) is_changed: bool,
}

impl RepositoryChanges {
    /// Reads it, and copies the new objects and the new index into a folder of the caller. Blocks.
    ///
    /// # Errors
    ///
    /// The command changed what no command may change there, or something cannot be read.
    pub(super) fn read(preview: &Preview, git: &Path, own: &Path) -> Result<Self, ToolError> {
        let packed_refs = git.join("packed-refs");
        let mut reader = Reader {
            preview,
            git,
            own,
            packed: packed(&packed_refs)?,
            bytes: 0,
            changes: Self {
                git: git.to_owned(),
                objects: Vec::new(),
                references: Vec::new(),
                head: (String::new(), String::new()),
                has_index: false,
                files: Vec::new(),
                operations: Vec::new(),
                packed: digest_of(&packed_refs)?,
            },
        };
        reader.head()?;
        let differing: Vec<&Change> =
            preview.changes.iter().filter(|change| change.path.starts_with(git)).collect();
        // Which references go decides about their logs.
        let (references, others): (Vec<&Change>, Vec<&Change>) =
            differing.iter().copied().partition(|change| change.path.starts_with(git.join("refs")));
        for change in references.into_iter().chain(others) {
            reader.change(change)?;
        }
        reader.operations(&differing)?;
        Ok(reader.changes)
    }

    /// The branches that a rebase which is under way afterwards moves when it ends, by their full names.
    pub(super) fn rebased(&self) -> impl Iterator<Item = &str> {
        let under_way = self.operations.iter().filter(|operation| operation.after && operation.is_changed);
        under_way.filter_map(|operation| operation.rebase.as_ref()?.branch.as_deref())
    }
}

struct Reader<'a> {
    preview: &'a Preview,
    git: &'a Path,
    own: &'a Path,
    packed: BTreeMap<String, String>,
    bytes: u64,
    changes: RepositoryChanges,
}

impl Reader<'_> {
    fn head(&mut self) -> Result<(), ToolError> {
        let path = self.git.join("HEAD");
        let before = text(&read_regular(&path, MOST_REFERENCE).map_err(|source| unread(&path, source))?);
        self.changes.head = (before.clone(), before);
        Ok(())
    }

    fn change(&mut self, change: &Change) -> Result<(), ToolError> {
        let closed = || ToolError::InRepository { path: change.path.display().to_string() };
        let below = change.path.strip_prefix(self.git).ok().and_then(Path::to_str).ok_or_else(closed)?;
        let entries = [&change.before, &change.after];
        let is_folder = entries.into_iter().flatten().any(|entry| entry.kind == EntryKind::Folder);
        let is_file = |entry: &Entry| entry.kind == EntryKind::File;
        let rights = |entry: &Option<Entry>| entry.as_ref().map_or(0, |entry| entry.mode & 0o7111);
        let gains_rights = rights(&change.after) & !rights(&change.before) != 0;
        let is_plain = is_folder || !gains_rights && entries.into_iter().flatten().all(is_file);
        if !is_plain || change.same_file_as.is_some() {
            return Err(closed());
        }
        match part(below, is_folder) {
            Part::OfOption if change.after.is_some() => {
                Err(MoveProblem::Option { note: below.to_owned() }.into())
            }
            Part::Closed | Part::OfOption => Err(closed()),
            Part::Folder if change.before.is_some() && change.after.is_some() => Err(closed()),
            Part::Folder => Ok(()),
            // git moves the time of what it would have written and found there.
            Part::Pack | Part::Config | Part::Object(..) if is_touched_alone(change) => Ok(()),
            Part::Pack | Part::Config => Err(closed()),
            Part::Object(..) if change.before.is_some() => Err(closed()),
            Part::Object(folder, name) => self.object(change, folder, name),
            Part::Head => {
                self.changes.head.1 = text(&self.after(change, MOST_REFERENCE)?.ok_or_else(closed)?);
                Ok(())
            }
            Part::Index => {
                let to = self.own.join("index-after");
                self.copy(&change.path, &to).map_err(|source| unread(&change.path, source))?;
                self.changes.has_index = true;
                change.after.as_ref().map(drop).ok_or_else(closed)
            }
            Part::Reference(name) => self.reference(change, name),
            Part::Log(name) => self.log(change, below, name),
            Part::Note => self.note(change, below),
        }
    }

    fn object(&mut self, change: &Change, folder: &str, name: &str) -> Result<(), ToolError> {
        self.bytes = self.bytes.saturating_add(change.after.as_ref().map_or(0, |after| after.size));
        if self.bytes > MOST_OBJECTS {
            let said = format!("they have more than {} MiB", MOST_OBJECTS / 1024 / 1024);
            return Err(MoveProblem::Objects { said }.into());
        }
        let to = self.own.join("new").join(folder);
        let copied = fs::create_dir_all(&to).and_then(|()| self.copy(&change.path, &to.join(name)));
        copied.map_err(|source| unread(&change.path, source))?;
        self.changes.objects.push(format!("{folder}{name}"));
        Ok(())
    }

    fn reference(&mut self, change: &Change, name: &str) -> Result<(), ToolError> {
        let loose = |content: Option<Vec<u8>>| match content.map(|content| text(&content)) {
            Some(id) if is_id(&id) => Ok(Some(id)),
            Some(_) => Err(unsound(name, "it is no id of an object")),
            // What is packed shows where there is no file of its own.
            None => Ok(self.packed.get(name).cloned()),
        };
        let before = loose(self.before(change, MOST_REFERENCE)?)?;
        let after = loose(self.after(change, MOST_REFERENCE)?)?;
        if before != after {
            self.changes.references.push(RefChange { name: name.to_owned(), before, after });
        }
        Ok(())
    }

    fn log(&mut self, change: &Change, below: &str, name: &str) -> Result<(), ToolError> {
        let (before, after) = (self.before(change, MOST_LOG)?, self.after(change, MOST_LOG)?);
        let goes = self.changes.references.iter().any(|moved| moved.name == name && moved.after.is_none());
        let is_longer = match (&before, &after) {
            (None, _) => true,
            (Some(before), Some(after)) => after.starts_with(before),
            (Some(_), None) => false,
        };
        if !is_longer && !goes && name != STASH {
            return Err(unsound(below, "a log only grows"));
        }
        if goes || name == STASH {
            self.file(below, before.as_deref(), after.as_deref());
        }
        Ok(())
    }

    fn note(&mut self, change: &Change, below: &str) -> Result<(), ToolError> {
        let (before, after) = (self.before(change, MOST_NOTE)?, self.after(change, MOST_NOTE)?);
        let why = after.as_deref().and_then(|after| notes::flaw(below, after, before.as_deref()));
        if let Some(why) = why {
            return Err(unsound(below, why));
        }
        self.file(below, before.as_deref(), after.as_deref());
        Ok(())
    }

    fn file(&mut self, below: &str, before: Option<&[u8]>, after: Option<&[u8]>) {
        let digest = |content: Option<&[u8]>| content.map(|content| Sha256::digest(content).into());
        let (before, after) = (digest(before), digest(after));
        if before != after {
            self.changes.files.push(FileDifference { below: below.to_owned(), before, after });
        }
    }

    /// What the file holds before the command.
    fn before(&self, change: &Change, most: u64) -> Result<Option<Vec<u8>>, ToolError> {
        let read = change.before.is_some().then(|| read_regular(&change.path, most));
        read.transpose().map_err(|source| unread(&change.path, source))
    }

    /// What it holds after it.
    fn after(&self, change: &Change, most: u64) -> Result<Option<Vec<u8>>, ToolError> {
        let Some(after) = &change.after else { return Ok(None) };
        if after.size > most {
            return Err(unread(&change.path, io::ErrorKind::FileTooLarge.into()));
        }
        // Of a file that only got another time the layer may have no content.
        if change.kind == ChangeKind::Attributes {
            return self.before(change, most);
        }
        let mut content = Vec::new();
        let read = self
            .preview
            .open_written(&change.path)
            .and_then(|file| file.take(most).read_to_end(&mut content));
        read.map_err(|source| unread(&change.path, source))?;
        Ok(Some(content))
    }

    fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut written = self.preview.open_written(from)?;
        io::copy(&mut written, &mut File::create_new(to)?).map(drop)
    }

    fn operations(&mut self, changes: &[&Change]) -> Result<(), ToolError> {
        for (name, what) in UNDER_WAY {
            let path = self.git.join(name);
            let before = path.symlink_metadata().is_ok();
            let change = changes.iter().find(|change| change.path == path);
            let after = change.map_or(before, |change| change.after.is_some());
            let is_changed = changes.iter().any(|change| change.path.starts_with(&path));
            let rebase = match what {
                GitOperation::Rebase if before || after => Some(self.rebase(&path, changes, after)?),
                GitOperation::Rebase
                | GitOperation::Merge
                | GitOperation::CherryPick
                | GitOperation::Revert
                | GitOperation::Bisection => None,
            };
            if before || after {
                self.changes.operations.push(Operation { what, rebase, before, after, is_changed });
            }
        }
        Ok(())
    }

    /// What git notes of a rebase. One that the command noted anew leads where git leads it: from the branch as it is.
    fn rebase(&self, folder: &Path, changes: &[&Change], after: bool) -> Result<Rebase, ToolError> {
        let note = |name: &str| self.note_at(&folder.join(name), changes, after);
        let branch = note("head-name")?.filter(|name| is_branch(name));
        let noted = ["head-name", "orig-head"].map(|name| folder.join(name));
        let is_noted = after && changes.iter().any(|change| noted.contains(&change.path));
        if let Some(name) = branch.as_ref().filter(|_| is_noted) {
            let (leads_to, from) = (self.leads_to(name, changes)?, note("orig-head")?);
            if from.is_none() || leads_to != from {
                let why = "the branch that it names is not where orig-head says";
                return Err(unsound("rebase-merge/head-name", why));
            }
        }
        Ok(Rebase { branch, onto: note("onto")?.filter(|id| is_id(id)) })
    }

    /// Where a reference leads after the command.
    fn leads_to(&self, name: &str, changes: &[&Change]) -> Result<Option<String>, ToolError> {
        let loose = self.note_at(&self.git.join(name), changes, true)?;
        Ok(loose.or_else(|| self.packed.get(name).cloned()))
    }

    /// The line of a small file, before or after the command; `None` where there is none.
    fn note_at(&self, path: &Path, changes: &[&Change], after: bool) -> Result<Option<String>, ToolError> {
        let content = match changes.iter().find(|change| change.path == path) {
            Some(change) if after => self.after(change, MOST_REFERENCE)?,
            Some(change) => self.before(change, MOST_REFERENCE)?,
            None => match read_regular(path, MOST_REFERENCE) {
                Ok(content) => Some(content),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(source) => return Err(unread(path, source)),
            },
        };
        Ok(content.map(|content| text(&content)))
    }
}

/// Whether nothing but a time differs.
fn is_touched_alone(change: &Change) -> bool {
    change.kind == ChangeKind::Attributes && change.before == change.after
}

fn text(content: &[u8]) -> String {
    String::from_utf8_lossy(content).trim_end_matches('\n').to_owned()
}

/// The packed references, by their names. Blocks.
fn packed(path: &Path) -> Result<BTreeMap<String, String>, ToolError> {
    let content = match read_regular(path, MOST_LOG) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(unread(path, source)),
    };
    let content = String::from_utf8_lossy(&content);
    let pair = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        is_id(id).then(|| (name.to_owned(), id.to_owned()))
    };
    Ok(content.lines().filter_map(pair).collect())
}

fn unsound(path: &str, why: &'static str) -> ToolError {
    MoveProblem::Unsound { path: path.to_owned(), why }.into()
}

fn unread(path: &Path, source: io::Error) -> ToolError {
    ToolError::Io { action: "look at", path: path.display().to_string(), source }
}
