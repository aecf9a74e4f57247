//! Reduced mode: machines that lack what confines commands or tries them, what artoo says there, and what it does instead.
//!
//! The kernel of this machine is made to refuse, for the program alone, what a kernel without Landlock or a container refuses.

use std::collections::BTreeMap;
use std::process::Command;

use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, shell};
use crate::process::{Said, say_with_input, wait};
use crate::screen::Screen;

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
        wait(self.there(move || command.spawn().unwrap()))
    }

    /// Runs a command at a terminal there: see [`Screen::talk`].
    fn talk(self, command: Command, steps: &'static [(&'static str, &'static str)]) -> (Option<i32>, String) {
        self.there(move || {
            let (code, shown, _) = Screen::new(120).talk(command, steps);
            (code, shown)
        })
    }

    /// Does this where the kernel refuses it: on a thread of its own, which passes that on to what it starts.
    fn there<T: Send + 'static>(self, deed: impl FnOnce() -> T + Send + 'static) -> T {
        let there = move || {
            for (answer, calls) in self.refused() {
                let answer = SeccompAction::Errno(answer.unsigned_abs());
                let arch = std::env::consts::ARCH.try_into().unwrap();
                let filter = SeccompFilter::new(calls, SeccompAction::Allow, answer, arch).unwrap();
                let program: seccompiler::BpfProgram = filter.try_into().unwrap();
                seccompiler::apply_filter(&program).unwrap();
            }
            deed()
        };
        std::thread::spawn(there).join().unwrap()
    }
}

/// What `doctor` says there, without what is about other things. A finding or a hint that goes on in further lines is one line here.
fn doctor(machine: Missing, scene: &Scene, options: &[&str]) -> Vec<String> {
    let said = machine.say(scene.artoo(&[&["doctor"], options].concat())).ended(0);
    let is_about = |line: &str| {
        ["sandbox", "protected", "commands have none", "trials", "not held back", "artoo can", "hint: "]
            .iter()
            .any(|name| line.contains(name))
    };
    let mut whole: Vec<String> = Vec::new();
    for line in said.out.lines() {
        match whole.last_mut() {
            Some(last) if line.starts_with("         ") => last.push_str(&format!(" {}", line.trim_start())),
            Some(_) | None => whole.push(line.to_owned()),
        }
    }
    whole.retain(|line| is_about(line));
    whole
}

#[track_caller]
fn has_each(lines: &[String], parts: &[&str]) {
    for part in parts {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    }
}

/// The machines where nothing confines a command, and why.
const WITHOUT_CONFINEMENT: [(Missing, &str); 2] = [
    (Missing::Landlock, "the kernel has no Landlock, or a container forbids it"),
    (Missing::Filters, "system calls cannot be filtered"),
];

/// A model that deletes a file of the user's to answer.
fn removing() -> Scene {
    let plan = count_plan("Remove a.txt and count the rest");
    Scene::new(model(plan, |_| shell("rm docs/a.txt\nls docs | wc -l")))
}

/// A model that reads a file with a tool of artoo's own.
fn reading() -> Scene {
    let plan = json!({"subtasks": [{"intent": "Read a.txt", "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "Its content", "check": "output_contains", "values": ["text"]}]}]});
    let action = json!({"tool": "read_file", "arguments": {"path": "docs/a.txt"}, "output_is_answer": true});
    Scene::new(model(plan, move |_| action.clone()))
}

/// Without a person each command is refused, those that only read as well: nothing would hold them to that.
#[test]
fn without_confinement_each_command_is_asked_about() {
    if !is_ordinary() {
        return;
    }
    for (machine, reason) in WITHOUT_CONFINEMENT {
        let scene = Scene::new(counting());
        let lines = doctor(machine, &scene, &[]);
        let first = format!("workspace-write, reduced mode: nothing confines a command ({reason}");
        has_each(&lines, &[&first, "you are asked before each one", "not held back", "seccomp=unconfined"]);
        assert!(lines.iter().all(|line| !line.starts_with('✗')), "{lines:#?}");
        has_each(&lines, &["nothing but your answers keeps commands from ~/.artoo", "artoo can work here"]);
        for command in ["ls docs", "rm docs/a.txt"] {
            let said = machine.say(scene.artoo(&["sandbox", command])).ended(5);
            assert!(said.err.contains("nothing is confined on this machine"), "{}", said.err);
            let page = machine.say(scene.artoo(&["sandbox", "--json", command])).ended(5).out;
            let page: Value = serde_json::from_str(&page).unwrap();
            assert_eq!(page["failure"]["class"], "denied", "{page:#}");
        }
        let said = machine.say(scene.artoo(&["run", "How many .txt files are in docs?"])).ended(5);
        let told = format!("reduced mode: nothing confines a command ({reason}");
        assert_eq!(said.err.matches(&told).count(), 1, "{}", said.err);
        let page = machine.say(scene.artoo(&["policy", "check", "ls docs"])).ended(0).out;
        assert!(page.starts_with("ask "), "{page}");
        assert!(scene.folder().join("docs/a.txt").exists());
    }
}

#[test]
fn without_confinement_a_request_that_tools_of_artoo_answer_works() {
    if !is_ordinary() {
        return;
    }
    for (machine, _) in WITHOUT_CONFINEMENT {
        let scene = reading();
        let said = machine.say(scene.artoo(&["run", "--quiet", "What is in docs/a.txt?"])).ended(0);
        assert!(said.out.contains("text"), "{}", said.out);
        assert_eq!(said.err, "");
    }
}

/// In a run, and of one command: by a person, and by what was granted in advance.
#[test]
fn without_confinement_a_change_is_asked_about_and_undone() {
    if !is_ordinary() {
        return;
    }
    const QUESTION: &str = "or say what to do instead > ";
    for (machine, _) in WITHOUT_CONFINEMENT {
        let scene = removing();
        let file = scene.folder().join("docs/a.txt");
        let run = || scene.artoo(&["run", "How many files are left?"]);
        let (code, shown) = machine.talk(run(), &[(QUESTION, "n\n")]);
        assert_eq!((code, file.exists()), (Some(5), true), "{shown}");
        assert!(shown.contains("nothing is confined on this machine"), "{shown}");
        let (code, shown) = machine.talk(run(), &[(QUESTION, "y\n")]);
        assert_eq!((code, file.exists()), (Some(0), false), "{shown}");
        machine.say(scene.artoo(&["runs", "undo", "last"])).ended(0);
        assert!(file.exists(), "what it read is there to be undone");

        for mode in [&["--yes", "unknown"][..], &["--yes", "unknown", "--sandbox", "full-access"]] {
            let command = [&["sandbox", "--yes", "deletes"], mode, &["rm docs/a.txt"]].concat();
            machine.say(scene.artoo(&command)).ended(0);
            assert!(!file.exists());
            machine.say(scene.artoo(&["runs", "undo", "last"])).ended(0);
            assert!(file.exists());
        }
    }
}

/// Nothing could keep a command from writing.
#[test]
fn without_confinement_no_command_runs_read_only() {
    if !is_ordinary() {
        return;
    }
    for (machine, reason) in WITHOUT_CONFINEMENT {
        let scene = Scene::new(counting());
        let command = ["sandbox", "--sandbox", "read-only", "--yes", "unknown", "ls docs"];
        machine.say(scene.artoo(&command)).ended(5).explains(reason, "see what the kernel lacks");
    }
}

/// In a container commands are confined and cannot be tried: those that read run, and the others are asked about as they stand.
#[test]
fn without_namespaces_commands_read_and_are_asked_about_before_they_write() {
    if !is_ordinary() {
        return;
    }
    let machine = Missing::Overlays;
    let scene = Scene::new(counting());
    let lines = doctor(machine, &scene, &[]);
    has_each(
        &lines,
        &[
            "workspace-write, reduced mode: commands are confined by Landlock",
            "in protected places (keys, tokens, mail) can be seen",
            "you are asked before one may write",
            "commands have none, not even among themselves",
            "artoo can work here",
        ],
    );
    let said = machine.say(scene.artoo(&["sandbox", "ls docs | wc -l"])).ended(0);
    assert_eq!((said.out.trim(), said.err.as_str()), ("3", ""));
    let said = machine.say(scene.artoo(&["run", "How many .txt files are in docs?"])).ended(0);
    assert_eq!(said.out, "3\n");
    assert_eq!(said.err.matches("reduced mode: commands are confined").count(), 1, "{}", said.err);
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

/// It is told with the first request of a conversation, and not again.
#[test]
fn a_conversation_tells_reduced_mode_once() {
    if !is_ordinary() {
        return;
    }
    let scene = Scene::new(counting());
    let mut command = scene.artoo(&[]);
    let request = "How many .txt files are in docs?\n";
    let talk = move || say_with_input(&mut command, request.repeat(2).as_bytes());
    let said = Missing::Overlays.there(talk).ended(0);
    assert_eq!(
        (said.out.as_str(), said.err.matches("reduced mode: ").count()),
        ("3\n3\n", 1),
        "{}",
        said.err
    );
}

/// The kernel cannot keep a part of a folder, so a yes is one to the repository as well; it can be undone with the rest.
#[test]
fn without_namespaces_a_command_works_in_a_repository_after_a_yes() {
    if !is_ordinary() {
        return;
    }
    let machine = Missing::Overlays;
    let scene = Scene::new(counting());
    let head = scene.folder().join(".git/HEAD");
    std::fs::create_dir(scene.folder().join(".git")).unwrap();
    std::fs::write(&head, "ref: refs/heads/main\n").unwrap();
    let command = "echo 1 > docs/new.txt; echo 2 > .git/HEAD";
    let said = machine.say(scene.artoo(&["sandbox", command])).ended(5);
    assert!(said.err.contains("with any `.git` in them"), "{}", said.err);
    let granted = ["sandbox", "--yes", "creates", "--yes", "overwrites", "--yes", "unknown", command];
    machine.say(scene.artoo(&granted)).ended(0);
    assert!(scene.folder().join("docs/new.txt").exists());
    assert_eq!(std::fs::read_to_string(&head).unwrap(), "2\n");
    machine.say(scene.artoo(&["runs", "undo", "last"])).ended(0);
    assert!(!scene.folder().join("docs/new.txt").exists());
    assert_eq!(std::fs::read_to_string(&head).unwrap(), "ref: refs/heads/main\n");
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
