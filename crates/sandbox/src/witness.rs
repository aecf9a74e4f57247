//! Who belongs to a command: to the keeper's Landlock domain, or to mounts of its own.

use std::fs;
use std::io;

use rustix::fs::stat;
use rustix::io::Errno;
use rustix::process::{Pid, getppid, test_kill_process};

use crate::process_table::all_pids;

/// A question that the kernel answers with yes exactly for the processes of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Witness {
    /// "May I signal it?" Landlock 6 and later scope signals to the domain.
    Signal,
    /// "May I trace it?" Every Landlock scopes tracing to the domain. Misses processes that forbid tracing.
    Trace,
    /// "Are these its mounts?" Device and inode of the namespace of a preview, which somebody holds so that no other gets its number.
    Mounts(u64, u64),
    /// The kernel's answer tells nothing: no domain, or a question that did not prove itself.
    None,
}

impl Witness {
    /// Whether the kernel says that `pid` belongs to the command. Of a domain, only the thread that is bound may ask.
    pub(crate) fn vouches_for(self, pid: Pid) -> bool {
        match self {
            Self::Signal => test_kill_process(pid).is_ok(),
            Self::Trace => trace(pid).is_ok(),
            Self::Mounts(device, inode) => stat(format!("/proc/{pid}/ns/mnt"))
                .is_ok_and(|its| (its.st_dev, its.st_ino) == (device, inode)),
            Self::None => false,
        }
    }
}

/// What was possible before the rules bound the thread. A question is trusted only when its answer about a known
/// outsider turns from yes to no; otherwise a yes might mean "I may signal everybody", and the keeper would end
/// processes of others. The outsider is artoo's parent, or, where that belongs to another user, any process of this
/// user.
#[derive(Debug)]
pub(crate) struct BeforeBinding {
    /// Could be signalled.
    outsider: Option<Pid>,
    could_trace: bool,
}

impl BeforeBinding {
    pub(crate) fn observe() -> Self {
        let may_signal = |pid: &Pid| test_kill_process(*pid).is_ok();
        let outsider = getppid().filter(may_signal).or_else(|| all_pids().into_iter().find(may_signal));
        Self { outsider, could_trace: outsider.is_some_and(|pid| trace(pid).is_ok()) }
    }

    /// The best question that has proved itself. Without any outsider it needs no proof: whatever can be signalled
    /// later has come into being since, and the kernel's word is that it `scopes_signals`.
    pub(crate) fn compare(&self, scopes_signals: bool) -> Witness {
        let Some(outsider) = self.outsider else {
            return if scopes_signals { Witness::Signal } else { Witness::Trace };
        };
        if test_kill_process(outsider) == Err(Errno::PERM) {
            return Witness::Signal;
        }
        let forbidden =
            |answer: io::Result<_>| answer.is_err_and(|e| e.kind() == io::ErrorKind::PermissionDenied);
        if self.could_trace && forbidden(trace(outsider)) { Witness::Trace } else { Witness::None }
    }
}

/// The kernel lets only those who may trace a process read this link.
fn trace(pid: Pid) -> io::Result<()> {
    fs::read_link(format!("/proc/{pid}/cwd")).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::{Confinement, Network, ResourceLimits, SandboxMode, Support, probe};
    use std::process::{Command, Stdio};

    /// Both questions must tell insiders from outsiders, also the one that this machine would not choose.
    #[test]
    fn the_kernel_tells_insiders_from_outsiders() {
        let Support::Enforced { abi, .. } = probe() else {
            eprintln!("\n*** SKIPPED: this test needs kernel confinement ***\n");
            return;
        };
        let tmp = tempfile::tempdir().unwrap();
        let confinement = Confinement {
            mode: SandboxMode::ReadOnly,
            network: Network::Denied,
            limits: ResourceLimits::default(),
            writable: vec![],
            private_tmp: tmp.path().to_owned(),
        };
        std::thread::spawn(move || {
            let before = BeforeBinding::observe();
            let outsider = before.outsider.unwrap();
            assert_eq!(before.compare(true), Witness::None, "unbound, the questions prove nothing");
            let scopes = Rules::build("test", &confinement).unwrap().bind_this_thread("test").unwrap();
            assert_eq!(scopes, abi >= 6);
            #[expect(clippy::disallowed_methods, reason = "a process to ask about")]
            let mut child = Command::new("sleep").arg("300").stdin(Stdio::null()).spawn().unwrap();
            let insider = Pid::from_child(&child);
            if abi >= 6 {
                assert_eq!(before.compare(scopes), Witness::Signal);
                assert!(Witness::Signal.vouches_for(insider) && !Witness::Signal.vouches_for(outsider));
            }
            assert!(Witness::Trace.vouches_for(insider) && !Witness::Trace.vouches_for(outsider));
            assert!(!Witness::None.vouches_for(insider));
            child.kill().unwrap();
            child.wait().unwrap();
        })
        .join()
        .unwrap();
    }
}
