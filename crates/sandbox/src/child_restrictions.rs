//! Landlock rules and seccomp filter of a child process, applied between `clone` and `exec`.
//!
//! Landlock and seccomp bind a thread and whatever it starts for good, so no thread of this process may be
//! bound. The parent prepares the rules; [`apply`](ChildRules::apply) runs in the child, where nothing may be
//! allocated.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{Mode, open};
use rustix::io::Errno;
use rustix::thread::set_no_new_privs;
use seccompiler::{BpfProgram, apply_filter};

use crate::child_data::last_error;
use crate::child_namespace::LateFolders;
use crate::landlock_calls::{add_rule, restrict_self};
use crate::landlock_rules::{self, Rules};
use crate::mounts::FOLDER;
use crate::readable::ReadRules;
use crate::socket_reach::SocketReach;
use crate::{Confinement, SandboxError, capabilities, seccomp};

/// The rules of one command.
#[derive(Debug)]
pub(crate) struct ChildRules {
    /// What it may change, and reach.
    ruleset: OwnedFd,
    /// What it may read.
    readable: Arc<ReadRules>,
    late: LateFolders,
    /// The access rights in a granted folder, as Landlock bits.
    rights: u64,
    filter: &'static BpfProgram,
}

impl ChildRules {
    /// Rules for what `confinement` grants, and for folders that exist only in the command's own mounts.
    pub(crate) fn build(
        program: &str,
        confinement: &Confinement,
        late: LateFolders,
        reach: SocketReach<'_>,
    ) -> Result<Self, SandboxError> {
        let rejected = |source| SandboxError::Rules { program: program.to_owned(), source };
        let ruleset = Rules::build(program, confinement, reach)?.into_open().map_err(rejected)?;
        let readable = ReadRules::of(&confinement.hidden, confinement.granted()).map_err(rejected)?;
        let filter = seccomp::filter(reach.sockets()).map_err(|error| seccomp::rejected(program, &error))?;
        Ok(Self { ruleset, readable, late, rights: landlock_rules::rights_in_a_granted_folder(), filter })
    }

    /// Binds the calling process irrevocably. Bare system calls only.
    pub(crate) fn apply(&self) -> Result<(), Errno> {
        self.late.written.iter().try_for_each(|folder| self.grant(folder))?;
        self.late.read.iter().try_for_each(|folder| self.readable.grant(opened(folder)?.as_fd()))?;
        set_no_new_privs(true)?;
        restrict_self(self.ruleset.as_fd())?;
        restrict_self(self.readable.ruleset())?;
        capabilities::reduce()?;
        apply_filter(self.filter).map_err(|_| last_error())
    }

    /// Grants a folder that was just mounted.
    fn grant(&self, folder: &CString) -> Result<(), Errno> {
        let folder = opened(folder)?;
        add_rule(self.ruleset.as_fd(), folder.as_fd(), self.rights)?;
        self.readable.grant(folder.as_fd())
    }
}

fn opened(folder: &CString) -> Result<OwnedFd, Errno> {
    open(folder.as_c_str(), FOLDER, Mode::empty())
}
