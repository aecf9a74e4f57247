//! Sets content, owner, mode, times and name of a restored entry.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{self, AtFlags, Gid, Mode, RenameFlags, Uid};
use rustix::io::Errno;

use super::anchored::{look, look_at};
use super::entry_state::State;
use super::sparse;

/// Renames a finished file to its name, unless that exists by now.
pub fn take_free_name(from: &OwnedFd, part: &str, folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match fs::renameat_with(from, part, folder, name, RenameFlags::NOREPLACE) {
        // Some file systems cannot guarantee this.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if look(folder, name)?.is_some() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Ok(fs::renameat(from, part, folder, name)?)
        }
        other => Ok(other?),
    }
}

/// Sets the owner first, because changing it clears mode bits and capabilities; then attributes, including
/// access lists; then the mode, and the times last. It is an error if the file system does not keep the owner.
pub fn finish_file(open: impl AsFd, wanted: &State) -> io::Result<()> {
    let open = open.as_fd();
    give_owner_and_rights(open, wanted)?;
    Ok(fs::futimens(open, &wanted.mtime.as_modification())?)
}

/// The same, ignoring attributes that cannot be set: the caller checks them afterwards.
pub fn finish_file_as_far_as_allowed(open: impl AsFd, wanted: &State) -> io::Result<()> {
    let open = open.as_fd();
    own(open, wanted)?;
    let _ = give_attributes(open, wanted);
    give_mode(open, wanted)?;
    Ok(fs::futimens(open, &wanted.mtime.as_modification())?)
}

/// Like [`finish_file`], but leaves the times as they are.
///
/// # Errors
///
/// An attribute or the owner cannot be set, because this user may not, or because the file system does not keep it.
pub fn give_owner_and_rights(open: impl AsFd, wanted: &State) -> io::Result<()> {
    let open = open.as_fd();
    own(open, wanted)?;
    give_attributes(open, wanted)?;
    give_mode(open, wanted)?;
    let now = fs::fstat(open)?;
    if (now.st_uid, now.st_gid) == (wanted.uid, wanted.gid) {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the owner was not kept"))
    }
}

/// Sets the mode. A file never gets the set-id bits that another owner gave it.
fn give_mode(open: BorrowedFd<'_>, wanted: &State) -> io::Result<()> {
    let now = fs::fstat(open)?;
    let is_of_owner = (now.st_uid, now.st_gid) == (wanted.uid, wanted.gid);
    let set_id = if is_of_owner { Mode::empty() } else { Mode::SUID | Mode::SGID };
    Ok(fs::fchmod(open, wanted.permissions() - set_id)?)
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
        fs::fchmod(open, now.permissions() | Mode::RUSR | Mode::WUSR)?;
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

/// Copies content to an empty file, preserving its holes.
pub fn fill(source: &mut File, target: &File) -> io::Result<()> {
    if sparse::clone_blocks(source, target) { Ok(()) } else { sparse::copy(source, target).map(drop) }
}
