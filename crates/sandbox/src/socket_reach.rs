//! Which sockets a command may use. One rule: inside the run, yes; outside, no, except what the user named.
//!
//! Whatever listens at a socket acts with its own rights: through it a command could do what it may not. The
//! filter of system calls sees no path, so it allows pairs of connected sockets only, which lead nowhere else,
//! unless a socket was named. Then Unix sockets can be created, and those of other processes are kept away:
//! by Landlock from version 9 on, before that by covering each with a mount, and abstract ones by Landlock's
//! scope. Where neither works, the command is refused.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::kernel_support::HOLDS_SOCKETS;
use crate::seccomp::Sockets;
use crate::{Confinement, Network, SandboxError};

/// The first Landlock version that knows abstract sockets.
const HOLDS_ABSTRACT_SOCKETS: u8 = 6;

/// The sockets of one command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SocketReach<'a> {
    network: Network,
    named: &'a [PathBuf],
}

impl<'a> SocketReach<'a> {
    pub(crate) fn of(confinement: &'a Confinement) -> Self {
        Self { network: confinement.network, named: &confinement.sockets }
    }

    /// What it may create.
    pub(crate) fn creates(self) -> Sockets {
        Sockets { unix: !self.named.is_empty(), network: self.network == Network::Granted }
    }

    /// Refuses a command whose sockets this kernel cannot hold.
    pub(crate) fn refuse_unless_held(
        self,
        program: &str,
        abi: u8,
        has_namespaces: bool,
    ) -> Result<(), SandboxError> {
        let Some(path) = self.named.first() else { return Ok(()) };
        if abi >= HOLDS_SOCKETS || (has_namespaces && abi >= HOLDS_ABSTRACT_SOCKETS) {
            return Ok(());
        }
        Err(SandboxError::Sockets { program: program.to_owned(), path: path.clone() })
    }

    /// The named sockets, by their real paths.
    pub(crate) fn named(self) -> impl Iterator<Item = PathBuf> {
        self.named.iter().filter_map(|path| path.canonicalize().ok())
    }

    /// The sockets in the file system to cover: all that are bound now, but the named ones. A socket that is
    /// bound later, or by a relative path, or in another network namespace, is not among them.
    pub(crate) fn to_cover(self, abi: u8) -> io::Result<Vec<PathBuf>> {
        if self.named.is_empty() || abi >= HOLDS_SOCKETS {
            return Ok(Vec::new());
        }
        let named: Vec<PathBuf> = self.named().collect();
        let bound = fs::read("/proc/net/unix")?;
        let bound = String::from_utf8_lossy(&bound);
        let mut others: Vec<PathBuf> = bound
            .lines()
            .filter_map(path_of)
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| !named.contains(path))
            .filter(|path| path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket()))
            .collect();
        others.sort();
        others.dedup();
        Ok(others)
    }
}

/// The path in a line of the kernel's list of Unix sockets; `None` for one without a path, an abstract one
/// and a relative path. It follows seven fields without blanks and may contain blanks itself.
fn path_of(line: &str) -> Option<&Path> {
    let mut rest = line;
    for _ in 0..7 {
        rest = rest.trim_start().split_once(' ')?.1;
    }
    rest.starts_with('/').then(|| Path::new(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let head = "00000000a1a7c690: 00000003 00000000 00000000 0001 03";
        for (line, path) in [
            (format!("{head} 24601 /run/a b.sock"), Some("/run/a b.sock")),
            (format!("{head}   558 /run/x"), Some("/run/x")),
            (format!("{head} 24601 @abstract"), None),
            (format!("{head} 24601 relative.sock"), None),
            (format!("{head} 24601"), None),
            ("Num       RefCount Protocol Flags    Type St Inode Path".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(path_of(&line), path.map(Path::new), "{line}");
        }
    }

    #[test]
    fn every_bound_socket_but_the_named_one_is_covered() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let [named, other] = ["named.sock", "other one.sock"].map(|name| folder.join(name));
        let _listeners = [&named, &other].map(|path| UnixListener::bind(path).unwrap());
        let names = [named.clone()];
        let reach = SocketReach { network: Network::Denied, named: &names };
        let covered = reach.to_cover(HOLDS_SOCKETS - 1).unwrap();
        assert!(covered.contains(&other) && !covered.contains(&named), "{covered:?}");
        assert_eq!(reach.to_cover(HOLDS_SOCKETS).unwrap(), Vec::<PathBuf>::new());
        let none = SocketReach { network: Network::Granted, named: &[] };
        assert_eq!(none.to_cover(HOLDS_SOCKETS - 1).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(none.creates(), Sockets { unix: false, network: true });
    }
}
