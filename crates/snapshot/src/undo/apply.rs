//! Execution of an undo, step by step.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use artoo_anchored_files::{
    Kind, State, fill, finish_file_as_far_as_allowed, finish_link, look, open_folder, open_root,
    open_whatever_mode, take_free_name,
};
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::super::content_store::Store;
use super::super::record::{ChangeLine, OBJECTS, Spot, TAKEN};
use super::UndoError;
use super::acts::{Act, Item};
use super::prepare::Undo;
use super::verify::Deviation;

impl Undo {
    /// Restores everything, and compares it with the originals: returns what could not be restored exactly,
    /// empty if everything was. Removed entries are moved to `taken` in the record's folder.
    ///
    /// # Errors
    ///
    /// [`UndoError::Step`]: preparing and applying again completes the rest.
    pub fn apply(self) -> Result<Vec<Deviation>, UndoError> {
        self.apply_while(&mut || Ok(()))
    }

    /// The same, calling `go_on` before each step; tests end it there, as if the process were killed.
    pub(crate) fn apply_while(
        mut self,
        go_on: &mut dyn FnMut() -> io::Result<()>,
    ) -> Result<Vec<Deviation>, UndoError> {
        let folder = self.folder.clone();
        let noted = |source| UndoError::Step { path: folder.clone(), source };
        if !self.is_resumed {
            let mut lines = std::mem::take(&mut self.unsaid);
            let keep = self.keep.iter().map(|((root, path), time)| (*root, path.clone(), *time)).collect();
            lines.push(ChangeLine::Undoing { keep });
            self.lines.write(&lines).and_then(|()| self.lines.file().sync_data()).map_err(noted)?;
        }
        let items = std::mem::take(&mut self.items);
        let mut work = Work { undo: &mut self, store: Store::new(folder.join(OBJECTS)), go_on };
        work.all(&items)?;
        self.lines
            .write(&[ChangeLine::Undone])
            .and_then(|()| self.lines.file().sync_data())
            .map_err(noted)?;
        Ok(self.deviations(&items))
    }
}

struct Work<'a> {
    undo: &'a mut Undo,
    store: Store,
    go_on: &'a mut dyn FnMut() -> io::Result<()>,
}

impl Work<'_> {
    fn all(&mut self, items: &[Item]) -> Result<(), UndoError> {
        let is_folder = |state: &Option<State>| state.as_ref().is_some_and(State::is_folder);
        // A folder that cannot be entered or written would block the rest.
        for item in items.iter().filter(|item| is_folder(&item.current)) {
            self.step(item, Self::unlock)?;
        }
        for item in items.iter().rev().filter(|item| item.goes()) {
            self.step(item, Self::take)?;
        }
        for item in items.iter().filter(|item| item.act == Act::Replace && is_folder(&item.before)) {
            self.step(item, Self::make_folder)?;
        }
        for item in items.iter().filter(|item| item.act == Act::Replace && !is_folder(&item.before)) {
            self.step(item, Self::make)?;
        }
        for item in items.iter().filter(|item| item.act == Act::Rewrite) {
            self.step(item, Self::rewrite)?;
        }
        for item in items {
            if let Act::Link(other) = &item.act {
                self.step(item, |work, item| work.link(item, other))?;
            }
        }
        for item in items.iter().filter(|item| item.act == Act::Touch && !is_folder(&item.before)) {
            self.step(item, Self::touch)?;
        }
        for item in items.iter().rev().filter(|item| is_folder(&item.before)) {
            self.step(item, Self::touch_folder)?;
        }
        let keep: Vec<_> = self.undo.keep.iter().map(|(spot, time)| (spot.clone(), *time)).collect();
        for (spot, time) in keep {
            let kept = (self.go_on)()
                .and_then(|()| self.folder(&spot))
                .and_then(|folder| Ok(fs::futimens(&folder, &time.as_modification())?));
            kept.map_err(|source| UndoError::Step { path: self.undo.path(&spot), source })?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        item: &Item,
        act: impl FnOnce(&mut Self, &Item) -> io::Result<()>,
    ) -> Result<(), UndoError> {
        let done = (self.go_on)().and_then(|()| act(self, item));
        done.map_err(|source| UndoError::Step { path: self.undo.path(&item.spot), source })
    }

    fn root(&self, spot: &Spot) -> io::Result<&OwnedFd> {
        self.undo.roots.get(spot.0).map(|(_, root)| root).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn folder(&self, spot: &Spot) -> io::Result<OwnedFd> {
        open_folder(self.root(spot)?, &spot.1)
    }

    /// The parent folder of a spot, and its name there.
    fn place(&self, spot: &Spot) -> io::Result<(OwnedFd, OsString)> {
        let (parent, name) = spot.1.place().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((open_folder(self.root(spot)?, &parent)?, name.to_owned()))
    }

    fn unlock(&mut self, item: &Item) -> io::Result<()> {
        let Some(current) = item.current.as_ref().filter(|current| current.mode & 0o700 != 0o700) else {
            return Ok(());
        };
        let mode = current.permissions() | Mode::RWXU;
        match self.folder(&item.spot) {
            Ok(folder) => Ok(fs::fchmod(&folder, mode)?),
            // Older kernels cannot change a mode without following links or needing permission to open. The
            // entry was checked to be a folder.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let (parent, name) = self.place(&item.spot)?;
                Ok(fs::chmodat(&parent, &name, mode, AtFlags::empty())?)
            }
            Err(error) => Err(error),
        }
    }

    /// Moves the current entry to `taken`; a folder is empty by now and is removed.
    fn take(&mut self, item: &Item) -> io::Result<()> {
        let (parent, name) = self.place(&item.spot)?;
        let Some(there) = look(&parent, &name)? else { return Ok(()) };
        if there.is_folder() {
            return Ok(fs::unlinkat(&parent, &name, AtFlags::REMOVEDIR)?);
        }
        let (taken, number) = self.next_taken(item)?;
        // A name in there would be an extra hard link of the file.
        if there.links == 1 || !there.is_file() {
            match fs::renameat(&parent, &name, &taken, &number) {
                Ok(()) => return Ok(()),
                Err(Errno::XDEV) => {}
                Err(error) => return Err(error.into()),
            }
        }
        match &there.kind {
            Kind::File => copy(&mut open_whatever_mode(&parent, &name)?, &taken, &number)?,
            Kind::Link { target } => {
                let target = target.to_path().map_err(io::Error::other)?;
                fs::symlinkat(target, &taken, &number)?;
            }
            // They contain nothing to keep.
            Kind::Folder | Kind::Other => {}
        }
        Ok(fs::unlinkat(&parent, &name, AtFlags::empty())?)
    }

    /// The folder `taken` and the next unused name in it, noted in the record.
    fn next_taken(&mut self, item: &Item) -> io::Result<(OwnedFd, String)> {
        let folder = open_root(&self.undo.folder)?;
        match fs::mkdirat(&folder, TAKEN, Mode::from_raw_mode(0o700)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let number = self.undo.taken;
        self.undo.taken = number.saturating_add(1);
        let (root, path) = item.spot.clone();
        self.undo.lines.write(&[ChangeLine::Taken { number, root, path }])?;
        Ok((open_root(&self.undo.folder.join(TAKEN))?, number.to_string()))
    }

    fn make_folder(&mut self, item: &Item) -> io::Result<()> {
        let (parent, name) = self.place(&item.spot)?;
        // Its own mode is set last.
        match fs::mkdirat(&parent, &name, Mode::from_raw_mode(0o700)) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) if look(&parent, &name)?.is_some_and(|there| there.is_folder()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a file or a link that does not exist.
    fn make(&mut self, item: &Item) -> io::Result<()> {
        let Some(before) = &item.before else { return Ok(()) };
        let (parent, name) = self.place(&item.spot)?;
        match &before.kind {
            Kind::Folder | Kind::Other => Err(io::ErrorKind::Unsupported.into()),
            Kind::Link { target } => {
                fs::symlinkat(target.to_path().map_err(io::Error::other)?, &parent, &name)?;
                finish_link(&parent, &name, before)
            }
            Kind::File => {
                let kept = item.kept.as_ref().ok_or(io::ErrorKind::NotFound)?;
                let mut source = self.store.open(kept)?;
                // Under a temporary name until it is complete.
                let part = self.part(item);
                if self.undo.is_resumed {
                    // A file that an interrupted undo left there is incomplete. Usually there is none.
                    let _ = fs::unlinkat(&parent, &part, AtFlags::empty());
                }
                let flags =
                    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let file = File::from(fs::openat(&parent, &part, flags, Mode::from_raw_mode(0o600))?);
                let made = fill(&mut source, &file)
                    .and_then(|()| finish_file_as_far_as_allowed(&file, before))
                    .and_then(|()| take_free_name(&parent, &part, &parent, &name));
                if made.is_err() {
                    // The first error is the one to report.
                    let _ = fs::unlinkat(&parent, &part, AtFlags::empty());
                }
                made
            }
        }
    }

    /// Deterministic for a path, so that the undo that completes an interrupted one finds it.
    fn part(&self, item: &Item) -> String {
        use std::os::unix::ffi::OsStrExt;
        let id = artoo_anchored_files::id_of(item.spot.1.path().as_os_str().as_bytes());
        format!(".artoo-undo-{}.part", id.get(..16).unwrap_or_default())
    }

    /// Writes the original content back into a file with hard links: all its names have it again.
    fn rewrite(&mut self, item: &Item) -> io::Result<()> {
        let (Some(before), Some(kept)) = (&item.before, &item.kept) else { return Ok(()) };
        let (parent, name) = self.place(&item.spot)?;
        let (taken, number) = self.next_taken(item)?;
        copy(&mut open_whatever_mode(&parent, &name)?, &taken, &number)?;
        let mut source = self.store.open(kept)?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = || fs::openat(&parent, &name, flags, Mode::empty());
        let file = File::from(match open() {
            Err(Errno::ACCESS) => {
                let mode = before.permissions() | Mode::RUSR | Mode::WUSR;
                fs::fchmod(open_whatever_mode(&parent, &name)?, mode)?;
                open()?
            }
            other => other?,
        });
        file.set_len(0)?;
        fill(&mut source, &file)?;
        finish_file_as_far_as_allowed(&file, before)
    }

    fn link(&mut self, item: &Item, other: &Spot) -> io::Result<()> {
        let (parent, name) = self.place(&item.spot)?;
        let (from, other) = self.place(other)?;
        Ok(fs::linkat(&from, &other, &parent, &name, AtFlags::empty())?)
    }

    fn touch(&mut self, item: &Item) -> io::Result<()> {
        let Some(before) = &item.before else { return Ok(()) };
        let (parent, name) = self.place(&item.spot)?;
        match &before.kind {
            Kind::Link { .. } => finish_link(&parent, &name, before),
            Kind::File => finish_file_as_far_as_allowed(open_whatever_mode(&parent, &name)?, before),
            Kind::Folder | Kind::Other => {
                fs::chmodat(&parent, &name, before.permissions(), AtFlags::empty())?;
                finish_link(&parent, &name, before)
            }
        }
    }

    fn touch_folder(&mut self, item: &Item) -> io::Result<()> {
        let Some(before) = &item.before else { return Ok(()) };
        finish_file_as_far_as_allowed(self.folder(&item.spot)?, before)
    }
}

fn copy(source: &mut File, folder: &OwnedFd, name: &str) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let target = File::from(fs::openat(folder, name, flags, Mode::from_raw_mode(0o600))?);
    fill(source, &target)
}
