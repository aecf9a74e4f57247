//! Runs one command so that it can do no more than it was granted, and leaves none of its processes behind.
//!
//! [`run()`] starts a program confined by the kernel (mounts of its own, Landlock and a filter of system calls on Linux): it may read what the
//! user may read, but for what is hidden from it, write only in the roots of its [`Confinement`], and use no network unless that is granted. It has no
//! terminal, no standard input, a scrubbed environment and bounded resources. A time-out, a cancellation, the end of the command, a dropped future
//! and the death of this process all end the same way: the whole tree of processes is gone, daemons included. [`run_unconfined`] does the same without the kernel's
//! rules, for programs that artoo itself trusts. Where the kernel cannot enforce the rules, [`run()`] refuses;
//! [`probe`] says beforehand what it can.
//!
//! [`preview`](preview::preview()) runs a command as [`run()`] does, but over layers on its folders, and says what it has changed there; a commit makes exactly
//! that real.
//!
//! *Architecture invariant*: this crate does not know who asked for a command, or whether somebody consented, and
//! running one does not look at what it means. It reads no environment, no home folder and no clock but the monotonic one; every path,
//! variable and limit comes in as an argument. It keeps nothing between two runs. It is the only crate that
//! starts processes, and but for `artoo-mapped-file` the only one that may contain `unsafe`.
//!
//! # How a command is held
//!
//! Landlock, seccomp and mounts hold a process and what it starts, for ever, so no thread of this process may be bound. The command binds itself, between
//! its birth and its program, by system calls alone on what was made ready before: it borrows this process's memory and must not allocate.
//!
//! Each command has a *first process* that becomes no program (`first_process.rs`). It goes into the command's namespaces, starts the program as its child, and
//! is what orphans of the command fall to. It ends its children, until none is left, when the program ends, when it is told to, and when the kernel tells it that
//! this process died. A process can leave its group, its session and its parents, and it can clear its environment, but its orphans fall to no other.
//!
//! A confined root user also loses the capabilities that lead around the rules.
//!
//! | wall | holds back |
//! |---|---|
//! | mounts of its own | changing anything outside the granted folders, with its mode, owner, times and attributes; reading hidden places; changing, renaming and replacing sealed parts of granted folders |
//! | Landlock | the same for contents, where there are no mounts; control of devices; signals to and traces of other processes; abstract sockets; TCP where it is not granted, behind the filter |
//! | the filter | tracing, reading another process's memory, mounts, namespaces, keys of the kernel, programs and modules in the kernel, io_uring, raw and rare sockets, every socket but Unix sockets where the network is not granted, access lists and extended attributes, other binary interfaces of the processor |
//! | limits | core dumps, one file without end, processes without number, a disk that fills up |
//! | the first process | whatever is left when the command ends, or this process does |
//!
//! The filter answers as an old kernel or a small file system would (not permitted, no such call, not supported), so that programs which
//! only probe go on; only 32-bit programs are killed. It is compiled once a process. Both Landlock and the filter are required: where one of
//! them is missing, confined modes are refused ([`NoConfinement`]).
//!
//! # What is not held back
//!
//! Without namespaces (a container, a distribution that forbids them to users) nothing is hidden or sealed, modes and times can be changed, and there are
//! no previews. An ordinary user's command sees files of other users as `nobody`'s, the price of its user namespace. Sockets in the file system can be
//! reached before version 9 of Landlock, where the network is granted. No limit of memory is set, for the only one counts addresses. [`Support::Enforced`] lists
//! these gaps for `artoo doctor`.
//!
//! # Example
//!
//! ```
//! # async fn example() -> Result<(), artoo_sandbox::SandboxError> {
//! use artoo_sandbox::{Capture, Confinement, Ending, Invocation, Network, ResourceLimits, SandboxMode, run};
//! use std::{collections::BTreeMap, path::PathBuf, time::Duration};
//! use tokio_util::sync::CancellationToken;
//!
//! let invocation = Invocation {
//!     program: "sh".into(),
//!     arguments: vec!["-c".into(), "echo hello > note.txt".into()],
//!     folder: PathBuf::from("/home/ada/artoo_workspace"),
//!     environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
//!     timeout: Duration::from_secs(60),
//!     keep: 16 * 1024 * 1024,
//! };
//! let confinement = Confinement {
//!     mode: SandboxMode::WorkspaceWrite,
//!     network: Network::Denied,
//!     limits: ResourceLimits::default(),
//!     writable: vec![PathBuf::from("/home/ada/artoo_workspace")],
//!     sealed: vec![],
//!     hidden: vec![PathBuf::from("/home/ada/.ssh")],
//!     private_tmp: PathBuf::from("/home/ada/.cache/artoo/tmp/1"),
//! };
//! let (mut out, mut err) = (Vec::new(), Vec::new());
//! let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
//! let outcome = run(&invocation, &confinement, capture, &CancellationToken::new()).await?;
//! assert_eq!(outcome.ending, Ending::Exited(0));
//! # Ok(())
//! # }
//! ```

mod confinement;
mod environment;
mod error;
mod invocation;
mod kernel_support;
mod outcome;
pub mod preview;
#[cfg(any(test, not(target_os = "linux")))]
mod process_group;
mod pump;
mod run;

#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod child_data;
#[cfg(target_os = "linux")]
mod child_namespace;
#[cfg(target_os = "linux")]
mod child_restrictions;
#[cfg(target_os = "linux")]
mod disk_limit;
#[cfg(target_os = "linux")]
mod driver;
#[cfg(target_os = "linux")]
mod init_process;
#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod process_guard;
#[cfg(target_os = "linux")]
mod process_limit;
#[cfg(target_os = "linux")]
mod process_table;
#[cfg(target_os = "linux")]
mod rlimits;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp_rules;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod supervisor_thread;

pub use confinement::{Confinement, Network, ResourceLimits, SandboxMode, UnknownMode};
pub use environment::scrub;
pub use error::SandboxError;
pub use invocation::{Capture, Channel, DEFAULT_KEEP, Invocation, OnChunk};
pub use kernel_support::{Gap, MINIMUM_ABI, NoConfinement, Support, probe};
pub use outcome::{Ending, Outcome, StreamReport};
pub use run::{run, run_unconfined};
