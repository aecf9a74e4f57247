//! A command sets its own limits and priorities, and nobody else's.

use artoo_sandbox::Ending;

use artoo_test_needs::has;

use crate::setup::confined_bench;

/// Python that calls the kernel for process `P`: itself as 0, or another one.
const CALLS: [(&str, &str); 9] = [
    ("a limit", "resource.prlimit(P, resource.RLIMIT_CORE, (0, 0))"),
    ("a limit that is only read", "resource.prlimit(P, resource.RLIMIT_NOFILE)"),
    ("a priority", "os.setpriority(os.PRIO_PROCESS, P, 19)"),
    ("the priority of a group", "os.setpriority(os.PRIO_PGRP, P, 19)"),
    ("a processor", "os.sched_setaffinity(P, os.sched_getaffinity(0))"),
    ("a scheduler", "os.sched_setscheduler(P, os.SCHED_BATCH, os.sched_param(0))"),
    ("parameters of a scheduler", "os.sched_setparam(P, os.sched_param(0))"),
    ("a priority of input and output", "call(251, 1, P, (2 << 13) | 7)"),
    ("attributes of a scheduler", "call(314, P, attributes(), 0)"),
];

const BEGIN: &str = "
import ctypes, os, resource, struct
c = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    if c.syscall(number, *arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def attributes():
    return struct.pack('IIQiIQQQ', 48, 3, 0, 0, 0, 0, 0, 0)
";

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn limits_and_priorities_reach_the_command_alone() {
    let Some(bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    // Whoever starts artoo is another process of the user.
    let others = [std::process::id().to_string(), std::os::unix::process::parent_id().to_string()];
    for (what, call) in CALLS {
        let of = |process: &str| {
            let call = call.replace("(P,", &format!("({process},")).replace(", P,", &format!(", {process},"));
            format!("python3 - <<'END'\n{BEGIN}{call}\nEND")
        };
        let ran = bench.sh(&of("0")).await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{what} of its own: {}", ran.err());
        for other in &others {
            let ran = bench.sh(&of(other)).await;
            assert!(ran.err().contains("PermissionError"), "{what} of {other}: {}", ran.err());
        }
    }
    for everybody in ["os.setpriority(os.PRIO_USER, 0, 19)", "call(251, 3, 0, (2 << 13) | 7)"] {
        let ran = bench.sh(&format!("python3 - <<'END'\n{BEGIN}{everybody}\nEND")).await;
        assert!(ran.err().contains("PermissionError"), "{everybody}: {}", ran.err());
    }
}
