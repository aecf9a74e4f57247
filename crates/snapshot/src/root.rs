//! State of one root of a snapshot: what the run found, the last scan, and what the run touched.

mod found;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use artoo_anchored_files::{
    Below, ContentId, Lookout, Moment, State, Unread, hash, is_no_folder, look_at, open_file, open_folder,
    open_root, read_whatever_mode, walk,
};

use super::budget::fit;
use super::change::{Change, changes};
use super::content_store::Store;
use super::record::BeforeLine;
use super::uncovered::{NotCovered, SnapshotLimits, Uncovered};

/// Who made the differences that a scan finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The run: a call is in progress, or one was dropped.
    TheRuns,
    /// Another program: no call was in progress since the last scan.
    SomebodyElses,
}

/// The part of a root that is scanned.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach<'a> {
    Everything,
    /// Only these paths, which a call is about to change.
    Only(&'a BTreeSet<Below>),
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Paths whose current state is the original state.
    pub(super) new: Vec<Below>,
    /// Paths that the run changed, with their state at the previous scan.
    pub(super) touched: Vec<(Below, Option<State>)>,
    /// Paths that the run had changed and another program changed again.
    pub(super) foreign: Vec<Below>,
    pub(super) not_covered: Vec<NotCovered>,
}

/// The result of keeping contents.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) bytes: u64,
    pub(super) not_covered: Vec<NotCovered>,
}

/// The original state of a path.
#[derive(Debug, Default)]
struct Before {
    state: Option<State>,
    kept: Option<ContentId>,
}

#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    /// Whether everything below it is scanned; otherwise only what a tool names.
    pub(super) is_whole: bool,
    /// Whether it is in the record, and as whole if it is.
    pub(super) is_written: bool,
    /// Whether everything below it was scanned once, so that what was not seen did not exist.
    is_known: bool,
    /// Whether it has too many entries to be scanned.
    is_lost: bool,
    before: BTreeMap<Below, Before>,
    now: BTreeMap<Below, Option<State>>,
    touched: BTreeSet<Below>,
    /// Files whose times may hide a change that came soon after they were kept.
    racy: BTreeSet<Below>,
}

impl Root {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        open_root(&path)?;
        Ok(Self {
            path,
            is_whole: false,
            is_written: false,
            is_known: false,
            is_lost: false,
            before: BTreeMap::new(),
            now: BTreeMap::new(),
            touched: BTreeSet::new(),
            racy: BTreeSet::new(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it contained more than can be scanned, so that only named paths are scanned.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The state of a path at the last scan.
    pub(super) fn now(&self, path: &Below) -> Option<&State> {
        self.now.get(path)?.as_ref()
    }

    /// Scans everything below it from now on.
    pub(super) fn make_whole(&mut self) {
        if !self.is_whole {
            self.is_whole = true;
            self.is_written = false;
        }
    }

    /// Scans, and returns what differs from the previous scan.
    pub(super) fn look(
        &mut self,
        reach: Reach<'_>,
        whose: Whose,
        excluded: &BTreeSet<Below>,
        limits: SnapshotLimits,
    ) -> io::Result<Looked> {
        let mut found = Looked::default();
        let root = match open_root(&self.path) {
            Ok(root) => Some(root),
            // The root is gone, with everything in it.
            Err(error) if is_no_folder(&error) => None,
            Err(error) => return Err(error),
        };
        let mut states = match (&root, reach) {
            (None, _) => BTreeMap::new(),
            (Some(root), Reach::Only(paths)) => self.glance(root, paths, &mut found),
            (Some(root), Reach::Everything) => match self.walk(root, excluded, limits, &mut found)? {
                Some(states) => states,
                None => return Ok(found),
            },
        };
        // What existed and no longer does.
        let gone: Vec<Below> = match reach {
            Reach::Everything => self.now.keys().filter(|path| !states.contains_key(path)).cloned().collect(),
            Reach::Only(paths) if root.is_none() => paths.iter().cloned().collect(),
            Reach::Only(_) => Vec::new(),
        };
        states.extend(gone.into_iter().map(|path| (path, None)));
        for (path, state) in states {
            self.compare(path, state, whose, root.as_ref(), &mut found);
        }
        match reach {
            Reach::Everything => self.is_known = true,
            Reach::Only(paths) => found.new = self.still_to_keep(paths, found.new),
        }
        Ok(found)
    }

    /// The states of these paths; a path that cannot be examined counts as unchanged.
    fn glance(
        &self,
        root: &OwnedFd,
        paths: &BTreeSet<Below>,
        found: &mut Looked,
    ) -> BTreeMap<Below, Option<State>> {
        let mut lookout = Lookout::new(root);
        let mut states = BTreeMap::new();
        for path in paths {
            match lookout.look(path) {
                Ok(state) => drop(states.insert(path.clone(), state)),
                Err(error) => {
                    let why = Uncovered::Unreadable { error: error.to_string() };
                    found.not_covered.push(NotCovered { path: path.under(&self.path), why });
                }
            }
        }
        states
    }

    /// The new paths, and files about to change that could not be kept before: now there is a reason to open
    /// closed ones.
    fn still_to_keep(&self, paths: &BTreeSet<Below>, new: Vec<Below>) -> Vec<Below> {
        let mut all: BTreeSet<Below> = new.into_iter().collect();
        all.extend(paths.iter().filter(|path| !self.touched.contains(path) && self.lacks(path)).cloned());
        all.into_iter().collect()
    }

    /// Whether the original content of a file is not kept.
    fn lacks(&self, path: &Below) -> bool {
        self.before.get(path).is_some_and(|before| {
            before.kept.is_none()
                && before.state.as_ref().is_some_and(State::is_file)
                && before.state.as_ref() == self.now(path)
        })
    }

    /// The size of a file that is not kept yet.
    pub(super) fn bytes_to_keep(&self, path: &Below, state: Option<&State>) -> Option<u64> {
        let is_kept = self.before.get(path).is_some_and(|before| before.kept.is_some());
        let is_open = !is_kept && !self.touched.contains(path);
        state.filter(|state| is_open && state.is_file()).map(|state| state.size)
    }

    /// Everything below the root; `None` if that is too much, now or before.
    fn walk(
        &mut self,
        root: &OwnedFd,
        excluded: &BTreeSet<Below>,
        limits: SnapshotLimits,
        found: &mut Looked,
    ) -> io::Result<Option<BTreeMap<Below, Option<State>>>> {
        if self.is_lost {
            return Ok(None);
        }
        let Some(walked) = walk(root, excluded, limits.entries)? else {
            self.is_lost = true;
            let why = Uncovered::TooMany { entries: limits.entries };
            found.not_covered.push(NotCovered { path: self.path.clone(), why });
            if self.is_known {
                // It is unknown what the run did to it.
                found.foreign.push(Below::default());
            }
            return Ok(None);
        };
        let mut states: BTreeMap<Below, Option<State>> =
            walked.states.into_iter().map(|(path, state)| (path, Some(state))).collect();
        for (folder, why) in walked.unread {
            let inside = self.now.iter().filter(|(path, _)| path.path().starts_with(folder.path()));
            let inside: Vec<_> = inside.map(|(path, state)| (path.clone(), state.clone())).collect();
            for (path, state) in inside {
                states.entry(path).or_insert(state);
            }
            let why = match why {
                Unread::TooDeep => Uncovered::TooDeep,
                Unread::Error(error) => Uncovered::Unreadable { error: error.to_string() },
            };
            found.not_covered.push(NotCovered { path: folder.under(&self.path), why });
        }
        Ok(Some(states))
    }

    fn compare(
        &mut self,
        path: Below,
        state: Option<State>,
        whose: Whose,
        root: Option<&OwnedFd>,
        found: &mut Looked,
    ) {
        let is_known = self.is_known || self.now.contains_key(&path);
        let old = self.now.get(&path).cloned().flatten();
        let same = is_known && old == state;
        if same {
            let hidden =
                whose == Whose::TheRuns && self.racy.contains(&path) && self.was_rewritten(root, &path);
            if hidden {
                self.touched.insert(path.clone());
                self.racy.remove(&path);
                found.touched.push((path, old));
            }
            return;
        }
        if !is_known || (whose == Whose::SomebodyElses && !self.touched.contains(&path)) {
            self.before.insert(path.clone(), Before { state: state.clone(), kept: None });
            found.new.push(path.clone());
        } else if whose == Whose::TheRuns {
            self.touched.insert(path.clone());
            found.touched.push((path.clone(), old));
        } else {
            // Entries that another program created in a folder do not count as a change of the folder.
            let only_entries =
                matches!((&old, &state), (Some(old), Some(new)) if old.is_folder() && old.looks_like(new));
            if !only_entries {
                found.foreign.push(path.clone());
            }
        }
        self.racy.remove(&path);
        self.now.insert(path, state);
    }

    /// Whether a file with unchanged times has other content than what was kept.
    fn was_rewritten(&self, root: Option<&OwnedFd>, path: &Below) -> bool {
        let kept = self.before.get(path).and_then(|before| before.kept.as_ref());
        match (root, kept) {
            (Some(root), Some(kept)) => content(root, path).is_ok_and(|content| content != *kept),
            (None, _) | (_, None) => false,
        }
    }

    /// Keeps the contents of the files among these paths, the small ones first, as far as `room` suffices. A
    /// file `about_to_change` is opened whatever its mode.
    pub(super) fn keep(
        &mut self,
        paths: &[Below],
        room: u64,
        store: &mut Store,
        about_to_change: bool,
    ) -> Kept {
        let mut kept = Kept::default();
        let sizes = paths.iter().filter_map(|path| {
            let state = self.before.get(path)?.state.as_ref().filter(|state| state.is_file())?;
            Some((state.size, path))
        });
        let fitted = fit(sizes.collect(), room);
        kept.bytes = fitted.bytes;
        for (bytes, path) in fitted.left_over {
            let why = Uncovered::NoRoom { bytes };
            kept.not_covered.push(NotCovered { path: path.under(&self.path), why });
        }
        let fitting: BTreeSet<&Below> = fitted.fitting.into_iter().collect();
        let mut open: Option<(Below, OwnedFd)> = None;
        for path in fitting {
            let result = self.keep_one(path, &mut open, store, about_to_change);
            let why = match result {
                Ok(true) => continue,
                Ok(false) => Uncovered::Unsteady,
                Err(error) => Uncovered::Unreadable { error: error.to_string() },
            };
            kept.not_covered.push(NotCovered { path: path.under(&self.path), why });
        }
        kept
    }

    /// Returns `false` if the file changes while it is read. The folder stays open for the next one.
    fn keep_one(
        &mut self,
        path: &Below,
        open: &mut Option<(Below, OwnedFd)>,
        store: &mut Store,
        about_to_change: bool,
    ) -> io::Result<bool> {
        let Some((parent, name)) = path.place() else { return Ok(false) };
        if open.as_ref().is_none_or(|(folder, _)| *folder != parent) {
            *open = Some((parent.clone(), open_folder(&open_root(&self.path)?, &parent)?));
        }
        let (Some((_, folder)), Some(before)) = (open.as_ref(), self.before.get_mut(path)) else {
            return Ok(false);
        };
        let Some(state) = &mut before.state else { return Ok(false) };
        let mut seen = state.clone();
        let mut file = match open_file(folder, name) {
            Err(error) if about_to_change && error.kind() == io::ErrorKind::PermissionDenied => {
                let (file, attributes) = read_whatever_mode(folder, name)?;
                // Opening it changed its mode and back.
                let ctime = look_at(&file)?.ctime;
                seen = State { ctime, ..seen };
                *state = State { attributes, ..seen.clone() };
                self.now.insert(path.clone(), Some(seen.clone()));
                file
            }
            other => other?,
        };
        before.kept = store.keep(&mut file, &seen)?;
        Ok(before.kept.is_some())
    }

    /// Those of these paths whose contents are kept.
    pub(super) fn kept<'a>(&'a self, paths: &'a [Below]) -> impl Iterator<Item = PathBuf> + 'a {
        let is_kept = |path: &&Below| self.before.get(path).is_some_and(|before| before.kept.is_some());
        paths.iter().filter(is_kept).map(|path| path.under(&self.path))
    }

    /// Records which of these files were kept so soon after a change that their times may hide another one.
    pub(super) fn note_racy(&mut self, paths: &[Below], kept_at: Moment) {
        for path in paths {
            let Some(Before { state: Some(state), kept: Some(_) }) = self.before.get(path) else { continue };
            if state.ctime.may_hide_until(kept_at) {
                self.racy.insert(path.clone());
            }
        }
    }

    pub(super) fn before_line(&self, number: usize, path: &Below) -> BeforeLine {
        let (state, kept) = match self.before.get(path) {
            Some(Before { state, kept }) => (state.clone(), kept.clone()),
            None => (None, None),
        };
        BeforeLine { root: number, path: path.clone(), state, kept }
    }

    /// What a call did to the paths that it touched, as far as a user would see a difference.
    pub(super) fn changes(&self, touched: &[(Below, Option<State>)], store: &Store) -> Vec<Change> {
        changes(touched.iter().filter_map(|(path, old)| {
            let new = self.now(path);
            let is_rewritten =
                || old.as_ref().is_some_and(|old| old.is_file() && self.content_changed(path, old));
            let change = Change::of(path.under(&self.path), old.as_ref(), new, is_rewritten)?;
            let before = self.before.get(path).filter(|before| before.state == *old);
            let kept = before.and_then(|before| before.kept.as_ref()).map(|kept| store.place_of(kept));
            Some(Change { kept, ..change })
        }))
    }

    /// Whether a file that looks the same has other content, as far as its content was kept.
    fn content_changed(&self, path: &Below, old: &State) -> bool {
        let found = self.before.get(path).filter(|before| before.state.as_ref() == Some(old));
        let root = open_root(&self.path).ok();
        found.is_some() && self.was_rewritten(root.as_ref(), path)
    }
}

/// The current content of a file.
pub(super) fn content(root: &OwnedFd, path: &Below) -> io::Result<ContentId> {
    let (parent, name) = path.place().ok_or(io::ErrorKind::IsADirectory)?;
    let mut file: File = open_file(&open_folder(root, &parent)?, name)?;
    hash(&mut file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use artoo_anchored_files::look_below;

    #[test]
    fn a_rewrite_within_a_step_of_the_clock_is_seen_by_content() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("old");
        std::fs::write(&path, "1").unwrap();
        let mut root = Root::open(temporary.path().to_owned()).unwrap();
        root.make_whole();
        let look = |root: &mut Root, whose| {
            root.look(Reach::Everything, whose, &BTreeSet::new(), SnapshotLimits::default()).unwrap()
        };
        let found = look(&mut root, Whose::SomebodyElses);
        root.keep(&found.new, u64::MAX, &mut Store::new(temporary.path().with_extension("store")), false);
        let old = Below::new(Path::new("old")).unwrap();
        let kept_at = root.now(&old).unwrap().ctime;
        root.note_racy(&found.new, kept_at);
        std::fs::write(&path, "2").unwrap();
        // Simulates a kernel with a coarse clock: no time reveals the second write.
        let unmoved = look_below(&open_root(temporary.path()).unwrap(), &old).unwrap();
        root.now.insert(old.clone(), unmoved.clone());
        let found = look(&mut root, Whose::TheRuns);
        assert_eq!(found.touched, [(old.clone(), unmoved.clone())]);
        assert_eq!(look(&mut root, Whose::TheRuns).touched, [], "once");
        let _ = std::fs::remove_dir_all(temporary.path().with_extension("store"));
    }
}
