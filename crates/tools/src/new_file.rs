//! Writes a file below a folder, and nowhere else.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

/// What [`write()`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// The file is new.
    Created,
    /// The file took the place of an earlier one.
    Replaced,
    /// Nothing: something else has the name.
    Exists,
    /// Nothing: a folder has the name.
    IsFolder,
}

/// Writes `content` to `below`, a path without `..` and without symlinks, relative to `root`. Folders on the
/// way are opened one by one without following links, and everything happens relative to the folder held
/// open: somebody who exchanges a folder for a link meanwhile gains nothing. The content is written under
/// another name first and then takes its own in one step, which fails when the name is taken, unless
/// `replace` allows to take it from a file.
pub(crate) fn write(root: &Path, below: &Path, content: &[u8], replace: bool) -> io::Result<Written> {
    let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = open_folders(root, parent)?;
    let earlier = match fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => match FileType::from_raw_mode(found.st_mode) {
            kind if kind.is_dir() => return Ok(Written::IsFolder),
            kind if kind.is_file() && replace => Some(Mode::from_raw_mode(found.st_mode)),
            _ => return Ok(Written::Exists),
        },
        Err(Errno::NOENT) => None,
        Err(error) => return Err(error.into()),
    };
    let temporary = temporary_name();
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The user's mask takes its part of 0666 away.
    let mut file = File::from(fs::openat(&folder, &temporary, flags, Mode::from_raw_mode(0o666))?);
    let done = fill(&mut file, content, earlier).and_then(|()| match earlier {
        Some(_) => {
            fs::renameat(&folder, &temporary, &folder, name).map(|()| Written::Replaced).map_err(Into::into)
        }
        None => take_free_name(&folder, &temporary, name),
    });
    if !matches!(done, Ok(Written::Created | Written::Replaced)) {
        // The error that matters is the first one.
        let _ = fs::unlinkat(&folder, &temporary, AtFlags::empty());
    }
    done
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

/// Writes everything and makes sure that it is on the disk before the file gets its name. A file that takes
/// the place of another keeps its mode.
fn fill(file: &mut File, content: &[u8], mode: Option<Mode>) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(mode) = mode {
        fs::fchmod(&*file, mode)?;
    }
    file.sync_data()
}

fn take_free_name(folder: &OwnedFd, temporary: &str, name: &std::ffi::OsStr) -> io::Result<Written> {
    match fs::renameat_with(folder, temporary, folder, name, RenameFlags::NOREPLACE) {
        // File systems without this kind of renaming mostly have hard links, which do not replace either.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match fs::linkat(folder, temporary, folder, name, AtFlags::empty()) {
                Ok(()) => fs::unlinkat(folder, temporary, AtFlags::empty())?,
                Err(Errno::EXIST) => return Ok(Written::Exists),
                Err(error) => return Err(error.into()),
            }
            Ok(Written::Created)
        }
        Ok(()) => Ok(Written::Created),
        Err(Errno::EXIST) => Ok(Written::Exists),
        Err(error) => Err(error.into()),
    }
}

/// Hidden, and different for each write of this process; another process that takes the same name is refused
/// by the exclusive creation.
fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!(".artoo-{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
