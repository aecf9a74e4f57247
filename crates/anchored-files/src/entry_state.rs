//! The metadata of a file system entry.

use std::time::Duration;

use rustix::fs::{FileType, Mode, RawMode, Stat, Timespec, Timestamps, UTIME_OMIT};
use serde::{Deserialize, Serialize};

use super::relative_path::RawPath;
use super::xattrs::Attributes;

/// How long a second change may hide behind the same times: kernels before 6.13 advance file times in steps
/// of up to 10 ms.
const STEP: Duration = Duration::from_millis(20);

/// Seconds and nanoseconds since 1970. Seconds may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moment(i64, u32);

impl Moment {
    /// Whether a change at this moment could hide another one made before `then`.
    pub fn may_hide_until(self, then: Self) -> bool {
        let nanos = |moment: Self| i128::from(moment.0) * 1_000_000_000 + i128::from(moment.1);
        nanos(then) - nanos(self) < i128::try_from(STEP.as_nanos()).unwrap_or(i128::MAX)
    }

    /// Whether a change at this moment may have come after `then`. Zero nanoseconds suggest a file system
    /// that counts whole seconds.
    pub fn may_follow(self, then: Self) -> bool {
        if self.1 == 0 { self.0 >= then.0 } else { self > then }
    }

    /// Its seconds and nanoseconds.
    pub fn parts(self) -> (i64, u32) {
        (self.0, self.1)
    }

    /// As a modification time to set; the access time stays.
    pub fn as_modification(self) -> Timestamps {
        Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: self.0, tv_nsec: self.1.min(999_999_999).into() },
        }
    }
}

/// The type of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link {
        /// Where it leads, as it is written.
        target: RawPath,
    },
    /// A device, a socket, a FIFO: examined, never opened.
    Other,
}

/// An entry at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// What kind of entry.
    pub kind: Kind,
    /// Permissions with the set-id and sticky bits.
    pub mode: u32,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// 0 for a folder, whose size means nothing.
    pub size: u64,
    /// When its content was changed.
    pub mtime: Moment,
    /// When anything of it was changed.
    pub ctime: Moment,
    /// The file system.
    pub dev: u64,
    /// Its number there.
    pub ino: u64,
    /// The number of hard links; 1 for a folder.
    pub links: u64,
    /// For a file or a folder.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    pub attributes: Attributes,
}

impl State {
    /// From the kernel's `stat`, without attributes. `None` for a link, whose target must be read first.
    pub fn of(found: &Stat, link: Option<RawPath>) -> Option<Self> {
        let kind = match (FileType::from_raw_mode(found.st_mode), link) {
            (FileType::RegularFile, _) => Kind::File,
            (FileType::Directory, _) => Kind::Folder,
            (FileType::Symlink, Some(target)) => Kind::Link { target },
            (FileType::Symlink, None) => return None,
            (
                FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown,
                _,
            ) => Kind::Other,
        };
        let folder = kind == Kind::Folder;
        Some(Self {
            kind,
            mode: u32::try_from(i128::from(found.st_mode)).unwrap_or(0) & 0o7777,
            uid: found.st_uid,
            gid: found.st_gid,
            size: if folder { 0 } else { whole(found.st_size) },
            mtime: Moment(found.st_mtime, nanos(found.st_mtime_nsec)),
            ctime: Moment(found.st_ctime, nanos(found.st_ctime_nsec)),
            dev: whole(found.st_dev),
            ino: whole(found.st_ino),
            links: if folder { 1 } else { whole(found.st_nlink) },
            attributes: Attributes::default(),
        })
    }

    /// Its mode, as the system takes it.
    pub fn permissions(&self) -> Mode {
        // The system's number is narrower on macOS, and as wide as the twelve bits need everywhere.
        Mode::from_raw_mode((self.mode & 0o7777) as RawMode)
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    /// Whether both have the same inode number: a number is reused once its file is gone.
    pub fn is_same_inode(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Whether a user would call both the same. Change time and inode do not count: a restored copy has
    /// different ones. A folder's time is that of its entries, which are compared individually.
    pub fn looks_like(&self, other: &Self) -> bool {
        let alike = self.kind == other.kind && (self.uid, self.gid) == (other.uid, other.gid);
        alike
            && self.attributes == other.attributes
            && match &self.kind {
                Kind::File => (self.mode, self.size, self.mtime) == (other.mode, other.size, other.mtime),
                Kind::Folder => self.mode == other.mode,
                Kind::Link { .. } => true,
                Kind::Other => self.is_same_inode(other) && self.mode == other.mode,
            }
    }
}

/// Converts fields of `stat`, whose types depend on the platform.
fn whole(field: impl Into<i128>) -> u64 {
    u64::try_from(field.into()).unwrap_or(0)
}

fn nanos(field: impl Into<i128>) -> u32 {
    u32::try_from(field.into()).unwrap_or(0)
}
