//! What the kernel lets a command use up.

use rustix::process::{Resource, Rlimit, getrlimit};

use crate::ResourceLimits;
use crate::process_table;

/// Threads for each process that a command may have: programs in Java or Go have dozens.
const THREADS_A_PROCESS: u64 = 4;

/// The limits of a command that starts now, never above what this process has itself.
///
/// No core dumps: they hold what the program knew, and their place is the system's choice. No limit of addresses: see
/// [`ResourceLimits`].
///
/// The kernel counts the threads of a *user*, all other programs among them. The bound is therefore what the whole machine has now
/// and what the command may have: a command that multiplies reaches it, and other programs of the user do not bring it
/// about. It does not hold for root, whom the count of [`crate::process_limit`] still stops.
pub(crate) fn of_a_command(limits: ResourceLimits) -> Vec<(Resource, Rlimit)> {
    let threads = u64::from(limits.processes).saturating_mul(THREADS_A_PROCESS);
    let threads = process_table::threads_of_the_machine().map(|others| others.saturating_add(threads));
    [(Resource::Core, Some(0)), (Resource::Fsize, Some(limits.file_bytes)), (Resource::Nproc, threads)]
        .into_iter()
        .filter_map(|(resource, wanted)| Some((resource, at_most(wanted?, getrlimit(resource)))))
        .collect()
}

/// `None` is no limit in what the system says.
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
