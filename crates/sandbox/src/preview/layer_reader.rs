//! Reads the changes a command left in an overlay's upper layer.
//!
//! The layer contains what was written. A removed entry is a *whiteout*: a character device with number 0. A
//! folder that was removed and created again is *opaque*: nothing of the real one shows through. No other
//! overlay features occur: metadata copies, redirected folders and whiteouts in attributes are off, because
//! they need an administrator.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use artoo_anchored_files::{
    Below, Kind, Moment, State, Unread, hash, look, look_at, open_entry_folder, open_file, open_root,
    some_names, walk,
};
use rustix::fs::{self, AtFlags, FileType, Mode};
use rustix::io::Errno;

use super::PreviewError;
use super::overlay_dirs::{Layer, OverlayDirs, Staged};

/// The most entries that a preview lists.
const MOST: usize = 50_000;
/// The most names that are read from a layer: some are of unchanged folders and files.
const MOST_READ: usize = 2 * MOST;
/// The deepest nesting of folders that are examined; each level keeps two descriptors open.
const DEEPEST: usize = 128;
const OPAQUE: &str = "user.overlay.opaque";

/// A path: the number of its root, and the path below it.
pub(super) type Spot = (usize, Below);

/// A path that would change, except for a folder that stays a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) at: Spot,
    pub(super) before: Option<State>,
    pub(super) after: Option<State>,
    /// Whether both are files with the same bytes.
    pub(super) same_bytes: bool,
    /// The path in the same root of which it is a hard link.
    pub(super) link_to: Option<Below>,
}

/// A folder that is in the layer for itself or for something in it, and remains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) at: Spot,
    pub(super) before: State,
    pub(super) after: State,
    /// Its mtime when it was put into the layer, if it was there before the command.
    pub(super) laid: Option<Moment>,
}

impl Merged {
    /// Whether the folder itself changes, apart from its contents. Its mtime changes with every entry created
    /// or removed; an mtime outside the span of the command was set explicitly.
    pub(super) fn is_told(&self, (begun, ended): (Moment, Moment)) -> bool {
        let is_set = || self.after.mtime < begun || self.after.mtime > ended;
        !self.before.looks_like(&self.after) || (self.has_another_time() && is_set())
    }

    /// Whether the command would leave the folder different in any way, including an mtime that entries
    /// created and removed again have changed.
    pub(super) fn is_touched(&self) -> bool {
        !self.before.looks_like(&self.after) || self.has_another_time()
    }

    /// Whether the command changed its mtime. Another program may have changed that of the real folder.
    fn has_another_time(&self) -> bool {
        self.before.mtime != self.after.mtime && self.laid != Some(self.after.mtime)
    }
}

/// The contents of all layers.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Sorted by path, so parents come first.
    pub(super) differences: Vec<Difference>,
    pub(super) merged: Vec<Merged>,
    /// Unchanged files that get another hard link.
    pub(super) anchors: Vec<(Spot, State)>,
    /// Start and end of the command.
    pub(super) span: (Moment, Moment),
}

impl Read {
    pub(super) fn of(overlay_dirs: &OverlayDirs) -> Result<Self, PreviewError> {
        let ended = overlay_dirs
            .now()
            .map_err(|source| PreviewError::Store { path: overlay_dirs.folder().to_owned(), source })?;
        let mut read = Self { span: (overlay_dirs.begun, ended), ..Self::default() };
        for (number, layer) in overlay_dirs.layers.iter().enumerate() {
            let (staged, linked) = (&overlay_dirs.staged, BTreeMap::new());
            let mut reader = Reader { number, layer, staged, read: &mut read, linked, entries: 0 };
            reader.all()?;
            reader.join_names();
        }
        read.differences.sort_by(|one, other| one.at.cmp(&other.at));
        read.merged.sort_by(|one, other| one.at.cmp(&other.at));
        Ok(read)
    }
}

struct Reader<'a> {
    number: usize,
    layer: &'a Layer,
    staged: &'a Staged,
    read: &'a mut Read,
    /// Files of the layer with hard links, by inode: their names, with the current real entries.
    linked: BTreeMap<u64, Vec<(Below, State, Option<State>)>>,
    /// The number of names read from the layer.
    entries: usize,
}

/// A folder of the layer whose subfolders have not all been visited.
struct Open {
    upper: OwnedFd,
    /// The real folder of this name, if any.
    lower: Option<OwnedFd>,
    below: Below,
    /// Whether nothing of the real folder shows through.
    opaque: bool,
    waiting: Vec<OsString>,
}

impl Reader<'_> {
    fn all(&mut self) -> Result<(), PreviewError> {
        let root = Below::default();
        let opened = || {
            let upper = open_root(&self.layer.upper)?;
            let lower = self.layer.real.try_clone()?;
            let (before, after) = (look_at(&lower)?, look_at(&upper)?);
            unlock(&upper, &after)?;
            Ok((upper, lower, before, after))
        };
        let (upper, lower, before, after) = opened().map_err(|source| self.unreadable(&root, source))?;
        self.merged(root.clone(), before, after);
        let first = self.enter(upper, Some(lower), root, false)?;
        let mut stack = vec![first];
        while let Some(open) = stack.last_mut() {
            let Some(name) = open.waiting.pop() else {
                stack.pop();
                continue;
            };
            let below = open.below.entry(&name);
            if stack.len() >= DEEPEST {
                return Err(PreviewError::TooDeep { path: below.under(&self.layer.root) });
            }
            let Some(open) = stack.last() else { break };
            let next = self.descend(open, &name, below)?;
            stack.push(next);
        }
        Ok(())
    }

    /// Opens a subfolder of the layer.
    fn descend(&mut self, open: &Open, name: &OsStr, below: Below) -> Result<Open, PreviewError> {
        let opened = || {
            let upper = open_entry_folder(&open.upper, name)?;
            let lower = match &open.lower {
                Some(lower) if look(lower, name)?.is_some_and(|found| found.is_folder()) => {
                    Some(open_entry_folder(lower, name)?)
                }
                Some(_) | None => None,
            };
            let opaque = open.opaque || is_opaque(&upper)?;
            Ok((upper, lower, opaque))
        };
        let (upper, lower, opaque) = opened().map_err(|source| self.unreadable(&below, source))?;
        self.enter(upper, lower, below, opaque)
    }

    fn enter(
        &mut self,
        upper: OwnedFd,
        lower: Option<OwnedFd>,
        below: Below,
        opaque: bool,
    ) -> Result<Open, PreviewError> {
        let written = self.names(&upper, &below)?;
        let hidden = match &lower {
            Some(lower) if opaque => self.names(lower, &below)?,
            Some(_) | None => Vec::new(),
        };
        let seen: BTreeSet<&OsString> = written.iter().collect();
        for name in hidden.iter().filter(|name| !seen.contains(name)) {
            self.gone(lower.as_ref(), name, below.entry(name))?;
        }
        let mut waiting = Vec::new();
        for name in &written {
            if self.entry(&upper, lower.as_ref(), name, below.entry(name))? {
                waiting.push(name.clone());
            }
        }
        Ok(Open { upper, lower, below, opaque, waiting })
    }

    /// The names in a folder. Reading stops at the limit, so a command that creates countless entries costs
    /// no more than that.
    fn names(&mut self, folder: &OwnedFd, below: &Below) -> Result<Vec<OsString>, PreviewError> {
        let room = MOST_READ.saturating_sub(self.entries);
        let (names, is_all) = some_names(folder, room).map_err(|source| self.unreadable(below, source))?;
        self.entries = self.entries.saturating_add(names.len());
        if is_all { Ok(names) } else { Err(PreviewError::TooMany { most: MOST }) }
    }

    /// Reads one entry of the layer; returns whether it is a folder.
    fn entry(
        &mut self,
        upper: &OwnedFd,
        lower: Option<&OwnedFd>,
        name: &OsStr,
        below: Below,
    ) -> Result<bool, PreviewError> {
        let looked = || {
            let whiteout = is_whiteout(upper, name)?;
            let after = look(upper, name)?.ok_or(io::ErrorKind::NotFound)?;
            let before = lower.map_or(Ok(None), |lower| look(lower, name))?;
            Ok((whiteout, after, before))
        };
        let (whiteout, after, before) = looked().map_err(|source| self.unreadable(&below, source))?;
        if whiteout {
            // A blank was there before the command, whatever has appeared below it since.
            if before.is_some() && !self.staged.blanks.contains(&(self.number, below.clone())) {
                self.gone(lower, name, below)?;
            }
            return Ok(false);
        }
        if after.is_folder() {
            unlock_entry(upper, name, &after).map_err(|source| self.unreadable(&below, source))?;
            match before {
                Some(before) if before.is_folder() => {
                    self.merged(below, before, after);
                }
                before => self.differs(below, before, Some(after), false)?,
            }
            return Ok(true);
        }
        if before.as_ref().is_some_and(State::is_folder) {
            // The folder is replaced: its own entry is covered below, its contents are removed.
            self.gone_inside(lower, name, &below)?;
        }
        let same_bytes = match (&before, lower) {
            (Some(before), Some(lower)) if before.is_file() && after.is_file() => {
                before.size == after.size
                    && holds_the_same(lower, upper, name).map_err(|source| self.unreadable(&below, source))?
            }
            (Some(_) | None, _) => false,
        };
        if after.is_file() && after.links > 1 {
            let names = self.linked.entry(after.ino).or_default();
            names.push((below.clone(), after.clone(), before.clone()));
        }
        let is_same = before.as_ref().is_some_and(|before| {
            before.looks_like(&after) && before.mtime == after.mtime && (same_bytes || !after.is_file())
        });
        if !is_same {
            self.differs(below, before, Some(after), same_bytes)?;
        }
        Ok(false)
    }

    fn merged(&mut self, below: Below, before: State, after: State) {
        let at = (self.number, below);
        let laid = self.staged.folders.get(&at).copied();
        self.read.merged.push(Merged { at, before, after, laid });
    }

    /// Records that an entry of the real folder is removed, with everything in it.
    fn gone(&mut self, lower: Option<&OwnedFd>, name: &OsStr, below: Below) -> Result<(), PreviewError> {
        let Some(lower) = lower else { return Ok(()) };
        let before = look(lower, name).map_err(|source| self.unreadable(&below, source))?;
        if before.as_ref().is_some_and(State::is_folder) {
            self.gone_inside(Some(lower), name, &below)?;
        }
        self.differs(below, before, None, false)
    }

    fn gone_inside(
        &mut self,
        lower: Option<&OwnedFd>,
        name: &OsStr,
        below: &Below,
    ) -> Result<(), PreviewError> {
        let Some(lower) = lower else { return Ok(()) };
        let unreadable = |source| self.unreadable(below, source);
        let folder = open_entry_folder(lower, name).map_err(unreadable)?;
        let room = MOST.saturating_sub(self.read.differences.len());
        let Some(walked) = walk(&folder, &BTreeSet::new(), room).map_err(unreadable)? else {
            return Err(PreviewError::TooMany { most: MOST });
        };
        if let Some((inside, why)) = walked.unread.into_iter().next() {
            let path = below.under(&self.layer.root).join(inside.path());
            return Err(match why {
                Unread::TooDeep => PreviewError::TooDeep { path },
                Unread::Error(source) => PreviewError::Unreadable { path, source },
            });
        }
        for (inside, state) in walked.states.into_iter().filter(|(inside, _)| !inside.is_root()) {
            let path = below.path().join(inside.path());
            let at = Below::new(&path).map_err(|_| unreadable_path(&path))?;
            self.differs(at, Some(state), None, false)?;
        }
        Ok(())
    }

    fn differs(
        &mut self,
        below: Below,
        before: Option<State>,
        after: Option<State>,
        same_bytes: bool,
    ) -> Result<(), PreviewError> {
        if self.read.differences.len() >= MOST {
            return Err(PreviewError::TooMany { most: MOST });
        }
        let at = (self.number, below);
        self.read.differences.push(Difference { at, before, after, same_bytes, link_to: None });
        Ok(())
    }

    /// Marks files with several names in the layer as one file. A name that remains unchanged represents the
    /// others.
    fn join_names(&mut self) {
        for mut names in std::mem::take(&mut self.linked).into_values().filter(|names| names.len() > 1) {
            names.sort_by(|one, other| one.0.cmp(&other.0));
            let number = self.number;
            let find = |read: &Read, below: &Below| {
                read.differences.iter().position(|one| one.at.0 == number && one.at.1 == *below)
            };
            let stays = names.iter().find(|(below, ..)| find(self.read, below).is_none());
            let was_there = || names.iter().find(|(.., before)| before.as_ref().is_some_and(State::is_file));
            let Some((first, _, before)) = stays.or_else(was_there).or(names.first()).cloned() else {
                continue;
            };
            if let (None, Some(before)) = (find(self.read, &first), before) {
                self.read.anchors.push(((number, first.clone()), before));
            }
            for (below, after, before) in names.into_iter().filter(|(below, ..)| *below != first) {
                let found = find(self.read, &below).and_then(|at| self.read.differences.get_mut(at));
                match found {
                    Some(difference) => difference.link_to = Some(first.clone()),
                    None => self.read.differences.push(Difference {
                        at: (number, below),
                        before,
                        after: Some(after),
                        same_bytes: true,
                        link_to: Some(first.clone()),
                    }),
                }
            }
        }
    }

    fn unreadable(&self, below: &Below, source: io::Error) -> PreviewError {
        PreviewError::Unreadable { path: below.under(&self.layer.root), source }
    }
}

fn unreadable_path(path: &Path) -> PreviewError {
    PreviewError::Unreadable { path: path.to_owned(), source: io::ErrorKind::InvalidInput.into() }
}

/// Opens a file of the layer, whatever its mode: the layer belongs to this process.
pub(super) fn open_written(folder: &OwnedFd, name: &OsStr) -> io::Result<File> {
    match open_file(folder, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let mode = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode;
            if FileType::from_raw_mode(mode).is_file() {
                fs::chmodat(folder, name, Mode::from_raw_mode(mode | 0o400), AtFlags::empty())?;
            }
            open_file(folder, name)
        }
        other => other,
    }
}

fn holds_the_same(lower: &OwnedFd, upper: &OwnedFd, name: &OsStr) -> io::Result<bool> {
    let mut real = match open_file(lower, name) {
        // Opening it would leave a trace. It is reported as changed.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        other => other?,
    };
    Ok(hash(&mut real)?.has_bytes_of(&hash(&mut open_written(upper, name)?)?))
}

fn is_whiteout(folder: &OwnedFd, name: &OsStr) -> io::Result<bool> {
    let found = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(found.st_mode).is_char_device() && found.st_rdev == 0)
}

fn is_opaque(folder: &OwnedFd) -> io::Result<bool> {
    let mut value = [0_u8; 8];
    match fs::fgetxattr(folder, OPAQUE, &mut value) {
        Ok(1) if value.first() == Some(&b'y') => Ok(true),
        // Whiteouts in attributes: only a program that builds layers itself writes them.
        Ok(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "a layer of another kind")),
        Err(Errno::NODATA) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Makes a folder of the layer accessible to its owner; its original mode is already recorded.
fn unlock(folder: &OwnedFd, state: &State) -> io::Result<()> {
    if state.mode & 0o700 == 0o700 {
        Ok(())
    } else {
        Ok(fs::fchmod(folder, state.permissions() | Mode::RWXU)?)
    }
}

fn unlock_entry(parent: &OwnedFd, name: &OsStr, state: &State) -> io::Result<()> {
    if state.mode & 0o700 == 0o700 {
        return Ok(());
    }
    // It is known to be a folder, and no other process uses it.
    Ok(fs::chmodat(parent, name, state.permissions() | Mode::RWXU, AtFlags::empty())?)
}

/// Whether the path is a file afterwards.
pub(super) fn becomes_file(difference: &Difference) -> bool {
    difference.after.as_ref().is_some_and(State::is_file)
}

/// Whether the path would become a special file, which cannot be created.
pub(super) fn becomes_special(difference: &Difference) -> bool {
    difference.after.as_ref().is_some_and(|after| after.kind == Kind::Other)
}
