//! The socket in a memory's folder.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

const NAME: &str = "owner.sock";
/// Read timeout after which a process checks whether to keep waiting.
const TICK: Duration = Duration::from_millis(100);
/// An owner that does not accept data within this time counts as gone.
const TAKES_WITHIN: Duration = Duration::from_secs(10);

/// Listens in a memory's folder. Requires the lock: a socket left by a previous owner is removed.
pub(super) fn listen(memory: &Path) -> io::Result<UnixListener> {
    remove(memory)?;
    let listener = in_folder(memory, |path| UnixListener::bind(path))?;
    std::fs::set_permissions(memory.join(NAME), Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Removes the socket's name.
pub(super) fn remove(memory: &Path) -> io::Result<()> {
    match std::fs::remove_file(memory.join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Connects to the owner, if there is one of the same user.
pub(super) fn connect(memory: &Path) -> io::Result<UnixStream> {
    let stream = in_folder(memory, |path| UnixStream::connect(path))?;
    check_peer(&stream)?;
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(TAKES_WITHIN))?;
    Ok(stream)
}

/// Refuses other users.
pub(super) fn check_peer(stream: &UnixStream) -> io::Result<()> {
    if peer_uid(stream)? == rustix::process::geteuid().as_raw() {
        Ok(())
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[cfg(target_os = "linux")]
fn peer_uid(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

#[cfg(not(target_os = "linux"))]
fn peer_uid(stream: &UnixStream) -> io::Result<u32> {
    let (uid, _) = nix::unistd::getpeereid(stream)?;
    Ok(uid.as_raw())
}

/// A socket address has room for a hundred characters. A folder's path may be longer, but a path through its
/// descriptor never is.
#[cfg(target_os = "linux")]
fn in_folder<T>(memory: &Path, reach: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    use std::os::fd::AsRawFd as _;
    let folder = std::fs::File::open(memory)?;
    reach(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(NAME))
}

/// Without `/proc` a longer path is refused by the system.
#[cfg(not(target_os = "linux"))]
fn in_folder<T>(memory: &Path, reach: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    reach(&memory.join(NAME))
}
