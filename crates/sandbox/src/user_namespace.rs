//! A user namespace in which only the current user is mapped, to itself.

use std::ffi::{CStr, CString};
use std::io;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, write};
use rustix::process::{getegid, geteuid};

use crate::capabilities;
use crate::child_data::c_string;

/// The id maps of the namespace, prepared by the parent.
#[derive(Debug)]
pub(crate) struct OwnUsers {
    user: CString,
    group: CString,
}

impl OwnUsers {
    /// `None` if this process may mount without a user namespace of its own.
    pub(crate) fn if_needed() -> io::Result<Option<Self>> {
        if capabilities::may_mount()? {
            return Ok(None);
        }
        let map = |id: u32| c_string(format!("{id} {id} 1").as_bytes());
        Ok(Some(Self { user: map(geteuid().as_raw())?, group: map(getegid().as_raw())? }))
    }

    /// Maps the user, in a process that was born into the namespace. Bare system calls only.
    pub(crate) fn map(&self) -> Result<(), Errno> {
        // Without this, the kernel does not let an ordinary user map a group.
        put(c"/proc/self/setgroups", c"deny")?;
        put(c"/proc/self/uid_map", &self.user)?;
        put(c"/proc/self/gid_map", &self.group)
    }
}

/// Writes a short text to a kernel file.
fn put(path: &CStr, text: &CStr) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(&file, text.to_bytes()).map(drop)
}
