//! Commit: applies the previewed changes to the real folders, all or none.
//!
//! Everything was checked before. New contents are first written to a separate folder ([`Aside`]), so that a
//! full disk is detected before anything has changed. Then removed entries are moved there, deepest first;
//! folders are created; new contents are renamed into place, one step each, which moves what they replace
//! aside; folder times come last. If a step fails, all steps before are undone ([`Work::take_back`]). Every
//! path is reached only through folders held open, so no link is followed.

mod rollback;
mod temporary;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{self, AtFlags, Mode, OFlags};

use super::error::CommitError;
use super::layer_reader::{Difference, Merged, Read, Spot, open_written};
use super::overlay_dirs::{Layer, OverlayDirs};

use artoo_anchored_files::{
    Below, Kind, Moment, Named, State, copy_sparse, fill, finish_file, finish_link, look, look_at,
    look_below, open_folder, open_root, open_whatever_mode, take_free_name,
};
use rollback::Done;
use temporary::Aside;

pub(super) fn commit(overlay_dirs: &OverlayDirs, read: &Read) -> Result<(), CommitError> {
    commit_while(overlay_dirs, read, &mut || Ok(()))
}

/// The same, calling `go_on` before each step; tests let it fail there.
pub(super) fn commit_while(
    overlay_dirs: &OverlayDirs,
    read: &Read,
    go_on: &mut dyn FnMut() -> io::Result<()>,
) -> Result<(), CommitError> {
    let asides = overlay_dirs.layers.iter().map(|_| None).collect();
    let busy =
        read.merged.iter().filter_map(|one| Some((one.at.clone(), busy(overlay_dirs, one)?))).collect();
    let mut work = Work { overlay_dirs, read, asides, busy, done: Vec::new(), go_on };
    match work.all() {
        Ok(()) => {
            work.clear();
            Ok(())
        }
        Err(failed) => Err(work.take_back(failed)),
    }
}

/// Every path that a commit touches, by root, including its own folder for contents: what a snapshot has to
/// record.
pub(super) fn touched(overlay_dirs: &OverlayDirs, read: &Read) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for (number, layer) in overlay_dirs.layers.iter().enumerate() {
        let differences = read.differences.iter().enumerate().filter(|(_, one)| one.at.0 == number);
        let folders = read.merged.iter().filter(|one| one.at.0 == number && one.is_touched());
        let mut paths: Vec<_> = folders.map(|one| one.at.1.under(&layer.root)).collect();
        for (place, difference) in differences {
            paths.push(difference.at.1.under(&layer.root));
            let aside = layer.root.join(Aside::folder(layer));
            let is_new = is_new_content(difference) || difference.link_to.is_some();
            paths.extend(is_new.then(|| aside.join(Aside::new_name(place))));
            let is_old = goes(difference) || is_new;
            let waits = is_old && difference.before.as_ref().is_some_and(|before| !before.is_folder());
            paths.extend(waits.then(|| aside.join(Aside::old_name(place))));
        }
        if !paths.is_empty() {
            named.push(Named { root: layer.root.clone(), paths });
        }
    }
    named
}

struct Work<'a> {
    overlay_dirs: &'a OverlayDirs,
    read: &'a Read,
    /// One per layer, created on first use.
    asides: Vec<Option<Aside>>,
    /// The mtimes of folders that other programs changed since the preview.
    busy: BTreeMap<Spot, Moment>,
    done: Vec<Done<'a>>,
    go_on: &'a mut dyn FnMut() -> io::Result<()>,
}

fn busy(overlay_dirs: &OverlayDirs, merged: &Merged) -> Option<Moment> {
    let now = look_below(&overlay_dirs.layers.get(merged.at.0)?.real, &merged.at.1).ok()??;
    (now.mtime != merged.before.mtime).then_some(now.mtime)
}

fn is_folder(state: &Option<State>) -> bool {
    state.as_ref().is_some_and(State::is_folder)
}

/// Whether the existing entry is removed before anything new is created.
fn goes(difference: &Difference) -> bool {
    difference.before.is_some()
        && (difference.after.is_none() || is_folder(&difference.before) || is_folder(&difference.after))
}

/// Whether new content takes the place, rather than the old file with other attributes.
fn is_new_content(difference: &Difference) -> bool {
    let is_touch = is_touch(difference);
    difference.after.as_ref().is_some_and(|after| !after.is_folder())
        && difference.link_to.is_none()
        && !is_touch
}

/// Whether only mode, owner, attributes or time differ. A file with hard links gets new content all the same: its other names
/// stay as the command saw them.
fn is_touch(difference: &Difference) -> bool {
    difference.same_bytes
        && difference.link_to.is_none()
        && difference.before.as_ref().is_some_and(|before| before.links == 1)
}

impl<'a> Work<'a> {
    fn all(&mut self) -> Result<(), CommitError> {
        let read = self.read;
        let all = || read.differences.iter().enumerate();
        // A folder that cannot be entered or written would block the rest.
        for merged in &read.merged {
            self.step(&merged.at, |work, layer| work.unlock(layer, &merged.at, &merged.before))?;
        }
        for (_, difference) in all().filter(|(_, one)| is_folder(&one.before)) {
            if let Some(before) = &difference.before {
                self.step(&difference.at, |work, layer| work.unlock(layer, &difference.at, before))?;
            }
        }
        for (number, difference) in all().filter(|(_, one)| is_new_content(one)) {
            self.step(&difference.at, |work, layer| work.write(layer, number, difference))?;
        }
        for (number, difference) in all().rev().filter(|(_, one)| goes(one)) {
            self.step(&difference.at, |work, layer| work.take_away(layer, number, difference))?;
        }
        for (_, difference) in all().filter(|(_, one)| is_folder(&one.after)) {
            self.step(&difference.at, |work, layer| work.make_folder(layer, &difference.at))?;
        }
        for (number, difference) in all().filter(|(_, one)| is_new_content(one)) {
            self.step(&difference.at, |work, layer| work.place(layer, number, difference))?;
        }
        for (number, difference) in all() {
            if let Some(other) = &difference.link_to {
                self.step(&difference.at, |work, layer| work.link(layer, number, difference, other))?;
            }
        }
        for (_, difference) in all().filter(|(_, one)| is_touch(one)) {
            if let (Some(before), Some(after)) = (&difference.before, &difference.after) {
                self.step(&difference.at, |work, layer| work.touch(layer, &difference.at, before, after))?;
            }
        }
        let made = read.differences.iter().filter_map(|one| Some((&one.at, one.after.as_ref()?)));
        let made = made.filter(|(_, after)| after.is_folder());
        let stayed = self.stayed().map(|merged| (&merged.at, &merged.after));
        let mut folders: Vec<_> = made.chain(stayed).collect();
        folders.sort_by(|one, other| other.0.cmp(one.0));
        for (at, after) in folders {
            self.step(at, |work, layer| finish_folder(layer, &at.1, after, work.busy.get(at)))?;
        }
        Ok(())
    }

    /// The folders that remain and need their metadata set: because it changes, or because entries placed in
    /// them would change their time.
    fn stayed(&self) -> impl Iterator<Item = &'a Merged> + use<'a> {
        let read = self.read;
        let parents: BTreeSet<Spot> =
            read.differences.iter().filter_map(|one| Some((one.at.0, one.at.1.parent()?))).collect();
        let layers: BTreeSet<usize> = read.differences.iter().map(|one| one.at.0).collect();
        read.merged.iter().filter(move |merged| {
            // The root holds the contents for a while.
            let is_root = merged.at.1.is_root() && layers.contains(&merged.at.0);
            is_root || parents.contains(&merged.at) || is_locked(&merged.before) || merged.is_touched()
        })
    }

    fn step(
        &mut self,
        at: &Spot,
        act: impl FnOnce(&mut Self, &'a Layer) -> io::Result<()>,
    ) -> Result<(), CommitError> {
        let Some(layer) = self.overlay_dirs.layers.get(at.0) else { return Ok(()) };
        let done = (self.go_on)().and_then(|()| act(self, layer));
        done.map_err(|source| CommitError::Step { path: at.1.under(&layer.root), source })
    }

    fn aside(&mut self, number: usize, layer: &Layer) -> io::Result<&Aside> {
        let aside = self.asides.get_mut(number).ok_or(io::ErrorKind::NotFound)?;
        match aside {
            Some(aside) => Ok(aside),
            None => Ok(aside.insert(Aside::make(layer)?)),
        }
    }

    fn unlock(&mut self, layer: &Layer, at: &'a Spot, before: &'a State) -> io::Result<()> {
        if !is_locked(before) {
            return Ok(());
        }
        self.done.push(Done::Unlocked { at, before });
        let mode = before.permissions() | Mode::RWXU;
        match open_folder(&layer.real, &at.1) {
            Ok(folder) => Ok(fs::fchmod(&folder, mode)?),
            // Older kernels cannot change a mode without following links or needing permission to open. The
            // entry was checked to be a folder.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let (parent, name) = place(&layer.real, &at.1)?;
                Ok(fs::chmodat(&parent, name, mode, AtFlags::empty())?)
            }
            Err(error) => Err(error),
        }
    }

    /// Creates a file or a link in the aside folder, not yet at its path.
    fn write(&mut self, layer: &Layer, number: usize, difference: &Difference) -> io::Result<()> {
        let Some(after) = &difference.after else { return Ok(()) };
        let aside = self.aside(difference.at.0, layer)?;
        let part = Aside::new_name(number);
        match &after.kind {
            Kind::Folder | Kind::Other => Err(io::ErrorKind::Unsupported.into()),
            Kind::Link { target } => {
                fs::symlinkat(target.to_path().map_err(io::Error::other)?, aside.held(), &part)?;
                finish_link(aside.held(), OsStr::new(&part), after)
            }
            Kind::File => {
                let (written, name) = place(&open_root(&layer.upper)?, &difference.at.1)?;
                let mut source = open_written(&written, name)?;
                let held = look_at(&source)?;
                // Exactly what the preview reported is created, or nothing.
                if !held.is_same_inode(after) || (held.size, held.mtime) != (after.size, after.mtime) {
                    return Err(io::Error::other("somebody changed the layer"));
                }
                let flags =
                    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let file = File::from(fs::openat(aside.held(), &part, flags, Mode::RUSR | Mode::WUSR)?);
                // The layer fills holes around written data, up to the next MiB.
                if has_holes(layer, &difference.at.1) {
                    copy_sparse(&mut source, &file)?;
                } else {
                    fill(&mut source, &file)?;
                }
                finish_file(&file, after)
            }
        }
    }

    /// Moves the existing entry aside; a folder is empty by now and is removed.
    fn take_away(&mut self, layer: &Layer, number: usize, difference: &'a Difference) -> io::Result<()> {
        let Some(before) = &difference.before else { return Ok(()) };
        let at = &difference.at;
        let (parent, name) = place(&layer.real, &at.1)?;
        if before.is_folder() {
            fs::unlinkat(&parent, name, AtFlags::REMOVEDIR)?;
            self.done.push(Done::FolderRemoved { at, before });
            return Ok(());
        }
        is_still(&parent, name, before)?;
        let old = Aside::old_name(number);
        fs::renameat(&parent, name, self.aside(at.0, layer)?.held(), &old)?;
        self.done.push(Done::TakenAway { at, number });
        is_still(self.aside(at.0, layer)?.held(), OsStr::new(&old), before)
    }

    fn make_folder(&mut self, layer: &Layer, at: &'a Spot) -> io::Result<()> {
        let (parent, name) = place(&layer.real, &at.1)?;
        // Its own mode is set last.
        fs::mkdirat(&parent, name, Mode::RWXU)?;
        self.done.push(Done::FolderMade { at });
        Ok(())
    }

    /// Renames prepared content into place: to an unused name, or over what it replaces, which then waits
    /// aside.
    fn place(&mut self, layer: &Layer, number: usize, difference: &'a Difference) -> io::Result<()> {
        let at = &difference.at;
        let (parent, name) = place(&layer.real, &at.1)?;
        let replaced = difference.before.as_ref().filter(|before| !before.is_folder());
        let Some(before) = replaced.filter(|_| !is_folder(&difference.after)) else {
            take_free_name(self.aside(at.0, layer)?.held(), &Aside::new_name(number), &parent, name)?;
            self.done.push(Done::Placed { at, number });
            return Ok(());
        };
        is_still(&parent, name, before)?;
        self.aside(at.0, layer)?.exchange(number, &parent, name)?;
        self.done.push(Done::Exchanged { at, number });
        is_still(self.aside(at.0, layer)?.held(), OsStr::new(&Aside::old_name(number)), before)
    }

    /// Adds a hard link.
    fn link(
        &mut self,
        layer: &Layer,
        number: usize,
        difference: &'a Difference,
        other: &Below,
    ) -> io::Result<()> {
        let (from, other) = place(&layer.real, other)?;
        let aside = self.aside(difference.at.0, layer)?;
        fs::linkat(&from, other, aside.held(), Aside::new_name(number), AtFlags::empty())?;
        self.place(layer, number, difference)
    }

    /// Sets mode, owner, attributes and time only.
    fn touch(&mut self, layer: &Layer, at: &'a Spot, before: &'a State, after: &State) -> io::Result<()> {
        let (parent, name) = place(&layer.real, &at.1)?;
        is_still(&parent, name, before)?;
        self.done.push(Done::Touched { at, before });
        finish_file(open_whatever_mode(&parent, name)?, after)
    }
}

/// The parent folder of a path, and its name there.
fn place<'a>(root: &OwnedFd, below: &'a Below) -> io::Result<(OwnedFd, &'a OsStr)> {
    let (parent, name) = below.place().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((open_folder(root, &parent)?, name))
}

fn is_locked(folder: &State) -> bool {
    folder.mode & 0o700 != 0o700
}

/// Whether the real file has holes.
fn has_holes(layer: &Layer, below: &Below) -> bool {
    let found = place(&layer.real, below)
        .and_then(|(parent, name)| Ok(fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?));
    found.is_ok_and(|found| i128::from(found.st_blocks) * 512 < i128::from(found.st_size))
}

/// Whether a path still is what was checked a moment ago. Earlier steps may have changed its ctime and its
/// link count.
fn is_still(parent: &OwnedFd, name: &OsStr, before: &State) -> io::Result<()> {
    let same =
        |now: &State| now.is_same_inode(before) && (now.size, now.mtime) == (before.size, before.mtime);
    match look(parent, name)? {
        Some(now) if same(&now) => Ok(()),
        Some(_) | None => Err(io::Error::other("somebody changed it at this very moment")),
    }
}

/// Sets mode, owner, attributes and time; keeps the time that another program set.
fn finish_folder(layer: &Layer, below: &Below, wanted: &State, theirs: Option<&Moment>) -> io::Result<()> {
    let mtime = theirs.copied().unwrap_or(wanted.mtime);
    finish_file(open_folder(&layer.real, below)?, &State { mtime, ..wanted.clone() })
}
