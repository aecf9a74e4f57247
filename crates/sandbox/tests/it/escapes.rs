//! Ways out of the sandbox, each tried from inside. What a command writes is in `confined`, sockets are in `network`, daemons in
//! `killed`, floods of output in `output`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use artoo_sandbox::{Ending, ResourceLimits};

use crate::bench::{confined_bench, has, lives};

#[tokio::test]
async fn no_race_with_a_symlink_leads_outside() {
    let Some(bench) = confined_bench() else { return };
    fs::write(bench.outside.join("precious"), "precious").unwrap();
    // One process turns the door to the folder outside and back, the other one goes through it. The rules are about the file that
    // is opened, not about its name, so there is no moment between a look and a deed.
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

/// The keys are in artoo's environment, which is that of this test.
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
    // Children of the script itself may have been seen, for they belong to the domain; they are gone by now.
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

/// Through it, a program can write into its own read-only memory, and once could into files that it had mapped.
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

/// Bounded on its own: nine levels, 511 processes at the most, each of which ends after a minute. Were it not stopped, the test
/// would see no more than a time-out.
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

#[tokio::test]
async fn limits_cannot_be_raised_again() {
    let Some(bench) = confined_bench() else { return };
    let ran = bench.sh("ulimit -c; ulimit -f; ulimit -H -c; ulimit -c 1").await;
    assert!(ran.out().starts_with("0\n33554432\n0"), "in blocks of 512 bytes: {}", ran.out());
    assert_ne!(ran.outcome.ending, Ending::Exited(0), "{}", ran.out());
}

/// What the kernel does not stop is a gap that `artoo doctor` names. Were one closed, this test would say so.
#[tokio::test]
async fn modes_outside_can_be_changed_as_doctor_says() {
    let Some(bench) = confined_bench() else { return };
    let precious = bench.outside.join("precious");
    fs::write(&precious, "precious").unwrap();
    bench.sh(r#"chmod 600 "$1/precious"; chmod 640 "$1/precious""#).await;
    assert_eq!(fs::metadata(precious).unwrap().permissions().mode() & 0o777, 0o640);
}
