//! Machines that lack what confines commands or tries them: what artoo says there, and what it does instead.
//!
//! The kernel of this machine is made to refuse, for the program alone, what a kernel without Landlock or a container refuses.

use std::collections::BTreeMap;
use std::process::Command;

use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{Said, wait};

/// What the machine lacks that the program is to believe in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Missing {
    /// A kernel before Landlock, or a container whose filter knows no Landlock.
    Landlock,
    /// A container that lets nobody make namespaces or mount.
    Overlays,
    /// A sandbox around it that lets nobody filter system calls.
    Filters,
    /// A limit of threads and processes that is reached already.
    Threads,
}

impl Missing {
    /// Calls that the kernel answers with this number, whatever their arguments are or with this bit in the first.
    fn refused(self) -> Vec<(i32, BTreeMap<i64, Vec<SeccompRule>>)> {
        let always = |calls: &[i64]| calls.iter().map(|call| (*call, Vec::new())).collect();
        match self {
            Self::Landlock => vec![(libc::ENOSYS, always(&[libc::SYS_landlock_create_ruleset]))],
            Self::Overlays => {
                let namespace = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
                let bit = SeccompCmpOp::MaskedEq(namespace);
                let bit = SeccompCondition::new(0, SeccompCmpArgLen::Dword, bit, namespace).unwrap();
                let clone = (libc::SYS_clone, vec![SeccompRule::new(vec![bit]).unwrap()]);
                let calls = [libc::SYS_unshare, libc::SYS_mount, libc::SYS_fsopen, libc::SYS_open_tree];
                let refused = calls.map(|call| (call, Vec::new())).into_iter().chain([clone]);
                // As Docker's own filter: what hides its flags in memory is not there.
                vec![(libc::EPERM, refused.collect()), (libc::ENOSYS, always(&[libc::SYS_clone3]))]
            }
            Self::Threads => {
                let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
                let bit = SeccompCmpOp::MaskedEq(thread);
                let bit = SeccompCondition::new(0, SeccompCmpArgLen::Dword, bit, thread).unwrap();
                let clone = (libc::SYS_clone, vec![SeccompRule::new(vec![bit]).unwrap()]);
                vec![(libc::EAGAIN, [clone].into()), (libc::ENOSYS, always(&[libc::SYS_clone3]))]
            }
            Self::Filters => vec![(libc::ENOSYS, always(&[libc::SYS_seccomp]))],
        }
    }

    /// Runs a command there.
    pub(crate) fn say(self, mut command: Command) -> Said {
        let there = move || {
            for (answer, calls) in self.refused() {
                let answer = SeccompAction::Errno(answer.unsigned_abs());
                let arch = std::env::consts::ARCH.try_into().unwrap();
                let filter = SeccompFilter::new(calls, SeccompAction::Allow, answer, arch).unwrap();
                let program: seccompiler::BpfProgram = filter.try_into().unwrap();
                // This thread and what it starts.
                seccompiler::apply_filter(&program).unwrap();
            }
            command.spawn().unwrap()
        };
        wait(std::thread::spawn(there).join().unwrap())
    }
}

/// Says what `doctor` says there, without the lines that are about other things.
fn doctor(machine: Missing, scene: &Scene, options: &[&str], code: i32) -> Vec<String> {
    let said = machine.say(scene.artoo(&[&["doctor"], options].concat())).ended(code);
    let is_about = |line: &str| {
        ["sandbox", "commands have none", "trials", "not held back", "artoo can"]
            .iter()
            .any(|name| line.contains(name))
    };
    said.out.lines().filter(|line| is_about(line)).map(str::to_owned).collect()
}

/// Nothing runs unconfined by itself: what would is refused, with the reason and the way on.
#[test]
fn without_confinement_commands_are_refused_until_a_person_says_otherwise() {
    if !is_ordinary() {
        return;
    }
    for (machine, reason) in [
        (Missing::Landlock, "the kernel has no Landlock, or a container forbids it"),
        (Missing::Filters, "system calls cannot be filtered"),
    ] {
        let scene = Scene::new(counting());
        let lines = doctor(machine, &scene, &[], 1);
        let [sandbox, remedy, end] = &lines[..] else { panic!("{lines:#?}") };
        assert!(sandbox.starts_with("✗ bad") && sandbox.contains(reason), "{sandbox}");
        assert!(sandbox.contains("every command is refused"), "{sandbox}");
        assert!(remedy.contains("--sandbox full-access"), "{remedy}");
        assert_eq!(end, "artoo cannot work here yet");
        let asked = scene.server().stats().requests;
        for line in [&["sandbox", "ls docs"][..], &["run", "How many .txt files are in docs?"]] {
            machine.say(scene.artoo(line)).ended(2).explains(reason, "--sandbox full-access");
        }
        assert_eq!(scene.server().stats().requests, asked, "no model is asked for what cannot be done");

        let lines = doctor(machine, &scene, &["-c", "run.sandbox=full-access"], 0);
        assert!(
            lines.iter().any(|line| line.contains("trials") && line.contains("asked before each command")),
            "{lines:#?}"
        );
        let refused =
            machine.say(scene.artoo(&["sandbox", "--sandbox", "full-access", "rm docs/a.txt"])).ended(5);
        assert!(refused.err.contains("nothing can be tried on this machine"), "{}", refused.err);
        assert!(scene.folder().join("docs/a.txt").exists());
        let granted =
            ["sandbox", "--sandbox", "full-access", "--yes", "deletes", "--yes", "unknown", "rm docs/a.txt"];
        machine.say(scene.artoo(&granted)).ended(0);
        assert!(!scene.folder().join("docs/a.txt").exists());
        machine.say(scene.artoo(&["runs", "undo", "last"])).ended(0);
        assert!(
            scene.folder().join("docs/a.txt").exists(),
            "what it read is there to be undone all the same"
        );
    }
}

/// In a container commands are confined and cannot be tried: those that read run, and the others are asked about as they stand.
#[test]
fn without_overlays_commands_read_and_are_asked_about_before_they_write() {
    if !is_ordinary() {
        return;
    }
    let machine = Missing::Overlays;
    let scene = Scene::new(counting());
    let lines = doctor(machine, &scene, &[], 0);
    for part in [
        "✓ ok    sandbox",
        "in protected places (keys, tokens, mail) can be seen",
        "commands run where they can write nothing",
        "commands have none, not even among themselves",
    ] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    }
    let said = machine.say(scene.artoo(&["sandbox", "ls docs | wc -l"])).ended(0);
    assert_eq!((said.out.trim(), said.err.as_str()), ("3", ""));
    let said = machine.say(scene.artoo(&["run", "--quiet", "How many .txt files are in docs?"])).ended(0);
    assert_eq!(said.out, "3\n");
    for command in ["rm docs/a.txt", "echo 1 > docs/new.txt"] {
        let said = machine.say(scene.artoo(&["sandbox", command])).ended(5);
        assert!(said.err.contains("nothing can be tried on this machine"), "{}", said.err);
    }
    assert!(scene.folder().join("docs/a.txt").exists() && !scene.folder().join("docs/new.txt").exists());
    let granted = ["sandbox", "--yes", "deletes", "--yes", "unknown", "rm docs/a.txt"];
    machine.say(scene.artoo(&granted)).ended(0);
    assert!(!scene.folder().join("docs/a.txt").exists());
    machine.say(scene.artoo(&["runs", "undo", "last"])).ended(0);
    assert!(scene.folder().join("docs/a.txt").exists());
}

/// Whether this machine has what is taken away here; says so where it has not.
fn is_ordinary() -> bool {
    let support = artoo_sandbox::probe();
    let is_enforced = matches!(support, artoo_sandbox::Support::Enforced { .. });
    if !is_enforced {
        artoo_test_needs::skip(artoo_test_needs::Ability::Landlock, support);
    }
    is_enforced
}
