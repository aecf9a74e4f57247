//! Removal of a folder that a command has filled.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{self, AtFlags, FileType, Mode, RenameFlags};
use rustix::io::Errno;

use artoo_anchored_files::{open_entry_folder, open_root, some_names};

/// The number of entries read at a time.
const SOME: usize = 32 * 1024;

/// Removes a folder and everything in it, whatever its modes, depth and size: subfolders are moved to the
/// top, so that only two folders are open at a time, and the names of a folder are never all held in memory.
/// No link is followed.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let top = open_root(path)?;
    let mut number = 0_u64;
    loop {
        let (names, _) = some_names(&top, SOME)?;
        if names.is_empty() {
            return Ok(fs::rmdir(path)?);
        }
        for name in names {
            if !remove_entry(&top, &name)? {
                empty(&open(&top, &name)?, &top, &mut number)?;
                fs::unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
            }
        }
    }
}

/// Removes the contents of a folder, but moves its subfolders to the top.
fn empty(folder: &OwnedFd, top: &OwnedFd, number: &mut u64) -> io::Result<()> {
    loop {
        let (names, _) = some_names(folder, SOME)?;
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            if !remove_entry(folder, &name)? {
                // A folder must be writable itself to be moved.
                open(folder, &name)?;
                raise(folder, &name, top, number)?;
            }
        }
    }
}

/// Removes an entry that is not a folder; returns `false` for a folder.
fn remove_entry(folder: &OwnedFd, name: &OsStr) -> io::Result<bool> {
    let found = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(found.st_mode).is_dir() {
        return Ok(false);
    }
    fs::unlinkat(folder, name, AtFlags::empty())?;
    Ok(true)
}

fn open(parent: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    // It is known to be a folder, and no other process uses it.
    fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty())?;
    open_entry_folder(parent, name)
}

/// Moves a folder to the top under an unused name.
fn raise(folder: &OwnedFd, name: &OsStr, top: &OwnedFd, number: &mut u64) -> io::Result<()> {
    loop {
        *number = number.saturating_add(1);
        let free: OsString = format!("raised-{number}").into();
        match fs::renameat_with(folder, name, top, &free, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_anchored_files::names;

    use super::*;
    use std::fs::{create_dir, create_dir_all, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn what_is_deep_closed_or_a_link_goes_and_what_a_link_names_stays() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        write(folder.path().join("precious"), "precious").unwrap();
        create_dir(folder.path().join("kept")).unwrap();
        create_dir_all(top.join("raised-1/raised-1/raised-2")).unwrap();
        symlink(folder.path().join("kept"), top.join("raised-1/link")).unwrap();
        symlink(folder.path().join("precious"), top.join("link")).unwrap();
        write(top.join("raised-1/raised-1/file"), "x").unwrap();
        let mut deep = open_root(&top).unwrap();
        for _ in 0..1_100 {
            fs::mkdirat(&deep, "a-name-that-is-not-short", Mode::RWXU).unwrap();
            deep = open_entry_folder(&deep, OsStr::new("a-name-that-is-not-short")).unwrap();
        }
        set_permissions(top.join("raised-1/raised-1"), PermissionsExt::from_mode(0o000)).unwrap();
        set_permissions(top.join("raised-1"), PermissionsExt::from_mode(0o500)).unwrap();
        remove_tree(&top).unwrap();
        let left: Vec<_> = names(open_root(folder.path()).unwrap()).unwrap();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}
