//! Sealed parts of granted folders.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_sandbox::{Ending, SandboxError, SandboxMode};
use tokio_util::sync::CancellationToken;

use artoo_test_needs::has;

use crate::setup::{Bench, confined_bench, line_of, lives, namespace_bench};

/// Makes the workspace a repository, with another one deep inside and one whose files are elsewhere; all
/// three sealed.
fn repositories(bench: &mut Bench) {
    let at = |path: &str| bench.workspace.join(path);
    for git in [".git", "lib/deep/.git"] {
        fs::create_dir_all(at(git).join("hooks")).unwrap();
        fs::create_dir_all(at(git).join("refs")).unwrap();
        fs::create_dir_all(at(git).join("objects")).unwrap();
        fs::write(at(git).join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(at(git).join("config"), "[core]\n\trepositoryformatversion = 0\n").unwrap();
        fs::write(at(git).join("hooks/pre-commit"), "as it was").unwrap();
    }
    fs::create_dir(at("tree")).unwrap();
    fs::write(at("tree/.git"), "gitdir: ../.git").unwrap();
    bench.sealed = [".git", "lib/deep/.git", "tree/.git"].map(at).to_vec();
}

/// Everything sealed: each path with its content, mode, owner and mtime.
fn looks(bench: &Bench) -> BTreeMap<PathBuf, (Vec<u8>, u32, u32, i64)> {
    fn look(path: &Path, found: &mut BTreeMap<PathBuf, (Vec<u8>, u32, u32, i64)>) {
        let Ok(state) = fs::symlink_metadata(path) else { return };
        let content = if state.is_file() { fs::read(path).unwrap() } else { Vec::new() };
        found.insert(path.to_owned(), (content, state.mode(), state.uid(), state.mtime_nsec()));
        if state.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| look(&entry.unwrap().path(), found));
        }
    }
    let mut found = BTreeMap::new();
    bench.sealed.iter().for_each(|part| look(part, &mut found));
    found
}

/// Each is tried from the workspace.
const ATTEMPTS: [&str; 31] = [
    "echo x > .git/hooks/pre-commit",
    "echo x > .git/hooks/post-checkout",
    "echo x >> .git/config",
    ": > .git/HEAD",
    "truncate -s 0 .git/config",
    "mkdir .git/hooks/more",
    "ln -sf /bin/true .git/hooks/pre-commit",
    "rm .git/hooks/pre-commit",
    "rm -rf .git",
    "mv .git away",
    "mv .git/hooks hooks",
    "mv .git/hooks/pre-commit .git/hooks/post-commit",
    "mkdir new && mv new .git/new",
    "mkdir -p other/.git && mv -T other/.git .git",
    "chmod +x .git/hooks/pre-commit",
    "touch -d 2001-01-01 .git/config",
    "ln .git/config linked && echo x > linked",
    "ln -s .git door && echo x > door/config",
    "cd .git && echo x > config",
    "echo x > /proc/self/cwd/.git/config",
    "echo x > /proc/self/root$PWD/.git/config",
    "git config core.fsmonitor /bin/true",
    "rm tree/.git",
    "echo 'gitdir: /elsewhere' > tree/.git",
    "mv tree away",
    "echo x > lib/deep/.git/config",
    "mv lib/deep away",
    "mv lib away && mkdir -p lib/deep/.git",
    "umount .git",
    "mount -o remount,rw .git",
    "unshare -m umount .git",
];

#[tokio::test]
async fn a_sealed_part_stays_as_it_is() {
    let Some(mut bench) = namespace_bench() else { return };
    repositories(&mut bench);
    let before = looks(&bench);
    assert_eq!(before.len(), 15);
    for script in ATTEMPTS {
        let ran = bench.sh(script).await;
        assert_ne!(ran.outcome.ending, Ending::Exited(0), "{script} was allowed: {}", ran.out());
        assert_eq!(looks(&bench), before, "{script} changed it");
    }
    // All of them would have worked: only the seal stopped them.
    bench.sealed.clear();
    let allowed = ["echo x > .git/hooks/post-checkout", "mv lib/deep away", "mv .git gone"];
    for script in allowed {
        let ran = bench.sh(script).await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{script}: {}", ran.err());
    }
}

#[tokio::test]
async fn around_a_sealed_part_everything_works() {
    let Some(mut bench) = namespace_bench() else { return };
    repositories(&mut bench);
    let before = looks(&bench);
    for script in [
        "echo x > new && mkdir -p d/e && mv new d/e/n && rm -r d",
        "echo x > lib/new && echo y > lib/deep/new && mv lib/deep/new lib/deep/newer && cat lib/deep/newer",
        "mv lib/new lib/deep/ && rm lib/deep/new lib/deep/newer",
        "echo x > tree/new && rm tree/new",
        "cat .git/config .git/hooks/pre-commit tree/.git lib/deep/.git/HEAD",
        "cp -r .git copy && echo x > copy/config && rm -r copy",
        "f=$(mktemp) && echo x > $f",
    ] {
        let ran = bench.sh(script).await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{script}: {}", ran.err());
    }
    if has("git") {
        bench.environment.insert("HOME".into(), bench.tmp.clone().into());
        let ran = bench.sh("git status --short && git init -q own && git -C own config core.pager cat").await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
    }
    assert_eq!(looks(&bench), before);
}

/// Sealing adds mounts to the set-up of a command, so each barrier is tested again with a seal.
#[tokio::test]
async fn the_other_walls_stand_around_a_sealed_command() {
    let Some(mut bench) = namespace_bench() else { return };
    repositories(&mut bench);
    let status = "grep -E 'NoNewPrivs|Seccomp:' /proc/self/status; ulimit -c; id -u; stat -c %u .";
    let sealed = bench.sh(status).await.out();
    assert!(sealed.contains("NoNewPrivs:\t1") && sealed.contains("Seccomp:\t2"), "{sealed}");
    let kept = std::mem::take(&mut bench.sealed);
    assert_eq!(bench.sh(status).await.out(), sealed, "the same with a seal and without");
    bench.sealed = kept;
    fs::write(bench.outside.join("precious"), "precious").unwrap();
    for script in [
        r#"echo x > "$1/new""#,
        r#"echo x > "$1/precious""#,
        r#"rm -rf "$1/precious""#,
        r#"mv .git "$1/""#,
        "echo x > /tmp/artoo-sandbox-must-not-exist",
        "bash -c 'exec 3<>/dev/udp/127.0.0.1/9'",
        "unshare -Ur true",
        "cat /proc/$PPID/environ",
        "kill -0 $PPID",
        "chown 4242 .",
    ] {
        let ran = bench.sh(script).await;
        // Root may give its files away, with a seal and without.
        if script.starts_with("chown") && sealed.contains("\n0\n") {
            continue;
        }
        assert_ne!(ran.outcome.ending, Ending::Exited(0), "{script} was allowed");
        assert_eq!(fs::read(bench.outside.join("precious")).unwrap(), b"precious", "{script}");
        assert_eq!(fs::read_dir(&bench.outside).unwrap().count(), 1, "{script}");
    }
}

#[tokio::test]
async fn nobody_else_sees_the_mounts() {
    let Some(mut bench) = namespace_bench() else { return };
    repositories(&mut bench);
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let before = mounts();
    let (ready, go) = (bench.workspace.join("ready"), bench.workspace.join("go"));
    let script = "echo yes > ready; while ! test -e go; do sleep 0.01; done; grep -c 'work.040space/.git ' /proc/self/mountinfo";
    let cancel = CancellationToken::new();
    let running = bench.try_sh(script, &cancel);
    let meanwhile = async {
        line_of(&ready).await;
        let during = mounts();
        fs::write(bench.workspace.join(".git/by-artoo"), "x").unwrap();
        fs::write(&go, "").unwrap();
        during
    };
    let (ran, during) = tokio::join!(running, meanwhile);
    assert_eq!(ran.unwrap().out(), "1", "the command has it");
    assert_eq!((during, mounts()), (before.clone(), before));
}

#[tokio::test]
async fn a_sealed_command_leaves_nothing_behind() {
    let Some(mut bench) = namespace_bench() else { return };
    repositories(&mut bench);
    let ran =
        bench.sh("setsid sh -c 'read p _ < /proc/self/stat; echo $p > daemon; exec sleep 300' & until test -s daemon; do :; done").await;
    assert_eq!((ran.outcome.ending, ran.outcome.survivors), (Ending::Exited(0), 0));
    assert!(!lives(fs::read_to_string(bench.workspace.join("daemon")).unwrap().trim()));
    bench.timeout = Duration::from_millis(300);
    let ran = bench.sh("sleep 300 & sleep 300").await;
    assert_eq!((ran.outcome.ending, ran.outcome.survivors), (Ending::TimedOut, 0));
}

#[tokio::test]
async fn what_cannot_be_sealed_is_refused_and_what_is_not_granted_needs_no_seal() {
    let Some(mut bench) = namespace_bench() else { return };
    let link = bench.workspace.join(".git");
    symlink(&bench.outside, &link).unwrap();
    for part in [link, PathBuf::from("relative/.git")] {
        bench.sealed = vec![part.clone()];
        let Err(error) = bench.try_sh("echo x > ran", &CancellationToken::new()).await else {
            panic!("{} was sealed", part.display())
        };
        assert!(matches!(&error, SandboxError::Seal { path, .. } if *path == part), "{error}");
        assert!(!bench.workspace.join("ran").exists() && error.hint().contains("grant another folder"));
    }
    for part in [bench.outside.clone(), bench.workspace.join("nothing there")] {
        bench.sealed = vec![part];
        assert_eq!(bench.sh("true").await.outcome.ending, Ending::Exited(0));
    }
    // In read-only mode nothing of it is granted in the first place.
    bench.mode = SandboxMode::ReadOnly;
    repositories_in_read_only(&mut bench).await;
}

async fn repositories_in_read_only(bench: &mut Bench) {
    fs::remove_file(bench.workspace.join(".git")).unwrap();
    repositories(bench);
    let before = looks(bench);
    assert_ne!(bench.sh("echo x > .git/config").await.outcome.ending, Ending::Exited(0));
    assert_eq!(looks(bench), before);
}

/// A missing program is reported as such, not as a failure of the rules.
#[tokio::test]
async fn a_sealed_command_that_cannot_start_says_why() {
    let Some(mut bench) = namespace_bench() else { return };
    repositories(&mut bench);
    let mut invocation = bench.invocation("true");
    invocation.program = "no-such-program-anywhere".into();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = artoo_sandbox::Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let error = artoo_sandbox::run(&invocation, &bench.confinement(), capture, &CancellationToken::new())
        .await
        .unwrap_err();
    assert!(matches!(error, SandboxError::Start { .. }), "{error}");
}

/// Without a seal it can be changed: the gap that `artoo doctor` names on machines that cannot seal.
#[tokio::test]
async fn what_is_granted_and_not_sealed_can_be_changed() {
    let Some(bench) = confined_bench() else { return };
    fs::create_dir_all(bench.workspace.join(".git/hooks")).unwrap();
    let ran = bench.sh("echo x > .git/hooks/pre-commit").await;
    assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
}
