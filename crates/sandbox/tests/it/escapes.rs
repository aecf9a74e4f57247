//! Attempts to escape from the sandbox, made from inside. File writes are covered in `confined`, repositories
//! in `sealed`, sockets in `network`, daemons in `killed`, floods of output in `output`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use artoo_sandbox::{Ending, ResourceLimits};

use artoo_test_needs::has;

use crate::setup::{confined_bench, lives, namespace_bench};

#[tokio::test]
async fn no_race_with_a_symlink_leads_outside() {
    let Some(bench) = confined_bench() else { return };
    fs::write(bench.outside.join("precious"), "precious").unwrap();
    // One process switches the link to the folder outside and back, another one opens files through it. The
    // rules apply to the opened file, not to its name, so there is no race between check and use.
    let ran = bench
        .sh("mkdir room && touch room/precious
             (i=0; while [ $i -lt 300 ]; do ln -sfn \"$1\" door; ln -sfn room door; i=$((i+1)); done) &
             i=0; while [ $i -lt 300 ]; do
                 echo x > door/new; echo x > door/precious; rm -f door/new
                 i=$((i+1))
             done 2> /dev/null; wait; echo through; cat room/precious")
        .await;
    assert_eq!(ran.out(), "through\nx", "the room itself could be written: {}", ran.err());
    assert_eq!(fs::read_dir(&bench.outside).unwrap().count(), 1);
    assert_eq!(fs::read(bench.outside.join("precious")).unwrap(), b"precious");
}

#[tokio::test]
async fn hooks_and_settings_of_a_repository_outside_stay_as_they_are() {
    let Some(bench) = confined_bench() else { return };
    let git = bench.outside.join(".git");
    fs::create_dir_all(git.join("hooks")).unwrap();
    for file in ["config", "HEAD", "hooks/pre-commit"] {
        fs::write(git.join(file), "as it was").unwrap();
    }
    for script in [
        r#"echo x > "$1/.git/hooks/pre-commit""#,
        r#"echo x > "$1/.git/hooks/post-checkout""#,
        r#"echo x >> "$1/.git/config""#,
        r#"mv "$1/.git/hooks" "$1/.git/hooked""#,
        r#"ln -sf /bin/true "$1/.git/hooks/pre-commit""#,
        r#"rm -r "$1/.git/hooks""#,
        r#"mv "$1/.git" ."#,
        r#"git config --file "$1/.git/config" core.hooksPath /tmp"#,
        r#"git init "$1""#,
    ] {
        let ran = bench.sh(script).await;
        assert_ne!(ran.outcome.ending, Ending::Exited(0), "{script}");
        for file in ["config", "HEAD", "hooks/pre-commit"] {
            assert_eq!(fs::read(git.join(file)).unwrap(), b"as it was", "{script}");
        }
        assert_eq!(fs::read_dir(git.join("hooks")).unwrap().count(), 1, "{script}");
        assert_eq!(fs::read_dir(&git).unwrap().count(), 3, "{script}");
    }
}

/// The keys are in artoo's environment, which is the environment of this test.
#[tokio::test]
async fn no_process_outside_shows_its_environment_or_its_memory() {
    let Some(bench) = confined_bench() else { return };
    assert!(std::env::var_os("PATH").is_some());
    let own = format!("/proc/{}", std::process::id());
    assert!(!fs::read(format!("{own}/environ")).unwrap().is_empty(), "there is something to be read");
    let ran = bench
        .sh("for process in /proc/[0-9]*; do
                 case $process in /proc/$$) continue;; esac
                 for file in environ maps auxv mem; do
                     if head -c 1 $process/$file > $TMPDIR/read 2> /dev/null && test -s $TMPDIR/read
                     then echo $process/$file; fi
                 done
             done; echo done")
        .await;
    // Children of the script itself may have been listed, as they belong to its domain; they are gone by now.
    let still: Vec<String> = ran
        .out()
        .lines()
        .filter_map(|line| line.strip_prefix("/proc/")?.split_once('/').map(|(pid, _)| pid.to_owned()))
        .filter(|pid| lives(pid))
        .collect();
    assert_eq!(still, Vec::<String>::new());
    assert!(ran.out().ends_with("done"), "{}", ran.err());
    for file in ["environ", "mem", "maps"] {
        assert_ne!(bench.sh(&format!("cat {own}/{file}")).await.outcome.ending, Ending::Exited(0), "{file}");
    }
}

/// Through it, a program can write to its own read-only memory, and once could write to mapped files.
#[tokio::test]
async fn not_even_its_own_memory_is_a_file_to_write() {
    let Some(bench) = confined_bench() else { return };
    for script in
        ["exec 3<>/proc/self/mem", "echo 1000 > /proc/self/oom_score_adj", "echo x > /proc/self/comm"]
    {
        assert_ne!(bench.sh(script).await.outcome.ending, Ending::Exited(0), "{script}");
    }
}

#[tokio::test]
async fn no_process_is_traced() {
    let Some(bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    // Itself by its parent (0), artoo (16, 0x4206), its own child.
    let ran = bench
        .sh("python3 - <<'END'
import ctypes, os, time
c = ctypes.CDLL(None, use_errno=True)
def refused(result):
    print(result == -1 and ctypes.get_errno() == 1)
refused(c.ptrace(0, 0, None, None))
refused(c.ptrace(16, os.getppid(), None, None))
child = os.fork()
if child == 0:
    time.sleep(60)
refused(c.ptrace(0x4206, child, None, None))
buffer = ctypes.create_string_buffer(16)
here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16)
refused(c.process_vm_readv(child, here, 1, here, 1, 0))
refused(c.process_vm_writev(child, here, 1, here, 1, 0))
refused(c.unshare(0x10000000))
refused(c.mount(None, b'/', None, 4096, None))
os.kill(child, 9)
END")
        .await;
    assert_eq!(ran.out(), ["True"; 7].join("\n"), "{}", ran.err());
}

/// Calls that programs rarely make and attackers like: each by number, with valid or nearly valid arguments.
#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn rare_calls_are_refused() {
    let Some(bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    // The kernel's key store (add, request, query), BPF, performance counters, modules; kexec; userfaultfd;
    // io_uring; files by handle; another process's files; the old and the new mount calls.
    let calls = "248, 249, 250, 321, 298, 175, 246, 323, 425, 304, 438, 165, 428, 430, 442";
    let ran = bench
        .sh(&format!(
            "python3 - <<'END'
import ctypes
c = ctypes.CDLL(None, use_errno=True)
for call in [{calls}]:
    if c.syscall(call, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
        print(call, ctypes.get_errno())
print('tried')
END"
        ))
        .await;
    assert_eq!(ran.out(), "tried", "{}", ran.err());
}

/// Ways to create a name outside that no shell command uses: exchanging two names, and linking an unnamed
/// file.
#[tokio::test]
async fn no_name_outside_is_exchanged_or_linked() {
    let Some(bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    fs::write(bench.outside.join("precious"), "precious").unwrap();
    fs::write(bench.workspace.join("mine"), "mine").unwrap();
    let ran = bench
        .sh("python3 - \"$1\" <<'END'
import ctypes, os, sys
c = ctypes.CDLL(None, use_errno=True)
here, there = -100, sys.argv[1].encode()
print(c.renameat2(here, b'mine', here, there + b'/precious', 2))
print(c.renameat2(here, there + b'/precious', here, b'stolen', 1))
nameless = os.open('.', os.O_TMPFILE | os.O_WRONLY)
os.write(nameless, b'x')
print(c.linkat(here, b'/proc/self/fd/%d' % nameless, here, there + b'/new', 0x400))
print(c.linkat(here, b'/proc/self/fd/%d' % nameless, here, b'named', 0x400))
try:
    os.open(sys.argv[1], os.O_TMPFILE | os.O_WRONLY)
except OSError:
    print('refused')
END")
        .await;
    assert_eq!(ran.out(), "-1\n-1\n-1\n0\nrefused", "{}", ran.err());
    assert_eq!(fs::read(bench.outside.join("precious")).unwrap(), b"precious");
    assert_eq!(fs::read_dir(&bench.outside).unwrap().count(), 1);
    assert_eq!(fs::read(bench.workspace.join("mine")).unwrap(), b"mine");
}

#[tokio::test]
async fn access_lists_and_attributes_are_not_there() {
    let Some(bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    fs::write(bench.outside.join("precious"), "precious").unwrap();
    let ran = bench
        .sh("python3 - \"$1\" <<'END'
import os, sys, errno
for path in [sys.argv[1] + '/precious', '.']:
    try:
        os.setxattr(path, 'user.artoo', b'x')
    except OSError as error:
        print(error.errno == errno.ENOTSUP)
END")
        .await;
    assert_eq!(ran.out(), "True\nTrue", "{}", ran.err());
}

/// Bounded by itself: nine levels, at most 511 processes, each of which ends after a minute. If it were not
/// stopped, the test would see a timeout.
const BOMB: &str = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; sleep 60; }; bomb 8";

#[tokio::test]
async fn a_fork_bomb_ends_when_it_has_more_processes_than_it_may() {
    for script in [BOMB.to_owned(), format!("{} wait", "sleep 60 & ".repeat(120))] {
        let Some(mut bench) = confined_bench() else { return };
        bench.limits = ResourceLimits { processes: 40, ..bench.limits };
        bench.timeout = Duration::from_secs(60);
        let ran = bench.sh(&script).await;
        assert_eq!(ran.outcome.ending, Ending::Crowded, "{}", ran.err());
        assert_eq!(ran.outcome.survivors, 0);
    }
    let Some(mut bench) = confined_bench() else { return };
    bench.limits = ResourceLimits { processes: 40, ..bench.limits };
    let ran = bench.sh(&format!("{} wait; echo all", "true & ".repeat(20))).await;
    assert_eq!(ran.out(), "all", "what stays within its bounds is left alone");
}

#[tokio::test]
async fn no_file_grows_beyond_its_limit() {
    let Some(mut bench) = confined_bench() else { return };
    let most = 1024 * 1024;
    bench.limits = ResourceLimits { file_bytes: most, ..bench.limits };
    for script in [
        "head -c 4000000 /dev/zero > big",
        "head -c 4000000 /dev/zero > $TMPDIR/big",
        "truncate -s 4000000 big",
        "dd if=/dev/zero of=big bs=1 count=1 seek=4000000",
        "fallocate -l 4000000 big",
    ] {
        let ran = bench.sh(script).await;
        assert_ne!(ran.outcome.ending, Ending::Exited(0), "{script}");
        for big in [bench.workspace.join("big"), bench.tmp.join("big")] {
            assert!(fs::metadata(&big).map_or(0, |found| found.len()) <= most, "{script}");
            let _ = fs::remove_file(big); // not every script made it
        }
    }
    let ran = bench.sh("head -c 1000000 /dev/zero > small").await;
    assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
}

/// Many files, each within its limit: 256 MiB where 16 may be written. If it were not stopped, it would end
/// well half a minute later.
#[tokio::test]
async fn the_disk_is_not_filled() {
    let Some(mut bench) = confined_bench() else { return };
    let free = bench.sh("df --output=avail -B1 . | tail -1").await.out().parse::<u64>().unwrap();
    let mebibyte = 1024 * 1024;
    if free < 512 * mebibyte {
        eprintln!("\n*** SKIPPED: the disk is too full to try to fill it ***\n");
        return;
    }
    bench.limits = ResourceLimits { free_bytes: free - 16 * mebibyte, ..bench.limits };
    bench.timeout = Duration::from_secs(60);
    let ran = bench
        .sh("i=0; while [ $i -lt 256 ]; do head -c 1048576 /dev/zero > f$i; i=$((i+1)); done; sleep 30")
        .await;
    assert_eq!((ran.outcome.ending, ran.outcome.survivors), (Ending::OutOfRoom, 0), "{}", ran.err());
    // On a nearly full disk, a command that writes little is left alone.
    bench.limits = ResourceLimits { free_bytes: u64::MAX, ..bench.limits };
    let ran = bench.sh("rm -f f*; echo x > small; sleep 0.2; cat small").await;
    assert_eq!((ran.outcome.ending, ran.out().as_str()), (Ending::Exited(0), "x"), "{}", ran.err());
}

#[tokio::test]
async fn limits_cannot_be_raised_again() {
    let Some(bench) = confined_bench() else { return };
    let ran = bench.sh("ulimit -c; ulimit -f; ulimit -H -c; ulimit -c 1").await;
    assert!(ran.out().starts_with("0\n33554432\n0"), "in blocks of 512 bytes: {}", ran.out());
    assert_ne!(ran.outcome.ending, Ending::Exited(0), "{}", ran.out());
}

/// Effects that the kernel does not prevent are gaps that `artoo doctor` names. If one is closed, this test
/// shows it.
#[tokio::test]
async fn modes_and_times_outside_stay() {
    let Some(bench) = namespace_bench() else { return };
    let precious = bench.outside.join("precious");
    fs::write(&precious, "precious").unwrap();
    let before = fs::metadata(&precious).unwrap();
    bench.sh(r#"chmod 600 "$1/precious"; touch -d @1 "$1/precious" "$1"; chmod 777 "$1""#).await;
    let after = fs::metadata(&precious).unwrap();
    assert_eq!(
        (before.mode(), before.mtime(), before.ctime_nsec()),
        (after.mode(), after.mtime(), after.ctime_nsec())
    );
}
