//! Writes a file atomically below a folder, without following symlinks out of it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

/// The outcome of [`write()`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// The file is new.
    Created,
    /// An existing file was replaced.
    Replaced,
    /// Nothing was written: the name is taken.
    Exists,
    /// Nothing was written: the name belongs to a folder.
    IsFolder,
}

/// Writes `content` to `below`, a path without `..` and without symlinks, relative to `root`. Parent folders
/// are opened one by one without following links, and everything happens relative to the open folder:
/// exchanging a folder for a link meanwhile has no effect. The content is written under a temporary name
/// first and then renamed in one step, which fails if the name is taken, unless `replace` allows to replace a
/// file.
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
    // The umask is applied to 0666.
    let mut file = File::from(fs::openat(&folder, &temporary, flags, Mode::from_raw_mode(0o666))?);
    let done = fill(&mut file, content, earlier).and_then(|()| match earlier {
        Some(_) => {
            fs::renameat(&folder, &temporary, &folder, name).map(|()| Written::Replaced).map_err(Into::into)
        }
        None => take_free_name(&folder, &temporary, name),
    });
    if !matches!(done, Ok(Written::Created | Written::Replaced)) {
        // The first error is the one that matters.
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

/// Writes everything and syncs it to the disk before the file gets its name. A file that replaces another
/// keeps its mode.
fn fill(file: &mut File, content: &[u8], mode: Option<Mode>) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(mode) = mode {
        fs::fchmod(&*file, mode)?;
    }
    file.sync_data()
}

fn take_free_name(folder: &OwnedFd, temporary: &str, name: &std::ffi::OsStr) -> io::Result<Written> {
    match fs::renameat_with(folder, temporary, folder, name, RenameFlags::NOREPLACE) {
        // File systems without this rename flag mostly have hard links, which do not replace either.
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

/// A hidden name, different for each write of this process; a clash with another process fails on exclusive
/// creation.
fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!(".artoo-{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
