//! Access to entries below an open folder, without following a link on the way.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::entry_state::State;
use super::relative_path::{Below, RawPath};
use super::xattrs::Attributes;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Reading does not update the access time. Only the owner may request that.
#[cfg(target_os = "linux")]
const UNNOTICED: OFlags = OFlags::NOATIME;
#[cfg(not(target_os = "linux"))]
const UNNOTICED: OFlags = OFlags::empty();

/// Opens a root. The last component of its path may not be a link.
pub fn open_root(path: &Path) -> io::Result<OwnedFd> {
    open_unnoticed(fs::CWD, path, FOLDER)
}

/// Opens a folder inside a folder.
pub fn open_entry_folder(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    open_unnoticed(folder, name, FOLDER)
}

/// Opens a folder below a root, one path component at a time. Replacing a folder with a link meanwhile
/// achieves nothing: the kernel refuses to open a link as a folder.
pub fn open_folder(root: &OwnedFd, below: &Below) -> io::Result<OwnedFd> {
    let mut folder = root.try_clone()?;
    for part in below.path().components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        folder = open_entry_folder(&folder, name)?;
    }
    Ok(folder)
}

/// Opens a regular file for reading, and checks that it is one: a FIFO in its place could block forever.
pub fn open_file(folder: impl AsFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = open_unnoticed(folder, name, flags)?;
    if FileType::from_raw_mode(fs::fstat(&file)?.st_mode).is_file() {
        Ok(file.into())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}

fn open_unnoticed(
    folder: impl AsFd,
    name: impl rustix::path::Arg + Copy,
    flags: OFlags,
) -> io::Result<OwnedFd> {
    let folder = folder.as_fd();
    match fs::openat(folder, name, flags | UNNOTICED, Mode::empty()) {
        Err(Errno::PERM) => Ok(fs::openat(folder, name, flags, Mode::empty())?),
        other => Ok(other?),
    }
}

/// The state of an entry in an open folder; `None` if it does not exist.
pub fn look(folder: impl AsFd, name: &OsStr) -> io::Result<Option<State>> {
    let folder = folder.as_fd();
    let found = match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => found,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let target = if FileType::from_raw_mode(found.st_mode).is_symlink() {
        match fs::readlinkat(folder, name, Vec::new()) {
            Ok(target) => Some(RawPath::from(bytes_as_path(target.as_bytes()))),
            // It was replaced meanwhile.
            Err(Errno::NOENT | Errno::INVAL) => None,
            Err(error) => return Err(error.into()),
        }
    } else {
        None
    };
    let Some(mut state) = State::of(&found, target) else { return Ok(None) };
    if state.is_file() || state.is_folder() {
        state.attributes = Attributes::at(folder, name)?;
    }
    Ok(Some(state))
}

/// The state of an open folder or file.
pub fn look_at(open: impl AsFd) -> io::Result<State> {
    let open = open.as_fd();
    let state = State::of(&fs::fstat(open)?, None).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(State { attributes: Attributes::of(open)?, ..state })
}

/// The state of a path. A path whose folder is gone, or is no folder any more, does not exist.
pub fn look_below(root: &OwnedFd, below: &Below) -> io::Result<Option<State>> {
    let Some((parent, name)) = below.place() else { return look_at(root).map(Some) };
    match open_folder(root, &parent) {
        Ok(folder) => look(&folder, name),
        Err(error) if is_no_folder(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an error means that something does not exist or is not a folder.
pub fn is_no_folder(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}

/// The names in a folder, unordered.
pub fn names(folder: impl AsFd) -> io::Result<Vec<OsString>> {
    Ok(some_names(folder, usize::MAX)?.0)
}

/// At most `most` of them, and whether these are all.
pub fn some_names(folder: impl AsFd, most: usize) -> io::Result<(Vec<OsString>, bool)> {
    let mut names = Vec::new();
    for entry in fs::Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        if names.len() >= most {
            return Ok((names, false));
        }
        names.push(bytes_as_path(name).as_os_str().to_owned());
    }
    Ok((names, true))
}

/// Looks up many paths below a root; keeps the last folder open for the next lookup.
pub struct Lookout<'a> {
    root: &'a OwnedFd,
    open: Option<(Below, OwnedFd)>,
}

impl<'a> Lookout<'a> {
    /// Of an open root.
    pub fn new(root: &'a OwnedFd) -> Self {
        Self { root, open: None }
    }

    /// As [`look_below`].
    pub fn look(&mut self, below: &Below) -> io::Result<Option<State>> {
        let Some((parent, name)) = below.place() else { return look_at(self.root).map(Some) };
        match self.folder(&parent) {
            Ok(folder) => look(folder, name),
            Err(error) if is_no_folder(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The folder itself, open.
    pub fn folder(&mut self, below: &Below) -> io::Result<&OwnedFd> {
        let open = match self.open.take().filter(|(held, _)| held == below) {
            Some(open) => open,
            None => (below.clone(), open_folder(self.root, below)?),
        };
        Ok(&self.open.insert(open).1)
    }
}

fn bytes_as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}
