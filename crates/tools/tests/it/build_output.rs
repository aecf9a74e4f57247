//! Build output: what changes in it without a question, and what does not count as it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_consent::{Answer, Consent};
use artoo_sandbox::preview::Preview;
use artoo_snapshot::{Present, Undo};
use artoo_types::{BuildFolder, FileChangeKind, ToolCall};
use serde_json::json;

use crate::consents::{Person, person};
use crate::fixture::{Scene, shown};

pub(crate) const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";
/// What the rows below ignore.
const IGNORED: &str = "/target/\nsecrets/\n.env\nbuild/\n.venv/\nnode_modules/\n*.pyc\nlogs/*\n!logs/keep\n";

/// A scene in which a person answers, in a working tree of git with these rules; `None` if nothing can be tried here.
pub(crate) fn scene(answer: Answer, ignored: &str) -> Option<(Scene, Arc<Person>)> {
    let mut scene = Scene::new();
    fs::create_dir_all(&scene.cx.workspace).unwrap();
    if let Err(reason) = Preview::supported(&scene.data.join("layers")) {
        artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
        return None;
    }
    scene.file(".git/HEAD", "ref: refs/heads/main\n");
    for folder in [".git/objects", ".git/refs", ".git/info"] {
        fs::create_dir(scene.cx.working_folder.join(folder)).unwrap();
    }
    scene.file(".gitignore", ignored);
    let person = Arc::new(person(answer));
    scene.cx.consent = Arc::clone(&person) as Arc<dyn Consent>;
    Some((scene, person))
}

pub(crate) fn no() -> Answer {
    Answer::No { reason: "not this".to_owned() }
}

pub(crate) async fn sh(scene: &Scene, command: &str) -> ToolCall {
    scene.call("shell", json!({ "command": command })).await
}

pub(crate) fn built(scene: &Scene, folder: &str, files: u64) -> BuildFolder {
    let path = scene.cx.working_folder.canonicalize().unwrap().join(folder);
    BuildFolder { first_changed: Some(files), ..BuildFolder::new(path, files) }
}

/// A thing that was there before the run.
enum There {
    File(&'static str, &'static str),
    /// A hard link, and what it is one of.
    Twin(&'static str, &'static str),
    /// A symbolic link, and what it leads to.
    Link(&'static str, &'static str),
}

use There::{File, Link, Twin};

/// What is there, the commands one after the other, and whether the last of them is asked about. The others are not.
type Row = (&'static [There], &'static [&'static str], bool);

const TARGET: There = File("target/CACHEDIR.TAG", TAG);
const A: There = File("target/a", "old");

const ROWS: &[Row] = &[
    // Marks of tools.
    (&[TARGET, A], &["echo 1 > target/a; echo 2 > target/.b; chmod 600 target/a"], false),
    (&[TARGET, A, File("target/.b/c", "")], &["rm -r target/a target/.b"], false),
    (&[TARGET, A], &["rm -r target"], false),
    (&[A, File("target/CACHEDIR.TAG", "Signature: none")], &["echo 1 > target/a"], true),
    (&[A, File("tag", TAG), Link("target/CACHEDIR.TAG", "../tag")], &["echo 1 > target/a"], true),
    (&[File("cache/CACHEDIR.TAG", TAG), File("cache/a", "")], &["echo 1 > cache/a"], true),
    (&[File(".venv/pyvenv.cfg", ""), File(".venv/lib/a", "")], &["echo 1 > .venv/lib/a"], false),
    (&[File("package.json", "{}"), File("node_modules/m/a", "")], &["echo 1 > node_modules/m/a"], false),
    (&[File("node_modules/m/a", "")], &["echo 1 > node_modules/m/a"], true),
    (&[File("p/__pycache__/a.pyc", "")], &["echo 1 > p/__pycache__/a.pyc"], false),
    (&[File("p/__pycache__/a.txt", "")], &["echo 1 > p/__pycache__/a.txt"], true),
    (
        &[File(".c/CACHEDIR.TAG", TAG), File(".c/.gitignore", "*\n"), File(".c/v/.a", "")],
        &["echo 1 > .c/v/.a", "rm -r .c"],
        false,
    ),
    // What git cannot bring back, and no tool makes again.
    (&[File(".env", "key")], &["echo 1 > .env"], true),
    (&[File("build/a", "")], &["echo 1 > build/a"], true),
    (&[File("build/a", "")], &["rm -r build"], true),
    (&[File("logs/CACHEDIR.TAG", TAG), File("logs/a", "")], &["echo 1 > logs/a"], false),
    (&[File("logs/CACHEDIR.TAG", TAG), File("logs/keep", "")], &["echo 1 > logs/keep"], true),
    // A folder of the run's own.
    (&[], &["mkdir -p build/x; echo 1 > build/.a; echo 1 > build/x/b"], false),
    (&[], &["mkdir build; echo 1 > build/.a", "echo 2 > build/.a; rm build/.a; echo 3 > build/.b"], false),
    (&[], &["mkdir free; echo 1 > free/.a"], true),
    (&[File("build/a", "")], &["echo 1 > build/b", "echo 1 > build/.c"], true),
    (&[File("build/a", "")], &["mkdir build/x", "echo 1 > build/x/.c"], false),
    // A mark that the run itself made.
    (
        &[File("secrets/a", ""), File("tag", TAG)],
        &["cp tag secrets/CACHEDIR.TAG", "echo 1 > secrets/a"],
        true,
    ),
    (&[File("secrets/a", ""), File("tag", TAG)], &["cp tag secrets/CACHEDIR.TAG; echo 1 > secrets/a"], true),
    (&[File("secrets/a", "")], &["touch secrets/pyvenv.cfg", "rm secrets/a"], true),
    (&[File("node_modules/a", "")], &["echo {} > package.json", "echo 1 > node_modules/a"], true),
    (&[], &["echo {} > package.json; mkdir node_modules; echo 1 > node_modules/.a"], false),
    (&[TARGET, A], &["rm target/CACHEDIR.TAG", "echo 1 > target/a"], false),
    // Hard links.
    (&[TARGET, A, Twin("target/b", "target/a")], &["echo 1 >> target/a; chmod 600 target/b"], false),
    (&[TARGET, A, Twin("target/b", "target/a")], &["mv target/b target/c; echo 1 > target/d"], false),
    (&[TARGET, A, Twin("b", "target/a")], &["echo 1 >> target/a"], true),
    (&[TARGET, A, Twin("b", "target/a")], &["chmod 600 target/a"], true),
    (&[TARGET, A, Twin("b", "target/a")], &["echo 1 >> b"], true),
    (&[TARGET, A], &["ln target/a target/b"], false),
    (&[TARGET, File(".env", "key")], &["ln .env target/env"], true),
    // What comes from elsewhere, and what leads there.
    (&[TARGET, File(".env", "key")], &["mv .env target/env"], true),
    (&[TARGET, A], &["rm -r target; ln -s ../work target"], true),
    (&[TARGET, File("docs/a", ""), Link("target/link", "../docs")], &["echo 1 > target/link/a"], true),
    (&[TARGET, File("target/sub/.git/HEAD", ""), File("target/sub/a", "")], &["echo 1 > target/sub/a"], true),
    (&[TARGET, A], &["chmod u+s target/a"], true),
    // Other places of rules.
    (&[File(".git/info/exclude", "out/\n"), File("out/CACHEDIR.TAG", TAG)], &["echo 1 > out/.a"], false),
    (&[File("sub/.gitignore", "out/"), File("sub/out/CACHEDIR.TAG", TAG)], &["echo 1 > sub/out/.a"], false),
];

#[tokio::test]
async fn what_is_build_output_and_what_is_not() {
    for (number, (there, commands, is_asked)) in ROWS.iter().enumerate() {
        let Some((scene, person)) = scene(no(), IGNORED) else { return };
        let path = |name: &str| scene.cx.working_folder.join(name);
        for thing in *there {
            match thing {
                File(name, content) => drop(scene.file(name, content)),
                Twin(name, of) => fs::hard_link(path(of), path(name)).unwrap(),
                Link(name, to) => symlink(to, path(name)).unwrap(),
            }
        }
        let (last, first) = commands.split_last().unwrap();
        for command in first {
            shown(&sh(&scene, command).await);
            assert_eq!(person.heard(), [], "{number}: {command}");
        }
        let call = sh(&scene, last).await;
        let asked = person.heard();
        assert_eq!(
            (asked.len() == 1, call.failure.is_some()),
            (*is_asked, *is_asked),
            "{number}: {last}: {call:#?} {asked:#?}"
        );
    }
}

#[tokio::test]
async fn it_is_counted_and_the_users_files_are_listed() {
    let Some((scene, person)) = scene(no(), IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    scene.file("target/gone", "");
    let call = sh(&scene, "mkdir target/d; touch new target/d/a target/d/.b; rm target/gone").await;
    shown(&call);
    assert_eq!(person.heard(), []);
    let files: Vec<_> = call.files.iter().map(|file| (file.path.clone(), file.change)).collect();
    let new = scene.cx.working_folder.canonicalize().unwrap().join("new");
    assert_eq!(files, [(new, FileChangeKind::Created)]);
    assert_eq!(call.build_output, [built(&scene, "target", 3)]);
}

/// Nothing of the run makes an ignored folder out of what was there: not even a rule that the person agreed to.
#[tokio::test]
async fn rules_count_as_they_were_before_the_run() {
    let Some((scene, person)) = scene(Answer::Yes, "") else { return };
    scene.file("cache/CACHEDIR.TAG", TAG);
    scene.file("cache/a", "");
    shown(&sh(&scene, "echo cache/ > .gitignore").await);
    assert_eq!(person.heard().len(), 1);
    shown(&sh(&scene, "echo 1 > cache/a").await);
    assert_eq!(person.heard().len(), 1);
}

#[tokio::test]
async fn a_rule_that_the_run_removed_still_counts() {
    let Some((scene, person)) = scene(Answer::Yes, IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    shown(&scene.call("write_file", json!({ "path": ".gitignore", "content": "" })).await);
    assert_eq!(person.heard().len(), 1);
    shown(&sh(&scene, "echo 1 > target/.a").await);
    assert_eq!(person.heard(), []);
}

#[tokio::test]
async fn a_folder_of_path_stays_a_matter_of_consent() {
    for path in ["work folder/.venv/bin", ".venv/bin"] {
        let Some((mut scene, person)) = scene(no(), IGNORED) else { return };
        for name in [".venv/pyvenv.cfg", ".venv/bin/tool", ".venv/lib/a"] {
            scene.file(name, "");
        }
        let root = scene.cx.working_folder.parent().unwrap().to_owned();
        let folder = if path.starts_with('.') { PathBuf::from(path) } else { root.join(path) };
        let search = format!("{}:{}", folder.display(), artoo_test_needs::path());
        scene.cx.environment.insert("PATH".into(), search.into());
        for (command, is_asked) in
            [("echo 1 > .venv/bin/tool", true), ("rm -r .venv/bin", true), ("echo 1 > .venv/lib/a", false)]
        {
            sh(&scene, command).await;
            assert_eq!(person.heard().len(), usize::from(is_asked), "{path}: {command}");
        }
    }
}

#[tokio::test]
async fn the_users_own_rules_count_and_a_folder_without_git_has_none() {
    let Some((scene, person)) = scene(no(), "") else { return };
    scene.file("out/CACHEDIR.TAG", TAG);
    fs::create_dir_all(scene.cx.home.join(".config/git")).unwrap();
    fs::write(scene.cx.home.join(".config/git/ignore"), "out/\n").unwrap();
    shown(&sh(&scene, "echo 1 > out/.a").await);
    assert_eq!(person.heard(), []);
    fs::remove_dir_all(scene.cx.working_folder.join(".git")).unwrap();
    sh(&scene, "echo 2 > out/.b").await;
    assert_eq!(person.heard().len(), 1);
}

#[tokio::test]
async fn files_are_written_and_edited_in_it_without_a_question() {
    let Some((scene, person)) = scene(no(), IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    scene.file("target/a", "old\n");
    scene.file("secrets/a", "old\n");
    for (path, is_asked) in
        [("target/a", false), ("target/.new/b", false), ("secrets/a", true), ("build/.c", false)]
    {
        let call = scene.call("write_file", json!({ "path": path, "content": "new\n" })).await;
        assert_eq!(person.heard().len(), usize::from(is_asked), "{path}: {call:?}");
        // What a call names is listed.
        assert_eq!(call.files.len(), usize::from(!is_asked), "{path}: {call:?}");
    }
    let edit = json!({ "path": "target/a", "edits": [{ "old": "new", "new": "newer" }] });
    shown(&scene.call("edit_file", edit).await);
    // A mark that it writes counts no more than one of a command; a folder that it makes does.
    shown(&scene.call("write_file", json!({ "path": "secrets/CACHEDIR.TAG", "content": TAG })).await);
    shown(&scene.call("write_file", json!({ "path": "build/x/d", "content": "1" })).await);
    shown(&sh(&scene, "echo 2 > build/x/.e").await);
    assert_eq!(person.heard(), []);
    sh(&scene, "echo 2 > secrets/a").await;
    assert_eq!(person.heard().len(), 1);
}

#[tokio::test]
async fn what_git_tracks_is_no_build_output() {
    if !artoo_test_needs::has("git") {
        return;
    }
    let Some((scene, person)) = scene(Answer::Yes, IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    scene.file("target/kept", "");
    scene.file("target/a", "");
    fs::remove_dir_all(scene.cx.working_folder.join(".git")).unwrap();
    user(&scene, "git init -q . && git add -f target/kept").await;
    shown(&sh(&scene, "echo 1 > target/a").await);
    assert_eq!(person.heard(), []);
    for command in ["echo 1 > target/kept", "rm target/kept"] {
        shown(&sh(&scene, command).await);
        assert_eq!(person.heard().len(), 1, "{command}");
    }
}

/// Runs shell text as the user would, in the working folder.
pub(crate) async fn user(scene: &Scene, text: &str) {
    use artoo_sandbox::{Capture, Ending, Invocation, run_unconfined};
    let mut environment = scene.cx.environment.clone();
    environment.insert("HOME".into(), scene.cx.home.clone().into());
    let invocation = Invocation {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), text.into()],
        folder: scene.cx.working_folder.clone(),
        environment,
        timeout: std::time::Duration::from_secs(300),
        keep: 1024 * 1024,
    };
    let (mut output, mut complaint) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut output, stderr: &mut complaint, on_chunk: None };
    let outcome = run_unconfined(&invocation, capture, &scene.cx.cancel).await.unwrap();
    let said = String::from_utf8_lossy(&[output, complaint].concat()).into_owned();
    assert_eq!(outcome.ending, Ending::Exited(0), "{text}: {said}");
}

#[tokio::test]
async fn undo_covers_it() {
    let Some((scene, person)) = scene(no(), IGNORED) else { return };
    let tag = scene.file("target/CACHEDIR.TAG", TAG);
    let (a, b) = (scene.file("target/a", "old"), tag.with_file_name("b"));
    fs::hard_link(&a, &b).unwrap();
    shown(
        &sh(&scene, "echo 1 > target/a; rm target/b; echo 2 > target/.c; mkdir build; touch build/.d").await,
    );
    assert_eq!(person.heard(), []);
    scene.cx.snapshot.as_ref().unwrap().close().unwrap();
    let roots = [scene.cx.working_folder.canonicalize().unwrap()];
    let undo = Undo::prepare(&scene.data.join("undo"), &roots, Present::AsRecorded).unwrap();
    assert_eq!(undo.apply().unwrap(), []);
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert_eq!((read(&a), read(&b)), ("old".to_owned(), "old".to_owned()));
    assert!(!a.with_file_name(".c").exists() && !scene.cx.working_folder.join("build").exists());
}

/// What the run changes there is nobody else's change.
#[tokio::test]
async fn a_file_that_the_run_has_read_may_be_built_again() {
    let Some((scene, person)) = scene(no(), IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    scene.file("target/log", "one\n");
    shown(&scene.call("read_file", json!({ "path": "target/log" })).await);
    for command in ["echo 2 > target/log", "echo 3 > target/log"] {
        shown(&sh(&scene, command).await);
    }
    assert_eq!(person.heard(), []);
}

/// Where nobody sees what a command changes, nothing is build output any more.
#[tokio::test]
async fn after_an_unseen_change_everything_is_asked_about() {
    let Some((scene, person)) = scene(no(), IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    scene.cx.build_rules.lose_track();
    sh(&scene, "echo 1 > target/.a").await;
    assert_eq!(person.heard().len(), 1);
}

/// The user's own rules count as git would take them: from the file that its configuration names, or else from the usual one.
#[tokio::test]
async fn the_users_own_rules_come_from_the_file_that_git_would_take() {
    let named = Some("[core]\n\texcludesFile = ~/mine\n");
    for (configuration, repositorys, place, is_asked) in [
        (None, "", ".config/git/ignore", false),
        (named, "", "mine", false),
        (named, "", ".config/git/ignore", true),
        // Which file that is depends on where git is started.
        (Some("[core]\n\texcludesFile = mine\n"), "", "mine", true),
        (named, "[core]\n\texcludesFile = ~/other\n", "mine", true),
    ] {
        let Some((scene, person)) = scene(no(), "") else { return };
        let write = |name: &str, content: &str| {
            let path = scene.cx.home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        write(place, "out/\n");
        configuration.into_iter().for_each(|content| write(".gitconfig", content));
        scene.file(".git/config", repositorys);
        scene.file("out/CACHEDIR.TAG", TAG);
        scene.file("out/a", "old");
        sh(&scene, "echo 1 > out/a").await;
        let case = format!("{configuration:?}, {repositorys:?}, {place}");
        assert_eq!(!person.heard().is_empty(), is_asked, "{case}");
    }
}

/// What a run writes into files with rules makes no build output of what was there, although somebody agreed to it.
#[tokio::test]
async fn rules_that_the_run_writes_widen_nothing() {
    for rules in [
        "echo secrets/ > mine",
        "echo secrets/ > .gitignore",
        "echo secrets/ > .git/info/exclude",
        "printf '[core]\n\texcludesFile = %s\n' \"$PWD/other\" > .git/config; echo secrets/ > other",
    ] {
        let Some((scene, person)) = scene(Answer::Yes, "/target/\n") else { return };
        let mine = scene.file("mine", "nothing\n");
        fs::write(
            scene.cx.home.join(".gitconfig"),
            format!("[core]\nexcludesFile = \"{}\"\n", mine.display()),
        )
        .unwrap();
        scene.file("secrets/CACHEDIR.TAG", TAG);
        scene.file("secrets/a", "old");
        sh(&scene, rules).await;
        person.heard();
        sh(&scene, "echo 1 > secrets/a").await;
        assert_eq!(person.heard().len(), 1, "{rules}");
    }
}

/// A file that several calls change is one file of the run.
#[tokio::test]
async fn a_file_that_is_built_again_is_counted_once() {
    let Some((scene, _)) = scene(no(), IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    let mut calls = Vec::new();
    for command in ["echo 1 > target/a; echo 1 > target/b", "echo 2 > target/b; echo 1 > target/c"] {
        calls.extend(sh(&scene, command).await.build_output);
    }
    let counts: Vec<_> = calls.iter().map(|folder| (folder.files, folder.first_changed)).collect();
    assert_eq!(counts, [(2, Some(2)), (2, Some(1))]);
    assert_eq!(
        BuildFolder::of_run(&calls),
        [BuildFolder { first_changed: None, ..built(&scene, "target", 3) }]
    );
}

/// A question says how many files of build output the command would change, as a number.
#[tokio::test]
async fn a_question_counts_build_output() {
    let Some((scene, person)) = scene(no(), IGNORED) else { return };
    scene.file("target/CACHEDIR.TAG", TAG);
    scene.file("notes", "old");
    sh(&scene, "echo 1 > target/a; echo 1 > target/b; echo 1 > notes").await;
    let [question] = person.heard().try_into().unwrap();
    let counts: Vec<_> = question.changes.iter().filter_map(|change| change.build_output).collect();
    assert_eq!(counts, [2]);
}
