//! What a confined command can and cannot do.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use artoo_sandbox::{Ending, SandboxMode};

use crate::setup::{Bench, confined_bench, has_scopes};

/// Runs each script with `$1` as the folder outside, and expects that it fails and the folder is unchanged.
async fn refused(bench: &Bench, scripts: &[&str]) {
    for script in scripts {
        fs::write(bench.outside.join("precious"), "precious").unwrap();
        fs::write(bench.workspace.join("mine"), "mine").unwrap();
        let ran = bench.sh(script).await;
        assert_ne!(ran.outcome.ending, Ending::Exited(0), "{script} was allowed: {}", ran.out());
        let left: Vec<_> =
            fs::read_dir(&bench.outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["precious"], "{script} changed the folder");
        assert_eq!(
            fs::read(bench.outside.join("precious")).unwrap(),
            b"precious",
            "{script} changed the file"
        );
    }
}

async fn allowed(bench: &Bench, scripts: &[&str]) {
    for script in scripts {
        let ran = bench.sh(script).await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{script} failed: {}", ran.err());
    }
}

#[tokio::test]
async fn outside_the_roots_nothing_changes() {
    let Some(bench) = confined_bench() else { return };
    refused(
        &bench,
        &[
            r#"echo x > "$1/new""#,
            r#"echo x >> "$1/precious""#,
            r#": > "$1/precious""#,
            r#"truncate -s 0 "$1/precious""#,
            r#"dd if=/dev/zero of="$1/precious" bs=1 count=1"#,
            r#"rm -f "$1/precious""#,
            r#"rm -rf "$1""#,
            r#"mkdir "$1/folder""#,
            r#"ln -s /etc/passwd "$1/link""#,
            r#"mkfifo "$1/pipe""#,
            r#"mv mine "$1/moved""#,
            r#"mv "$1/precious" stolen"#,
            r#"ln mine "$1/linked""#,
            r#"ln "$1/precious" linked"#,
            r#"ln -s "$1" door && echo x > door/new"#,
            r#"echo x > ../outside/new"#,
            r#"cp mine "$1/""#,
            r#"sed -i s/p/q/ "$1/precious""#,
            r#"(setsid sh -c 'echo x > "$0/new"' "$1"); test -e "$1/new""#,
        ],
    )
    .await;
}

#[tokio::test]
async fn inside_the_roots_everything_works() {
    let Some(bench) = confined_bench() else { return };
    allowed(
        &bench,
        &[
            "echo x > a && echo y >> a && truncate -s 1 a",
            "mkdir -p d/e && mv a d/e/b && ln d/e/b c && ln -s c link && rm -rf d c link",
            "mkfifo p && rm p",
            "echo x > /dev/null 2>&1",
            "echo x > /dev/stderr && echo y > /dev/stdout && echo z > /dev/fd/1",
            "printf '中文 العربية 🦀' > '文件 ملف 🦀.txt' && test -s '文件 ملف 🦀.txt'",
            "cat /etc/passwd > copy",
            "git init -q repo && cd repo && git add -A && git -c user.name=a -c user.email=b commit -q --allow-empty -m x",
        ],
    )
    .await;
}

#[tokio::test]
async fn the_private_tmpdir_works_and_is_private() {
    let Some(bench) = confined_bench() else { return };
    let ran = bench.sh("f=$(mktemp) && echo x > $f && echo $f").await;
    assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
    assert!(ran.out().starts_with(bench.tmp.to_str().unwrap()), "{}", ran.out());
    assert_eq!(fs::metadata(&bench.tmp).unwrap().permissions().mode() & 0o777, 0o700);
    let shared = bench.sh("echo x > /tmp/artoo-sandbox-must-not-exist").await;
    assert_ne!(shared.outcome.ending, Ending::Exited(0));
}

#[tokio::test]
async fn read_only_writes_in_the_tmpdir_alone() {
    let Some(mut bench) = confined_bench() else { return };
    bench.mode = SandboxMode::ReadOnly;
    allowed(&bench, &["echo x > $TMPDIR/a && cat $TMPDIR/a", "ls / > /dev/null"]).await;
    let ran = bench.sh("echo x > mine").await;
    assert_ne!(ran.outcome.ending, Ending::Exited(0));
    assert!(!bench.workspace.join("mine").exists());
}

#[tokio::test]
async fn full_access_has_no_rules() {
    let mut bench = Bench::new(SandboxMode::FullAccess);
    bench.mode = SandboxMode::FullAccess;
    let ran = bench.sh(r#"echo x > "$1/new" && grep NoNewPrivs /proc/self/status"#).await;
    assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
    assert_eq!(ran.out(), "NoNewPrivs:\t0");
    assert!(bench.outside.join("new").exists());
}

#[tokio::test]
async fn privileges_and_foreign_processes_are_out_of_reach() {
    let Some(bench) = confined_bench() else { return };
    let ran = bench.sh("grep NoNewPrivs /proc/self/status").await;
    assert_eq!(ran.out(), "NoNewPrivs:\t1");
    // Its environment and its memory contain the user's keys.
    for secret in ["environ", "mem", "maps", "auxv", "fd/0", "cwd/x"] {
        let ran = bench.sh(&format!("cat /proc/$PPID/{secret}")).await;
        assert_ne!(ran.outcome.ending, Ending::Exited(0), "{secret} of artoo was readable");
        assert_eq!(ran.out(), "");
    }
    if !has_scopes() {
        return;
    }
    // Signal 0 only checks for permission.
    let ran = bench.sh("kill -0 $PPID").await;
    assert_ne!(ran.outcome.ending, Ending::Exited(0), "artoo itself could be signalled");
}

#[tokio::test]
async fn the_rules_bind_the_child_alone() {
    let Some(bench) = confined_bench() else { return };
    allowed(&bench, &["true"]).await;
    fs::write(bench.outside.join("by artoo"), "x").unwrap();
    tokio::task::spawn_blocking(move || fs::write(bench.outside.join("by another thread"), "x").unwrap())
        .await
        .unwrap();
}
