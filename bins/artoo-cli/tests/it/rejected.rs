//! What the user took back or corrected is told to the next request, and no longer recommended by memory.

use std::process::Stdio;

use artoo_llm_http::doubles::{Call, Reply};
use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, schema, shell, shown};
use crate::process::say_with_input;

const REQUEST: &str = "How many .txt files are in docs?";

/// A model that counts and leaves a file behind; a follow-up becomes these words and rejects this turn.
fn making(rejects: Option<u32>) -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    let counts = model(count_plan("Count the .txt files in docs"), |_| {
        shell("cat /proc/sys/kernel/random/uuid > \"$(date +%N)\".note; ls docs/*.txt | wc -l")
    });
    move |call| match schema(call) {
        "resolved_request" => Reply::text(json!({"intent": REQUEST, "rejects": rejects}).to_string()),
        _ => counts(call),
    }
}

/// The prompts of a role, by the name of what it answers with.
fn prompts(scene: &Scene, asked: &str) -> Vec<String> {
    scene.server().calls().iter().filter(|call| schema(call) == asked).map(shown).collect()
}

/// What memory holds: the content and the origin of each entry.
fn entries(scene: &Scene) -> Vec<(String, Value)> {
    let listed = scene.say(&["memory", "list", "--json", "--limit", "1000"]).ended(0).out;
    let entry = |line: &str| {
        let listed: Value = serde_json::from_str(line).unwrap();
        (listed["megram"]["content"].as_str().unwrap().to_owned(), listed["megram"]["origin"].clone())
    };
    listed.lines().map(entry).collect()
}

fn revocations(scene: &Scene) -> Vec<String> {
    entries(scene)
        .into_iter()
        .filter(|(_, origin)| origin.get("revoked").is_some())
        .map(|(text, _)| text)
        .collect()
}

/// Finding n8: a run that was undone ten seconds ago was recalled as "SHOULD PREFER" by the very next request.
#[test]
fn lesson_n8_what_was_undone_is_not_recommended() {
    let scene = Scene::new(making(None));
    scene.say(&["run", REQUEST]).ended(0);
    let learned = entries(&scene).len();
    let undone = scene.say(&["runs", "undo", "last"]).ended(0);
    assert!(undone.err.contains("memory no longer recommends what this run did"), "{}", undone.err);
    let reasons = revocations(&scene);
    assert!(!reasons.is_empty() && entries(&scene).len() == learned + reasons.len(), "nothing is deleted");
    assert!(reasons.iter().all(|reason| reason == "Rejected by the user: they undid what it did to files"));
    let why = scene.say(&["memory", "why", REQUEST]).ended(0).out;
    assert!(why.contains("Rejected by the user") && !why.contains("exploit"), "{why}");

    scene.say(&["run", "--continue", REQUEST]).ended(0);
    let understood = prompts(&scene, "resolved_request").pop().unwrap();
    assert!(understood.contains("afterwards: the user undid what it did to files"), "{understood}");
    assert!(!understood.contains("can be taken back"), "{understood}");
    let planned = prompts(&scene, "plan").pop().unwrap();
    assert!(planned.contains("The result, after which the user undid what it did to files"), "{planned}");
    assert!(planned.contains("rejected by the user"), "{planned}");
    assert!(!planned.contains("SHOULD PREFER") && !planned.contains("went well"), "{planned}");

    scene.say(&["runs", "undo", "last"]).ended(0);
    assert_eq!(revocations(&scene).len(), 2 * reasons.len());
    assert!(scene.say(&["memory", "verify"]).ended(0).out.contains("everything holds"));
}

/// The same in a conversation, whose artoo owns the memory while the undo is another's.
#[test]
fn lesson_n8_in_a_conversation_too() {
    let scene = Scene::new(making(None));
    let input = format!("{REQUEST}\n/undo\n{REQUEST}\n");
    let said = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), input.as_bytes()).ended(0);
    assert!(said.err.contains("memory no longer recommends what this run did"), "{}", said.err);
    let planned = prompts(&scene, "plan").pop().unwrap();
    assert!(planned.contains("rejected by the user") && !planned.contains("SHOULD PREFER"), "{planned}");
}

#[test]
fn where_an_undo_does_nothing_nothing_is_revoked() {
    let scene = Scene::new(making(None));
    scene.say(&["run", REQUEST]).ended(0);
    scene.say(&["runs", "undo", "last", "--dry-run"]).ended(0);
    assert_eq!(revocations(&scene), [""; 0]);
    let note = std::fs::read_dir(scene.folder()).unwrap().map(|entry| entry.unwrap().path());
    let note = note.into_iter().find(|path| path.extension().is_some_and(|end| end == "note")).unwrap();
    std::fs::write(&note, "changed since").unwrap();
    scene.say(&["runs", "undo", "last"]).ended(1);
    assert_eq!(revocations(&scene), [""; 0]);

    let scene = Scene::new(crate::mock_model::counting());
    scene.say(&["run", REQUEST]).ended(0);
    scene.say(&["runs", "undo", "last"]).ended(0);
    assert_eq!(revocations(&scene), [""; 0]);
}

/// "No, I meant ...": R1 says which turn is rejected. Memory knows of it before anything is planned, and the session
/// afterwards. Where R1 rejects nothing, nothing is revoked.
#[test]
fn a_correction_revokes_before_the_corrected_request_is_planned() {
    for (rejects, count) in [(Some(1), 2), (None, 0), (Some(5), 0)] {
        let scene = Scene::new(making(rejects));
        scene.say(&["run", REQUEST]).ended(0);
        scene.say(&["run", "--continue", "no, I meant those of today"]).ended(0);
        let planned = prompts(&scene, "plan").pop().unwrap();
        assert_eq!(planned.contains("went well"), count == 0, "{rejects:?}: {planned}");
        let told = "after which the user said that it was not what they meant";
        assert_eq!(planned.contains(told), count > 0, "{rejects:?}: {planned}");
        let reasons = revocations(&scene);
        assert_eq!(reasons.len(), count, "{rejects:?}: {reasons:?}");
        assert!(
            reasons.iter().all(|reason| reason.ends_with("meant: no, I meant those of today")),
            "{reasons:?}"
        );
        scene.say(&["run", "--continue", "and once more"]).ended(0);
        let understood = prompts(&scene, "resolved_request").pop().unwrap();
        let marks = understood.matches("afterwards: the user said that it was not what they meant").count();
        assert_eq!(marks, usize::from(count > 0), "{rejects:?}: {understood}");
    }
}
