//! The path of the control socket.

use std::{
    fs::{File, Permissions},
    io,
    os::{
        fd::AsRawFd as _,
        unix::{
            ffi::OsStrExt as _,
            fs::PermissionsExt as _,
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
};

use super::NAME;

/// Maximum bytes of a socket path. The kernel accepts a few more.
const LONGEST: usize = 100;

/// The socket in a run's folder.
pub(super) fn path(run_folder: &Path) -> PathBuf {
    run_folder.join(NAME)
}

/// Listens there, for the user only.
pub(super) fn bind(run_folder: &Path) -> io::Result<UnixListener> {
    let (path, _folder) = short(run_folder)?;
    let listener = UnixListener::bind(&path)?;
    // Until then only the folder's mode excludes others, which suffices.
    std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Connects to it.
pub(super) fn connect(run_folder: &Path) -> io::Result<UnixStream> {
    let (path, _folder) = short(run_folder)?;
    let stream = UnixStream::connect(path)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// A path that fits into a socket address, and the file that must stay open while it is used: a long path
/// goes through the folder's descriptor.
fn short(run_folder: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let whole = path(run_folder);
    if whole.as_os_str().as_bytes().len() <= LONGEST {
        return Ok((whole, None));
    }
    let folder = File::open(run_folder)?;
    Ok((PathBuf::from(format!("/proc/self/fd/{}/{NAME}", folder.as_raw_fd())), Some(folder)))
}
