//! The check before a commit: are the real folders still as the preview found them?

use std::collections::{BTreeMap, BTreeSet};

use artoo_anchored_files::{Below, State, is_no_folder, look_at, look_below, names, open_folder, open_root};
use rustix::fs::{self, AtFlags};

use super::error::{Clash, ClashKind, CommitError};
use super::layer_reader::{Difference, Read, Spot, becomes_file};
use super::overlay_dirs::{Layer, OverlayDirs};

/// Checks every path that would change.
///
/// Only times are compared: whatever changed after the command started has a later ctime, which no program
/// can set back. So no bytes have to be read again.
pub(super) fn check(overlay_dirs: &OverlayDirs, read: &Read) -> Result<(), CommitError> {
    let mut check = Check { overlay_dirs, clashes: BTreeSet::new() };
    for (number, layer) in overlay_dirs.layers.iter().enumerate() {
        check.root(number, layer);
    }
    for difference in &read.differences {
        check.path(&difference.at, difference.before.as_ref());
    }
    for (at, state) in &read.anchors {
        check.path(at, Some(state));
    }
    for merged in &read.merged {
        check.folder(&merged.at, &merged.before);
    }
    check.folders_that_go(read);
    if !check.clashes.is_empty() {
        return Err(CommitError::Refused { clashes: check.clashes.into_iter().collect() });
    }
    room(overlay_dirs, read)
}

struct Check<'a> {
    overlay_dirs: &'a OverlayDirs,
    clashes: BTreeSet<Clash>,
}

impl Check<'_> {
    fn clash(&mut self, at: &Spot, why: ClashKind) {
        if let Some(layer) = self.overlay_dirs.layers.get(at.0) {
            self.clashes.insert(Clash { path: at.1.under(&layer.root), why });
        }
    }

    /// The path of a root must still lead to the same folder.
    fn root(&mut self, number: usize, layer: &Layer) {
        let found = open_root(&layer.root).and_then(look_at);
        let same = look_at(&layer.real).and_then(|held| Ok(found?.is_same_inode(&held)));
        if !same.unwrap_or(false) {
            self.clash(&(number, Below::default()), ClashKind::Gone);
        }
    }

    fn now(&mut self, at: &Spot) -> Option<Option<State>> {
        let layer = self.overlay_dirs.layers.get(at.0)?;
        match look_below(&layer.real, &at.1) {
            Ok(now) => Some(now),
            Err(error) => {
                self.clash(at, ClashKind::Unreadable { error: error.to_string() });
                None
            }
        }
    }

    fn path(&mut self, at: &Spot, before: Option<&State>) {
        let Some(now) = self.now(at) else { return };
        let why = match (before, now) {
            (None, None) => return,
            (None, Some(_)) => ClashKind::Appeared,
            (Some(_), None) => ClashKind::Gone,
            (Some(before), Some(now)) => {
                // A folder's times are those of its entries, which are checked individually.
                let same = match (before.is_folder(), is_closed(before)) {
                    (true, _) => before.looks_like(&now),
                    (false, true) => *before == State { ctime: before.ctime, ..now },
                    (false, false) => *before == now,
                };
                if !same {
                    ClashKind::ChangedSince
                } else if !before.is_folder() && before.ctime.may_follow(self.overlay_dirs.begun) {
                    ClashKind::ChangedMeanwhile
                } else {
                    return;
                }
            }
        };
        self.clash(at, why);
    }

    fn folder(&mut self, at: &Spot, before: &State) {
        match self.now(at) {
            None => {}
            Some(None) => self.clash(at, ClashKind::Gone),
            Some(Some(now)) if before.looks_like(&now) => {}
            Some(Some(_)) => self.clash(at, ClashKind::ChangedSince),
        }
    }

    /// A folder that is removed may contain only what is removed.
    fn folders_that_go(&mut self, read: &Read) {
        let going: BTreeSet<&Spot> = read.differences.iter().map(|difference| &difference.at).collect();
        let folder = |state: &Option<State>| state.as_ref().is_some_and(State::is_folder);
        for difference in &read.differences {
            if !folder(&difference.before) || folder(&difference.after) {
                continue;
            }
            let (number, below) = &difference.at;
            let Some(layer) = self.overlay_dirs.layers.get(*number) else { continue };
            match open_folder(&layer.real, below).and_then(names) {
                Ok(names) => {
                    for name in names {
                        let entry = below.entry(&name);
                        if !going.contains(&(*number, entry.clone())) {
                            let entry = entry.under(&layer.root);
                            self.clash(&difference.at, ClashKind::Holds { entry });
                        }
                    }
                }
                // Its removal was reported already.
                Err(error) if is_no_folder(&error) => {}
                Err(error) => self.clash(&difference.at, ClashKind::Unreadable { error: error.to_string() }),
            }
        }
    }
}

/// Whether its owner cannot read it. The snapshot changes the mode of such a file for a moment to keep it,
/// which updates its ctime.
fn is_closed(file: &State) -> bool {
    file.is_file() && file.mode & 0o400 == 0
}

/// Whether everything that is written fits, so that a full disk is detected before the first step.
fn room(overlay_dirs: &OverlayDirs, read: &Read) -> Result<(), CommitError> {
    let mut needed: BTreeMap<usize, u64> = BTreeMap::new();
    for difference in read.differences.iter().filter(|one| becomes_file(one) && !one.same_bytes) {
        let size = bytes_taken(overlay_dirs, difference);
        let sum = needed.entry(difference.at.0).or_default();
        *sum = sum.saturating_add(size);
    }
    for (number, needed) in needed {
        let Some(layer) = overlay_dirs.layers.get(number) else { continue };
        // If the file system does not report its free space, a full disk shows only on write.
        let Ok(system) = fs::fstatvfs(&layer.real) else { continue };
        if needed > system.f_bavail.saturating_mul(system.f_frsize) {
            return Err(CommitError::NoRoom { path: layer.root.clone(), needed });
        }
    }
    Ok(())
}

/// The space a layer's file takes on disk: less than its size if it has holes.
fn bytes_taken(overlay_dirs: &OverlayDirs, difference: &Difference) -> u64 {
    let (number, below) = &difference.at;
    let found = overlay_dirs.layers.get(*number).zip(below.place()).and_then(|(layer, (parent, name))| {
        let folder = open_folder(&open_root(&layer.upper).ok()?, &parent).ok()?;
        fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()
    });
    let size = difference.after.as_ref().map_or(0, |after| after.size);
    let taken =
        found.and_then(|found| u64::try_from(found.st_blocks).ok()).map(|blocks| blocks.saturating_mul(512));
    taken.map_or(size, |taken| taken.min(size))
}
