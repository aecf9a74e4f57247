//! Extended attributes of files and folders, including access lists (ACLs).

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{self, XattrFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::relative_path::RawPath;

/// The most bytes kept for all values of one entry. A line of the record is twice as long, in hexadecimal.
const MOST_BYTES: usize = 128 * 1024;
/// Larger than any attribute list or value that Linux allows.
const LONGEST: usize = 64 * 1024;

/// The attributes of one entry, by name: user and administrator attributes, access lists and capabilities.
/// Labels that the system assigns itself (SELinux, IMA) and overlay marks are not included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attributes(Vec<Attribute>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    name: RawPath,
    /// In hexadecimal; `None` if it cannot be read or is too long.
    value: Option<String>,
}

impl Attributes {
    /// Reads those of an open file or folder.
    pub fn of(open: impl AsFd) -> io::Result<Self> {
        let open = open.as_fd();
        Self::read(|list| fs::flistxattr(open, list), |name, value| fs::fgetxattr(open, name, value))
    }

    /// Reads those of an entry in an open folder, without opening it or following a link.
    #[cfg(target_os = "linux")]
    pub fn at(folder: BorrowedFd<'_>, name: &std::ffi::OsStr) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        // The kernel has no such call relative to a folder before 6.13.
        let path = std::path::Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
        Self::read(|list| fs::llistxattr(&path, list), |name, value| fs::lgetxattr(&path, name, value))
    }

    /// Other systems cannot read them without opening the entry.
    #[cfg(not(target_os = "linux"))]
    pub fn at(_: BorrowedFd<'_>, _: &std::ffi::OsStr) -> io::Result<Self> {
        Ok(Self::default())
    }

    /// Sets the attributes of an open file or folder to these. User attributes need the owner's write
    /// permission.
    pub fn give(&self, open: impl AsFd) -> io::Result<()> {
        let open = open.as_fd();
        let now = Self::of(open)?;
        for one in now.0.iter().filter(|one| self.value(&one.name).is_none()) {
            fs::fremovexattr(open, &one.name()?)?;
        }
        for one in self.0.iter().filter(|one| now.value(&one.name) != Some(&one.value)) {
            let Some(value) = &one.value else {
                return Err(io::Error::new(io::ErrorKind::Unsupported, "an attribute was not kept"));
            };
            let value = hex::decode(value).map_err(io::Error::other)?;
            fs::fsetxattr(open, &one.name()?, &value, XattrFlags::empty())?;
        }
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first one whose value is unknown.
    pub fn unread(&self) -> Option<String> {
        self.0.iter().find(|one| one.value.is_none()).map(Attribute::shown)
    }

    /// Their names, lossily as text.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(Attribute::shown).collect()
    }

    fn value(&self, name: &RawPath) -> Option<&Option<String>> {
        self.0.iter().find(|one| one.name == *name).map(|one| &one.value)
    }

    fn read(
        list: impl Fn(&mut [u8]) -> Result<usize, Errno>,
        get: impl Fn(&[u8], &mut [u8]) -> Result<usize, Errno>,
    ) -> io::Result<Self> {
        let names = match whole(list) {
            Ok(names) => names,
            // A file system without attributes, or the entry was removed meanwhile.
            Err(Errno::OPNOTSUPP | Errno::NOENT) => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        let (mut all, mut room) = (Vec::new(), MOST_BYTES);
        for name in names.split(|byte| *byte == 0).filter(|name| is_covered(name)) {
            let value = match whole(|value| get(name, value)) {
                Ok(value) => room.checked_sub(value.len()).map(|left| {
                    room = left;
                    hex::encode(value)
                }),
                Err(Errno::NODATA | Errno::NOENT) => continue,
                Err(Errno::ACCESS | Errno::PERM) => None,
                Err(error) => return Err(error.into()),
            };
            all.push(Attribute { name: RawPath::of_bytes(name), value });
        }
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self(all))
    }
}

impl Attribute {
    fn name(&self) -> io::Result<std::path::PathBuf> {
        self.name.to_path().map_err(io::Error::other)
    }

    fn shown(&self) -> String {
        self.name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The output of a call that returns its length; the buffer is only large if necessary.
fn whole(call: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut small = [0_u8; 512];
    match call(&mut small) {
        Ok(length) => return Ok(small.get(..length).unwrap_or_default().to_vec()),
        Err(Errno::RANGE) => {}
        Err(error) => return Err(error),
    }
    let mut large = vec![0_u8; LONGEST];
    let length = call(&mut large)?;
    large.truncate(length);
    Ok(large)
}

fn is_covered(name: &[u8]) -> bool {
    const WHOLE: [&[u8]; 3] =
        [b"system.posix_acl_access", b"system.posix_acl_default", b"security.capability"];
    let free = name.starts_with(b"user.") || name.starts_with(b"trusted.");
    let overlays = name.starts_with(b"user.overlay.") || name.starts_with(b"trusted.overlay.");
    WHOLE.contains(&name) || (free && !overlays)
}
