//! Runs one command so that it can do no more than it was granted, and leaves none of its processes behind.
//!
//! [`run()`] starts a program confined by the kernel (Landlock and a filter of system calls on Linux): it may read what the
//! user may read, write only in the roots of its [`Confinement`], and use no network unless that is granted. It has no
//! terminal, no standard input, a scrubbed environment and bounded resources. A time-out, a cancellation, the end of the command and a dropped future all end the same way:
//! the whole tree of processes is gone, daemons included. [`run_unconfined`] does the same without the kernel's
//! rules, for programs that artoo itself trusts. Where the kernel cannot enforce the rules, [`run()`] refuses;
//! [`probe`] says beforehand what it can.
//!
//! [`effects_of`] says what shell text names that it would do, without running it. It explains and grants nothing.
//!
//! [`preview`](preview::preview()) runs a command as [`run()`] does, but over layers on its folders, and says what it would change before anything is.
//!
//! *Architecture invariant*: this crate does not know who asked for a command, or whether somebody consented, and
//! running one does not look at what it means. It reads no environment, no home folder and no clock but the monotonic one; every path,
//! variable and limit comes in as an argument. It keeps nothing between two runs. It is the only crate that
//! starts processes and the only one that may contain `unsafe`.
//!
//! # How the rules reach only the child
//!
//! Landlock and seccomp restrict a *thread*, and what that thread starts inherits the restriction for ever. Each run
//! therefore has its own short-lived thread (the *keeper*), which restricts itself, starts the command, waits for
//! it and ends its tree. The alternatives were a call between fork and exec (the Landlock calls allocate, which
//! is not allowed there) and a helper that re-executes artoo's own program (a library has no such program, and a
//! second exec costs a millisecond). The keeper also buys something that neither of them has: living inside the
//! command's own Landlock domain, it can ask the kernel which processes belong to the domain, and the kernel
//! lets it signal no other. A process can leave its group, its session and its parents, and it can clear its
//! environment, but it cannot leave its domain.
//!
//! One thing cannot be done that way. A part of a granted folder is sealed by a mount, which the rules forbid, and mounts of its own
//! cannot be given to one thread of many. A command with sealed parts is therefore born into its own mounts and binds
//! itself between its birth and its program, by system calls alone; its keeper lives in a domain around it.
//!
//! A confined root user also loses the capabilities that lead around the rules.
//!
//! # The walls
//!
//! | wall | holds back |
//! |---|---|
//! | Landlock | writing, making, moving and removing files outside the granted folders; control of devices; signals to and traces of other processes; abstract sockets; TCP where it is not granted, behind the filter |
//! | the filter | tracing, reading another process's memory, mounts, namespaces, keys of the kernel, programs and modules in the kernel, io_uring, raw and rare sockets, every socket but Unix sockets where the network is not granted, access lists and extended attributes, other binary interfaces of the processor |
//! | mounts of its own, where something is sealed | changing, removing, renaming and replacing the sealed parts of granted folders |
//! | limits | core dumps, one file without end, processes without number |
//! | the keeper | a tree that multiplies, a disk that fills up, and whatever is left when the command ends |
//!
//! The filter answers as an old kernel or a small file system would (not permitted, no such call, not supported), so that programs which
//! only probe go on; only 32-bit programs are killed. It is compiled once a process. Both Landlock and the filter are required: where one of
//! them is missing, confined modes are refused ([`NoConfinement`]).
//!
//! # What the rules do not cover
//!
//! Landlock does not mediate changes of mode, owner and times, and a filter sees numbers, no paths: refusing `chmod` altogether would
//! break most programs that write. Landlock grants folders with all that is in them; a part, such as `.git`, can be sealed only where the
//! kernel lets this user mount (user namespaces, Landlock 6), and elsewhere [`run()`] refuses. An ordinary user's command with sealed
//! parts sees files of other users as `nobody`'s, the price of its user namespace. Sockets in the file system can be
//! reached before version 9 of the interface. Reading is free. No limit of memory is set, for the only one counts addresses. [`Support::Enforced`] lists these gaps for `artoo doctor`.
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
mod effects;
mod environment;
mod error;
#[cfg(any(test, not(target_os = "linux")))]
mod group;
mod invocation;
pub mod mapping;
mod on_disk;
mod outcome;
pub mod preview;
mod pump;
mod run;
pub mod snapshot;
mod support;

#[cfg(target_os = "linux")]
mod call_filter;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod call_list;
#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod child_namespace;
#[cfg(target_os = "linux")]
mod child_rules;
#[cfg(target_os = "linux")]
mod disk_limit;
#[cfg(target_os = "linux")]
mod driver;
#[cfg(target_os = "linux")]
mod first_process;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod prepared;
#[cfg(target_os = "linux")]
mod process_guard;
#[cfg(target_os = "linux")]
mod process_limit;
#[cfg(target_os = "linux")]
mod process_table;
#[cfg(target_os = "linux")]
mod rules;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod supervisor_thread;

pub use confinement::{Confinement, Network, ResourceLimits, SandboxMode, UnknownMode};
pub use effects::{
    Cause, Class, DecidedBy, Decision, Effects, Kind, Paths, Place, Ruling, Seen, decide, effects_of,
    knows_program,
};
pub use environment::scrub;
pub use error::SandboxError;
pub use invocation::{Capture, Channel, DEFAULT_KEEP, Invocation, OnChunk};
pub use on_disk::OnDisk;
pub use outcome::{Ending, Outcome, StreamReport};
pub use run::{run, run_unconfined};
pub use support::{Gap, MINIMUM_ABI, NoConfinement, Support, probe};
