//! What binds a command that is born into mounts of its own.
//!
//! Elsewhere the keeper binds itself, and the command inherits it ([`crate::keeper`]). The rules forbid to mount, so here the child binds
//! itself, after it has mounted. The keeper then has a domain of its own around the child's, in which only signals
//! are scoped: by that it still knows who belongs to the command.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;
use seccompiler::{BpfProgram, apply_filter};

use crate::rules::Rules;
use crate::seal::Seal;
use crate::{Network, SandboxError, call_filter, capabilities, spawn};

/// The rules of one command, made ready: [`raise`](Self::raise) runs where nothing may be allocated.
#[derive(Debug)]
pub(crate) struct Walls {
    pub(crate) seal: Seal,
    /// Landlock's.
    rules: OwnedFd,
    calls: &'static BpfProgram,
}

impl Walls {
    pub(crate) fn build(
        program: &str,
        seal: Seal,
        rules: Rules,
        network: Network,
    ) -> Result<Self, SandboxError> {
        let rules = rules
            .into_open()
            .map_err(|source| SandboxError::Rules { program: program.to_owned(), source })?;
        let calls =
            call_filter::filter(network.into()).map_err(|error| call_filter::rejected(program, &error))?;
        Ok(Self { seal, rules, calls })
    }

    /// In the child, which has no way back. Bare system calls alone.
    pub(crate) fn raise(&self) -> Result<(), Errno> {
        restrict_self(&self.rules)?;
        capabilities::reduce_bare()?;
        apply_filter(self.calls).map_err(|_| Errno::INVAL)
    }
}

/// The keeper has set `no_new_privs` already, without which the kernel refuses.
fn restrict_self(rules: &OwnedFd) -> Result<(), Errno> {
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: the file is open as long as `rules` lives, and there are no flags; no memory is passed.
    let answer = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0_u32) };
    if answer == 0 { Ok(()) } else { Err(spawn::last_error()) }
}
