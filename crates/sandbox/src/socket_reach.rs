//! Which sockets a command may use. One rule: inside the run, yes; outside, no, except what the user named.
//!
//! Whatever listens at a socket acts with its own rights: through it a command could do what it may not. The
//! filter of system calls sees no path. So without the network and without a named socket, nothing can be
//! connected but pairs of sockets, which lead nowhere else.
//!
//! With the network, or a named socket, Unix sockets can be connected, and those of other processes are kept
//! away: by Landlock from version 9 on, before that by covering each with a mount, and abstract ones by
//! Landlock's scope. Where neither works, a command with the network gets no Unix sockets, and one that needs a
//! named socket is refused.

use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

use crate::kernel_support::HOLDS_SOCKETS;
use crate::seccomp::Sockets;
use crate::{Confinement, Network, SandboxError, bound_sockets};

/// The first Landlock version that knows abstract sockets.
const HOLDS_ABSTRACT_SOCKETS: u8 = 6;

/// The sockets of one command, on a kernel with this version of Landlock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SocketReach<'a> {
    network: Network,
    named: &'a [PathBuf],
    holder: Option<Holder>,
}

/// What keeps the Unix sockets of other processes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Landlock,
    Mounts,
}

impl<'a> SocketReach<'a> {
    pub(crate) fn of(confinement: &'a Confinement, abi: u8, has_namespaces: bool) -> Self {
        let holder = if abi >= HOLDS_SOCKETS {
            Some(Holder::Landlock)
        } else {
            (has_namespaces && abi >= HOLDS_ABSTRACT_SOCKETS).then_some(Holder::Mounts)
        };
        Self { network: confinement.network, named: &confinement.sockets, holder }
    }

    /// What it may create and connect.
    pub(crate) fn sockets(self) -> Sockets {
        match (self.network, self.holder) {
            (Network::Denied, _) if self.named.is_empty() => Sockets::Unconnected,
            (Network::Denied, _) => Sockets::Unix,
            (Network::Granted, Some(_)) => Sockets::UnixAndNetwork,
            (Network::Granted, None) => Sockets::Network,
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
    pub(crate) fn named(self) -> impl Iterator<Item = PathBuf> {
        self.named.iter().filter_map(|path| path.canonicalize().ok())
    }

    /// The sockets in the file system to cover: all that are bound now, but the named ones. A socket that is
    /// bound later is not among them.
    pub(crate) fn to_cover(self) -> Vec<PathBuf> {
        let connects = match self.sockets() {
            Sockets::Unconnected | Sockets::Network => false,
            Sockets::Unix | Sockets::UnixAndNetwork => true,
        };
        if !connects || self.holder != Some(Holder::Mounts) {
            return Vec::new();
        }
        let named: Vec<PathBuf> = self.named().collect();
        let mut others: Vec<PathBuf> = bound_sockets::paths()
            .into_iter()
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| !named.contains(path))
            .filter(|path| path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket()))
            .collect();
        others.sort();
        others.dedup();
        others
    }
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
        let covered = |confinement: &Confinement, abi| {
            let covered = SocketReach::of(confinement, abi, true).to_cover();
            [&named, &other].map(|path| covered.contains(path))
        };
        let with_name = confinement(Network::Denied, vec![named.clone()]);
        assert_eq!(covered(&with_name, 8), [false, true]);
        assert_eq!(covered(&with_name, 9), [false, false], "Landlock does it");
        assert_eq!(covered(&confinement(Network::Granted, vec![]), 8), [true, true]);
        assert_eq!(covered(&confinement(Network::Denied, vec![]), 8), [false, false], "nothing connects");
    }

    /// What may be created, and whether the command is refused: with and without the network, a named socket,
    /// and something that keeps others away.
    #[test]
    fn the_whole_table() {
        use Network::{Denied, Granted};
        for (network, is_named, abi, has_namespaces, sockets, is_refused) in [
            (Denied, false, 3, false, Sockets::Unconnected, false),
            (Denied, false, 9, true, Sockets::Unconnected, false),
            (Denied, true, 9, false, Sockets::Unix, false),
            (Denied, true, 6, true, Sockets::Unix, false),
            (Denied, true, 5, true, Sockets::Unix, true),
            (Denied, true, 8, false, Sockets::Unix, true),
            (Granted, false, 9, false, Sockets::UnixAndNetwork, false),
            (Granted, false, 6, true, Sockets::UnixAndNetwork, false),
            (Granted, false, 5, true, Sockets::Network, false),
            (Granted, false, 8, false, Sockets::Network, false),
            (Granted, true, 6, true, Sockets::UnixAndNetwork, false),
            (Granted, true, 5, true, Sockets::Network, true),
        ] {
            let confinement = Confinement {
                network,
                sockets: if is_named { vec!["/run/named.sock".into()] } else { vec![] },
                ..Confinement::new(SandboxMode::ReadOnly, "/nowhere")
            };
            let reach = SocketReach::of(&confinement, abi, has_namespaces);
            let case = format!("{network}, named {is_named}, Landlock {abi}, namespaces {has_namespaces}");
            assert_eq!(reach.sockets(), sockets, "{case}");
            assert_eq!(reach.refuse_unless_held("sh").is_err(), is_refused, "{case}");
        }
    }
}
