//! Looking at entries below a folder that is held open, without following a link on the way.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::below::{Below, RawPath};
use super::state::State;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a root. The last name of its path may not be a link.
pub(crate) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    Ok(fs::open(path, FOLDER, Mode::empty())?)
}

/// Opens a folder inside a folder.
pub(crate) fn open_entry_folder(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    Ok(fs::openat(folder, name, FOLDER, Mode::empty())?)
}

/// Opens a folder below a root, one name after the other. Somebody who exchanges a folder for a link meanwhile gains
/// nothing: the kernel refuses to open a link as a folder.
pub(crate) fn open_folder(root: &OwnedFd, below: &Below) -> io::Result<OwnedFd> {
    let mut folder = root.try_clone()?;
    for part in below.path().components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        folder = open_entry_folder(&folder, name)?;
    }
    Ok(folder)
}

/// Opens a file for reading, and makes sure that it is one: a fifo in its place would never answer.
pub(crate) fn open_file(folder: impl AsFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = fs::openat(folder, name, flags, Mode::empty())?;
    if FileType::from_raw_mode(fs::fstat(&file)?.st_mode).is_file() {
        Ok(file.into())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// What an entry of an open folder is; `None` where there is nothing of this name.
pub(crate) fn look(folder: impl AsFd, name: &OsStr) -> io::Result<Option<State>> {
    let folder = folder.as_fd();
    let found = match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => found,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let target = if FileType::from_raw_mode(found.st_mode).is_symlink() {
        match fs::readlinkat(folder, name, Vec::new()) {
            Ok(target) => Some(RawPath::from(bytes_as_path(target.as_bytes()))),
            // It was exchanged meanwhile.
            Err(Errno::NOENT | Errno::INVAL) => None,
            Err(error) => return Err(error.into()),
        }
    } else {
        None
    };
    Ok(State::of(&found, target))
}

/// What an open folder or file is.
pub(crate) fn look_at(open: impl AsFd) -> io::Result<State> {
    State::of(&fs::fstat(open)?, None).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// What a path is. A path whose folder is gone, or is no folder any more, holds nothing.
pub(crate) fn look_below(root: &OwnedFd, below: &Below) -> io::Result<Option<State>> {
    let Some((parent, name)) = below.place() else { return look_at(root).map(Some) };
    match open_folder(root, &parent) {
        Ok(folder) => look(&folder, name),
        Err(error) if is_no_folder(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an error says that something is not there or is not a folder.
pub(crate) fn is_no_folder(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}

/// The names in a folder, in no order.
pub(crate) fn names(folder: impl AsFd) -> io::Result<Vec<std::ffi::OsString>> {
    let mut names = Vec::new();
    for entry in fs::Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(bytes_as_path(name).as_os_str().to_owned());
        }
    }
    Ok(names)
}

fn bytes_as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}
