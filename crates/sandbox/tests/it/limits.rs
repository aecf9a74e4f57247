//! Limits of memory and of open files.

use artoo_sandbox::{Ending, ResourceLimits};

use artoo_test_needs::has;

use crate::setup::confined_bench;

const MIB: u64 = 1024 * 1024;

/// Ways to use memory, and how each ends by itself if nothing stops it.
const HOGS: [(&str, &str); 4] = [
    ("one process", "python3 -c 'x = b\"x\" * (400 << 20); import time; time.sleep(60)'"),
    (
        "many processes",
        "for i in 1 2 3 4 5 6 7 8; do python3 -c 'x = b\"x\" * (50 << 20); import time; time.sleep(60)' & done; wait",
    ),
    (
        "a child that left its group",
        "setsid python3 -c 'x = b\"x\" * (400 << 20); import time; time.sleep(60)' & wait",
    ),
    (
        "shared memory",
        "python3 -c 'import mmap, time; m = mmap.mmap(-1, 400 << 20)\nfor i in range(0, 400 << 20, 4096): m[i] = 1\ntime.sleep(60)'",
    ),
];

#[tokio::test]
async fn too_much_memory_ends_the_whole_tree() {
    let Some(mut bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    bench.limits = ResourceLimits { memory_bytes: 200 * MIB, ..bench.limits };
    for (what, script) in HOGS {
        let ran = bench.sh(script).await;
        assert_eq!(
            (ran.outcome.ending, ran.outcome.survivors),
            (Ending::OutOfMemory, 0),
            "{what}: {}",
            ran.err()
        );
    }
    let ran = bench.sh("python3 -c 'x = b\"x\" * (20 << 20); print(len(x))'").await;
    assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
}

/// Memory that no process maps is in no sum of processes.
#[tokio::test]
async fn a_machine_without_memory_ends_the_command() {
    let Some(mut bench) = confined_bench() else { return };
    let available = std::fs::read_to_string("/proc/meminfo").unwrap();
    let available = available.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    let available: u64 = available.trim().trim_end_matches(" kB").parse().unwrap();
    if !has("python3") {
        return;
    }
    bench.limits = ResourceLimits { available_bytes: available * 1024 - 200 * MIB, ..bench.limits };
    let ran = bench
        .sh("python3 -c 'import os, time; f = os.memfd_create(\"m\")\nfor i in range(600): os.write(f, b\"x\" * (1 << 20))\ntime.sleep(60)'")
        .await;
    assert_eq!(ran.outcome.ending, Ending::OutOfMemory, "{}", ran.err());
    // Less is left than is required at the start: half of it may still be used.
    bench.limits = ResourceLimits { available_bytes: u64::MAX, ..bench.limits };
    assert_eq!(bench.sh("echo x").await.outcome.ending, Ending::Exited(0));
}

#[tokio::test]
async fn open_files_are_bounded_and_the_bound_cannot_be_raised() {
    let Some(mut bench) = confined_bench() else { return };
    bench.limits = ResourceLimits { open_files: 64, ..bench.limits };
    let ran = bench.sh("ulimit -Sn; ulimit -Hn; ulimit -n 65 2> /dev/null || echo refused").await;
    let out = ran.out();
    // Root may raise its limits where it keeps that capability, which a confined command does not.
    assert_eq!(out, "64\n64\nrefused", "{}", ran.err());
}
