//! Whole runs through the door.

use std::{sync::Arc, time::Duration};

use artoo::{Answer, Artoo, Builder, Error, Event, Question, Request, TerminalState};
use artoo::{llm::LlmClient, types::Limits};
use artoo_llm_client::doubles::{Answer as Say, Expect, ScriptedModel};
use futures_util::StreamExt;
use serde_json::{Value, json};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "a year's work\n").unwrap();
    folder
}

/// A model that deletes `notes.txt`, as often as it is asked.
fn deleting() -> ScriptedModel {
    let plan = json!({"subtasks": [{
        "intent": "Delete the notes", "sequence": 1, "kind": "change",
        "criteria": [{"text": "The output is not empty", "check": "output_matches", "value": "."}],
    }]});
    let call = json!({"tool": "shell", "arguments": {"command": "rm notes.txt && echo gone"}, "output_is_answer": true});
    ScriptedModel::new()
        .always(Expect::purpose("planner"), Say::json(plan))
        .always(Expect::purpose("executor"), Say::json(call))
}

fn builder(folder: &tempfile::TempDir, model: impl LlmClient + 'static) -> Builder {
    Artoo::builder().model(model).home(folder.path()).data_folder(folder.path().join("data"))
}

async fn events_of(builder: Builder, folder: &tempfile::TempDir) -> Vec<Value> {
    let artoo = builder.build().unwrap();
    let mut run = artoo.run(Request::new("Delete the notes").folder(folder.path())).unwrap();
    let events = run.events();
    assert_eq!(run.events().count().await, 0, "the events are there once");
    let lines: Vec<Value> = events.map(|line| serde_json::to_value(line).unwrap()).collect().await;
    let result = run.await;
    assert_eq!(lines.last().unwrap()["summary"], json!(result.summary));
    artoo.close().await;
    lines
}

fn of_type<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

#[tokio::test]
async fn a_person_who_says_no_is_heard() {
    let folder = folder();
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let person = move |question: &Question| {
        heard.lock().unwrap().push(question.clone());
        Answer::No
    };
    let lines = events_of(builder(&folder, deleting()).person(person), &folder).await;
    assert!(folder.path().join("notes.txt").exists());
    let asked = asked.lock().unwrap();
    assert!(
        matches!(asked.as_slice(), [Question::Effect(asked), ..] if asked.command.starts_with("rm notes.txt")),
        "{asked:?}"
    );
    assert_eq!(of_type(&lines, "approval.decided")[0]["granted"], false);
}

#[tokio::test]
async fn a_person_who_agrees_lets_it_happen() {
    let folder = folder();
    events_of(builder(&folder, deleting()).person(|_: &Question| Answer::Yes), &folder).await;
    assert!(!folder.path().join("notes.txt").exists());
}

#[tokio::test]
async fn without_a_person_the_answer_is_no() {
    let folder = folder();
    let lines = events_of(builder(&folder, deleting()), &folder).await;
    assert!(folder.path().join("notes.txt").exists());
    assert!(of_type(&lines, "approval.requested").iter().all(|line| line["person"] == false), "{lines:#?}");
}

#[tokio::test]
async fn a_plan_is_asked_about_where_the_runtime_is_told_so() {
    let folder = folder();
    let person = |question: &Question| match question {
        Question::Plan(plan) if plan.subtasks[0].intent == "Delete the notes" => Answer::No,
        Question::Plan(_) | Question::Continuation(_) | Question::Effect(_) | Question::Clarification(_) => {
            Answer::Yes
        }
    };
    let asking =
        builder(&folder, deleting()).person(person).runtime(|builder| builder.ask_before_plans(true));
    let lines = events_of(asking, &folder).await;
    assert_eq!(of_type(&lines, "plan_approval.decided")[0]["granted"], false);
    assert_eq!(of_type(&lines, "tool.started").len(), 0);
}

#[tokio::test]
async fn a_run_is_cancelled_while_it_waits_for_a_person() {
    struct Slow;
    #[async_trait::async_trait]
    impl artoo::Person for Slow {
        async fn answer(&self, _: &Question) -> Answer {
            std::future::pending().await
        }
    }
    let folder = folder();
    let artoo = builder(&folder, deleting()).person(Slow).build().unwrap();
    let mut run = artoo.run(Request::new("Delete the notes").folder(folder.path())).unwrap();
    let (mut events, canceller) = (run.events(), run.canceller());
    while let Some(line) = events.next().await {
        if let Event::ApprovalRequested { .. } = line.event {
            canceller.cancel();
        }
    }
    let result = run.await;
    assert_eq!(result.directive, TerminalState::Abandon);
    assert!(result.fault.unwrap().kind.cuts_short());
    artoo.close().await;
}

#[tokio::test]
async fn a_request_has_a_folder_and_limits_of_its_own() {
    let folder = folder();
    let artoo = builder(&folder, deleting()).build().unwrap();
    let nowhere = artoo.run(Request::new("x").folder(folder.path().join("gone"))).unwrap_err();
    assert!(matches!(nowhere, Error::Folder(..)), "{nowhere}");
    let file = artoo.run(Request::new("x").folder(folder.path().join("notes.txt"))).unwrap_err();
    assert!(matches!(file, Error::Folder(..)), "{file}");
    let limits = Limits { max_replans: 0, max_retries: 0, ..Limits::default() };
    let request = Request::new("Delete the notes").folder(folder.path()).limits(limits);
    let result = artoo.run(request.timeout(Duration::from_secs(60))).unwrap().await;
    assert_eq!(result.replans, 0);
    artoo.close().await;
}

#[tokio::test]
async fn what_is_missing_is_said() {
    let without = Artoo::builder().data_folder("/nowhere").build().unwrap_err();
    assert!(matches!(without, Error::Build(_)), "{without}");
    assert!(without.to_string().contains("no model"), "{without}");
}
