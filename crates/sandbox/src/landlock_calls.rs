//! The calls of Landlock, bare: the crate for it allocates, which a child may not do before it executes its
//! program, and looks at each file, which takes longer than the call.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use crate::child_data::last_error;

const RULE_PATH_BENEATH: u32 = 1;
/// The right to open a file for reading, in every version.
pub(crate) const READ_FILE: u64 = 1 << 2;
/// The right to move or link a file from one folder to another, from version 2 on.
const REFER: u64 = 1 << 13;

/// One rule, as the kernel reads it.
#[repr(C, packed)]
struct PathBeneath {
    rights: u64,
    folder: c_int,
}

/// A ruleset that denies reading files, without a grant.
///
/// A ruleset that does not name moves denies all of them. This one allows them everywhere, which Landlock takes
/// to mean: but not to where more may be read.
pub(crate) fn deny_reading() -> io::Result<OwnedFd> {
    let handled = READ_FILE | REFER;
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the call reads one number of the size passed, the first field of its attributes.
    let made = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, &raw const handled, size_of_val(&handled), 0_u32)
    };
    let made = c_int::try_from(made).ok().filter(|made| *made >= 0).ok_or_else(last_error)?;
    #[expect(unsafe_code, reason = "the call returns a bare number")]
    // SAFETY: the descriptor is new and belongs to nobody else.
    let made = unsafe { OwnedFd::from_raw_fd(made) };
    let root = open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    add_rule(made.as_fd(), root.as_fd(), REFER)?;
    Ok(made)
}

/// Grants these rights on a file, or on a folder and everything below it.
pub(crate) fn add_rule(ruleset: BorrowedFd<'_>, beneath: BorrowedFd<'_>, rights: u64) -> Result<(), Errno> {
    let rule = PathBeneath { rights, folder: beneath.as_raw_fd() };
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the call reads a whole `PathBeneath`, whose descriptor is open; both outlive it.
    let added = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0_u32,
        )
    };
    if added == 0 { Ok(()) } else { Err(last_error()) }
}

/// Binds the calling thread to the ruleset irrevocably, in addition to what binds it already.
pub(crate) fn restrict_self(ruleset: BorrowedFd<'_>) -> Result<(), Errno> {
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: takes numbers only, and binds no thread but this one.
    let bound = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) };
    if bound == 0 { Ok(()) } else { Err(last_error()) }
}
