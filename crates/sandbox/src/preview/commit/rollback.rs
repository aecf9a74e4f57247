//! The end of a commit: cleaning up, or rolling back.

use std::collections::BTreeSet;
use std::io;

use artoo_anchored_files::{State, finish_file, open_whatever_mode, take_free_name};
use rustix::fs::{self, AtFlags, Mode};

use super::super::error::CommitError;
use super::super::layer_reader::Spot;
use super::temporary::Aside;
use super::{Work, finish_folder, place};

/// A completed step, with what is needed to undo it.
#[derive(Debug)]
pub(super) enum Done<'a> {
    /// A folder was made writable.
    Unlocked { at: &'a Spot, before: &'a State },
    /// An empty folder was removed.
    FolderRemoved { at: &'a Spot, before: &'a State },
    /// An entry was moved aside.
    TakenAway { at: &'a Spot, number: usize },
    /// A folder was created.
    FolderMade { at: &'a Spot },
    /// A new entry took an unused name.
    Placed { at: &'a Spot, number: usize },
    /// A new entry replaced another one, which waits aside.
    Exchanged { at: &'a Spot, number: usize },
    /// A file's mode, owner, time or attributes were changed.
    Touched { at: &'a Spot, before: &'a State },
}

impl<'a> Work<'a> {
    /// Cleans up after success: the replaced contents are no longer needed. What cannot be removed stays in
    /// the temporary folder, which the call's snapshot reports.
    pub(super) fn clear(&mut self) {
        for (layer, aside) in self.overlay_dirs.layers.iter().zip(&self.asides) {
            let _ = aside.as_ref().map(|aside| aside.remove(layer));
        }
        for merged in self.stayed().filter(|merged| merged.at.1.is_root()) {
            let Some(layer) = self.overlay_dirs.layers.get(merged.at.0) else { continue };
            // The folder had this time already; only the removal above changed it.
            let _ = finish_folder(layer, &merged.at.1, &merged.after, self.busy.get(&merged.at));
        }
    }

    /// Rolls back the completed steps, the last one first. Returns the error to report.
    pub(super) fn take_back(&mut self, failed: CommitError) -> CommitError {
        let (mut folders, mut first) = (Vec::new(), None);
        let mut entered: BTreeSet<Spot> = BTreeSet::new();
        for done in std::mem::take(&mut self.done).into_iter().rev() {
            let (at, before) = match &done {
                Done::Unlocked { at, before } | Done::FolderRemoved { at, before } => (*at, Some(*before)),
                Done::TakenAway { at, .. }
                | Done::FolderMade { at }
                | Done::Placed { at, .. }
                | Done::Exchanged { at, .. }
                | Done::Touched { at, .. } => (*at, None),
            };
            entered.extend(at.1.parent().map(|parent| (at.0, parent)));
            match self.reverse(&done) {
                Ok(()) => folders.extend(before.map(|before| (at, before))),
                Err(error) => first = first.or(Some((at, error))),
            }
        }
        if first.is_none() {
            for (layer, aside) in self.overlay_dirs.layers.iter().zip(&self.asides) {
                // Only copies are in there.
                let _ = aside.as_ref().map(|aside| aside.remove(layer));
            }
        }
        folders.extend(self.stayed().map(|merged| (&merged.at, &merged.before)));
        // Folders that were to be removed after their contents, and still exist.
        let standing = self.read.differences.iter().filter(|one| entered.contains(&one.at));
        folders.extend(
            standing.filter_map(|one| Some((&one.at, one.before.as_ref().filter(|it| it.is_folder())?))),
        );
        folders.sort_by(|one, other| other.0.cmp(one.0));
        for (at, before) in folders {
            let Some(layer) = self.overlay_dirs.layers.get(at.0) else { continue };
            if let Err(error) = finish_folder(layer, &at.1, before, self.busy.get(at)) {
                first = first.or(Some((at, error)));
            }
        }
        match first {
            None => failed,
            Some((at, source)) => {
                let root = self.overlay_dirs.layers.get(at.0).map(|layer| at.1.under(&layer.root));
                CommitError::Halfway { path: root.unwrap_or_default(), source, failed: Box::new(failed) }
            }
        }
    }

    fn reverse(&self, done: &Done<'_>) -> io::Result<()> {
        match done {
            // Its mode is restored together with its time, last.
            Done::Unlocked { .. } => Ok(()),
            Done::FolderRemoved { at, .. } => {
                let (parent, name) = place(self.real(at)?, &at.1)?;
                Ok(fs::mkdirat(&parent, name, Mode::RWXU)?)
            }
            Done::FolderMade { at } => {
                let (parent, name) = place(self.real(at)?, &at.1)?;
                Ok(fs::unlinkat(&parent, name, AtFlags::REMOVEDIR)?)
            }
            Done::TakenAway { at, number } => {
                let (parent, name) = place(self.real(at)?, &at.1)?;
                take_free_name(self.made_aside(at)?.held(), &Aside::old_name(*number), &parent, name)
            }
            Done::Placed { at, number } => {
                let (parent, name) = place(self.real(at)?, &at.1)?;
                Ok(fs::renameat(&parent, name, self.made_aside(at)?.held(), Aside::new_name(*number))?)
            }
            Done::Exchanged { at, number } => {
                let (parent, name) = place(self.real(at)?, &at.1)?;
                self.made_aside(at)?.exchange_back(*number, &parent, name)
            }
            Done::Touched { at, before } => {
                let (parent, name) = place(self.real(at)?, &at.1)?;
                finish_file(open_whatever_mode(&parent, name)?, before)
            }
        }
    }

    fn real(&self, at: &Spot) -> io::Result<&std::os::fd::OwnedFd> {
        let layer = self.overlay_dirs.layers.get(at.0).ok_or(io::ErrorKind::NotFound)?;
        Ok(&layer.real)
    }

    fn made_aside(&self, at: &Spot) -> io::Result<&Aside> {
        Ok(self.asides.get(at.0).and_then(Option::as_ref).ok_or(io::ErrorKind::NotFound)?)
    }
}
