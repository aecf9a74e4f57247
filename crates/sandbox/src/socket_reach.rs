//! Which sockets a command may use. One rule: inside the run, yes; outside, no, except what the user named.
//!
//! Whatever listens at a socket acts with its own rights: through it a command could do what it may not. The
//! filter of system calls sees no path. So without any network and without a named socket, nothing can be
//! connected but pairs of sockets, which lead nowhere else.
//!
//! With a network, or a named socket, Unix sockets can be connected, and those of other processes are kept
//! away: in the file system by Landlock from version 9 on, before that by mounts (a veil over each folder that is
//! made for sockets, a cover over each socket elsewhere); abstract
//! ones by the run's own network, whose names are its own, or else by Landlock's scope. Where neither works, a
//! command with the machine's network gets no Unix sockets, and one that needs a named socket is refused. What
//! lies in the private folder belongs to the run and is never kept away.

use std::collections::BTreeSet;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::kernel_support::HOLDS_SOCKETS;
use crate::seccomp::Sockets;
use crate::veils::{Shown, Veil, over_sockets};
use crate::{Confinement, Network, SandboxError, bound_sockets};

/// The first Landlock version that knows abstract sockets.
const HOLDS_ABSTRACT_SOCKETS: u8 = 6;

/// The sockets of one command, on a kernel with this version of Landlock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SocketReach<'a> {
    network: ReachedNetwork,
    named: &'a [PathBuf],
    private_tmp: &'a Path,
    holder: Option<Holder>,
}

/// The network that a command is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReachedNetwork {
    /// The machine's, of which it may use nothing.
    Closed,
    /// That of its run, which leads nowhere else.
    OwnOfTheRun,
    /// The machine's.
    OfTheMachine,
}

/// What keeps the Unix sockets of other processes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Landlock,
    Mounts,
}

impl<'a> SocketReach<'a> {
    /// `is_in_own_network` says whether the command is in the network of its run.
    pub(crate) fn of(
        confinement: &'a Confinement,
        abi: u8,
        has_namespaces: bool,
        is_in_own_network: bool,
    ) -> Self {
        let network = match confinement.network {
            Network::Granted => ReachedNetwork::OfTheMachine,
            Network::Denied if is_in_own_network => ReachedNetwork::OwnOfTheRun,
            Network::Denied => ReachedNetwork::Closed,
        };
        let has_abstract_holder = is_in_own_network || abi >= HOLDS_ABSTRACT_SOCKETS;
        let holder = if abi >= HOLDS_SOCKETS {
            Some(Holder::Landlock)
        } else {
            (has_namespaces && has_abstract_holder).then_some(Holder::Mounts)
        };
        let (named, private_tmp) = (&confinement.sockets, &confinement.private_tmp);
        Self { network, named, private_tmp, holder }
    }

    /// The same, without Unix sockets where one that was bound in a folder that the command may write is not there any
    /// more. The kernel tells the name at which a socket was bound, so what was moved cannot be found and covered.
    pub(crate) fn unless_moved(self, bound: &BTreeSet<PathBuf>, writable: &[PathBuf]) -> Self {
        let own = real(self.private_tmp);
        let folders: Vec<PathBuf> = writable.iter().map(|folder| real(folder)).collect();
        let is_moved = |path: &PathBuf| {
            let is_reached = folders.iter().any(|folder| path.starts_with(folder)) && !path.starts_with(&own);
            is_reached && !is_socket(path)
        };
        if bound.iter().any(is_moved) { Self { holder: None, ..self } } else { self }
    }

    /// The names at which sockets are bound now; none where mounts keep nothing away. Reads the kernel's lists, so it is
    /// asked once a command.
    pub(crate) fn bound_now(self) -> BTreeSet<PathBuf> {
        if self.is_held_by_mounts() { bound_sockets::paths() } else { BTreeSet::new() }
    }

    fn is_held_by_mounts(self) -> bool {
        self.holder == Some(Holder::Mounts) && self.connects()
    }

    /// Whether it may connect Unix sockets at all.
    fn connects(self) -> bool {
        match self.sockets() {
            Sockets::Unconnected | Sockets::Network => false,
            Sockets::Unix | Sockets::UnixAndNetwork => true,
        }
    }

    pub(crate) fn network(self) -> ReachedNetwork {
        self.network
    }

    /// What it may create and connect.
    pub(crate) fn sockets(self) -> Sockets {
        match (self.network, self.holder) {
            (ReachedNetwork::Closed, _) if self.named.is_empty() => Sockets::Unconnected,
            (ReachedNetwork::Closed, _) => Sockets::Unix,
            (ReachedNetwork::OwnOfTheRun | ReachedNetwork::OfTheMachine, Some(_)) => Sockets::UnixAndNetwork,
            (ReachedNetwork::OwnOfTheRun | ReachedNetwork::OfTheMachine, None) => Sockets::Network,
        }
    }

    /// Refuses a command that needs a named socket and could not be kept from others.
    pub(crate) fn refuse_unless_held(self, program: &str) -> Result<(), SandboxError> {
        match (self.named.first(), self.holder) {
            (Some(path), None) => {
                Err(SandboxError::Sockets { program: program.to_owned(), path: path.clone() })
            }
            (None, _) | (Some(_), Some(_)) => Ok(()),
        }
    }

    /// The named sockets, by their real paths.
    fn named(self) -> impl Iterator<Item = PathBuf> {
        self.named.iter().filter_map(|path| path.canonicalize().ok())
    }

    /// What Landlock lets it connect to: the named sockets, and those of its run, which lie in the private
    /// folder.
    pub(crate) fn connectable(self) -> impl Iterator<Item = PathBuf> {
        let own = match self.network {
            ReachedNetwork::Closed => None,
            ReachedNetwork::OwnOfTheRun | ReachedNetwork::OfTheMachine => Some(self.private_tmp.to_owned()),
        };
        self.named().chain(own)
    }

    /// What mounts keep away from a command to which this is shown, and from which that is hidden: all but the named sockets
    /// and those of the run.
    pub(crate) fn to_keep_away(
        self,
        bound: &BTreeSet<PathBuf>,
        mut shown: Shown,
        hidden: &[PathBuf],
    ) -> OthersSockets {
        if !self.is_held_by_mounts() {
            return OthersSockets::default();
        }
        let named: Vec<PathBuf> = self.named().collect();
        let own = self.private_tmp.canonicalize().ok();
        shown.granted.extend(own.iter().chain(&named).cloned());
        let covered: BTreeSet<PathBuf> = bound
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| !named.contains(path) && !own.as_ref().is_some_and(|own| path.starts_with(own)))
            .filter(|path| is_socket(path))
            .collect();
        OthersSockets { veils: over_sockets(&shown, hidden), covered }
    }
}

/// The sockets of other processes that mounts keep away.
#[derive(Debug, Default)]
pub(crate) struct OthersSockets {
    /// The folders in which no socket answers, whenever it is bound.
    pub(crate) veils: Vec<Veil>,
    /// The sockets that are bound now.
    pub(crate) covered: BTreeSet<PathBuf>,
}

fn is_socket(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SandboxMode;
    use std::os::unix::net::UnixListener;

    #[test]
    fn every_bound_socket_but_the_named_one_is_covered() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let [named, other] = ["named.sock", "other one.sock"].map(|name| folder.join(name));
        let _listeners = [&named, &other].map(|path| UnixListener::bind(path).unwrap());
        let confinement = |network, sockets| Confinement {
            network,
            sockets,
            ..Confinement::new(SandboxMode::ReadOnly, "/nowhere")
        };
        let kept =
            |reach: SocketReach<'_>| reach.to_keep_away(&reach.bound_now(), Shown::default(), &[]).covered;
        let covered = |confinement: &Confinement, abi| {
            let covered = kept(SocketReach::of(confinement, abi, true, false));
            [&named, &other].map(|path| covered.contains(path))
        };
        let in_own = |confinement: &Confinement| kept(SocketReach::of(confinement, 8, true, true));
        let with_name = confinement(Network::Denied, vec![named.clone()]);
        assert_eq!(covered(&with_name, 8), [false, true]);
        assert_eq!(covered(&with_name, 9), [false, false], "Landlock does it");
        assert_eq!(covered(&confinement(Network::Granted, vec![]), 8), [true, true]);
        let nothing = confinement(Network::Denied, vec![]);
        assert_eq!(covered(&nothing, 8), [false, false], "nothing connects");
        assert!(in_own(&nothing).contains(&other));
        let of_the_run = Confinement { private_tmp: folder, ..nothing };
        assert!(!in_own(&of_the_run).contains(&other), "it lies in the private folder");
    }

    /// What may be created, and whether the command is refused: without a network, in that of the run and in the
    /// machine's, with a named socket, and with something that keeps others away.
    #[test]
    fn the_whole_table() {
        use ReachedNetwork::{Closed as Denied, OfTheMachine as Granted, OwnOfTheRun as Own};
        for (network, is_named, abi, has_namespaces, sockets, is_refused) in [
            (Denied, false, 3, false, Sockets::Unconnected, false),
            (Denied, false, 9, true, Sockets::Unconnected, false),
            (Denied, true, 9, false, Sockets::Unix, false),
            (Denied, true, 6, true, Sockets::Unix, false),
            (Denied, true, 5, true, Sockets::Unix, true),
            (Denied, true, 8, false, Sockets::Unix, true),
            (Own, false, 3, true, Sockets::UnixAndNetwork, false),
            (Own, true, 9, true, Sockets::UnixAndNetwork, false),
            (Own, true, 5, true, Sockets::UnixAndNetwork, false),
            (Granted, false, 9, false, Sockets::UnixAndNetwork, false),
            (Granted, false, 6, true, Sockets::UnixAndNetwork, false),
            (Granted, false, 5, true, Sockets::Network, false),
            (Granted, false, 8, false, Sockets::Network, false),
            (Granted, true, 6, true, Sockets::UnixAndNetwork, false),
            (Granted, true, 5, true, Sockets::Network, true),
        ] {
            let confinement = Confinement {
                network: if network == Granted { Network::Granted } else { Network::Denied },
                sockets: if is_named { vec!["/run/named.sock".into()] } else { vec![] },
                ..Confinement::new(SandboxMode::ReadOnly, "/nowhere")
            };
            let reach = SocketReach::of(&confinement, abi, has_namespaces, network == Own);
            let case = format!("{network:?}, named {is_named}, Landlock {abi}, namespaces {has_namespaces}");
            assert_eq!(reach.sockets(), sockets, "{case}");
            assert_eq!(reach.refuse_unless_held("sh").is_err(), is_refused, "{case}");
        }
    }
}
