//! Commands that prove something, and commands that would do harm.

use std::{collections::BTreeMap, fs, path::PathBuf};

use artoo_consent::Rule;
use artoo_sandbox::{Network, SandboxMode};
use artoo_shell_effects::Permission;
use artoo_tools::{EvidenceStore, RunFolders};
use artoo_types::EffectKind;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

struct Scene {
    _root: tempfile::TempDir,
    cx: ToolContext,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = root.path().canonicalize().unwrap().join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let working_folder = folder("home/work");
        fs::write(working_folder.join("notes.txt"), "one\n").unwrap();
        let folders = RunFolders {
            working_folder,
            workspace: folder("home/workspace"),
            home: folder("home"),
            private_tmp: folder("tmp"),
        };
        let evidence = EvidenceStore::open(folder("data").join("evidence")).unwrap();
        let cx = ToolContext {
            protected: vec![folder("data")].into(),
            network: Network::Granted,
            environment: BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]),
            layer_stores: vec![folder("data/layers"), std::env::temp_dir().join("artoo-check-layers")],
            ..ToolContext::new(folders, evidence)
        };
        Self { _root: root, cx }
    }

    /// Whether commands can be tried on this machine; prints a notice if not.
    fn can_try(&self) -> bool {
        let can = can_try(&self.cx);
        if !can {
            artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, "no command can be tried");
        }
        can
    }

    fn checks(&self) -> CommandChecks {
        CommandChecks::new(Arc::new(Toolbox::standard()), self.cx.clone(), Rules::default())
    }

    async fn run(&self, command: &str) -> CommandRun {
        self.checks().run(command, MINUTE).await
    }

    fn left(&self) -> Vec<PathBuf> {
        let below = |folder: &PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        [&self.cx.working_folder, &self.cx.workspace, &self.cx.private_tmp]
            .into_iter()
            .flat_map(below)
            .collect()
    }
}

fn size_of(folder: &std::path::Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { size_of(&path) } else { path.metadata().unwrap().len() }).sum()
}

fn ended(status: i32, output: &str) -> CommandRun {
    CommandRun::Ended { status, output: output.to_owned() }
}

fn reason(run: CommandRun) -> String {
    match run {
        CommandRun::Undecided { reason } => reason,
        CommandRun::Ended { status, output } => panic!("it ended with {status}: {output}"),
    }
}

#[tokio::test]
async fn the_status_decides_and_nothing_that_is_written_lasts() {
    let scene = Scene::new();
    if !scene.can_try() {
        return;
    }
    let before = scene.left();
    let table = [
        ("cat notes.txt && echo $LC_ALL", 0, "one\nC.UTF-8"),
        ("cat notes.txt; echo broken >&2; exit 3", 3, "one\nbroken"),
        (
            "echo 2 >> notes.txt && touch made \"$WORKSPACE/made\" \"$TMPDIR/made\" && grep -c . notes.txt",
            0,
            "2",
        ),
        ("rm -rf ./* \"$WORKSPACE\"/* && ls", 0, ""),
        ("false | cat", 1, ""),
        ("echo a | cat", 0, "a"),
        ("test -f nowhere.txt", 1, ""),
    ];
    for (command, status, output) in table {
        assert_eq!(scene.run(command).await, ended(status, output), "{command}");
        assert_eq!(scene.left(), before, "{command}");
    }
    assert_eq!(fs::read_to_string(scene.cx.working_folder.join("notes.txt")).unwrap(), "one\n");
}

#[tokio::test]
async fn what_code_cannot_tell_is_left_to_a_judge() {
    let scene = Scene::new();
    if !scene.can_try() {
        return;
    }
    let table = [
        ("no-such-program-here | cat; true", "is not on this machine"),
        ("yes | head -n 1", "cut off"),
        ("curl -sSf https://example.com/", "names another machine"),
    ];
    for (command, expected) in table {
        let said = reason(scene.run(command).await);
        assert!(said.contains(expected), "{command}: {said}");
    }
}

#[tokio::test]
async fn a_command_that_hangs_is_stopped() {
    let scene = Scene::new();
    if !scene.can_try() {
        return;
    }
    let said = reason(scene.checks().run("sleep 1000 & sleep 1000", Duration::from_secs(1)).await);
    assert!(said.contains("stopped after 1 seconds"), "{said}");
}

#[tokio::test]
async fn of_endless_output_little_is_kept() {
    let scene = Scene::new();
    if !scene.can_try() {
        return;
    }
    let CommandRun::Ended { status: 0, output } = scene.run("head -c 200000000 /dev/zero | tr '\\0' x").await
    else {
        panic!("it succeeds")
    };
    assert!(output.len() < 10_000, "{} bytes", output.len());
    let kept = size_of(scene.cx.evidence.folder());
    assert!(kept < 32 << 20, "{kept} bytes");
}

#[tokio::test]
async fn a_rule_of_the_person_holds() {
    let scene = Scene::new();
    let rule = Rule {
        decision: Permission::Deny,
        effects: [EffectKind::Deletes].into(),
        programs: Vec::new(),
        paths: Vec::new(),
        reason: "I keep everything".to_owned(),
        matches: vec!["rm a".to_owned()],
        spares: vec!["ls".to_owned()],
    };
    let rules = Rules::default().and(rule, &scene.cx.home).unwrap();
    let checks = CommandChecks::new(Arc::new(Toolbox::standard()), scene.cx.clone(), rules);
    let said = reason(checks.run("rm notes.txt", MINUTE).await);
    assert!(said.starts_with("it was not run") && said.contains("I keep everything"), "{said}");
}

#[tokio::test]
async fn without_a_shell_nothing_runs() {
    let scene = Scene::new();
    let checks = CommandChecks::new(Arc::new(Toolbox::new()), scene.cx.clone(), Rules::default());
    assert_eq!(reason(checks.run("true", MINUTE).await), "this run has no tool that runs commands");
}

/// In a run that may change nothing, a suite that has to write cannot succeed: that says nothing about the
/// work.
#[tokio::test]
async fn a_failure_where_nothing_can_be_written_decides_nothing() {
    let mut scene = Scene::new();
    if !scene.can_try() {
        return;
    }
    scene.cx.mode = SandboxMode::ReadOnly;
    assert_eq!(scene.run("grep -q one notes.txt").await, ended(0, ""));
    let said = reason(scene.run("grep -q two notes.txt").await);
    assert!(said.contains("could write nothing"), "{said}");
}
