//! Consent: what is asked before a call, and the effect of an answer.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use artoo_consent::{Answer, Consent, Question, Rules};
use artoo_sandbox::SandboxMode;
use artoo_snapshot::{Snapshot, SnapshotLimits, Undoable, undoable};
use artoo_types::{
    Approval, CallEnding, Effect, EffectKind, FailureClass, FileChangeKind, ProposedRule, ToolCall,
};
use async_trait::async_trait;
use serde_json::json;

use crate::fixture::{Scene, can_confine, failed, shown};

/// [`Consent`] with a fixed answer, which records the questions.
pub(crate) struct Person {
    answer: Answer,
    approval: Approval,
    asked: Mutex<Vec<Question>>,
    /// Called before the answer.
    meanwhile: Option<Box<dyn Fn() + Send + Sync>>,
}

#[async_trait]
impl Consent for Person {
    fn approval(&self) -> Approval {
        self.approval
    }

    async fn ask(&self, question: Question) -> Answer {
        self.asked.lock().unwrap().push(question);
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile();
        }
        self.answer.clone()
    }
}

pub(crate) fn person(answer: Answer) -> Person {
    Person { answer, approval: Approval::Auto, asked: Mutex::default(), meanwhile: None }
}

fn no() -> Answer {
    Answer::No { reason: "not this".to_owned() }
}

/// A scene with such a person; `None` if commands cannot be confined.
fn scene(person: Person) -> Option<(Scene, Arc<Person>)> {
    let mut scene = Scene::new();
    fs::create_dir_all(&scene.cx.workspace).unwrap();
    let person = Arc::new(person);
    scene.cx.consent = Arc::clone(&person) as Arc<dyn Consent>;
    can_confine().then_some((scene, person))
}

impl Person {
    /// The questions since the last call.
    pub(crate) fn heard(&self) -> Vec<Question> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// The effects of the only question.
    fn effects(&self) -> Vec<Effect> {
        let [question] = self.heard().try_into().unwrap();
        question.effects
    }
}

async fn shell(scene: &Scene, command: &str) -> ToolCall {
    scene.call("shell", json!({ "command": command })).await
}

fn in_workspace(scene: &Scene, name: &str) -> PathBuf {
    scene.cx.workspace.canonicalize().unwrap().join(name)
}

#[tokio::test]
async fn what_is_free_is_not_asked_about() {
    let Some((scene, person)) = scene(person(no())) else { return };
    scene.file("docs/a.txt", "a\n");
    for command in [
        "ls docs | wc -l",
        "grep -c a docs/*.txt",
        "echo 1 > $WORKSPACE/new.txt",
        "echo 2 >> $WORKSPACE/new.txt",
        "mkdir -p $WORKSPACE/out && sort docs/a.txt > $WORKSPACE/out/sorted.txt",
        "rm -r $WORKSPACE/out",
        "mv $WORKSPACE/new.txt $WORKSPACE/renamed.txt",
    ] {
        shown(&shell(&scene, command).await);
        assert_eq!(person.heard(), [], "{command}");
    }
}

#[tokio::test]
async fn a_no_is_a_refusal_that_names_the_effect() {
    let Some((scene, person)) = scene(person(no())) else { return };
    let old = in_workspace(&scene, "old.txt");
    fs::write(&old, "old").unwrap();
    let call = shell(&scene, "rm $WORKSPACE/old.txt").await;
    assert_eq!(call.ending, CallEnding::Refused);
    let failure = failed(&call, FailureClass::Denied);
    assert_eq!(failure.reason, format!("not allowed: not this; it would delete {}", old.display()));
    assert!(failure.hint.as_ref().unwrap().contains("grant this kind of effect in advance"));
    let [question] = person.heard().try_into().unwrap();
    assert_eq!(
        (question.command.as_str(), question.rule.as_str()),
        ("rm $WORKSPACE/old.txt", "consent-to-change")
    );
    assert!(old.exists());
}

#[tokio::test]
async fn words_are_for_the_model_and_are_no_denial() {
    let words = Answer::Instead { words: "copy it first".to_owned() };
    let Some((scene, _)) = scene(person(words)) else { return };
    fs::write(in_workspace(&scene, "old.txt"), "old").unwrap();
    let call = shell(&scene, "rm $WORKSPACE/old.txt").await;
    assert_eq!(call.ending, CallEnding::Refused);
    assert_eq!(
        failed(&call, FailureClass::Logical).reason,
        "the user did not allow it, and says: copy it first"
    );
}

/// Permission 39: what the run created is free, as long as no other process changes it.
#[tokio::test]
async fn what_somebody_changed_since_is_theirs() {
    let Some((scene, person)) = scene(person(no())) else { return };
    shown(&shell(&scene, "echo 1 > $WORKSPACE/list.txt").await);
    scene.call("write_file", json!({ "path": "$WORKSPACE/note.txt", "content": "1" })).await;
    for name in ["list.txt", "note.txt"] {
        fs::write(in_workspace(&scene, name), "a person's words").unwrap();
    }
    // First the run is told that it knows another content.
    let write = json!({ "path": "$WORKSPACE/note.txt", "content": "2" });
    failed(&scene.call("write_file", write.clone()).await, FailureClass::Environmental);
    failed(&shell(&scene, "echo 2 >> $WORKSPACE/list.txt").await, FailureClass::Environmental);
    assert!(person.heard().is_empty());
    failed(&shell(&scene, "echo 2 >> $WORKSPACE/list.txt").await, FailureClass::Denied);
    assert_eq!(person.effects()[0].kind, EffectKind::Overwrites);
    failed(&scene.call("write_file", write).await, FailureClass::Denied);
    assert_eq!(person.effects()[0].kind, EffectKind::Overwrites);
    for name in ["list.txt", "note.txt"] {
        assert_eq!(fs::read_to_string(in_workspace(&scene, name)).unwrap(), "a person's words");
    }
}

/// What appears while a command runs may belong to another process: only what the command created in its
/// trial is the run's.
#[tokio::test]
async fn what_appears_meanwhile_is_not_the_runs() {
    let Some((scene, person)) = scene(person(no())) else { return };
    let theirs = in_workspace(&scene, "theirs.txt");
    let (started, to) = (scene.cx.private_tmp.join("started"), theirs.clone());
    let seen = scene.cx.home.join("seen");
    let writer = std::thread::spawn(move || {
        while !started.exists() {
            std::thread::yield_now();
        }
        fs::write(&to, "theirs").unwrap();
        fs::write(seen, "").unwrap();
    });
    let command = "echo 1 > $WORKSPACE/mine.txt; touch $TMPDIR/started; until test -e $WORKSPACE/../seen; do sleep 0.01; done";
    let call = shell(&scene, command).await;
    writer.join().unwrap();
    assert_eq!(call.files.len(), 1, "{:?}", call.files);
    shown(&shell(&scene, "rm $WORKSPACE/mine.txt").await);
    assert_eq!(person.heard(), []);
    failed(&shell(&scene, "rm $WORKSPACE/theirs.txt").await, FailureClass::Denied);
    assert!(theirs.exists());
}

/// Renaming or linking a file does not make it the run's.
#[tokio::test]
async fn what_was_moved_or_linked_stays_somebodys() {
    let Some((mut scene, _)) = scene(person(Answer::Yes)) else { return };
    let old = in_workspace(&scene, "old.txt");
    fs::write(&old, "old").unwrap();
    fs::write(in_workspace(&scene, "other.txt"), "old").unwrap();
    shown(&shell(&scene, "mv $WORKSPACE/old.txt $WORKSPACE/moved.txt").await);
    shown(&shell(&scene, "ln $WORKSPACE/other.txt $WORKSPACE/second.txt").await);
    shown(&shell(&scene, "ln -s $WORKSPACE/other.txt $WORKSPACE/link.txt").await);
    let person = Arc::new(person(no()));
    scene.cx.consent = Arc::clone(&person) as Arc<dyn Consent>;
    for command in [
        "rm $WORKSPACE/moved.txt",
        "echo x > $WORKSPACE/second.txt",
        "echo x > $WORKSPACE/link.txt",
        "chmod 600 $WORKSPACE/link.txt",
    ] {
        failed(&shell(&scene, command).await, FailureClass::Denied);
        assert_eq!(person.heard().len(), 1, "{command}");
    }
}

#[tokio::test]
async fn a_yes_makes_what_was_tried_in_the_working_folder_real() {
    let Some((mut scene, person)) = scene(person(Answer::Yes)) else { return };
    let old = scene.file("old.txt", "old");
    shown(&shell(&scene, "echo new > old.txt").await);
    assert_eq!(person.effects()[0].what, old.canonicalize().unwrap().display().to_string());
    assert_eq!(fs::read_to_string(&old).unwrap(), "new\n");
    // The command's change there can be undone.
    let call = shell(&scene, "rm old.txt").await;
    assert_eq!(call.files[0].change, FileChangeKind::Deleted);
    // A folder with protected places in it is an ordinary folder: they are hidden.
    scene.cx.working_folder = scene.cx.home.clone();
    fs::write(scene.cx.home.join("mine.txt"), "old").unwrap();
    fs::create_dir(scene.cx.home.join(".ssh")).unwrap();
    shown(&shell(&scene, "rm mine.txt").await);
    assert!(!scene.cx.home.join("mine.txt").exists() && scene.cx.home.join(".ssh").exists());
}

#[tokio::test]
async fn what_is_protected_is_refused_without_a_question() {
    let Some((scene, person)) = scene(person(Answer::Yes)) else { return };
    for command in ["cat ~/.ssh/id_rsa", "echo x >> ~/.ssh/authorized_keys", "rm -r ~/.gnupg"] {
        let call = shell(&scene, command).await;
        assert!(
            failed(&call, FailureClass::Forbidden).reason.contains("nobody's yes opens a protected place")
        );
        assert_eq!(call.ending, CallEnding::Refused);
    }
    assert_eq!(person.heard(), []);
}

#[tokio::test]
async fn every_change_is_asked_about_where_the_user_wants_it() {
    let Some((scene, person)) = scene(Person { approval: Approval::Ask, ..person(no()) }) else { return };
    shown(&shell(&scene, "echo 1").await);
    assert_eq!(person.heard(), []);
    for (tool, arguments) in [
        ("shell", json!({ "command": "echo 1 > $WORKSPACE/new.txt" })),
        ("write_file", json!({ "path": "$WORKSPACE/new.txt", "content": "1" })),
    ] {
        failed(&scene.call(tool, arguments).await, FailureClass::Denied);
        let [question] = person.heard().try_into().unwrap();
        assert_eq!(
            (question.rule.as_str(), question.effects[0].kind),
            ("ask-before-every-change", EffectKind::Creates)
        );
    }
    assert!(!in_workspace(&scene, "new.txt").exists());
}

#[tokio::test]
async fn write_file_asks_with_the_difference_and_replaces_what_was_shown() {
    let Some((scene, person)) = scene(person(Answer::Yes)) else { return };
    let old = scene.file("old.txt", "one\ntwo\nthree\n");
    let call = scene.call("write_file", json!({ "path": "./old.txt", "content": "one\n2\nthree\n" })).await;
    assert_eq!(call.files[0].change, FileChangeKind::Changed, "{call:?}");
    assert_eq!(fs::read_to_string(&old).unwrap(), "one\n2\nthree\n");
    let [question] = person.heard().try_into().unwrap();
    let [change] = question.changes.as_slice() else { panic!("{question:?}") };
    assert_eq!((change.bytes_before, change.bytes_after), (Some(14), Some(12)));
    let diff = "--- before\n+++ after\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    assert_eq!(change.diff.as_deref(), Some(diff));
    // It remains a foreign file: the next change is another question.
    scene.call("write_file", json!({ "path": "./old.txt", "content": "x" })).await;
    assert_eq!(person.heard().len(), 1);
    // What looks like a key is never shown.
    scene.file("notes.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n");
    scene.call("write_file", json!({ "path": "./notes.txt", "content": "x" })).await;
    assert_eq!(person.heard()[0].changes[0].diff, None);
}

#[tokio::test]
async fn consent_is_to_what_was_shown() {
    let Some((mut scene, _)) = scene(person(Answer::Yes)) else { return };
    let old = scene.file("old.txt", "one");
    let path = old.clone();
    let meanwhile = Box::new(move || fs::write(&path, "somebody's new words").unwrap());
    scene.cx.consent = Arc::new(Person { meanwhile: Some(meanwhile), ..person(Answer::Yes) });
    let call = scene.call("write_file", json!({ "path": "./old.txt", "content": "two" })).await;
    assert!(failed(&call, FailureClass::Environmental).reason.contains("was changed meanwhile"), "{call:?}");
    assert_eq!(fs::read_to_string(&old).unwrap(), "somebody's new words");
}

#[tokio::test]
async fn with_full_access_the_same_is_asked() {
    let (mut scene, _) = (Scene::new(), ());
    scene.cx.mode = SandboxMode::FullAccess;
    let person = Arc::new(person(no()));
    scene.cx.consent = Arc::clone(&person) as Arc<dyn Consent>;
    let old = scene.file("old.txt", "old");
    for command in ["rm old.txt", "./unknown.sh", "sudo ls"] {
        failed(&shell(&scene, command).await, FailureClass::Denied);
        assert_eq!(person.heard().len(), 1, "{command}");
    }
    assert!(old.exists());
}

/// A scene whose snapshot has room for this many bytes.
fn scene_with_room(bytes: u64, answer: Answer) -> Option<(Scene, Arc<Person>)> {
    let (mut scene, person) = scene(person(answer))?;
    let limits = SnapshotLimits { bytes, ..SnapshotLimits::default() };
    scene.cx.snapshot = Some(Snapshot::new(scene.data.join("small"), vec![scene.data.clone()], limits));
    Some((scene, person))
}

const LARGE: &str = "600 bytes of what it may change do not fit into the 500 bytes that are kept of a run: a yes cannot be undone";

/// A question says what is too large to be kept, for each way to change it, and only if the call reaches it.
#[tokio::test]
async fn what_cannot_be_undone_is_said_before_the_yes() {
    let Some((scene, person)) = scene_with_room(500, no()) else { return };
    fs::write(in_workspace(&scene, "large.txt"), "x".repeat(600)).unwrap();
    fs::write(in_workspace(&scene, "small.txt"), "x").unwrap();
    let asked = [
        ("rm $WORKSPACE/small.txt", None),
        ("rm $WORKSPACE/large.txt", Some(LARGE)),
        ("rm -r $WORKSPACE/*", Some(LARGE)),
        ("date > $WORKSPACE/large.txt", Some(LARGE)),
    ];
    for (command, beyond_undo) in asked {
        failed(&shell(&scene, command).await, FailureClass::Denied);
        let [question] = person.heard().try_into().unwrap();
        assert_eq!(question.beyond_undo.as_deref(), beyond_undo, "{command}");
        assert_eq!(question.proposed().beyond_undo, beyond_undo.is_some());
    }
    for (path, beyond_undo) in [("small.txt", None), ("large.txt", Some(LARGE))] {
        let path = format!("$WORKSPACE/{path}");
        scene.call("write_file", json!({ "path": path, "content": "1" })).await;
        let [question] = person.heard().try_into().unwrap();
        assert_eq!(question.beyond_undo.as_deref(), beyond_undo, "{path}");
    }
    assert_eq!(fs::read_to_string(in_workspace(&scene, "large.txt")).unwrap().len(), 600);
}

/// After a yes it is deleted, and the undo record says that it cannot be restored.
#[tokio::test]
async fn a_yes_to_what_cannot_be_undone_is_done_and_undo_says_what_is_lost() {
    let Some((scene, person)) = scene_with_room(500, Answer::Yes) else { return };
    let large = in_workspace(&scene, "large.txt");
    fs::write(&large, "x".repeat(600)).unwrap();
    shown(&shell(&scene, "rm $WORKSPACE/large.txt").await);
    assert!(!large.exists() && person.heard()[0].beyond_undo.is_some());
    scene.cx.snapshot.as_ref().unwrap().close().unwrap();
    assert_eq!(undoable(&scene.data.join("small")), Undoable::Unkept);
}

/// [`Consent`] that may answer with a rule.
struct Writer(Mutex<Vec<Question>>, Rules);

#[async_trait]
impl Consent for Writer {
    fn rules(&self) -> Rules {
        self.1.clone()
    }

    fn takes_rules(&self) -> bool {
        true
    }

    async fn ask(&self, question: Question) -> Answer {
        self.0.lock().unwrap().push(question);
        no()
    }
}

/// A command refers to the workspace and the working folder; its rule names both from the home folder, and
/// contains no secrets.
#[tokio::test]
async fn a_question_brings_the_rule_that_would_answer_it() {
    let mut scene = Scene::new();
    if !can_confine() {
        return;
    }
    fs::create_dir_all(&scene.cx.workspace).unwrap();
    let rules = Rules::read(scene.cx.home.join("policy.toml"), Vec::new(), &scene.cx.home).unwrap();
    let writer = Arc::new(Writer(Mutex::default(), rules));
    scene.cx.consent = Arc::clone(&writer) as Arc<dyn Consent>;
    fs::write(in_workspace(&scene, "old.txt"), "old").unwrap();
    for command in [
        "rm $WORKSPACE/old.txt",
        "rm \"${WORKSPACE}/old.txt\"; echo AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghijABCDEFGHIJ012345",
    ] {
        failed(&shell(&scene, command).await, FailureClass::Denied);
    }
    scene.call("write_file", json!({ "path": "$WORKSPACE/old.txt", "content": "new" })).await;
    let asked = std::mem::take(&mut *writer.0.lock().unwrap());
    let rules: Vec<Option<ProposedRule>> = asked.into_iter().map(|question| question.always).collect();
    let [rule, secret, written] = rules.try_into().unwrap();
    let rule = rule.unwrap();
    assert_eq!(rule.paths, ["~/artoo_workspace/old.txt"]);
    assert_eq!(rule.matches, ["rm $HOME/artoo_workspace/old.txt"]);
    assert_eq!(rule.spares, ["rm ~/artoo_workspace/other-old.txt", "unlink ~/artoo_workspace/old.txt"]);
    assert_eq!(secret, None);
    let written = written.unwrap();
    assert_eq!((written.programs.len(), written.paths), (0, rule.paths));
}
