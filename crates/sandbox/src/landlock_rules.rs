//! Landlock rules for one command, but for those about reading ([`crate::readable`]).

use std::fs::DirBuilder;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use landlock::{
    ABI, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use crate::socket_reach::{ReachedNetwork, SocketReach};
use crate::{Confinement, Gap, MINIMUM_ABI, NoConfinement, SandboxError, Support, child_namespace, seccomp};

/// Devices that discard or produce bytes and change nothing. The terminal is not one of them.
pub(crate) const HARMLESS_DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// A complete ruleset that is not enforced yet.
#[derive(Debug)]
pub(crate) struct Rules {
    ruleset: RulesetCreated,
}

impl Rules {
    /// Opens every granted folder and builds the rules.
    pub(crate) fn build(
        program: &str,
        confinement: &Confinement,
        reach: SocketReach<'_>,
    ) -> Result<Self, SandboxError> {
        let rejected = |error| rejected(program, error);
        let mut ruleset = handled(reach.network()).and_then(Ruleset::create).map_err(rejected)?;
        for path in confinement.granted() {
            let granted = grant_folder(path).map_err(|source| SandboxError::Grant {
                program: program.to_owned(),
                path: path.clone(),
                source,
            })?;
            ruleset = ruleset.add_rule(PathBeneath::new(granted, in_a_granted_folder())).map_err(rejected)?;
        }
        for socket in reach.connectable() {
            if let Ok(socket) = PathFd::new(socket) {
                let rule = PathBeneath::new(socket, AccessFs::ResolveUnix)
                    .set_compatibility(CompatLevel::BestEffort);
                ruleset = ruleset.add_rule(rule).map_err(rejected)?;
            }
        }
        for device in HARMLESS_DEVICES {
            // A missing device needs no grant; omitting one is never less strict.
            if let Ok(device) = PathFd::new(device) {
                // Programs ask every file whether it is a terminal, which is an ioctl.
                let rights = AccessFs::WriteFile | AccessFs::IoctlDev;
                let rule = PathBeneath::new(device, rights).set_compatibility(CompatLevel::BestEffort);
                ruleset = ruleset.add_rule(rule).map_err(rejected)?;
            }
        }
        Ok(Self { ruleset })
    }

    /// The ruleset's descriptor, with which a child restricts itself ([`crate::child_restrictions`]).
    pub(crate) fn into_open(self) -> io::Result<OwnedFd> {
        Option::from(self.ruleset).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }
}

/// What is denied unless granted. The essential rights are a hard requirement; rights of newer kernels are
/// used if available and otherwise reported as a [`Gap`].
fn handled(network: ReachedNetwork) -> Result<Ruleset, RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V3))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::IoctlDev | AccessFs::ResolveUnix)?
        .scope(Scope::Signal)?;
    match network {
        // A second barrier behind the seccomp filter, which also covers sockets passed in by other processes.
        ReachedNetwork::Closed => ruleset
            .scope(Scope::AbstractUnixSocket)?
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp),
        // All abstract names in it are those of the run.
        ReachedNetwork::OwnOfTheRun => Ok(ruleset),
        ReachedNetwork::OfTheMachine => ruleset.scope(Scope::AbstractUnixSocket),
    }
}

/// Everything that creates, changes, moves and removes files; no device nodes, no device control, and no
/// sockets: one that lies there may be another program's.
fn in_a_granted_folder() -> BitFlags<AccessFs> {
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    AccessFs::from_write(ABI::V3) & !devices
}

/// The same as Landlock bits.
pub(crate) fn rights_in_a_granted_folder() -> u64 {
    in_a_granted_folder().bits()
}

fn grant_folder(path: &Path) -> io::Result<PathFd> {
    if !path.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    if !path.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    PathFd::new(path).map_err(io::Error::other)
}

/// Creates the private folder for temporary files, closed to other users, unless it exists.
pub(crate) fn prepare_private_tmp(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn restrict(ruleset: RulesetCreated) -> Result<RestrictionStatus, RulesetError> {
    ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .set_compatibility(CompatLevel::HardRequirement)
        .restrict_self()
}

fn rejected(program: &str, error: RulesetError) -> SandboxError {
    SandboxError::Rules { program: program.to_owned(), source: io::Error::other(error) }
}

/// See [`crate::probe`].
pub(crate) fn probe() -> Support {
    static FOUND: OnceLock<Support> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return found.clone();
    }
    // That no thread can be started says nothing of the kernel, so it is tried again the next time.
    match thread::Builder::new().spawn(|| try_out(child_namespace::works())) {
        Err(error) => refused(&error),
        Ok(trial) => {
            let found = trial.join().unwrap_or_else(|_| refused(&"the trial thread died"));
            FOUND.get_or_init(|| found).clone()
        }
    }
}

fn try_out(has_namespaces: bool) -> Support {
    // First without requirements, which reveals the version of even the oldest kernel.
    let weakest =
        Ruleset::default().handle_access(AccessFs::WriteFile).and_then(Ruleset::create).and_then(restrict);
    let abi = match weakest.map(|status| status.landlock) {
        Err(error) => return refused(&error),
        Ok(LandlockStatus::NotImplemented) => return Support::Missing(NoConfinement::NotBuilt),
        Ok(LandlockStatus::NotEnabled) => return Support::Missing(NoConfinement::NotEnabled),
        Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi as u8,
    };
    if abi < MINIMUM_ABI {
        return Support::Missing(NoConfinement::TooOld { abi });
    }
    if let Err(error) = handled(ReachedNetwork::Closed).and_then(Ruleset::create).and_then(restrict) {
        return refused(&error);
    }
    match seccomp::try_out() {
        Ok(()) => Support::Enforced { abi, gaps: Gap::of(abi, has_namespaces) },
        Err(answer) => Support::Missing(NoConfinement::NoCallFilter { answer: answer.to_string() }),
    }
}

fn refused(answer: &dyn ToString) -> Support {
    Support::Missing(NoConfinement::Refused { answer: answer.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Network, SandboxMode};
    use std::net::{TcpListener, TcpStream};

    /// Without the seccomp filter, to test the barrier behind it.
    #[test]
    fn landlock_alone_keeps_tcp_shut() {
        let Support::Enforced { abi: 4.., .. } = crate::probe() else {
            artoo_test_needs::skip(artoo_test_needs::Ability::Landlock, "this test needs version 4 of it");
            return;
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        for (network, expected) in
            [(Network::Denied, Err(io::ErrorKind::PermissionDenied)), (Network::Granted, Ok(()))]
        {
            let tmp = tempfile::tempdir().unwrap();
            let confinement = Confinement { network, ..Confinement::new(SandboxMode::ReadOnly, tmp.path()) };
            let dialled = thread::spawn(move || {
                let reach = SocketReach::of(&confinement, 9, true, false);
                restrict(Rules::build("test", &confinement, reach).unwrap().ruleset).unwrap();
                TcpStream::connect(address).map(drop).map_err(|error| error.kind())
            });
            assert_eq!(dialled.join().unwrap(), expected, "{network}");
        }
    }
}
