//! Mount helpers: the list of mount points, and calls that change the mounts of a process in its own mount
//! namespace. All but the list are bare system calls.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{CWD, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};

use crate::child_data::last_error;

/// To hold a folder, not what a link in its place leads to.
pub(crate) const FOLDER: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Where something is mounted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MountPoint {
    pub(crate) path: PathBuf,
    pub(crate) is_in_memory: bool,
}

impl MountPoint {
    /// One line of the table: number, parent, device, root, mount point, options, optional fields, a dash, kind, ...
    fn read(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let path = unescaped(fields.next()?);
        let is_in_memory = fields.skip_while(|field| *field != b"-").nth(1) == Some(b"tmpfs");
        Some(Self { path, is_in_memory })
    }
}

/// All mount points, sorted.
pub(crate) fn mount_points() -> io::Result<Vec<MountPoint>> {
    let table = fs::read("/proc/self/mountinfo")?;
    let points: BTreeSet<MountPoint> =
        table.split(|byte| *byte == b'\n').filter_map(MountPoint::read).collect();
    Ok(points.into_iter().collect())
}

/// The most places that are held: their descriptors are on the child's stack.
pub(crate) const MOST_HELD: usize = 64;

/// Copies of what lies at some places, to put back what a mount above them covers.
#[derive(Debug)]
pub(crate) struct OpenPlaces([Option<OwnedFd>; MOST_HELD]);

impl OpenPlaces {
    /// Of these places, which are at most [`MOST_HELD`]. What is gone is left out.
    pub(crate) fn of(places: &[CString]) -> Result<Self, Errno> {
        let mut held = [const { None::<OwnedFd> }; MOST_HELD];
        if places.len() > held.len() {
            return Err(Errno::NFILE);
        }
        for (held, place) in held.iter_mut().zip(places) {
            *held = match clone_of(place) {
                Ok(clone) => Some(clone),
                Err(Errno::NOENT) => None,
                Err(error) => return Err(error),
            };
        }
        Ok(Self(held))
    }

    pub(crate) fn put_back(&self, places: &[CString]) -> Result<(), Errno> {
        let held = self.0.iter().zip(places);
        held.filter_map(|(held, place)| Some((held.as_ref()?, place)))
            .try_for_each(|(held, place)| put_mount(held, place))
    }
}

/// Decodes a path of the table, which writes some characters as a backslash and three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut path = Vec::new();
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| *first == b'\\');
        let code = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match code {
            Some(byte) => {
                path.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                path.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

/// An empty file system in memory, for covers, whose root has this mode. Not mounted anywhere yet.
pub(crate) fn empty_file_system(mode: &CStr) -> Result<OwnedFd, Errno> {
    file_system_in_memory(mode, c"65536")
}

/// An empty file system in memory whose root has this mode and which holds this many bytes. Nothing in it can be
/// executed. Not mounted anywhere yet.
pub(crate) fn file_system_in_memory(mode: &CStr, size: &CStr) -> Result<OwnedFd, Errno> {
    let system = fsopen(c"tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&system, c"mode", mode)?;
    fsconfig_set_string(&system, c"size", size)?;
    fsconfig_create(&system)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    fsmount(&system, FsMountFlags::FSMOUNT_CLOEXEC, attributes | MountAttrFlags::MOUNT_ATTR_NOEXEC)
}

const CLONE: OpenTreeFlags = OpenTreeFlags::OPEN_TREE_CLONE.union(OpenTreeFlags::OPEN_TREE_CLOEXEC);

/// A detached copy of the mount at a path, with all mounts inside it.
pub(crate) fn clone_of(path: &CStr) -> Result<OwnedFd, Errno> {
    open_tree(CWD, path, CLONE | OpenTreeFlags::AT_RECURSIVE)
}

pub(crate) fn clone_within(mount: &OwnedFd, path: &CStr) -> Result<OwnedFd, Errno> {
    open_tree(mount, path, CLONE | OpenTreeFlags::AT_EMPTY_PATH)
}

pub(crate) fn put_mount(mount: &OwnedFd, place: &CStr) -> Result<(), Errno> {
    move_mount(mount, c"", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// Makes everything mounted at and below the path read-only, or one mount writable again.
pub(crate) fn set_read_only(path: &CStr, read_only: bool) -> Result<(), Errno> {
    let (set, clear, flags) = match read_only {
        true => (libc::MOUNT_ATTR_RDONLY, 0, libc::AT_RECURSIVE),
        false => (0, libc::MOUNT_ATTR_RDONLY, 0),
    };
    let wanted = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the path is a string, and `wanted` a whole structure of the size passed; the kernel only reads
    // both.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_line_of_the_table_tells_the_place_and_whether_it_is_in_memory() {
        for (line, path, is_in_memory) in [
            ("30 22 0:26 / /run rw,nosuid shared:5 master:2 - tmpfs tmpfs rw", "/run", true),
            ("22 1 254:0 / / rw,relatime - ext4 /dev/vda rw", "/", false),
            ("22 1 254:0 / /tmpfs rw", "/tmpfs", false),
        ] {
            let expected = MountPoint { path: path.into(), is_in_memory };
            assert_eq!(MountPoint::read(line.as_bytes()), Some(expected), "{line}");
        }
        assert_eq!(MountPoint::read(b""), None);
    }

    #[test]
    fn names_of_mounts_are_read_as_the_kernel_writes_them() {
        assert_eq!(unescaped(br"/a\040b\134c\011"), Path::new("/a b\\c\t"));
        assert_eq!(unescaped(br"/plain\"), Path::new("/plain\\"));
        assert_eq!(unescaped("/数据".as_bytes()), Path::new("/数据"));
    }
}
