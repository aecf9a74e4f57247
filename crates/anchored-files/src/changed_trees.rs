//! What the tests share: a picture of a tree, and things that can be done to one.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "only tests run this")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

/// Everything that must be the same again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub mode: u32,
    pub mtime: (i64, i64),
    /// The bytes of a file, the target of a link.
    pub content: Option<Vec<u8>>,
    /// The first name of the same file.
    pub same_as: Option<PathBuf>,
    /// Extended attributes and access lists.
    pub attributes: BTreeMap<String, Vec<u8>>,
    /// The blocks allocated to a file: fewer if it has holes.
    pub blocks: Option<u64>,
}

/// A tree, byte for byte.
pub fn picture(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(path) = waiting.pop() {
        let found = path.symlink_metadata().unwrap();
        // Opened for the picture only.
        let is_closed = found.is_file() && found.mode() & 0o400 == 0;
        if is_closed {
            fs::set_permissions(&path, fs::Permissions::from_mode(found.mode() | 0o400)).unwrap();
        }
        let content = if found.is_file() {
            Some(fs::read(&path).unwrap())
        } else if found.is_symlink() {
            Some(fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec())
        } else {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            None
        };
        let one = Seen {
            mode: found.mode(),
            mtime: (found.mtime(), found.mtime_nsec()),
            content,
            same_as: None,
            attributes: attributes(&path),
            blocks: found.is_file().then(|| found.blocks()),
        };
        if is_closed {
            fs::set_permissions(&path, fs::Permissions::from_mode(found.mode())).unwrap();
        }
        seen.insert(path, one);
    }
    let mut first = BTreeMap::new();
    for (path, one) in &mut seen {
        let found = path.symlink_metadata().unwrap();
        if found.is_file() {
            let name = first.entry((found.dev(), found.ino())).or_insert_with(|| path.clone());
            one.same_as = Some(name.clone());
        }
    }
    seen
}

/// Sets the same old times in both trees, to distinguish what a script touched from what it did not.
pub fn age(root: &Path) {
    for (number, path) in picture(root).into_keys().collect::<Vec<_>>().into_iter().rev().enumerate() {
        let time = Timespec { tv_sec: 1_000_000_000 + number as i64, tv_nsec: 123_456_789 };
        let times = Timestamps { last_access: time, last_modification: time };
        utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
    }
}

/// Read independently, by other calls than the snapshot's.
fn attributes(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut list = vec![0; 64 * 1024];
    let length = rustix::fs::llistxattr(path, &mut list[..]).unwrap();
    let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let values = names.map(|name| {
        let mut value = vec![0; 64 * 1024];
        let length = rustix::fs::lgetxattr(path, name, &mut value[..]).unwrap();
        value.truncate(length);
        (String::from_utf8_lossy(name).into_owned(), value)
    });
    values.collect()
}

/// An access list in the kernel's attribute format that grants these rights to one more user.
pub fn acl(user: u32, rights: u16) -> Vec<u8> {
    let nobody = u32::MAX;
    let entries = [(1, 7, nobody), (2, rights, user), (4, 4, nobody), (0x10, 7, nobody), (0x20, 4, nobody)];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        bytes.extend(u16::to_le_bytes(tag));
        bytes.extend(u16::to_le_bytes(rights));
        bytes.extend(u32::to_le_bytes(id));
    }
    bytes
}

/// Something that a command may do to a tree. Most of these fail most of the time, and that is fine.
#[derive(Debug, Clone)]
pub enum Deed {
    Write(PathBuf, Vec<u8>),
    Append(PathBuf, Vec<u8>),
    /// Rewrites a file with other bytes of the same length and restores its mtime.
    Forge(PathBuf),
    Folder(PathBuf),
    Remove(PathBuf),
    Move(PathBuf, PathBuf),
    Copy(PathBuf, PathBuf),
    Mode(PathBuf, u32),
    Link(PathBuf, PathBuf),
    HardLink(PathBuf, PathBuf),
    Time(PathBuf, u32),
}

impl Deed {
    pub fn done_in(&self, root: &Path) {
        // Errors do not matter.
        let _ = self.attempt(root);
    }

    fn attempt(&self, root: &Path) -> io::Result<()> {
        match self {
            Self::Write(path, bytes) => fs::write(root.join(path), bytes),
            Self::Append(path, bytes) => {
                fs::OpenOptions::new().append(true).open(root.join(path))?.write_all(bytes)
            }
            Self::Forge(path) => {
                let path = root.join(path);
                let time = fs::metadata(&path)?.modified()?;
                let other: Vec<u8> = fs::read(&path)?.iter().map(|byte| byte.wrapping_add(1)).collect();
                fs::write(&path, other)?;
                fs::File::open(&path)?.set_modified(time)
            }
            Self::Folder(path) => fs::create_dir_all(root.join(path)),
            Self::Remove(path) => {
                let path = root.join(path);
                if path.symlink_metadata()?.is_dir() {
                    fs::remove_dir_all(path)
                } else {
                    fs::remove_file(path)
                }
            }
            Self::Move(from, to) => fs::rename(root.join(from), root.join(to)),
            Self::Copy(from, to) => fs::copy(root.join(from), root.join(to)).map(drop),
            Self::Mode(path, mode) => {
                let path = root.join(path);
                let found = path.symlink_metadata()?;
                if found.is_symlink() {
                    return Ok(());
                }
                // Folders stay open to their owner, so that a test without root can read them.
                let mode = if found.is_dir() { mode | 0o500 } else { mode | 0o400 };
                fs::set_permissions(path, fs::Permissions::from_mode(mode))
            }
            Self::Link(target, path) => symlink(target, root.join(path)),
            Self::HardLink(from, to) => fs::hard_link(root.join(from), root.join(to)),
            Self::Time(path, seconds) => {
                let time =
                    SystemTime::UNIX_EPOCH + Duration::new(u64::from(*seconds), *seconds % 1_000_000_000);
                fs::File::open(root.join(path))?.set_modified(time)
            }
        }
    }
}

pub fn name() -> impl Strategy<Value = PathBuf> {
    let names: Vec<&[u8]> =
        vec![b"a", b"b", b"c", "数据".as_bytes(), "📊.txt".as_bytes(), b"bad\xff\xfe", b"new\nline", b" "];
    prop::sample::select(names).prop_map(|name| PathBuf::from(OsStr::from_bytes(name)))
}

pub fn path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(name(), 1..4).prop_map(|names| names.iter().collect())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![Just(b"same".to_vec()), prop::collection::vec(any::<u8>(), 0..40)]
}

pub fn deeds(most: usize) -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec(deed(), 0..most)
}

pub fn deed() -> impl Strategy<Value = Deed> {
    let mode = prop::sample::select(vec![0o600, 0o644, 0o755, 0o444, 0o4755, 0o1777, 0o040]);
    prop_oneof![
        4 => (path(), bytes()).prop_map(|(path, bytes)| Deed::Write(path, bytes)),
        1 => (path(), bytes()).prop_map(|(path, bytes)| Deed::Append(path, bytes)),
        1 => path().prop_map(Deed::Forge),
        3 => path().prop_map(Deed::Folder),
        2 => path().prop_map(Deed::Remove),
        3 => (path(), path()).prop_map(|(from, to)| Deed::Move(from, to)),
        1 => (path(), path()).prop_map(|(from, to)| Deed::Copy(from, to)),
        2 => (path(), mode).prop_map(|(path, mode)| Deed::Mode(path, mode)),
        2 => (path(), path()).prop_map(|(target, path)| Deed::Link(target, path)),
        2 => (path(), path()).prop_map(|(from, to)| Deed::HardLink(from, to)),
        1 => (path(), any::<u32>()).prop_map(|(path, seconds)| Deed::Time(path, seconds)),
    ]
}

/// Half the usual number: each case writes many files and waits for the disk.
pub fn half_as_often() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 2, ..usual }
}
