//! Giving an entry its content, its owner, its mode, its times and its name.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{self, AtFlags, Gid, Mode, RenameFlags, Uid};
use rustix::io::Errno;

use super::anchored::{look, look_at};
use super::pieces;
use super::state::State;

/// Gives a finished file its name, which nobody may have taken meanwhile.
pub fn take_free_name(from: &OwnedFd, part: &str, folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match fs::renameat_with(from, part, folder, name, RenameFlags::NOREPLACE) {
        // Some file systems cannot promise it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if look(folder, name)?.is_some() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Ok(fs::renameat(from, part, folder, name)?)
        }
        other => Ok(other?),
    }
}

/// Owner first, because changing it takes bits of the mode and capabilities away; then attributes, which an access list is one of; the mode, and the
/// times last.
pub fn finish_file(open: impl AsFd, wanted: &State) -> io::Result<()> {
    let open = open.as_fd();
    own(open, wanted)?;
    give_attributes(open, wanted)?;
    fs::fchmod(open, Mode::from_raw_mode(wanted.mode))?;
    Ok(fs::futimens(open, &wanted.mtime.as_modification())?)
}

/// The same, but for attributes that nobody lets us give: whoever calls looks at them afterwards.
pub fn finish_file_as_far_as_allowed(open: impl AsFd, wanted: &State) -> io::Result<()> {
    let open = open.as_fd();
    own(open, wanted)?;
    let _ = give_attributes(open, wanted);
    fs::fchmod(open, Mode::from_raw_mode(wanted.mode))?;
    Ok(fs::futimens(open, &wanted.mtime.as_modification())?)
}

fn own(open: BorrowedFd<'_>, wanted: &State) -> io::Result<()> {
    let now = fs::fstat(open)?;
    if (now.st_uid, now.st_gid) != (wanted.uid, wanted.gid) {
        fs::fchown(open, Some(Uid::from_raw(wanted.uid)), Some(Gid::from_raw(wanted.gid)))?;
    }
    Ok(())
}

fn give_attributes(open: BorrowedFd<'_>, wanted: &State) -> io::Result<()> {
    let now = look_at(open)?;
    if now.attributes == wanted.attributes {
        return Ok(());
    }
    if now.mode & 0o600 != 0o600 {
        fs::fchmod(open, Mode::from_raw_mode(now.mode | 0o600))?;
    }
    wanted.attributes.give(open)
}

/// Gives a finished link the owner and the time of another; it has no other mode.
pub fn finish_link(parent: &OwnedFd, name: &OsStr, wanted: &State) -> io::Result<()> {
    let now = look(parent, name)?;
    if now.is_some_and(|now| (now.uid, now.gid) != (wanted.uid, wanted.gid)) {
        let (uid, gid) = (Uid::from_raw(wanted.uid), Gid::from_raw(wanted.gid));
        fs::chownat(parent, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
    }
    Ok(fs::utimensat(parent, name, &wanted.mtime.as_modification(), AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Puts a content into an empty file, and leaves its holes as holes.
pub fn fill(source: &mut File, target: &File) -> io::Result<()> {
    if pieces::clone_blocks(source, target) { Ok(()) } else { pieces::copy(source, target).map(drop) }
}
