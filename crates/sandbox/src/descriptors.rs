//! File descriptors that this process inherited, or that somebody opened without close-on-exec.

use std::os::fd::BorrowedFd;

#[cfg(target_os = "linux")]
use rustix::io::Errno;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Resource, getrlimit};

/// The first descriptor that is not a standard stream.
pub(crate) const FIRST_AFTER_STREAMS: u32 = 3;

/// The most descriptors that are looked at one by one, where the kernel has no call for a range of them.
const MOST_LOOKED_AT: u64 = 65_536;

/// Keeps every file, folder, socket and pipe above the standard streams that this process inherited from the
/// programs that it starts. They stay open here, so that a path such as `/dev/fd/63` can still be read. Call
/// it before any other thread exists.
///
/// Commands that this crate starts never get such descriptors; this is for programs started in other ways.
///
/// ```
/// artoo_sandbox::keep_descriptors_from_children();
/// ```
pub fn keep_descriptors_from_children() {
    #[cfg(target_os = "linux")]
    if close_range(FIRST_AFTER_STREAMS, u32::MAX, libc::CLOSE_RANGE_CLOEXEC).is_ok() {
        return;
    }
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(MOST_LOOKED_AT).min(MOST_LOOKED_AT);
    for descriptor in
        i32::try_from(FIRST_AFTER_STREAMS).unwrap_or_default()..i32::try_from(limit).unwrap_or(i32::MAX)
    {
        #[expect(unsafe_code, reason = "an inherited descriptor is a bare number")]
        // SAFETY: borrowed for one call, before any other thread exists that could close it. A number that is
        // not open is an error without effect.
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        // The flag matters at the next `execve` only.
        let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
    }
}

/// Closes the descriptors from `first` to `last`. A bare system call, for a child with a descriptor table of
/// its own.
///
/// # Errors
///
/// Before Linux 5.9; every kernel that can confine a command is newer.
#[cfg(target_os = "linux")]
pub(crate) fn close_between(first: u32, last: u32) -> Result<(), Errno> {
    close_range(first, last, 0)
}

#[cfg(target_os = "linux")]
fn close_range(first: u32, last: u32, flags: u32) -> Result<(), Errno> {
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: takes numbers only. It closes descriptors in a child that uses none of them any more, or sets a
    // flag that matters at the next `execve` only.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if done == 0 { Ok(()) } else { Err(crate::child_data::last_error()) }
}
