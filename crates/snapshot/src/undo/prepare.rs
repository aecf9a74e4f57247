//! Preparation of an undo: finds every obstacle before the first step.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use artoo_anchored_files::{Below, Kind, Moment, State, look_below, names, open_folder, open_root};

use super::super::content_store::Store;
use super::super::record::{
    BEFORE, CHANGES, ChangeLine, Course, Found, Lines, OBJECTS, RecordedRoot, Spot, read_before,
};
use super::super::root::content;
use super::super::uncovered::NotCovered;
use super::acts::{Act, Item, decide, place};
use super::hard_links::{find_names, join_names};
use super::unfinished::{unreadable, what_is_left};
use super::{Hindrance, Obstacle, TakenBack, UndoError};

/// What counts as the state in which the run left its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// The state in the record.
    AsRecorded,
    /// The current state, for a run that was killed during a call.
    AsItIs,
}

/// An undo that has no obstacles; nothing is changed yet. Holds the record's lock.
#[derive(Debug)]
pub struct Undo {
    pub(super) folder: PathBuf,
    pub(super) lines: Lines,
    pub(super) roots: Vec<(PathBuf, OwnedFd)>,
    /// Sorted by spot, so parents come first.
    pub(super) items: Vec<Item>,
    /// Folders that keep a time other than the original one.
    pub(super) keep: BTreeMap<Spot, Moment>,
    /// What the record does not say yet about the state in which the run left its paths.
    pub(super) unsaid: Vec<ChangeLine>,
    /// Whether an earlier undo was interrupted.
    pub(super) is_resumed: bool,
    pub(super) taken: u64,
    not_covered: Vec<NotCovered>,
}

impl Undo {
    /// Checks everything. `folder` is the folder of the run's record; a root of the record must be among
    /// `allowed`.
    ///
    /// # Errors
    ///
    /// [`UndoError::Refused`] with every obstacle, or why the record cannot be used. Nothing was changed
    /// then.
    ///
    /// ```
    /// use artoo_snapshot::{Present, Snapshot, SnapshotLimits, Undo};
    ///
    /// let (run, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// let root = workspace.path().canonicalize()?;
    /// let folder = run.path().join("undo");
    /// let snapshot = Snapshot::new(folder.clone(), Vec::new(), SnapshotLimits::default());
    /// let call = snapshot.before(std::slice::from_ref(&root))?;
    /// std::fs::write(root.join("note.txt"), "hello")?;
    /// call.after()?;
    /// snapshot.close()?;
    ///
    /// let undo = Undo::prepare(&folder, std::slice::from_ref(&root), Present::AsRecorded)?;
    /// assert_eq!(undo.changes()[0].path, root.join("note.txt"));
    /// undo.apply()?;
    /// assert!(!root.join("note.txt").exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare(folder: &Path, allowed: &[PathBuf], present: Present) -> Result<Self, UndoError> {
        let path = folder.join(CHANGES);
        let unreadable = |source| UndoError::Unreadable { path: path.clone(), source };
        let lines = Lines::reopen(&path).map_err(unreadable)?;
        if !lines.lock().map_err(unreadable)? {
            return Err(UndoError::Busy);
        }
        let mut course = Course::read(folder)?;
        if course.undone {
            return Err(UndoError::Undone);
        }
        let is_resumed = course.undoing.is_some();
        if let Some(root) = course.roots.iter().find(|root| !allowed.contains(&root.path)) {
            return Err(UndoError::ForeignRoot { path: root.path.clone() });
        }
        if !folder.join(BEFORE).exists() {
            return Err(UndoError::Expired);
        }
        let before = read_before(folder)?;
        let mut obstacles = BTreeSet::new();
        let roots = open_roots(&course.roots, &mut obstacles);
        let mut unsaid = Vec::new();
        if course.open > 0 && !is_resumed {
            match present {
                Present::AsRecorded => return Err(UndoError::Unfinished),
                Present::AsItIs => {
                    unsaid = what_is_left(&course, &roots, &before, &mut obstacles);
                    for line in &unsaid {
                        if let ChangeLine::After { root, path, state } = line {
                            course.after.insert((*root, path.clone()), state.clone());
                        }
                    }
                    unsaid.push(ChangeLine::Closed);
                }
            }
        }
        let mut check = Check { course: &course, roots: &roots, before: &before, obstacles, is_resumed };
        let items = check.items(&Store::new(folder.join(OBJECTS)));
        let keep = match &course.undoing {
            Some(keep) => keep.iter().map(|(root, path, time)| ((*root, path.clone()), *time)).collect(),
            None => check.times_to_keep(&items),
        };
        let obstacles = std::mem::take(&mut check.obstacles);
        if !obstacles.is_empty() {
            return Err(UndoError::Refused { obstacles: obstacles.into_iter().collect() });
        }
        Ok(Self {
            folder: folder.to_owned(),
            lines,
            roots,
            items,
            keep,
            unsaid,
            is_resumed,
            taken: course.taken,
            not_covered: not_covered(&course, &before),
        })
    }

    /// What will be undone, by path.
    pub fn changes(&self) -> Vec<TakenBack> {
        let changes = self
            .items
            .iter()
            .filter_map(|item| Some(TakenBack { path: self.path(&item.spot), action: item.action()? }));
        changes.collect()
    }

    /// Where the contents to restore are stored, by the path of the file.
    pub fn contents(&self) -> BTreeMap<PathBuf, PathBuf> {
        let store = Store::new(self.folder.join(OBJECTS));
        let coming = self.items.iter().filter(|item| matches!(item.act, Act::Replace | Act::Rewrite));
        coming.filter_map(|item| Some((self.path(&item.spot), store.place_of(item.kept.as_ref()?)))).collect()
    }

    /// What was not scanned: if the run changed it, it stays changed.
    pub fn not_covered(&self) -> &[NotCovered] {
        &self.not_covered
    }

    /// Whether it completes an interrupted undo.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    pub(super) fn path(&self, spot: &Spot) -> PathBuf {
        self.roots.get(spot.0).map(|(path, _)| spot.1.under(path)).unwrap_or_default()
    }
}

/// What was recorded as not kept, and was not kept later either.
fn not_covered(course: &Course, before: &BTreeMap<Spot, Found>) -> Vec<NotCovered> {
    let kept = before.iter().filter(|(_, (_, kept))| kept.is_some());
    let kept: BTreeSet<PathBuf> =
        kept.filter_map(|((root, below), _)| Some(below.under(&course.roots.get(*root)?.path))).collect();
    course.not_covered.iter().filter(|one| !kept.contains(&one.path)).cloned().collect()
}

/// Opens every root whose path still leads to a folder directly.
fn open_roots(roots: &[RecordedRoot], obstacles: &mut BTreeSet<Obstacle>) -> Vec<(PathBuf, OwnedFd)> {
    let mut opened = Vec::new();
    for root in roots {
        let real = root.path.canonicalize().and_then(|real| {
            if real == root.path { open_root(&real) } else { Err(io::ErrorKind::NotADirectory.into()) }
        });
        match real {
            Ok(folder) => opened.push((root.path.clone(), folder)),
            Err(_) => {
                obstacles.insert(Obstacle { path: root.path.clone(), why: Hindrance::NoFolder });
            }
        }
    }
    opened
}

struct Check<'a> {
    course: &'a Course,
    roots: &'a [(PathBuf, OwnedFd)],
    before: &'a BTreeMap<Spot, Found>,
    obstacles: BTreeSet<Obstacle>,
    is_resumed: bool,
}

impl Check<'_> {
    fn items(&mut self, store: &Store) -> Vec<Item> {
        // If a root is gone, nothing below it can be examined.
        if self.roots.len() != self.course.roots.len() {
            return Vec::new();
        }
        let mut items = Vec::new();
        for (spot, after) in &self.course.after {
            if let Some(item) = self.item(spot, after.as_ref()) {
                items.push(item);
            }
        }
        for spot in &self.course.foreign {
            self.foreign(spot, &items);
        }
        join_names(&mut items, self.before);
        find_names(&mut items, self.roots);
        for item in &items {
            self.can_go(item, &items);
            self.can_come(item, &items, store);
            self.attributes_can_come(item);
        }
        items
    }

    /// How to undo a path. Adds an obstacle if another program changed it since.
    fn item(&mut self, spot: &Spot, after: Option<&State>) -> Option<Item> {
        let (_, folder) = self.roots.get(spot.0)?;
        let current = match look_below(folder, &spot.1) {
            Ok(current) => current,
            Err(error) => {
                self.obstacles.insert(unreadable(self.path(spot), &error));
                return None;
            }
        };
        let nothing: Found = (None, None);
        let found = self.before.get(spot).unwrap_or(&nothing);
        let act =
            decide(found, current.as_ref(), || holds_what_was_kept(folder, spot, found, current.as_ref()));
        // What is mounted by itself cannot be moved away; and it was written in place.
        let is_same =
            found.0.as_ref().zip(current.as_ref()).is_some_and(|(before, now)| now.is_same_inode(before));
        let act =
            if act == Act::Replace && is_same && is_mounted(folder, &spot.1) { Act::Rewrite } else { act };
        let as_left = match (after, &current) {
            (None, None) => true,
            (Some(after), Some(current)) => after.looks_like(current),
            (None, Some(_)) | (Some(_), None) => false,
        };
        let tolerated = self.is_resumed && is_on_the_way(found.0.as_ref(), after, current.as_ref());
        if act != Act::Nothing && !as_left && !tolerated && !self.course.foreign.contains(spot) {
            self.hinder(spot, Hindrance::ChangedSince);
        }
        Some(Item { spot: spot.clone(), before: found.0.clone(), kept: found.1.clone(), current, act })
    }

    fn foreign(&mut self, spot: &Spot, items: &[Item]) {
        let done =
            place(items, spot).and_then(|at| items.get(at)).is_some_and(|item| item.act == Act::Nothing);
        if done && !spot.1.is_root() {
            return;
        }
        let path = self.path(spot);
        let why = match self.course.not_covered.iter().find(|one| one.path == path) {
            Some(one) => Hindrance::NotKept { reason: one.why.to_string() },
            None => Hindrance::ChangedMeanwhile,
        };
        self.obstacles.insert(Obstacle { path, why });
    }

    /// A folder to be removed may contain only entries to be removed.
    fn can_go(&mut self, item: &Item, items: &[Item]) {
        if !item.goes() || !item.current.as_ref().is_some_and(State::is_folder) {
            return;
        }
        if item.spot.1.is_root() {
            return self.hinder(&item.spot, Hindrance::NoFolder);
        }
        let Some((_, root)) = self.roots.get(item.spot.0) else { return };
        let inside = match open_folder(root, &item.spot.1).and_then(names) {
            Ok(inside) => inside,
            Err(error) => {
                self.obstacles.insert(unreadable(self.path(&item.spot), &error));
                return;
            }
        };
        for name in inside {
            let spot = (item.spot.0, item.spot.1.entry(&name));
            if !place(items, &spot).and_then(|at| items.get(at)).is_some_and(Item::goes) {
                let entry = PathBuf::from(name);
                self.hinder(&item.spot, Hindrance::Holds { entry });
            }
        }
    }

    /// An entry to restore needs a parent folder, and a kept content that matches its hash.
    fn can_come(&mut self, item: &Item, items: &[Item], store: &Store) {
        let (Some(before), Act::Replace | Act::Rewrite | Act::Link(_)) = (&item.before, &item.act) else {
            return;
        };
        let Some(parent) = item.spot.1.parent() else {
            return self.hinder(&item.spot, Hindrance::NoFolder);
        };
        let spot = (item.spot.0, parent);
        let folder = match place(items, &spot).and_then(|at| items.get(at)) {
            Some(parent) => parent.before.as_ref().is_some_and(State::is_folder),
            None => self.is_folder_now(&spot),
        };
        if !folder {
            self.hinder(&item.spot, Hindrance::NoFolder);
        }
        let not_kept = |reason: &str| Hindrance::NotKept { reason: reason.to_owned() };
        match (&before.kind, &item.act, &item.kept) {
            (Kind::File, Act::Replace | Act::Rewrite, Some(kept)) => {
                if let Err(error) = store.open(kept) {
                    self.hinder(&item.spot, not_kept(&error.to_string()));
                }
            }
            (Kind::File, Act::Replace | Act::Rewrite, None) => {
                let path = self.path(&item.spot);
                let why = self.course.not_covered.iter().find(|one| one.path == path);
                let reason = why.map_or_else(|| "it changed too often".to_owned(), |one| one.why.to_string());
                self.hinder(&item.spot, not_kept(&reason));
            }
            (Kind::Other, ..) => self.hinder(&item.spot, not_kept("it is no file, folder or link")),
            (Kind::File | Kind::Folder | Kind::Link { .. }, ..) => {}
        }
    }

    /// An attribute that could not be read cannot be restored.
    fn attributes_can_come(&mut self, item: &Item) {
        let (Some(before), Act::Replace | Act::Rewrite | Act::Touch) = (&item.before, &item.act) else {
            return;
        };
        let is_there = item.current.as_ref().is_some_and(|now| now.attributes == before.attributes);
        let stays = is_there && item.act != Act::Replace;
        if let Some(name) = before.attributes.unread().filter(|_| !stays) {
            let reason = format!("its attribute {name} could not be read");
            self.hinder(&item.spot, Hindrance::NotKept { reason });
        }
    }

    fn is_folder_now(&self, spot: &Spot) -> bool {
        let looked = self.roots.get(spot.0).map(|(_, root)| look_below(root, &spot.1));
        matches!(looked, Some(Ok(Some(state))) if state.is_folder())
    }

    /// Folders whose times are not restored to the original: another program changed their entries since, or
    /// the undo changes them although the run did not.
    fn times_to_keep(&self, items: &[Item]) -> BTreeMap<Spot, Moment> {
        let mut keep = BTreeMap::new();
        for item in items {
            let left = self.course.after.get(&item.spot).and_then(Option::as_ref);
            if let (Some(before), Some(current), Some(left)) = (&item.before, &item.current, left)
                && before.is_folder()
                && current.is_folder()
                && current.mtime != left.mtime
            {
                keep.insert(item.spot.clone(), current.mtime);
            }
            let Some(parent) = item.spot.1.parent().map(|parent| (item.spot.0, parent)) else { continue };
            if item.act != Act::Nothing
                && place(items, &parent).is_none()
                && let Some((_, root)) = self.roots.get(parent.0)
                && let Ok(Some(state)) = look_below(root, &parent.1)
            {
                keep.insert(parent, state.mtime);
            }
        }
        keep
    }

    fn hinder(&mut self, spot: &Spot, why: Hindrance) {
        let path = self.path(spot);
        self.obstacles.insert(Obstacle { path, why });
    }

    fn path(&self, spot: &Spot) -> PathBuf {
        self.roots.get(spot.0).map(|(path, _)| spot.1.under(path)).unwrap_or_default()
    }
}

/// Whether a file has the kept content. Without kept content, only a completely unchanged file counts.
fn holds_what_was_kept(root: &OwnedFd, spot: &Spot, found: &Found, current: Option<&State>) -> bool {
    match (found, current) {
        ((Some(before), Some(kept)), Some(current)) => {
            before.size == current.size && content(root, &spot.1).is_ok_and(|content| content == *kept)
        }
        ((Some(before), None), Some(current)) => before == current,
        ((None, _), _) | (_, None) => false,
    }
}

/// Whether a file is mounted by itself, as container engines do it.
#[cfg(target_os = "linux")]
fn is_mounted(root: &OwnedFd, below: &Below) -> bool {
    use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};
    let Some((parent, name)) = below.place() else { return false };
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let found =
        open_folder(root, &parent).and_then(|folder| Ok(statx(folder, name, flags, StatxFlags::empty())?));
    found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// No other system mounts files.
#[cfg(not(target_os = "linux"))]
fn is_mounted(_: &OwnedFd, _: &Below) -> bool {
    false
}

/// Whether a path is in a state that an interrupted undo may have left.
fn is_on_the_way(before: Option<&State>, after: Option<&State>, current: Option<&State>) -> bool {
    let Some(current) = current else { return true };
    after.is_some_and(|after| after.is_same_inode(current))
        || before.is_some_and(|before| match &before.kind {
            Kind::Folder | Kind::Link { .. } => before.kind == current.kind,
            Kind::File | Kind::Other => before.looks_like(current),
        })
}
