//! A temporary folder in a root: holds new contents before they are moved into place, and replaced ones until
//! the commit is done.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use artoo_anchored_files::{id_of, names, open_entry_folder, take_free_name};
use rustix::fs::{self, AtFlags, Mode, RenameFlags};
use rustix::io::Errno;

use super::super::overlay_dirs::Layer;

/// It is in the root, because only there it is certain to be on the same file system, so that every move is a
/// rename.
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
                // The first error is the one to report.
                let _ = fs::unlinkat(&layer.real, &name, AtFlags::REMOVEDIR);
                Err(error)
            }
        }
    }

    /// Its name in the root, different for each layer of each preview.
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

    /// Moves the new content into place, and the old one here: atomically if the file system supports it, so
    /// that the name always exists.
    pub(super) fn exchange(&self, number: usize, parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
        let (new, old) = (Self::new_name(number), Self::old_name(number));
        match fs::renameat_with(&self.held, &new, parent, name, RenameFlags::EXCHANGE) {
            Ok(()) => fs::renameat(&self.held, &new, &self.held, &old).map_err(|error| {
                // The first error is the one to report.
                let _ = fs::renameat_with(&self.held, &new, parent, name, RenameFlags::EXCHANGE);
                error.into()
            }),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                fs::renameat(parent, name, &self.held, &old)?;
                let placed = take_free_name(&self.held, &new, parent, name);
                if placed.is_err() {
                    // The first error is the one to report.
                    let _ = take_free_name(&self.held, &old, parent, name);
                }
                placed
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reverts [`exchange`](Self::exchange).
    pub(super) fn exchange_back(&self, number: usize, parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
        fs::renameat(parent, name, &self.held, Self::new_name(number))?;
        take_free_name(&self.held, &Self::old_name(number), parent, name)
    }

    /// Removes the folder and everything in it.
    pub(super) fn remove(&self, layer: &Layer) -> io::Result<()> {
        for name in names(&self.held)? {
            fs::unlinkat(&self.held, &name, AtFlags::empty())?;
        }
        Ok(fs::unlinkat(&layer.real, Self::folder(layer), AtFlags::REMOVEDIR)?)
    }
}
