//! What an entry of a folder is, as far as a look at it can tell.

use std::time::Duration;

use rustix::fs::{FileType, Stat, Timespec, Timestamps, UTIME_OMIT};
use serde::{Deserialize, Serialize};

use super::attributes::Attributes;
use super::below::RawPath;

/// How far back another change may lie hidden behind the same times: kernels before 6.13 count in steps of up to 10 ms.
const STEP: Duration = Duration::from_millis(20);

/// Seconds and nanoseconds since 1970. Seconds may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moment(i64, u32);

impl Moment {
    /// Whether a change at this moment could hide another one that came before `then`.
    pub fn may_hide_until(self, then: Self) -> bool {
        let nanos = |moment: Self| i128::from(moment.0) * 1_000_000_000 + i128::from(moment.1);
        nanos(then) - nanos(self) < i128::try_from(STEP.as_nanos()).unwrap_or(i128::MAX)
    }

    /// Whether a change at this moment may have come after `then`. A file system that counts whole seconds says so by its zeroes.
    pub fn may_follow(self, then: Self) -> bool {
        if self.1 == 0 { self.0 >= then.0 } else { self > then }
    }

    /// As a file's time of modification; its time of access stays.
    pub fn as_modification(self) -> Timestamps {
        Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: self.0, tv_nsec: self.1.min(999_999_999).into() },
        }
    }
}

/// What kind of entry it is.
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
    /// A device, a socket, a fifo: looked at, never opened.
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
    /// Of a folder: 0, because it says nothing there.
    pub size: u64,
    /// When its content was changed.
    pub mtime: Moment,
    /// When anything of it was changed.
    pub ctime: Moment,
    /// The file system.
    pub dev: u64,
    /// Its number there.
    pub ino: u64,
    /// Names of this file; of a folder 1.
    pub links: u64,
    /// Of a file or a folder.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    pub attributes: Attributes,
}

impl State {
    /// From what the kernel says, without attributes. `None` for a link, whose target must be read first.
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

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    /// Whether both are the same inode, as far as its number says: a number is used again once its file is gone.
    pub fn is_same_inode(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Whether somebody who looks at it would call it the same. Change time and inode do not count: a copy that was put
    /// back has others. A folder's time is that of its entries, which are looked at for themselves.
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

/// The fields of the kernel's record have different types on different platforms.
fn whole(field: impl Into<i128>) -> u64 {
    u64::try_from(field.into()).unwrap_or(0)
}

fn nanos(field: impl Into<i128>) -> u32 {
    u32::try_from(field.into()).unwrap_or(0)
}
