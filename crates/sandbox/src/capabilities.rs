//! Drops Linux capabilities.

use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What root needs to work with files and its own processes. Everything else (tracing, measuring, mounting,
/// loading into the kernel) bypasses the rules: with `CAP_PERFMON`, for instance, the kernel shows a confined
/// command the environment of artoo without asking Landlock.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Reduces the capabilities of the calling process and of everything that it starts: with `no_new_privs` set,
/// even root regains none by executing a program. In its own user namespace, an ordinary user's command would
/// have all of them. Makes bare system calls only.
pub(crate) fn reduce() -> Result<(), Errno> {
    let has = capabilities(None)?;
    let keeps = CapabilitySets {
        effective: has.effective & KEPT,
        permitted: has.permitted & KEPT,
        inheritable: has.inheritable & KEPT,
    };
    if keeps == has { Ok(()) } else { set_capabilities(None, keeps) }
}

/// Whether this process may mount without its own user namespace.
pub(crate) fn may_mount() -> Result<bool, Errno> {
    Ok(capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN))
}
