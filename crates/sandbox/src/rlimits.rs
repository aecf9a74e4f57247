//! Resource limits (`setrlimit`) of a command.

use rustix::process::{Resource, Rlimit, getrlimit};

use crate::ResourceLimits;
use crate::process_table;

/// Threads per permitted process: programs in Java or Go have dozens.
const THREADS_A_PROCESS: u64 = 4;

/// The limits of a command that starts now, never above those of this process.
///
/// No core dumps: they contain the program's memory, and the system chooses their location. No limit of
/// address space: see [`crate::memory_limit`].
///
/// The kernel counts the threads of a *user*, including those of all other programs. The limit is therefore
/// the number of threads on the whole machine now plus what the command may have: a command that multiplies
/// reaches it, and other programs of the user do not cause that. It does not apply to root, whom the count of
/// [`crate::process_limit`] still stops.
pub(crate) fn of_a_command(limits: ResourceLimits) -> Vec<(Resource, Rlimit)> {
    let threads = u64::from(limits.processes).saturating_mul(THREADS_A_PROCESS);
    let threads = process_table::threads_of_the_machine().map(|others| others.saturating_add(threads));
    [
        (Resource::Core, Some(0)),
        (Resource::Fsize, Some(limits.file_bytes)),
        (Resource::Nofile, Some(limits.open_files)),
        (Resource::Nproc, threads),
    ]
    .into_iter()
    .filter_map(|(resource, wanted)| Some((resource, at_most(wanted?, getrlimit(resource)))))
    .collect()
}

/// `None` means unlimited.
fn at_most(wanted: u64, now: Rlimit) -> Rlimit {
    let lower = |now: Option<u64>| Some(now.map_or(wanted, |now| now.min(wanted)));
    Rlimit { current: lower(now.current), maximum: lower(now.maximum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_lowered_and_never_raised() {
        let limit = |current, maximum| Rlimit { current, maximum };
        for (now, then) in [
            (limit(None, None), limit(Some(9), Some(9))),
            (limit(Some(3), None), limit(Some(3), Some(9))),
            (limit(Some(3), Some(5)), limit(Some(3), Some(5))),
            (limit(Some(20), Some(30)), limit(Some(9), Some(9))),
        ] {
            assert_eq!(at_most(9, now), then);
        }
    }
}
