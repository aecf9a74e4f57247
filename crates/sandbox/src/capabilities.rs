//! Takes the powers of an administrator away.

use std::io;

use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What root needs to work with files and its own processes. All else (tracing, measuring, mounting, loading into the
/// kernel) is a way around the rules: with `CAP_PERFMON`, for instance, the kernel shows a confined command the
/// environment of artoo without asking Landlock.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Reduces the calling thread's capabilities, and thereby those of everything that it starts: with `no_new_privs` set,
/// even root regains none by executing a program. Ordinary users have none to lose.
pub(crate) fn reduce() -> io::Result<()> {
    Ok(reduce_bare()?)
}

/// The same for the child of a preview, who has all of them within its own namespace. Bare system calls only.
pub(crate) fn reduce_bare() -> Result<(), Errno> {
    let has = capabilities(None)?;
    let keeps = CapabilitySets {
        effective: has.effective & KEPT,
        permitted: has.permitted & KEPT,
        inheritable: has.inheritable & KEPT,
    };
    if keeps == has { Ok(()) } else { set_capabilities(None, keeps) }
}
