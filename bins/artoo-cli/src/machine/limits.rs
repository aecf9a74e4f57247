//! Which limit of this process, user or container stands behind an error of the kernel.

use std::error::Error;
use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::control_groups::{GroupLimit, tightest};

/// A limit of processes above this is a system's default, and is not named.
const USUAL_PROCESSES: u64 = 4096;

/// The hint for an error of code that starts threads, if a limit caused it. Only from such code does the kernel's "try again"
/// mean a limit.
pub(crate) fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    errno_of(error).and_then(|errno| match errno {
        Errno::AGAIN | Errno::NOMEM => Some(of_threads(&found())),
        other => of_files(other),
    })
}

/// The hint for any error, if a limit of open files caused it.
pub(crate) fn hint_of_files(error: &(dyn Error + 'static)) -> Option<String> {
    errno_of(error).and_then(of_files)
}

/// The kernel's number of the first cause that has one.
fn errno_of(error: &(dyn Error + 'static)) -> Option<Errno> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(number) = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error) {
            return Some(Errno::from_raw_os_error(number));
        }
        next = error.source();
    }
    None
}

fn of_files(errno: Errno) -> Option<String> {
    match errno {
        Errno::MFILE => Some(match getrlimit(Resource::Nofile).current {
            Some(files) => format!("raise the limit: this process may open {files} files (ulimit -n)"),
            None => "raise the limit of open files (ulimit -n)".to_owned(),
        }),
        Errno::NFILE => Some("close some programs: the system has too many files open".to_owned()),
        _ => None,
    }
}

/// The limits of threads and processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Limits {
    /// `ulimit -u`.
    of_the_user: Option<u64>,
    /// `pids.max` of the control group or of one around it.
    of_the_group: Option<u64>,
    /// `ulimit -v`, in bytes.
    memory: Option<u64>,
}

fn of_threads(limits: &Limits) -> String {
    let mut known = Vec::new();
    if let Some(most) = limits.of_the_user {
        known.push(format!("this user may have {most} processes and threads (ulimit -u)"));
    }
    if let Some(most) = limits.of_the_group {
        known.push(format!("this container may have {most} (pids.max of its control group)"));
    }
    if let Some(bytes) = limits.memory {
        known.push(format!("this process may have {} of memory (ulimit -v)", crate::view::bytes(bytes)));
    }
    if known.is_empty() {
        return "end some programs, or raise the limits: ulimit -u, ulimit -v, pids.max of the container"
            .to_owned();
    }
    format!("end some programs, or raise the limit: {}", known.join("; "))
}

fn found() -> Limits {
    let unusual = |most: &u64| *most < USUAL_PROCESSES;
    Limits {
        of_the_user: getrlimit(Resource::Nproc).current.filter(unusual),
        of_the_group: of_the_groups(),
        memory: getrlimit(Resource::As).current,
    }
}

/// The tightest `pids.max` of the control groups that this process is in.
fn of_the_groups() -> Option<u64> {
    const PROCESSES: GroupLimit = GroupLimit { controller: "pids", first: "pids.max", second: "pids.max" };
    tightest(&PROCESSES).filter(|most| *most < USUAL_PROCESSES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_named_wherever_it_is_in_the_chain() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer(#[source] io::Error);
        let of = |errno: Errno| hint(&Outer(io::Error::from(errno)));
        assert!(of(Errno::MFILE).unwrap().contains("ulimit -n"));
        assert!(of(Errno::AGAIN).is_some_and(|hint| hint.contains("raise the limit")));
        let of_files = |errno: Errno| hint_of_files(&Outer(io::Error::from(errno)));
        assert!(of_files(Errno::MFILE).is_some() && of_files(Errno::AGAIN).is_none());
        assert_eq!(of(Errno::NOSPC), None);
        assert_eq!(of(Errno::ACCESS), None);
    }

    #[test]
    fn only_limits_that_somebody_set_are_named() {
        let check =
            |limits: Limits, expected: &str| assert!(of_threads(&limits).ends_with(expected), "{limits:?}");
        check(Limits::default(), "pids.max of the container");
        check(
            Limits { of_the_user: Some(12), ..Limits::default() },
            "this user may have 12 processes and threads (ulimit -u)",
        );
        check(
            Limits { of_the_group: Some(20), memory: Some(1 << 20), ..Limits::default() },
            "this container may have 20 (pids.max of its control group); this process may have 1.0 MB of memory (ulimit -v)",
        );
    }
}
