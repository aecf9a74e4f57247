//! What is asked before a call, and what is kept of what it changed.

use artoo_consent::{Rule, Rules};
use artoo_mcp::ServerTable;
use artoo_sandbox::SandboxMode;
use artoo_shell_effects::Permission;
use artoo_snapshot::{Present, Undo};
use artoo_types::{CallEnding, EffectKind, FailureClass, FileChangeKind, ProposedRule, Untried};
use serde_json::json;

use crate::setup::{Person, folders, reason, scene, scene_with, until};

#[tokio::test]
async fn a_call_that_may_change_files_is_asked_about_and_can_be_undone() {
    let Some(scene) = scene() else { return };
    let notes = scene.folder("notes");
    std::fs::write(notes.join("old.txt"), "before").unwrap();
    let server = scene.start("plain", folders(&[&notes])).await.unwrap();
    let arguments = json!({"path": notes.join("old.txt"), "text": "it's after"});
    let call = scene.call(&server, "fake__write", arguments.clone()).await;
    assert_eq!((call.failure.as_ref(), call.output.shown.as_str()), (None, "written"));
    {
        let questions = scene.person.questions.lock().unwrap();
        let [question] = &questions[..] else { panic!("{questions:?}") };
        let json = arguments.to_string().replace('\'', r"'\''");
        assert_eq!(question.command, format!("fake__write '{json}'"));
        assert_eq!(question.programs, ["fake__write"]);
        let [effect] = &question.effects[..] else { panic!("{question:?}") };
        assert_eq!((effect.kind, effect.what.as_str()), (EffectKind::Unknown, "fake__write"));
        let folder = notes.display();
        assert_eq!(
            effect.why,
            format!(
                "the server fake may change files in {folder}, and does so without a trial; it says of this tool that it may destroy something"
            )
        );
    }
    let [change] = &call.files[..] else { panic!("{:?}", call.files) };
    assert_eq!((change.change, change.path.clone()), (FileChangeKind::Changed, notes.join("old.txt")));
    assert!(
        change.diff.as_ref().is_some_and(|diff| diff.contains("-before") && diff.contains("+it's after"))
    );
    assert_eq!(call.untried, Some(Untried { folders: vec![notes.clone()], elsewhere: false }));
    // Outside of its folder nothing is written, whoever agreed.
    let outside = scene.cx.working_folder.join("a.txt");
    let call = scene.call(&server, "fake__write", json!({"path": outside, "text": "x"})).await;
    assert!(call.failure.is_some() && !outside.exists());
    scene.cx.snapshot.as_ref().unwrap().close().unwrap();
    let record = scene.folder("data").join("undo");
    // A process that another test starts in this moment has the record open for as long.
    let undo = until(|| Undo::prepare(&record, std::slice::from_ref(&notes), Present::AsRecorded).ok()).await;
    undo.apply().unwrap();
    assert_eq!(std::fs::read_to_string(notes.join("old.txt")).unwrap(), "before");
}

#[tokio::test]
async fn a_no_leaves_everything_as_it_is() {
    let Some(scene) = scene_with(Person { says_no: true, ..Person::default() }) else { return };
    let notes = scene.folder("notes");
    let server = scene.start("plain", folders(&[&notes])).await.unwrap();
    let call = scene.call(&server, "fake__write", json!({"path": notes.join("a"), "text": "x"})).await;
    assert_eq!((call.ending.clone(), call.untried.clone()), (CallEnding::Refused, None));
    assert_eq!(
        call.failure.as_ref().map(|failure| failure.class),
        Some(FailureClass::Denied),
        "{}",
        reason(&call)
    );
    assert!(!notes.join("a").exists());
}

#[tokio::test]
async fn where_nothing_may_change_only_what_can_change_nothing_is_called() {
    let Some(mut scene) = scene() else { return };
    let notes = scene.folder("notes");
    let (quiet, able) = (
        scene.start("plain", ServerTable::default()).await.unwrap(),
        scene.start("plain", folders(&[&notes])).await.unwrap(),
    );
    let sum = json!({"a": 1, "b": 2});
    scene.cx.mode = SandboxMode::ReadOnly;
    assert_eq!(scene.call(&quiet, "fake__add", sum.clone()).await.failure, None);
    let call = scene.call(&able, "fake__add", sum.clone()).await;
    assert_eq!(call.failure.as_ref().map(|failure| failure.class), Some(FailureClass::Denied));
    scene.cx.mode = SandboxMode::WorkspaceWrite;
    scene.cx.trial_only = true;
    assert_eq!(scene.call(&quiet, "fake__add", sum.clone()).await.failure, None);
    let call = scene.call(&able, "fake__add", sum).await;
    assert!(reason(&call).contains("cannot be tried"), "{}", reason(&call));
    assert_eq!(scene.person.questions.lock().unwrap().len(), 0);
}

/// A server may outlive a run, and is not started for it.
#[tokio::test]
async fn a_server_that_could_write_where_a_run_may_not_is_not_called_in_it() {
    let Some(mut scene) = scene() else { return };
    let notes = scene.folder("notes");
    let server = scene.start("plain", folders(&[&notes])).await.unwrap();
    let write = |name: &str| json!({"path": notes.join(name), "text": "x"});
    scene.cx.scope = Some(scene.cx.working_folder.clone());
    let call = scene.call(&server, "fake__write", write("a")).await;
    assert!(reason(&call).contains("the user said that nothing else may be changed"), "{}", reason(&call));
    scene.cx.scope = None;
    scene.cx.read_only = [notes.join("kept")].into();
    let call = scene.call(&server, "fake__write", write("a")).await;
    assert!(reason(&call).contains("stays as it is, as the user said"), "{}", reason(&call));
    // What it was started with is kept by the kernel.
    scene.start.read_only = vec![notes.join("kept")];
    std::fs::write(notes.join("kept"), "old").unwrap();
    let server = scene.start("plain", folders(&[&notes])).await.unwrap();
    assert_eq!(scene.call(&server, "fake__write", write("a")).await.failure, None);
    assert!(scene.call(&server, "fake__write", write("kept")).await.failure.is_some());
    assert_eq!(std::fs::read_to_string(notes.join("kept")).unwrap(), "old");
}

fn rules(decision: Permission, effects: Vec<EffectKind>, home: &std::path::Path) -> Rules {
    let rule = Rule {
        decision,
        effects: effects.into_iter().collect(),
        programs: vec!["fake__write".to_owned()],
        paths: vec![],
        reason: "it is mine".to_owned(),
        matches: vec!["fake__write '{\"path\": \"a\"}'".to_owned()],
        spares: vec!["fake__read '{}'".to_owned()],
    };
    Rules::read(home.join("policy.toml"), vec![rule], home).unwrap()
}

#[tokio::test]
async fn the_users_rules_are_about_the_name_of_the_tool() {
    let home = std::path::Path::new("/nonexistent");
    for (decision, effects, is_made) in [
        (Permission::Allow, vec![EffectKind::Unknown], true),
        (Permission::Deny, vec![EffectKind::Unknown], false),
        (Permission::Deny, vec![], false),
    ] {
        let person = Person { says_no: true, rules: rules(decision, effects, home), ..Person::default() };
        let Some(scene) = scene_with(person) else { return };
        let notes = scene.folder("notes");
        let server = scene.start("plain", folders(&[&notes])).await.unwrap();
        let call = scene.call(&server, "fake__write", json!({"path": notes.join("a"), "text": "x"})).await;
        assert_eq!(call.failure.is_none(), is_made, "{call:?}");
        // A rule about one tool says nothing of another.
        let call = scene.call(&server, "fake__read", json!({"path": "/etc/hostname"})).await;
        assert_eq!(call.failure.map(|failure| failure.class), Some(FailureClass::Denied));
    }
}

/// A rule that asks or denies holds for a server that can change nothing as well.
#[tokio::test]
async fn a_rule_about_every_use_holds_for_each_server() {
    let home = std::path::Path::new("/nonexistent");
    let person = Person { rules: rules(Permission::Deny, vec![], home), ..Person::default() };
    let Some(scene) = scene_with(person) else { return };
    let server = scene.start("plain", ServerTable::default()).await.unwrap();
    let call = scene.call(&server, "fake__write", json!({"path": "a", "text": "x"})).await;
    assert_eq!(call.failure.map(|failure| failure.class), Some(FailureClass::Denied));
}

#[tokio::test]
async fn always_is_a_rule_for_this_tool() {
    let home = std::path::Path::new("/nonexistent");
    let rules = Rules::read(home.join("policy.toml"), vec![], home).unwrap();
    let Some(scene) = scene_with(Person { rules, ..Person::default() }) else { return };
    let notes = scene.folder("notes");
    let server = scene.start("plain", folders(&[&notes])).await.unwrap();
    scene.call(&server, "fake__write", json!({"path": notes.join("a"), "text": "it's"})).await;
    let questions = scene.person.questions.lock().unwrap();
    let always = questions[0].always.clone().expect("a rule is offered");
    let ProposedRule { effects, programs, paths, matches, spares } = always;
    assert_eq!(
        (effects, programs, paths),
        ([EffectKind::Unknown].into(), vec!["fake__write".to_owned()], vec![])
    );
    assert_eq!(matches, [questions[0].command.clone()]);
    assert!(spares.iter().all(|spared| spared.starts_with("other-fake__write ")), "{spares:?}");
}
