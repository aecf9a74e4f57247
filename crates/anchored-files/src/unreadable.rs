//! Reading a file that belongs to this user but whose mode denies reading.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use super::anchored::open_file;
use super::xattrs::Attributes;

/// Opens a file whatever its mode, changing the mode for a moment if necessary, which updates its ctime. Only
/// for a file that is about to be changed anyway.
pub fn open_whatever_mode(folder: impl AsFd, name: &OsStr) -> io::Result<File> {
    read_whatever_mode(folder, name).map(|(file, _)| file)
}

/// The same, with its attributes, which cannot be read otherwise either.
pub fn read_whatever_mode(folder: impl AsFd, name: &OsStr) -> io::Result<(File, Attributes)> {
    match open_file(&folder, name) {
        // The first error is the one to report: only the owner may change a mode.
        Err(refused) if refused.kind() == io::ErrorKind::PermissionDenied => {
            unlocked(folder.as_fd(), name).map_err(|_| refused)
        }
        file => {
            let file = file?;
            let attributes = Attributes::of(&file)?;
            Ok((file, attributes))
        }
    }
}

#[cfg(target_os = "linux")]
fn unlocked(folder: std::os::fd::BorrowedFd<'_>, name: &OsStr) -> io::Result<(File, Attributes)> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{self, FileType, Mode, OFlags};

    let file = fs::openat(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let found = fs::fstat(&file)?;
    if !FileType::from_raw_mode(found.st_mode).is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // This path leads to the open file, even if its name is replaced meanwhile.
    let held = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::chmod(&held, Mode::from_raw_mode(found.st_mode | 0o400))?;
    let opened = fs::open(&held, OFlags::RDONLY | OFlags::NOATIME | OFlags::CLOEXEC, Mode::empty());
    let attributes = opened.as_ref().map(Attributes::of);
    fs::chmod(&held, Mode::from_raw_mode(found.st_mode))?;
    let attributes = attributes.unwrap_or_else(|_| Ok(Attributes::default()))?;
    Ok((opened?.into(), attributes))
}

#[cfg(not(target_os = "linux"))]
fn unlocked(_: std::os::fd::BorrowedFd<'_>, _: &OsStr) -> io::Result<(File, Attributes)> {
    Err(io::ErrorKind::Unsupported.into())
}
