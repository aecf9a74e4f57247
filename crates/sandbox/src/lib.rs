//! Sandboxed command execution: confinement by the kernel, and no process left behind.
//!
//! [`run()`] starts a program confined by the kernel (mount namespace, Landlock and a seccomp filter on
//! Linux): it may read what the user may read, except hidden places, write only to the roots of its
//! [`Confinement`], and use no network unless granted: at most a loopback interface that it shares with the
//! other commands of its run ([`PrivateNetwork`]). It has no terminal, no standard input, a filtered
//! environment and bounded resources. A timeout, a cancellation, the end of the command, a dropped future and
//! the death of this process all end the same way: the whole process tree is gone, daemons included.
//! [`run_unconfined`] does the same without the kernel's rules, for programs that artoo itself trusts. If the
//! kernel cannot enforce the rules, [`run()`] refuses; [`probe`] reports beforehand what it can enforce.
//!
//! [`start()`] does the same for a program that is talked to while it runs, through pipes: a server of tools.
//!
//! [`preview`](preview::preview()) runs a command as [`run()`] does, but with overlays on its folders, and
//! reports what it changed there; a commit applies exactly those changes. Its example shows a trial with a
//! decision.
//!
//! The callers of these functions need `tokio` with IO and time enabled, and `tokio-util` for its
//! `CancellationToken`.
//!
//! *Architecture invariant*: this crate does not know who asked for a command or whether anyone consented,
//! and running one does not analyse what it means. It reads no environment, no home folder and no clock but
//! the monotonic one; every path, variable and limit is an argument. It keeps nothing of a command after
//! its end. It is
//! the only crate that starts processes and, with `artoo-mapped-file`, the only one that may contain
//! `unsafe`.
//!
//! # How a command is confined
//!
//! Landlock, seccomp and mounts bind a process and everything it starts for good, so no thread of this
//! process may be bound. The command binds itself between `clone` and `exec`, by bare system calls on data
//! prepared before: it shares this process's memory and must not allocate.
//!
//! Each command has a *first process* that never executes a program (`init_process.rs`). It enters the
//! command's namespaces, starts the program as its child, and inherits the command's orphans. It kills its
//! children, until none is left, when the program ends, when told to, and when the kernel reports that this
//! process died. A process can leave its group, its session and its parents, and it can clear its
//! environment, but its orphans always go to the first process.
//!
//! A confined root user also loses the capabilities that bypass the rules.
//!
//! The barriers, and what each prevents:
//!
//! - *Mount namespace*: changing anything outside the granted folders, including modes, owners,
//!   times and attributes; reading hidden places; changing, renaming and replacing sealed and read-only parts
//!   of granted folders.
//! - *Landlock*: the same for contents, where mounts are missing; reading a secret that appears, or replaces
//!   another one, while the command runs; also devices, signals to and tracing of other processes, abstract
//!   sockets, and TCP where not granted, as a second barrier behind the filter.
//! - *Network namespace*: reaching other machines, this machine's own services, and abstract sockets of others,
//!   while the commands of one run reach each other.
//! - *Seccomp filter*: tracing, reading another process's memory, limits and priorities of other processes,
//!   mounts, namespaces, kernel keys, programs and modules in the kernel, io_uring, raw and rare sockets,
//!   network sockets where there is no network, connections but those of pairs where there is none and the user
//!   named no socket, access lists and extended attributes, and other ABIs of the processor.
//! - *Limits*: core dumps, unbounded files, unbounded numbers of processes and open files, full disks, memory.
//! - *First process*: processes left over when the command ends, or when this process does.
//! - *Descriptors*: nothing above the standard streams is inherited.
//!
//! The filter answers as an old kernel or a limited file system would (not permitted, no such call, not
//! supported), so that programs that merely probe continue; only 32-bit programs are killed. It is compiled
//! once per process. Both Landlock and the filter are required: if either is missing, confined modes are
//! refused ([`NoConfinement`]).
//!
//! # What is not prevented
//!
//! Without namespaces (a container, a distribution that denies them to users) names in hidden places can be
//! seen, nothing is sealed, modes and times can be changed, and there are no previews. An ordinary user's
//! command sees files of other users as owned by `nobody`, the price of its user namespace. A command that may
//! write to the folder of a secret, without a preview, can read one that appears there while it runs. Before
//! version 9 of Landlock, a command that has a network or may use a named socket reaches sockets in the file
//! system that others bind after it started, except in [`veiled_folders`].
//! Where no control group can be made, memory is measured from time to time, so a command may exceed the limit
//! for a moment. [`Support::Enforced`] lists the gaps of a machine for `artoo doctor`; `docs/not-blocked.md`
//! has them all.
//!
//! # Example
//!
//! ```
//! # async fn example() -> Result<(), artoo_sandbox::SandboxError> {
//! use artoo_sandbox::{Capture, Confinement, Ending, Invocation, SandboxMode, run};
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
//!     writable: vec![PathBuf::from("/home/ada/artoo_workspace")],
//!     hidden: vec![PathBuf::from("/home/ada/.ssh")],
//!     ..Confinement::new(SandboxMode::WorkspaceWrite, "/home/ada/.cache/artoo/tmp/1")
//! };
//! let (mut out, mut err) = (Vec::new(), Vec::new());
//! let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
//! let outcome = run(&invocation, &confinement, capture, &CancellationToken::new()).await?;
//! assert_eq!(outcome.ending, Ending::Exited(0));
//! # Ok(())
//! # }
//! ```

mod confinement;
mod descriptors;
mod environment;
mod error;
mod invocation;
mod kernel_support;
mod outcome;
mod piped;
pub mod preview;
mod private_network;
#[cfg(any(test, not(target_os = "linux")))]
mod process_group;
mod pump;
mod real_names;
mod reduced_mode;
mod room;
mod run;

#[cfg(target_os = "linux")]
mod bound_sockets;
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
mod landlock_calls;
#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod memory_cgroup;
#[cfg(target_os = "linux")]
mod memory_limit;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod network_namespace;
#[cfg(target_os = "linux")]
mod process_guard;
#[cfg(target_os = "linux")]
mod process_limit;
#[cfg(target_os = "linux")]
mod process_table;
#[cfg(target_os = "linux")]
mod readable;
#[cfg(target_os = "linux")]
mod rlimits;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp_conditions;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp_rules;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp_sockets;
#[cfg(target_os = "linux")]
mod shared_memory;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod socket_reach;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod supervisor_thread;
#[cfg(target_os = "linux")]
mod user_namespace;
#[cfg(target_os = "linux")]
mod veils;

#[cfg(target_os = "linux")]
pub use bound_sockets::paths as bound_sockets;
pub use confinement::{Confinement, Network, ResourceLimits, SandboxMode, UnknownMode};
pub use descriptors::keep_descriptors_from_children;
pub use environment::{GrantedVariables, scrub};
pub use error::SandboxError;
pub use invocation::{Capture, Channel, DEFAULT_KEEP, Invocation, OnChunk};
pub use kernel_support::{Gap, MINIMUM_ABI, NoConfinement, Support, probe};
pub use outcome::{Ending, Outcome, StreamReport};
pub use piped::{Piped, PipedEnd, Process};
pub use private_network::{NoPrivateNetwork, PrivateNetwork};
pub use real_names::real_paths;
pub use reduced_mode::{ReducedMode, reduced_mode};
pub use room::{room_for_files, room_for_threads};
pub use run::{run, run_unconfined, start};
#[cfg(target_os = "linux")]
pub use veils::veiled_folders;

/// The names under which Unix sockets are bound. Only Linux tells them.
#[cfg(not(target_os = "linux"))]
pub fn bound_sockets() -> std::collections::BTreeSet<std::path::PathBuf> {
    std::collections::BTreeSet::new()
}

/// The folders in which a command that was granted nothing there reaches no socket of another program. Only Linux has them.
#[cfg(not(target_os = "linux"))]
pub fn veiled_folders() -> Vec<std::path::PathBuf> {
    Vec::new()
}
