//! What a command may read, write, reach and use up.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::{GrantedVariables, PrivateNetwork};

/// How much a command may change. The user chooses it with `--sandbox`.
///
/// ```
/// use artoo_sandbox::SandboxMode;
///
/// assert_eq!("workspace-write".parse(), Ok(SandboxMode::WorkspaceWrite));
/// assert_eq!(SandboxMode::FullAccess.to_string(), "full-access");
/// assert!("anything-goes".parse::<SandboxMode>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SandboxMode {
    /// Reads everything; writes only to the private folder for temporary files.
    ReadOnly,
    /// Reads everything; writes to the granted roots and to the private folder for temporary files.
    #[default]
    WorkspaceWrite,
    /// No kernel rules: the command may do what the user may do.
    FullAccess,
}

impl SandboxMode {
    /// The word used on the command line and in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::FullAccess => "full-access",
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SandboxMode {
    type Err = UnknownMode;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "read-only" => Ok(Self::ReadOnly),
            "workspace-write" => Ok(Self::WorkspaceWrite),
            "full-access" => Ok(Self::FullAccess),
            other => Err(UnknownMode(other.to_owned())),
        }
    }
}

/// A word that is not the name of a [`SandboxMode`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no sandbox mode; the modes are read-only, workspace-write and full-access")]
pub struct UnknownMode(pub String);

/// Whether confined commands may use the machine's network. Unix sockets are another matter: see
/// [`Confinement::sockets`].
///
/// ```
/// use artoo_sandbox::Network;
///
/// assert_eq!(Network::default(), Network::Denied);
/// assert_eq!(Network::Granted.to_string(), "network granted");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Network {
    /// Nothing of it.
    #[default]
    Denied,
    /// TCP, UDP and what name resolution needs; no raw packets.
    Granted,
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "no network",
            Self::Granted => "network granted",
        })
    }
}

/// Resource limits of a confined command.
///
/// ```
/// use artoo_sandbox::ResourceLimits;
///
/// assert_eq!(ResourceLimits::default().processes, 1_024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceLimits {
    /// The largest file that it may write, in bytes. Limits each file, not their number.
    pub file_bytes: u64,
    /// The number of processes it may have at the same time. With more, its process tree is killed.
    pub processes: u32,
    /// Free bytes that must remain on the disks where it may write. With less, its process tree is killed. If
    /// less is free at the start, it may use half of that.
    pub free_bytes: u64,
    /// The memory of its processes together, in bytes, without programs and libraries; never more than three
    /// quarters of the machine's. With more, its process tree is killed. The kernel enforces it where this
    /// process may make a control group; elsewhere it is measured 25 times a second at most. Not a limit of
    /// address space, of which JavaScript, Go and Java reserve far more than they use.
    pub memory_bytes: u64,
    /// Bytes of memory that must remain available on the machine. With less, its process tree is killed. If
    /// less is available at the start, it may use half of that.
    pub available_bytes: u64,
    /// The number of files that each of its processes may have open.
    pub open_files: u64,
}

impl Default for ResourceLimits {
    /// 16 GiB a file, more than a request plausibly needs; 1,024 processes, more than a parallel build has;
    /// 256 MiB of disk and of memory, enough for the machine and artoo's own records to go on; 64 GiB of
    /// memory, so that on most machines three quarters of it are the limit; 16,384 open files, more than a
    /// browser or a bundler has.
    fn default() -> Self {
        const GIB: u64 = 1024 * 1024 * 1024;
        Self {
            file_bytes: 16 * GIB,
            processes: 1_024,
            free_bytes: GIB / 4,
            memory_bytes: 64 * GIB,
            available_bytes: GIB / 4,
            open_files: 16_384,
        }
    }
}

/// What one command may read, write, reach and use up.
///
/// ```
/// use artoo_sandbox::{Confinement, SandboxMode};
///
/// let confinement = Confinement {
///     writable: vec!["/home/ada/artoo_workspace".into()],
///     hidden: vec!["/home/ada/.ssh".into()],
///     ..Confinement::new(SandboxMode::ReadOnly, "/home/ada/.cache/artoo/tmp/1")
/// };
/// assert_eq!(confinement.granted().count(), 1); // read-only grants the private folder alone
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// How much of the rest of this value applies.
    pub mode: SandboxMode,
    /// Whether it may use the machine's network. Ignored in [`SandboxMode::FullAccess`].
    pub network: Network,
    /// The network that it shares with the other commands of its run, unless it may use the machine's. `None`
    /// is no network at all, and so is one that cannot be made. Ignored in [`SandboxMode::FullAccess`].
    pub own_network: Option<PrivateNetwork>,
    /// Its resource limits. Ignored in [`SandboxMode::FullAccess`].
    pub limits: ResourceLimits,
    /// Absolute paths of existing folders, granted with everything below them in
    /// [`SandboxMode::WorkspaceWrite`]. A symlink grants its target at the time of the start.
    pub writable: Vec<PathBuf>,
    /// Absolute paths of files and folders inside `writable` that must not change, such as the `.git` of a
    /// repository. Paths elsewhere are not granted anyway. If the kernel cannot seal them
    /// ([`Gap::PartsOfFolders`](crate::Gap)), the command is refused. A [preview](crate::preview::preview())
    /// does not seal them: refuse its commit if [`Changes::touching`](crate::preview::Changes::touching)
    /// finds one.
    pub sealed: Vec<PathBuf>,
    /// Absolute paths of files and folders inside `writable` that must not change, previews included: what the
    /// user said must stay as it is. A missing one is left out. If the kernel cannot do that
    /// ([`Gap::PartsOfFolders`](crate::Gap)), the command is refused.
    pub read_only: Vec<PathBuf>,
    /// Absolute paths of files and folders that cannot be read: keys, tokens, mail. They need not exist: one
    /// that appears, or replaces another, while the command runs is hidden too, unless it lies in a folder of
    /// `writable`. Without mount namespaces their names can be seen ([`Gap::HiddenPlaces`](crate::Gap)), and a
    /// command is refused if `writable` contains one. The private folder may be inside one.
    pub hidden: Vec<PathBuf>,
    /// Absolute paths of the Unix sockets of other processes that it may connect to, because the user named
    /// them. Of others it reaches those alone that commands with the same private folder made there.
    pub sockets: Vec<PathBuf>,
    /// Variables that it gets besides those of its invocation that [`scrub`](crate::scrub) keeps. Linux only.
    pub variables: GrantedVariables,
    /// The command's `TMPDIR`: absolute, for this run alone. It is created with mode 0700 if missing, and
    /// never removed; that is up to the caller.
    pub private_tmp: PathBuf,
}

impl Confinement {
    /// No grant but the private folder, no network, the default limits, and nothing sealed or hidden.
    pub fn new(mode: SandboxMode, private_tmp: impl Into<PathBuf>) -> Self {
        Self {
            mode,
            network: Network::Denied,
            own_network: None,
            limits: ResourceLimits::default(),
            writable: Vec::new(),
            sealed: Vec::new(),
            read_only: Vec::new(),
            hidden: Vec::new(),
            sockets: Vec::new(),
            variables: GrantedVariables::default(),
            private_tmp: private_tmp.into(),
        }
    }

    /// The folders that the mode lets the command write to, the private one first. Empty for
    /// [`SandboxMode::FullAccess`], which needs no grant.
    pub fn granted(&self) -> impl Iterator<Item = &PathBuf> {
        let (tmp, roots): (_, &[PathBuf]) = match self.mode {
            SandboxMode::ReadOnly => (Some(&self.private_tmp), &[]),
            SandboxMode::WorkspaceWrite => (Some(&self.private_tmp), &self.writable),
            SandboxMode::FullAccess => (None, &[]),
        };
        tmp.into_iter().chain(roots)
    }
}
