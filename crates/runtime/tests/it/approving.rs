//! Consent to the effects of real commands, asked before they run. Pins `docs/deviations.md`, "Approvals".

use std::{fs, path::PathBuf, sync::Arc};

use artoo_bus::{Observed, Observer};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::Artoo;
use artoo_types::{
    ApprovalDecided, ApprovalRequested, ApprovalScope, CallEnding, EffectKind, FailureClass, Message,
    MessageKind, Role, TerminalState, ToolCall,
};
use serde_json::{Value, json};

use crate::{
    doubles::{Fixed, Series, subtask},
    fixture::{House, Seen, recorded, shell, watched},
};

/// A home whose workspace contains earlier work, and a model that answers each step with one command.
struct Scene {
    house: House,
    artoo: Artoo,
}

fn notes(house: &House) -> PathBuf {
    house.path("workspace").join("notes.txt")
}

fn house() -> House {
    let house = House::new();
    fs::write(notes(&house), "a year's work\n").unwrap();
    house
}

fn model(commands: &'static [(&'static str, &'static str)]) -> Arc<ScriptedModel> {
    let command = move |request: &artoo_llm_client::Request| {
        let sent = &request.messages[0].content;
        let of = commands.iter().find(|(intent, _)| sent.contains(&format!("Step: {intent}")));
        shell(of.unwrap_or_else(|| panic!("no command for {sent}")).1).to_string()
    };
    let model = ScriptedModel::new()
        .always(Expect::purpose("planner").schema("next"), Answer::text("It was not allowed."))
        .always(Expect::purpose("executor"), Answer::with(command));
    Arc::new(model)
}

fn scene(commands: &'static [(&'static str, &'static str)], sequence: impl Fn(u32) -> u32) -> Scene {
    let house = house();
    let plan = (1..).zip(commands).map(|(n, (intent, _))| subtask(sequence(n), intent, &["1"]));
    let planner = Fixed { subtasks: plan.collect(), task_criteria: Vec::new() };
    let artoo = house.builder(&model(commands)).planner(Arc::new(planner)).build().unwrap();
    Scene { house, artoo }
}

/// The person's answer to a question.
type Said = fn(&artoo_runtime::Answerer, &ApprovalRequested);

impl Scene {
    /// Runs with a person who answers like this.
    async fn answered(&self, said: Said) -> Seen {
        let mut request = self.house.request("Tidy up");
        request.person_present = true;
        let run = self.artoo.start(request).unwrap();
        let (observer, answerer, folder) = (run.observe(10_000), run.answerer(), run.folder().to_owned());
        let answering = tokio::spawn(answering(observer, answerer, said));
        let result = run.finished().await;
        answering.abort();
        let seen = recorded(result, &folder);
        is_balanced(&seen);
        seen
    }

    fn notes(&self) -> Option<String> {
        fs::read_to_string(notes(&self.house)).ok()
    }
}

async fn answering(mut observer: Observer, answerer: artoo_runtime::Answerer, said: Said) {
    while let Some(observed) = observer.recv().await {
        let Observed::Message(envelope) = observed else { panic!("{observed:?}") };
        if let Message::ApprovalRequested(asked) = envelope.message.as_ref()
            && asked.person
        {
            said(&answerer, asked);
        }
    }
}

/// Each question has one answer, and no denied call has run.
fn is_balanced(seen: &Seen) {
    let (asked, decided) = (requests(seen), decisions(seen));
    assert_eq!(asked.len(), decided.len());
    for (asked, (decided, by)) in asked.iter().zip(&decided) {
        assert_eq!((asked.call_id, asked.person), (decided.call_id, *by == Role::User));
        let call = calls(seen).into_iter().find(|call| call.call_id == asked.call_id).unwrap();
        assert_eq!(decided.granted, call.ending != CallEnding::Refused, "{call:?}");
    }
}

fn requests(seen: &Seen) -> Vec<ApprovalRequested> {
    let of = |message: &Message| {
        if let Message::ApprovalRequested(request) = message { Some(request.clone()) } else { None }
    };
    seen.messages().filter_map(of).collect()
}

fn decisions(seen: &Seen) -> Vec<(ApprovalDecided, Role)> {
    let of = |envelope: &artoo_types::Envelope| {
        if let Message::ApprovalDecided(decision) = envelope.message.as_ref() {
            Some((decision.clone(), envelope.from))
        } else {
            None
        }
    };
    seen.envelopes.iter().filter_map(of).collect()
}

fn calls(seen: &Seen) -> Vec<ToolCall> {
    let of = |message: &Message| {
        if let Message::ToolFinished(finished) = message { Some(finished.call.clone()) } else { None }
    };
    seen.messages().filter_map(of).collect()
}

const REMOVE: (&str, &str) = ("remove it", "rm $WORKSPACE/notes.txt && echo 1");
const BY_PYTHON: (&str, &str) =
    ("tidy up", "python3 -c \"import os; os.remove(os.environ['WORKSPACE'] + '/notes.txt')\"; echo 1");
const EMPTY: (&str, &str) = ("empty it", ": > $WORKSPACE/notes.txt; echo 1");

#[tokio::test]
async fn a_yes_runs_the_command() {
    let scene = scene(&[REMOVE], |_| 1);
    let seen = scene.answered(|person, asked| person.allow(asked.call_id, ApprovalScope::Once)).await;
    assert_eq!((seen.result.directive, seen.exit_code()), (TerminalState::Accept, 0), "{:#?}", seen.result);
    assert_eq!(scene.notes(), None);
    let [asked] = requests(&seen).try_into().unwrap();
    assert_eq!((asked.command.as_str(), asked.rule.as_str()), (REMOVE.1, "consent-to-change"));
    let real = notes(&scene.house).canonicalize().unwrap_or_else(|_| notes(&scene.house));
    let [effect] = asked.effects.as_slice() else { panic!("{asked:?}") };
    assert_eq!((effect.kind, effect.what.as_str()), (EffectKind::Deletes, real.to_str().unwrap()));
    let lines: Vec<_> = seen.lines().iter().map(|line| serde_json::to_value(line).unwrap()).collect();
    let decided = lines.iter().find(|line| line["type"] == "approval.decided").unwrap();
    assert_eq!((&decided["granted"], &decided["role"]), (&json!(true), &Value::Null));
    let requested = lines.iter().find(|line| line["type"] == "approval.requested").unwrap();
    assert_eq!(requested["subtask_id"], decided["subtask_id"]);
    scene.artoo.close().await;
}

#[tokio::test]
async fn a_no_leaves_everything_as_it_is_and_ends_with_5() {
    let scene = scene(&[REMOVE], |_| 1);
    let seen = scene.answered(|person, asked| person.deny(asked.call_id, None)).await;
    assert_eq!((seen.result.directive, seen.exit_code()), (TerminalState::Abandon, 5), "{:#?}", seen.result);
    assert_eq!(scene.notes().as_deref(), Some("a year's work\n"));
    let [call] = calls(&seen).try_into().unwrap();
    let failure = call.failure.unwrap();
    assert_eq!((call.ending, failure.class), (CallEnding::Refused, FailureClass::Denied));
    assert!(
        failure.reason.starts_with("not allowed: the person did not agree; it would delete /"),
        "{failure:?}"
    );
    assert_eq!(seen.count(MessageKind::PlanDirective), 0, "nothing is replanned around it");
    scene.artoo.close().await;
}

#[tokio::test]
async fn without_anybody_the_tree_is_untouched_and_the_code_is_5() {
    for commands in [&[REMOVE], &[BY_PYTHON], &[EMPTY]] {
        let scene = scene(commands, |_| 1);
        let seen = watched(scene.artoo.start(scene.house.request("Tidy up")).unwrap()).await;
        is_balanced(&seen);
        assert_eq!(seen.exit_code(), 5, "{commands:?}: {:#?}", seen.result);
        assert_eq!(scene.notes().as_deref(), Some("a year's work\n"));
        let [(decided, by)] = decisions(&seen).try_into().unwrap();
        assert_eq!((decided.reason.as_str(), by), ("nobody is there to be asked", Role::Executor));
        scene.artoo.close().await;
    }
}

/// Facts 8 and 9: what was refused was done by another command.
#[tokio::test]
async fn fact_8_what_was_denied_is_not_reached_by_other_words() {
    let scene = scene(&[REMOVE, BY_PYTHON, EMPTY], |_| 1);
    let seen = scene.answered(|person, asked| person.deny(asked.call_id, None)).await;
    assert_eq!(scene.notes().as_deref(), Some("a year's work\n"));
    assert_eq!(seen.exit_code(), 5, "{:#?}", seen.result);
    // The order of the three is random. The person is asked once, unless the unknown effect came first.
    let asked: Vec<ApprovalRequested> = requests(&seen).into_iter().filter(|asked| asked.person).collect();
    let known = asked.iter().filter(|asked| asked.effects[0].kind != EffectKind::Unknown).count();
    assert!(known <= 1 && asked.len() <= 2, "{asked:#?}");
    assert!(calls(&seen).iter().all(|call| call.ending == CallEnding::Refused));
    scene.artoo.close().await;
}

/// The replan has another reason, and attempts the denied effect in other words.
#[tokio::test]
async fn no_replan_reaches_what_was_denied() {
    const COMMANDS: &[(&str, &str)] = &[REMOVE, ("fail", "cat /nonexistent/file"), EMPTY];
    let house = house();
    let first = vec![subtask(1, REMOVE.0, &["1"]), subtask(1, "fail", &["1"])];
    let again = vec![subtask(1, EMPTY.0, &["1"])];
    let planner = Series::new([first, again]);
    let artoo = house.builder(&model(COMMANDS)).planner(planner).build().unwrap();
    let scene = Scene { house, artoo };
    let seen = scene.answered(|person, asked| person.deny(asked.call_id, None)).await;
    assert!(seen.count(MessageKind::Plan) >= 2, "{:?}", seen.kinds());
    assert_eq!(scene.notes().as_deref(), Some("a year's work\n"));
    let asked: Vec<bool> = requests(&seen).iter().map(|asked| asked.person).collect();
    assert_eq!(asked, [true], "the second time nobody is asked");
    let last = calls(&seen).pop().unwrap();
    let failure = last.failure.unwrap();
    assert_eq!((last.ending, failure.class), (CallEnding::Refused, FailureClass::Denied));
    assert!(failure.reason.contains("the same effect was denied before in this run"), "{failure:?}");
    assert_eq!(seen.exit_code(), 5, "{:#?}", seen.result);
    scene.artoo.close().await;
}

#[tokio::test]
async fn a_yes_for_the_run_is_not_asked_for_again() {
    const COMMANDS: &[(&str, &str)] = &[
        ("add one", "echo 1 >> $WORKSPACE/notes.txt; echo 1"),
        ("add two", "echo 2 >> $WORKSPACE/notes.txt; echo 1"),
    ];
    for (scope, questions) in [(ApprovalScope::Run, 1), (ApprovalScope::Once, 2)] {
        let scene = scene(COMMANDS, |n| n);
        let said: Said = match scope {
            ApprovalScope::Run => |person, asked| person.allow(asked.call_id, ApprovalScope::Run),
            ApprovalScope::Once | ApprovalScope::Folder | ApprovalScope::Always => {
                |person, asked| person.allow(asked.call_id, ApprovalScope::Once)
            }
        };
        let seen = scene.answered(said).await;
        assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
        assert_eq!(scene.notes().as_deref(), Some("a year's work\n1\n2\n"));
        assert_eq!(requests(&seen).iter().filter(|asked| asked.person).count(), questions, "{scope:?}");
        scene.artoo.close().await;
    }
}

/// Decision 39: what the run created is free.
#[tokio::test]
async fn what_the_run_made_it_may_change_without_a_question() {
    const COMMANDS: &[(&str, &str)] = &[
        ("begin", "echo one > $WORKSPACE/list.txt; echo 1"),
        ("go on", "echo more >> $WORKSPACE/list.txt; echo 1"),
        ("end", "rm $WORKSPACE/list.txt && echo 1"),
    ];
    let scene = scene(COMMANDS, |n| n);
    let seen = watched(scene.artoo.start(scene.house.request("Tidy up")).unwrap()).await;
    assert_eq!((seen.exit_code(), seen.count(MessageKind::ApprovalRequested)), (0, 0), "{:#?}", seen.result);
    assert!(!scene.house.path("workspace").join("list.txt").exists());
    scene.artoo.close().await;
}

#[tokio::test]
async fn a_grant_in_advance_needs_nobody_and_is_on_record() {
    let scene = scene(&[REMOVE], |_| 1);
    let mut request = scene.house.request("Tidy up");
    request.granted.insert(EffectKind::Deletes);
    let seen = watched(scene.artoo.start(request).unwrap()).await;
    is_balanced(&seen);
    assert_eq!((seen.exit_code(), scene.notes()), (0, None), "{:#?}", seen.result);
    assert_eq!(decisions(&seen)[0].0.reason, "granted in advance: deletes");
    scene.artoo.close().await;
}

/// A run that waits for an answer ends as soon as it is cancelled, or no one is left to answer.
#[tokio::test]
async fn a_question_without_an_answer_ends_cleanly() {
    let scene = scene(&[REMOVE], |_| 1);
    let mut request = scene.house.request("Tidy up");
    request.person_present = true;
    let run = scene.artoo.start(request).unwrap();
    let (mut observer, canceller, folder) = (run.observe(1000), run.canceller(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    while let Some(Observed::Message(envelope)) = observer.recv().await {
        if let Message::ApprovalRequested(_) = envelope.message.as_ref() {
            canceller.cancel();
            break;
        }
    }
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!(seen.exit_code(), 130, "{:#?}", seen.result);
    assert_eq!(scene.notes().as_deref(), Some("a year's work\n"));
    assert_eq!(decisions(&seen)[0].0.reason, "the call ended before it was answered");
    scene.artoo.close().await;
}
