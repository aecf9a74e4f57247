//! What this machine's kernel can enforce.

use std::fmt;

/// The oldest supported Landlock ABI: version 3 (Linux 6.2) is the first that can deny truncation. With an
/// older one, a confined command could still empty any of the user's files.
pub const MINIMUM_ABI: u8 = 3;

/// The first Landlock ABI that knows sockets in the file system.
pub(crate) const HOLDS_SOCKETS: u8 = 9;

/// The result of [`probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// Confined modes work.
    Enforced {
        /// The kernel's Landlock ABI version, as far as this crate knows it (3 to 9).
        abi: u8,
        /// What a confined command can still do.
        gaps: Vec<Gap>,
    },
    /// Confined modes are refused.
    Missing(NoConfinement),
}

/// Why the kernel cannot confine a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoConfinement {
    /// The system is not Linux.
    NotLinux,
    /// The kernel was built without Landlock, or a container forbids the call.
    NotBuilt,
    /// The kernel has Landlock, but it was not enabled at boot.
    NotEnabled,
    /// The kernel's Landlock is older than [`MINIMUM_ABI`].
    TooOld {
        /// The version found (1 or 2).
        abi: u8,
    },
    /// Seccomp is not available: the kernel lacks it, a container forbids it, or the processor is neither
    /// x86-64 nor aarch64. Without it the network could not be denied.
    NoCallFilter {
        /// What is missing.
        answer: String,
    },
    /// The kernel claims support but refuses the rules.
    Refused {
        /// The kernel's answer.
        answer: String,
    },
}

/// An effect that the kernel's rules do not prevent. `artoo doctor` prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gap {
    /// Modes, owners and times of the user's files can be changed: Landlock does not cover them, and without
    /// namespaces nothing is mounted read-only.
    Metadata,
    /// A part of a granted folder, such as a `.git`, cannot be sealed: Landlock cannot exclude a part of a
    /// granted folder.
    PartsOfFolders,
    /// The names, sizes and times in protected places can be seen: without its own mounts, only their contents
    /// can be kept from a command.
    HiddenPlaces,
    /// System V semaphores, queues and shared memory of the user's other processes can be used: without its own
    /// namespaces, a command shares them.
    Ipc,
    /// When artoo is killed, background processes of a command may live on for a moment, or permanently if
    /// artoo's own helper process is killed with it.
    Orphans,
    /// Where commands have a network, be it that of their run, or the user named a socket that they may use:
    /// sockets in the file system that other processes bind while a command runs can be reached (ABI before
    /// version 9).
    LateSockets,
    /// Devices can be controlled through `ioctl` (ABI before version 5).
    DeviceControl,
    /// The user's other processes can be signalled (ABI before version 6, without namespaces).
    Signals,
}

impl Gap {
    /// The gaps of a Landlock ABI version, as this crate uses it together with the seccomp filter.
    /// `has_namespaces` says whether a command gets its own namespaces.
    ///
    /// ```
    /// use artoo_sandbox::Gap;
    ///
    /// assert!(Gap::of(3, false).contains(&Gap::Signals) && !Gap::of(6, false).contains(&Gap::Signals));
    /// assert!(!Gap::of(6, true).contains(&Gap::Metadata));
    /// ```
    pub fn of(abi: u8, has_namespaces: bool) -> Vec<Self> {
        let mut gaps = Vec::new();
        if !has_namespaces {
            gaps.extend([Self::Metadata, Self::PartsOfFolders, Self::HiddenPlaces, Self::Ipc, Self::Orphans]);
        }
        if abi < HOLDS_SOCKETS {
            gaps.push(Self::LateSockets);
        }
        if abi < 5 {
            gaps.push(Self::DeviceControl);
        }
        if abi < 6 && !has_namespaces {
            gaps.push(Self::Signals);
        }
        gaps
    }

    /// Whether namespaces would close it.
    pub const fn is_of_namespaces(self) -> bool {
        match self {
            Self::Metadata | Self::PartsOfFolders | Self::HiddenPlaces | Self::Ipc | Self::Orphans => true,
            Self::LateSockets | Self::DeviceControl | Self::Signals => false,
        }
    }

    /// What the machine's owner can do about it, as the text after `hint:`.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Metadata | Self::PartsOfFolders | Self::HiddenPlaces | Self::Ipc | Self::Orphans => {
                "let this user make user namespaces (in a container: CAP_SYS_ADMIN; on Ubuntu: an AppArmor profile with \
                 `userns` for artoo)"
            }
            Self::LateSockets => "use a kernel with Landlock 9 (Linux 7)",
            Self::DeviceControl => "use Linux 6.10 or later",
            Self::Signals => "use Linux 6.12 or later",
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metadata => "modes, owners and times of files outside the granted folders can be changed",
            Self::PartsOfFolders => {
                "a part of a granted folder, such as `.git`, cannot be kept from commands"
            }
            Self::HiddenPlaces => {
                "names, sizes and times in protected places (keys, tokens, mail) can be seen by commands"
            }
            Self::Ipc => "System V IPC objects of the user's other processes can be used",
            Self::Orphans => "what a command left in the background may outlive an artoo that is killed",
            Self::LateSockets => {
                "a command with a network, be it that of its run, or with a socket granted can reach Unix sockets that \
                 other programs make while it runs"
            }
            Self::DeviceControl => "devices can be controlled through ioctl",
            Self::Signals => "other processes of the user can be signalled",
        })
    }
}

impl fmt::Display for NoConfinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLinux => f.write_str("kernel confinement exists on Linux only"),
            Self::NotBuilt => f.write_str("the kernel has no Landlock, or a container forbids it"),
            Self::NotEnabled => {
                f.write_str("Landlock is switched off at boot (see the kernel's `lsm=` option)")
            }
            Self::TooOld { abi } => write!(
                f,
                "the kernel's Landlock has version {abi}, and only version {MINIMUM_ABI} (Linux 6.2) and later can \
                 protect files from truncation"
            ),
            Self::NoCallFilter { answer } => write!(f, "system calls cannot be filtered: {answer}"),
            Self::Refused { answer } => write!(f, "the kernel rejects Landlock rules: {answer}"),
        }
    }
}

impl std::error::Error for NoConfinement {}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enforced { abi, .. } => {
                write!(f, "enforced by Landlock, version {abi}, and a filter of system calls")
            }
            Self::Missing(reason) => write!(f, "not enforced: {reason}"),
        }
    }
}

/// Determines what the kernel can enforce, by restricting a thread that does nothing else. The first call
/// takes well under a millisecond; the answer cannot change while the process lives, so later calls repeat
/// it.
///
/// ```
/// match artoo_sandbox::probe() {
///     artoo_sandbox::Support::Enforced { abi, .. } => assert!(abi >= artoo_sandbox::MINIMUM_ABI),
///     artoo_sandbox::Support::Missing(reason) => println!("{reason}"),
/// }
/// ```
pub fn probe() -> Support {
    #[cfg(target_os = "linux")]
    return crate::landlock_rules::probe();
    #[cfg(not(target_os = "linux"))]
    Support::Missing(NoConfinement::NotLinux)
}
