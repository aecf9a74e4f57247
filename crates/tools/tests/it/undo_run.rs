//! The `undo_run` tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use artoo_consent::{Answer, Consent, Nobody, Question};
use artoo_sandbox::SandboxMode;
use artoo_snapshot::{Present, Snapshot, SnapshotLimits, Undo, Undoable, undoable};
use artoo_tools::{EarlierRun, Toolbox, UndoRun};
use artoo_types::{
    Approval, CallEnding, Effect, EffectKind, FailureClass, FileChangeKind, PreviewedChange, PreviewedKind,
    ToolCall, ToolName,
};
use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{Scene, failed, shown};

const NAME: &str = "8c74b3f2f2b5";

/// Changes to the working folder, recorded as a run records them.
fn earlier(scene: &Scene, folder: &Path, deed: impl FnOnce(&Path)) -> EarlierRun {
    let record = scene.data.join("earlier/undo");
    let snapshot = Snapshot::new(record.clone(), vec![scene.data.clone()], SnapshotLimits::default());
    let root = folder.canonicalize().unwrap();
    let call = snapshot.before(std::slice::from_ref(&root)).unwrap();
    deed(&root);
    call.after().unwrap();
    snapshot.close().unwrap();
    EarlierRun { name: NAME.to_owned(), request: "Tidy up".to_owned(), record }
}

/// A run that created, changed and deleted, in a folder with other files.
fn tidied() -> (Scene, EarlierRun) {
    let scene = Scene::new();
    scene.file("旧.txt", "old\n");
    scene.file("changed.txt", "one\ntwo\n");
    scene.file("other.txt", "not its matter\n");
    let run = earlier(&scene, &scene.cx.working_folder, |root| {
        fs::remove_file(root.join("旧.txt")).unwrap();
        fs::write(root.join("changed.txt"), "one\n2\n").unwrap();
        fs::create_dir(root.join("out")).unwrap();
        fs::write(root.join("out/new.txt"), "new\n").unwrap();
    });
    (scene, run)
}

async fn undo(scene: &Scene, run: &EarlierRun) -> ToolCall {
    let toolbox = Toolbox::new().with(UndoRun::new(vec![run.clone()]));
    scene.call_in(&toolbox, "undo_run", json!({ "run": NAME })).await
}

/// Every file below a folder, with its content.
fn tree(folder: &Path) -> Vec<(PathBuf, Option<String>)> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let below = |path: PathBuf| match path.is_dir() {
        true => [vec![(path.clone(), None)], tree(&path)].concat(),
        false => vec![(path.clone(), Some(fs::read_to_string(&path).unwrap()))],
    };
    entries.into_iter().flat_map(below).collect()
}

/// [`Consent`] with a fixed answer, which acts before it answers.
struct Person {
    answer: Answer,
    approval: Approval,
    meanwhile: Box<dyn Fn() + Send + Sync>,
    asked: Mutex<Vec<Question>>,
}

#[async_trait]
impl Consent for Person {
    fn approval(&self) -> Approval {
        self.approval
    }

    async fn ask(&self, question: Question) -> Answer {
        self.asked.lock().unwrap().push(question);
        (self.meanwhile)();
        self.answer.clone()
    }
}

fn person(answer: Answer, meanwhile: impl Fn() + Send + Sync + 'static) -> Person {
    Person { answer, approval: Approval::Auto, meanwhile: Box::new(meanwhile), asked: Mutex::default() }
}

#[tokio::test]
async fn what_was_made_goes_and_what_was_changed_or_deleted_comes_back() {
    let (scene, run) = tidied();
    let folder = scene.cx.working_folder.canonicalize().unwrap();
    let left = tree(&folder);
    let call = undo(&scene, &run).await;
    let at = |name: &str| folder.join(name).display().to_string();
    let told = [
        format!("took back run {NAME}"),
        format!("restored {}", at("changed.txt")),
        format!("removed {}", at("out")),
        format!("removed {}", at("out/new.txt")),
        format!("recreated {}\n", at("旧.txt")),
    ];
    assert_eq!(shown(&call), told.join("\n"));
    let files: Vec<_> = call.files.iter().map(|file| (file.path.as_path(), file.change)).collect();
    let (changed, new, old) = (folder.join("changed.txt"), folder.join("out/new.txt"), folder.join("旧.txt"));
    let expected = [
        (changed.as_path(), FileChangeKind::Changed),
        (&new, FileChangeKind::Deleted),
        (&old, FileChangeKind::Created),
    ];
    assert_eq!(files, expected);
    assert!(call.files[0].diff.as_deref().unwrap().contains("-2\n+two\n"), "{:?}", call.files[0]);
    let before = [(&changed, "one\ntwo\n"), (&folder.join("other.txt"), "not its matter\n"), (&old, "old\n")];
    assert_eq!(tree(&folder), before.map(|(path, text)| (path.clone(), Some(text.to_owned()))));
    assert_eq!(undoable(&run.record), Undoable::Undone);

    // It is a change of this run like any other, so it is in this run's own record.
    scene.cx.snapshot.as_ref().unwrap().close().unwrap();
    let own = Undo::prepare(&scene.data.join("undo"), std::slice::from_ref(&folder), Present::AsRecorded);
    assert_eq!(own.unwrap().apply().unwrap(), []);
    assert_eq!(tree(&folder), left);

    let again = undo(&scene, &run).await;
    assert_eq!(again.ending, CallEnding::Refused);
    let reason = &failed(&again, FailureClass::Environmental).reason;
    assert_eq!(*reason, format!("run {NAME} was not taken back: the run was undone already"));
    assert_eq!(tree(&folder), left);
}

#[tokio::test]
async fn what_was_changed_since_is_not_overwritten() {
    let (scene, run) = tidied();
    let theirs = scene.file("out/new.txt", "a person's work\n");
    let before = tree(&scene.cx.working_folder);
    let call = undo(&scene, &run).await;
    let reason = &failed(&call, FailureClass::Environmental).reason;
    let expected = format!(
        "run {NAME} was not taken back ({}: changed since the run): 1 of the run's changes cannot be taken back, so none was",
        theirs.display()
    );
    assert_eq!((reason, &call.files), (&expected, &vec![]));
    assert_eq!((tree(&scene.cx.working_folder), undoable(&run.record)), (before, Undoable::Yes));
}

/// The question may stay open for hours.
#[tokio::test]
async fn what_is_changed_while_it_is_asked_about_is_not_overwritten() {
    let (mut scene, run) = tidied();
    let file = scene.cx.working_folder.join("changed.txt");
    let theirs = file.clone();
    let asked = person(Answer::Yes, move || fs::write(&theirs, "a person's work\n").unwrap());
    scene.cx.consent = Arc::new(asked);
    let call = undo(&scene, &run).await;
    failed(&call, FailureClass::Environmental);
    assert_eq!(call.files, []);
    assert_eq!(fs::read_to_string(file).unwrap(), "a person's work\n");
    assert!(scene.cx.working_folder.join("out/new.txt").exists(), "nothing half-done");
    assert_eq!(undoable(&run.record), Undoable::Yes);
}

/// Deleting or changing what existed before this run needs consent to this very change; restoring a missing
/// file needs none.
#[tokio::test]
async fn a_person_is_asked_about_the_very_change() {
    let (mut scene, run) = tidied();
    let before = tree(&scene.cx.working_folder);
    let asked = Arc::new(person(Answer::No { reason: "not this".to_owned() }, || {}));
    scene.cx.consent = Arc::clone(&asked) as Arc<dyn Consent>;
    let call = undo(&scene, &run).await;
    assert_eq!(failed(&call, FailureClass::Denied).reason.split(';').next(), Some("not allowed: not this"));
    assert_eq!((tree(&scene.cx.working_folder), undoable(&run.record)), (before, Undoable::Yes));

    let path = |name: &str| scene.cx.working_folder.canonicalize().unwrap().join(name);
    let effect = |kind, name: &str, did: &str| Effect {
        kind,
        what: path(name).display().to_string(),
        word: String::new(),
        why: format!("run {NAME} {did} it, and that is taken back"),
    };
    let change = |change, name: &str, before: Option<u64>, after: Option<u64>| PreviewedChange {
        path: path(name),
        change,
        from: None,
        bytes_before: before,
        bytes_after: after,
        mode_before: None,
        mode_after: None,
        diff: None,
        autorun: None,
        build_output: None,
    };
    let [question] = std::mem::take(&mut *asked.asked.lock().unwrap()).try_into().unwrap();
    let diff = question.changes[0].diff.clone();
    assert!(diff.as_deref().unwrap().contains("-2\n+two\n"), "{diff:?}");
    let expected = Question {
        tool: ToolName::new("undo_run"),
        command: format!("undo_run {NAME}"),
        programs: Vec::new(),
        effects: vec![
            effect(EffectKind::Overwrites, "changed.txt", "changed"),
            effect(EffectKind::Deletes, "out", "made"),
            effect(EffectKind::Deletes, "out/new.txt", "made"),
        ],
        free: vec![effect(EffectKind::Creates, "旧.txt", "deleted")],
        changes: vec![
            PreviewedChange { diff, ..change(PreviewedKind::Changed, "changed.txt", Some(6), Some(8)) },
            change(PreviewedKind::Deleted, "out", None, None),
            change(PreviewedKind::Deleted, "out/new.txt", Some(4), None),
            change(PreviewedKind::Created, "旧.txt", None, Some(4)),
        ],
        commit: None,
        moves: None,
        rule: question.rule.clone(),
        reason: question.reason.clone(),
        beyond_undo: None,
        always: None,
    };
    assert_eq!(question, expected);
}

#[tokio::test]
async fn what_comes_back_where_nothing_is_needs_nobody() {
    for (name, comes) in [("gone.txt", true), (".hidden", false)] {
        let mut scene = Scene::new();
        scene.file(name, "old\n");
        let run = earlier(&scene, &scene.cx.working_folder, |root| fs::remove_file(root.join(name)).unwrap());
        scene.cx.consent = Arc::new(Nobody);
        let call = undo(&scene, &run).await;
        assert_eq!((call.failure.is_none(), scene.cx.working_folder.join(name).exists()), (comes, comes));
    }
    // If every change is asked about, this one is, too.
    let mut scene = Scene::new();
    scene.file("gone.txt", "old\n");
    let run =
        earlier(&scene, &scene.cx.working_folder, |root| fs::remove_file(root.join("gone.txt")).unwrap());
    let every = Person { approval: Approval::Ask, ..person(Answer::No { reason: "no".to_owned() }, || {}) };
    scene.cx.consent = Arc::new(every);
    failed(&undo(&scene, &run).await, FailureClass::Denied);
    assert!(!scene.cx.working_folder.join("gone.txt").exists());
}

#[tokio::test]
async fn nobodys_yes_opens_a_protected_place() {
    for (name, end) in [
        ("id_ed25519", "is protected"),
        ("repository/.git/hooks/pre-commit", "is part of a git repository's own data, which stays as it is"),
    ] {
        let scene = Scene::new();
        let file = scene.file(name, "old\n");
        let run = earlier(&scene, &scene.cx.working_folder, |_| fs::write(&file, "changed\n").unwrap());
        let call = undo(&scene, &run).await;
        let reason = &failed(&call, FailureClass::Forbidden).reason;
        assert!(reason.ends_with(end), "{reason}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "changed\n");
    }
}

#[tokio::test]
async fn no_more_is_allowed_than_this_run_may() {
    let (mut scene, run) = tidied();
    scene.cx.mode = SandboxMode::ReadOnly;
    let call = undo(&scene, &run).await;
    assert!(failed(&call, FailureClass::Denied).reason.contains("read-only"));

    // The earlier run worked in another folder.
    let scene = Scene::new();
    let elsewhere = earlier(&scene, &scene.outside, |root| fs::write(root.join("new.txt"), "new").unwrap());
    let call = undo(&scene, &elsewhere).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("outside the working folder"));
    assert!(scene.outside.join("new.txt").exists());

    // Memory advises caution, and no person is present.
    let (mut scene, run) = tidied();
    scene.cx.trial_only = true;
    failed(&undo(&scene, &run).await, FailureClass::Logical);
    assert_eq!(undoable(&run.record), Undoable::Yes);
}

#[tokio::test]
async fn a_run_that_is_gone_is_told() {
    let (scene, run) = tidied();
    let before = tree(&scene.cx.working_folder);
    fs::remove_dir_all(run.record.parent().unwrap()).unwrap();
    let call = undo(&scene, &run).await;
    let reason = &failed(&call, FailureClass::Environmental).reason;
    assert!(reason.starts_with(&format!("run {NAME} was not taken back: the record ")), "{reason}");
    assert_eq!((tree(&scene.cx.working_folder), call.files), (before, vec![]));
}

#[tokio::test]
async fn only_the_runs_that_it_was_given_have_a_name() {
    let (scene, run) = tidied();
    let tool = UndoRun::new(vec![run.clone(), EarlierRun { name: "000000000001".to_owned(), ..run.clone() }]);
    let toolbox = Toolbox::new().with(tool);
    let whole = "0197f3a2-1111-7222-8333-8c74b3f2f2b5";
    for arguments in [
        json!({}),
        json!({"run": ""}),
        json!({"run": null}),
        json!({"run": 7}),
        json!({"run": [NAME, NAME]}),
        json!({"run": whole}),
        json!({"run": "last"}),
        json!({"run": "../earlier"}),
        json!({"run": run.record}),
        json!({"run": "8c74b3f2f2b5\0"}),
        json!({"run": "x".repeat(1_000_000)}),
        json!({"run": NAME, "as_it_is": true}),
    ] {
        let call = scene.call_in(&toolbox, "undo_run", arguments).await;
        let reason = &failed(&call, FailureClass::Logical).reason;
        assert!(reason.starts_with("argument `") && reason.len() < 200, "{reason}");
    }
    assert_eq!(undoable(&run.record), Undoable::Yes);
}

proptest! {
    #[test]
    fn no_other_name_is_one(name in "\\PC{0,20}|[0-9a-f-]{11,13}") {
        prop_assume!(name != NAME);
        let run = EarlierRun { name: NAME.to_owned(), request: String::new(), record: "/nowhere".into() };
        let toolbox = Toolbox::new().with(UndoRun::new(vec![run]));
        let scene = Scene::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let call = runtime.block_on(scene.call_in(&toolbox, "undo_run", json!({ "run": name })));
        prop_assert!(call.failure.unwrap().reason.starts_with("argument `run` "));
    }
}

/// What a model sees: a name for each run and its request, truncated if long.
#[test]
fn a_model_can_choose_by_what_was_asked() {
    use artoo_tools::Tool as _;
    let run = |name: &str, request: &str| EarlierRun {
        name: name.to_owned(),
        request: request.to_owned(),
        record: PathBuf::new(),
    };
    let tool =
        UndoRun::new(vec![run("000000000002", "Lösche \"a\"\nnun"), run("000000000001", &"数".repeat(500))]);
    let told = format!(
        "the earlier runs that it can take back, the newest first\n000000000002: \"Lösche \\\"a\\\"\\nnun\"\n000000000001: \"{}\"",
        "数".repeat(80)
    );
    assert_eq!(tool.in_this_run(), Some(told));
    // The definition is the same in every run, so that prompts which begin with it can be cached.
    let other = UndoRun::new(vec![run("000000000003", "x")]);
    assert_eq!((tool.description(), tool.arguments()), (other.description(), other.arguments()));
}
