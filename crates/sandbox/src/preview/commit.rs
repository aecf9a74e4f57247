//! Making the previewed changes in the real folders.
//!
//! Everything was checked. What goes is removed, deepest first; folders are made; files are written beside their place and then take it
//! in one step; times of folders come last. Nothing is reached but through folders held open, so that no link is followed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{self, AtFlags, Mode, OFlags};

use super::error::CommitError;
use super::ground::{Ground, Layer};
use super::layer::{Difference, Merged, Read, Spot, open_written};
use crate::snapshot::anchored::{look, look_at, look_below, open_file, open_folder, open_root};
use crate::snapshot::below::Below;
use crate::snapshot::placing::{fill, finish_file, finish_link, take_free_name};
use crate::snapshot::state::{Kind, State};
use crate::snapshot::store::id_of;

pub(super) fn commit(ground: &Ground, read: &Read) -> Result<(), CommitError> {
    let work = Work { ground };
    let busy: BTreeSet<&Spot> =
        read.merged.iter().filter(|one| work.is_busy(one)).map(|one| &one.at).collect();
    let done = work.all(read, &busy);
    if done.is_err() {
        for merged in read.merged.iter().filter(|merged| is_locked(&merged.before)) {
            // The error that matters is the first one.
            let _ = work.step(&merged.at, |layer, below| {
                let folder = open_folder(&layer.real, below)?;
                Ok(fs::fchmod(&folder, Mode::from_raw_mode(merged.before.mode))?)
            });
        }
    }
    done
}

struct Work<'a> {
    ground: &'a Ground,
}

impl Work<'_> {
    fn all(&self, read: &Read, busy: &BTreeSet<&Spot>) -> Result<(), CommitError> {
        let is_folder = |state: &Option<State>| state.as_ref().is_some_and(State::is_folder);
        let all = &read.differences;
        // A folder that cannot be entered or written would stop the rest.
        for merged in &read.merged {
            self.step(&merged.at, |layer, below| unlock(layer, below, &merged.before))?;
        }
        for difference in all.iter().filter(|one| is_folder(&one.before)) {
            if let Some(before) = &difference.before {
                self.step(&difference.at, |layer, below| unlock(layer, below, before))?;
            }
        }
        let goes = |one: &&Difference| {
            one.before.is_some() && (one.after.is_none() || is_folder(&one.before) || is_folder(&one.after))
        };
        for difference in all.iter().rev().filter(goes) {
            self.step(&difference.at, |layer, below| remove(layer, below, difference))?;
        }
        for difference in all.iter().filter(|one| is_folder(&one.after)) {
            self.step(&difference.at, make_folder)?;
        }
        for difference in all.iter().filter(|one| one.link_to.is_none()) {
            self.step(&difference.at, |layer, below| make(layer, below, difference))?;
        }
        for difference in all {
            if let Some(other) = &difference.link_to {
                self.step(&difference.at, |layer, below| link(layer, below, other, difference))?;
            }
        }
        let made = all.iter().filter_map(|one| Some((&one.at, one.after.as_ref()?)));
        let made = made.filter(|(_, after)| after.is_folder());
        // Even where a folder's time stays the same: what takes its place in it would change that.
        let parents: BTreeSet<Spot> =
            all.iter().filter_map(|one| Some((one.at.0, one.at.1.parent()?))).collect();
        let touched = |merged: &&Merged| {
            parents.contains(&merged.at)
                || is_locked(&merged.before)
                || !merged.before.looks_like(&merged.after)
                || merged.before.mtime != merged.after.mtime
        };
        let stayed = read.merged.iter().filter(touched).map(|merged| (&merged.at, &merged.after));
        let mut folders: Vec<_> = made.chain(stayed).collect();
        folders.sort_by(|one, other| other.0.cmp(one.0));
        for (at, after) in folders {
            self.step(at, |layer, below| finish_folder(layer, below, after, busy.contains(at)))?;
        }
        Ok(())
    }

    /// Whether somebody else was at work in a folder since the preview; its time is theirs then.
    fn is_busy(&self, merged: &Merged) -> bool {
        let Some(layer) = self.ground.layers.get(merged.at.0) else { return false };
        let now = look_below(&layer.real, &merged.at.1);
        now.is_ok_and(|now| now.is_none_or(|now| now.mtime != merged.before.mtime))
    }

    fn step(
        &self,
        (number, below): &Spot,
        act: impl FnOnce(&Layer, &Below) -> io::Result<()>,
    ) -> Result<(), CommitError> {
        let Some(layer) = self.ground.layers.get(*number) else { return Ok(()) };
        act(layer, below).map_err(|source| CommitError::Step { path: below.under(&layer.root), source })
    }
}

/// The folder that a path lies in, and its name there.
fn place<'a>(root: &OwnedFd, below: &'a Below) -> io::Result<(OwnedFd, &'a OsStr)> {
    let (parent, name) = below.place().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((open_folder(root, &parent)?, name))
}

fn is_locked(folder: &State) -> bool {
    folder.mode & 0o700 != 0o700
}

fn unlock(layer: &Layer, below: &Below, before: &State) -> io::Result<()> {
    if !is_locked(before) {
        return Ok(());
    }
    let mode = Mode::from_raw_mode(before.mode | 0o700);
    match open_folder(&layer.real, below) {
        Ok(folder) => Ok(fs::fchmod(&folder, mode)?),
        // Older kernels have no change of mode that follows no link and needs no right to open. It was checked to be a folder.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let (parent, name) = place(&layer.real, below)?;
            Ok(fs::chmodat(&parent, name, mode, AtFlags::empty())?)
        }
        Err(error) => Err(error),
    }
}

/// Whether a path still is what was checked a moment ago. Its change time and its other names may have been touched by steps before.
fn is_still(parent: &OwnedFd, name: &OsStr, before: &State) -> io::Result<()> {
    let same =
        |now: &State| now.is_same_inode(before) && (now.size, now.mtime) == (before.size, before.mtime);
    match look(parent, name)? {
        Some(now) if same(&now) => Ok(()),
        Some(_) | None => Err(io::Error::other("somebody changed it at this very moment")),
    }
}

fn remove(layer: &Layer, below: &Below, difference: &Difference) -> io::Result<()> {
    let Some(before) = &difference.before else { return Ok(()) };
    let (parent, name) = place(&layer.real, below)?;
    if before.is_folder() {
        // Only an empty one goes.
        return Ok(fs::unlinkat(&parent, name, AtFlags::REMOVEDIR)?);
    }
    is_still(&parent, name, before)?;
    Ok(fs::unlinkat(&parent, name, AtFlags::empty())?)
}

fn make_folder(layer: &Layer, below: &Below) -> io::Result<()> {
    let (parent, name) = place(&layer.real, below)?;
    // Its own mode comes last.
    Ok(fs::mkdirat(&parent, name, Mode::RWXU)?)
}

/// Makes a file or a link, or gives the one that is there other attributes.
fn make(layer: &Layer, below: &Below, difference: &Difference) -> io::Result<()> {
    let Some(after) = &difference.after else { return Ok(()) };
    let (parent, name) = place(&layer.real, below)?;
    match &after.kind {
        Kind::Folder => Ok(()),
        Kind::Other => Err(io::ErrorKind::Unsupported.into()),
        Kind::Link { target } => {
            let part = part(below);
            fs::symlinkat(target.to_path().map_err(io::Error::other)?, &parent, &part)?;
            take_place(&parent, &part, name, difference, |part| finish_link(&parent, part, after))
        }
        Kind::File if difference.same_bytes => match &difference.before {
            Some(before) => touch(&parent, name, before, after),
            None => Ok(()),
        },
        Kind::File => {
            let (written, _) = place(&open_root(&layer.upper)?, below)?;
            let mut source = open_written(&written, name)?;
            let held = look_at(&source)?;
            // What was told is made, or nothing.
            if !held.is_same_inode(after) || (held.size, held.mtime) != (after.size, after.mtime) {
                return Err(io::Error::other("somebody changed the layer"));
            }
            let part = part(below);
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = File::from(fs::openat(&parent, &part, flags, Mode::RUSR | Mode::WUSR)?);
            take_place(&parent, &part, name, difference, |_| {
                fill(&mut source, &file).and_then(|()| finish_file(&file, after))
            })
        }
    }
}

/// Mode, owner and time alone.
fn touch(parent: &OwnedFd, name: &OsStr, before: &State, after: &State) -> io::Result<()> {
    is_still(parent, name, before)?;
    match open_file(parent, name) {
        // A file that nobody may read: its owner may change that.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            fs::chmodat(parent, name, Mode::from_raw_mode(before.mode | 0o400), AtFlags::empty())?;
            finish_file(open_file(parent, name)?, after)
        }
        file => finish_file(file?, after),
    }
}

/// One more name of a file.
fn link(layer: &Layer, below: &Below, other: &Below, difference: &Difference) -> io::Result<()> {
    let (parent, name) = place(&layer.real, below)?;
    let (from, other) = place(&layer.real, other)?;
    let part = part(below);
    fs::linkat(&from, other, &parent, &part, AtFlags::empty())?;
    take_place(&parent, &part, name, difference, |_| Ok(()))
}

/// A name beside the place, for what is not finished.
fn part(below: &Below) -> String {
    let id = id_of(below.path().as_os_str().as_bytes());
    format!(".artoo-preview-{}.part", id.get(..16).unwrap_or_default())
}

/// Finishes what lies beside the place and gives it its name: a free one, or that of what it replaces.
fn take_place(
    parent: &OwnedFd,
    part: &str,
    name: &OsStr,
    difference: &Difference,
    finish: impl FnOnce(&OsStr) -> io::Result<()>,
) -> io::Result<()> {
    let replaced = difference.before.as_ref().filter(|before| !before.is_folder());
    let taken = finish(OsStr::new(part)).and_then(|()| match replaced {
        Some(before) => {
            is_still(parent, name, before)?;
            Ok(fs::renameat(parent, part, parent, name)?)
        }
        None => take_free_name(parent, part, name),
    });
    if taken.is_err() {
        // The error that matters is the first one.
        let _ = fs::unlinkat(parent, part, AtFlags::empty());
    }
    taken
}

/// Mode, owner and time; the time stays where it is somebody else's.
fn finish_folder(layer: &Layer, below: &Below, after: &State, is_busy: bool) -> io::Result<()> {
    let folder = open_folder(&layer.real, below)?;
    let mtime = if is_busy { look_at(&folder)?.mtime } else { after.mtime };
    finish_file(folder, &State { mtime, ..after.clone() })
}
