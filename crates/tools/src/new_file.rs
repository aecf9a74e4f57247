//! Writes a file below a folder, whole or not at all, without following symlinks out of it.
//!
//! A file that exists stays what it is: its owner, group, mode, access list and other attributes, and the names that it
//! has besides. A new content is written beside it and renamed over it, which is one step. Where that would lose
//! something (a second name, an owner that may not be given, a file that is mounted by itself), the content is written
//! into the file: the whole of it lies beside the file until then, and what was there before is kept for undo, so that
//! nothing is lost by a crash in between.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use artoo_anchored_files::{State, give_owner_and_rights, look, look_at};
use rustix::fs::{self, AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

/// The outcome of [`write()`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// The file is new.
    Created,
    /// An existing file has the content.
    Replaced,
    /// Nothing was written: the name is taken.
    Exists,
    /// Nothing was written: the name belongs to a folder.
    IsFolder,
}

/// Writes `content` to `below`, a path without `..` and without symlinks, relative to `root`. Parent folders
/// are opened one by one without following links, and everything happens relative to the open folder:
/// exchanging a folder for a link meanwhile has no effect. A name that is taken is an outcome, unless `replace` allows to
/// write an existing file anew.
pub(crate) fn write(root: &Path, below: &Path, content: &[u8], replace: bool) -> io::Result<Written> {
    let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = open_folders(root, parent)?;
    match look(&folder, name)? {
        None => create(&folder, name, content),
        Some(found) if found.is_folder() => Ok(Written::IsFolder),
        Some(found) if found.is_file() && replace => {
            renew(&folder, name, content, &found).map(|()| Written::Replaced)
        }
        Some(_) => Ok(Written::Exists),
    }
}

fn open_folders(root: &Path, below: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = fs::open(root, flags, Mode::empty())?;
    for part in below.components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        match fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        folder = fs::openat(&folder, name, flags, Mode::empty())?;
    }
    Ok(folder)
}

fn create(folder: &OwnedFd, name: &OsStr, content: &[u8]) -> io::Result<Written> {
    // The umask is applied to it.
    let mut part = Part::new(folder, Mode::from_raw_mode(0o666))?;
    part.fill(content)?;
    part.file.sync_data()?;
    match fs::renameat_with(folder, &part.name, folder, name, RenameFlags::NOREPLACE) {
        Ok(()) => {
            part.is_gone = true;
            Ok(Written::Created)
        }
        Err(Errno::EXIST) => Ok(Written::Exists),
        // File systems without this rename flag mostly have hard links, which do not replace either.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match fs::linkat(folder, &part.name, folder, name, AtFlags::empty()) {
                Ok(()) => Ok(Written::Created),
                Err(Errno::EXIST) => Ok(Written::Exists),
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives a file another content.
fn renew(folder: &OwnedFd, name: &OsStr, content: &[u8], found: &State) -> io::Result<()> {
    // Nobody else may read it before it has the rights of the file.
    let mut part = match Part::new(folder, Mode::from_raw_mode(0o600)) {
        // The file may be writable where its folder is not.
        Err(error) if is_of_the_folder(&error) => return write_into(folder, name, content, found),
        made => made?,
    };
    part.fill(content)?;
    let is_alike = found.links == 1 && give_owner_and_rights(&part.file, found).is_ok();
    part.file.sync_data()?;
    if is_alike {
        match fs::renameat(folder, &part.name, folder, name) {
            Ok(()) => {
                part.is_gone = true;
                return Ok(());
            }
            // It is mounted by itself, or the folder lets nobody replace the files of others.
            Err(Errno::BUSY | Errno::PERM | Errno::ACCESS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    write_into(folder, name, content, found)
}

fn is_of_the_folder(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}

/// Writes into the file itself. The kernel takes the set-id bits from a file that somebody else than its owner writes.
fn write_into(folder: &OwnedFd, name: &OsStr, content: &[u8], found: &State) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut file = File::from(fs::openat(folder, name, flags, Mode::empty())?);
    let now = look_at(&file)?;
    if !now.is_file() || !now.is_same_inode(found) {
        return Err(io::Error::other("it was replaced meanwhile"));
    }
    let length = content.len() as u64;
    #[cfg(target_os = "linux")]
    make_room(&file, length)?;
    file.write_all(content)?;
    file.set_len(length)?;
    if look_at(&file)?.mode != found.mode {
        // Its owner may keep the bits; for anybody else they are gone, as they should.
        let _ = fs::fchmod(&file, found.permissions());
    }
    file.sync_data()
}

/// Makes sure that there is room before anything is overwritten.
#[cfg(target_os = "linux")]
fn make_room(file: &File, length: u64) -> io::Result<()> {
    match fs::fallocate(file, fs::FallocateFlags::KEEP_SIZE, 0, length.max(1)) {
        // Not every file system can.
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A file under a temporary name, which is removed unless it got another one.
struct Part<'a> {
    folder: &'a OwnedFd,
    name: String,
    file: File,
    is_gone: bool,
}

impl<'a> Part<'a> {
    fn new(folder: &'a OwnedFd, mode: Mode) -> io::Result<Self> {
        let name = temporary_name();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(fs::openat(folder, &name, flags, mode)?);
        Ok(Self { folder, name, file, is_gone: false })
    }

    fn fill(&mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(content)
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if !self.is_gone {
            // The error that led here is the one that matters.
            let _ = fs::unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// A hidden name, different for each write of this process; a clash with another process fails on exclusive
/// creation.
fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!(".artoo-{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
