//! A folder of its own in a root, in which contents wait: new ones before they take their places, old ones until everything is done.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use artoo_anchored_files::{id_of, names, open_entry_folder, take_free_name};
use rustix::fs::{self, AtFlags, Mode, RenameFlags};
use rustix::io::Errno;

use super::super::overlay_dirs::Layer;

/// In the root, because only there is it sure to be of the same file system, so that everything changes its place by a rename.
#[derive(Debug)]
pub(super) struct Aside {
    held: OwnedFd,
}

impl Aside {
    pub(super) fn make(layer: &Layer) -> io::Result<Self> {
        let name = Self::folder(layer);
        fs::mkdirat(&layer.real, &name, Mode::RWXU)?;
        match open_entry_folder(&layer.real, OsStr::new(&name)) {
            Ok(held) => Ok(Self { held }),
            Err(error) => {
                // The error that matters is the first one.
                let _ = fs::unlinkat(&layer.real, &name, AtFlags::REMOVEDIR);
                Err(error)
            }
        }
    }

    /// Its name in the root: another one for each layer of each preview.
    pub(super) fn folder(layer: &Layer) -> String {
        let id = id_of(layer.upper.as_os_str().as_bytes());
        format!(".artoo-preview-{}.part", id.get(..16).unwrap_or_default())
    }

    pub(super) fn new_name(number: usize) -> String {
        format!("{number}-new")
    }

    pub(super) fn old_name(number: usize) -> String {
        format!("{number}-old")
    }

    pub(super) fn held(&self) -> &OwnedFd {
        &self.held
    }

    /// Puts the new content into its place, and the old one here: in one step, so that the name is always there, where the file system can.
    pub(super) fn exchange(&self, number: usize, parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
        let (new, old) = (Self::new_name(number), Self::old_name(number));
        match fs::renameat_with(&self.held, &new, parent, name, RenameFlags::EXCHANGE) {
            Ok(()) => fs::renameat(&self.held, &new, &self.held, &old).map_err(|error| {
                // The error that matters is the first one.
                let _ = fs::renameat_with(&self.held, &new, parent, name, RenameFlags::EXCHANGE);
                error.into()
            }),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                fs::renameat(parent, name, &self.held, &old)?;
                let placed = take_free_name(&self.held, &new, parent, name);
                if placed.is_err() {
                    // The error that matters is the first one.
                    let _ = take_free_name(&self.held, &old, parent, name);
                }
                placed
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The other way round.
    pub(super) fn exchange_back(&self, number: usize, parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
        fs::renameat(parent, name, &self.held, Self::new_name(number))?;
        take_free_name(&self.held, &Self::old_name(number), parent, name)
    }

    /// Removes it with everything in it.
    pub(super) fn remove(&self, layer: &Layer) -> io::Result<()> {
        for name in names(&self.held)? {
            fs::unlinkat(&self.held, &name, AtFlags::empty())?;
        }
        Ok(fs::unlinkat(&layer.real, Self::folder(layer), AtFlags::REMOVEDIR)?)
    }
}
