//! Decisions see the whole run: what earlier plans did, what the user said, and the folder as it is now.

use std::sync::Arc;

use artoo_bus::{Observed, Observer};
use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::{Answerer, Artoo};
use artoo_sandbox::PrivateNetwork;
use artoo_types::{ApprovalScope, FaultKind, Message, MessageKind, TerminalState};
use serde_json::{Value, json};

use crate::doubles::AsksOfTheWhole;
use crate::fixture::{House, Seen, recorded, say, shell, verdicts, watched};

fn change(intent: &str) -> Value {
    let criteria = json!([{"text": "It is done as the request says", "check": "none"}]);
    json!({"subtasks": [{"intent": intent, "sequence": 1, "kind": "change", "criteria": criteria}]})
}

fn user_part(request: &Request) -> String {
    request.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

/// A judge who passes or fails everything.
fn judges(pass: bool) -> Answer {
    Answer::with(move |request| verdicts(request, pass).to_string())
}

/// Runs a request of a user who is there, and who reacts to each message by `answer`.
async fn answered(house: &House, artoo: &Artoo, request: &str, answer: fn(&Answerer, &Message)) -> Seen {
    let mut request = house.request(request);
    request.person_present = true;
    let run = artoo.start(request).unwrap();
    let (observer, answerer, folder) = (run.observe(10_000), run.answerer(), run.folder().to_owned());
    let answering = tokio::spawn(answering(observer, answerer, answer));
    let result = run.finished().await;
    answering.abort();
    recorded(result, &folder)
}

fn the_one_of_may(answerer: &Answerer, message: &Message) {
    if let Message::ClarificationRequested(asked) = message {
        answerer.answer(asked.round, "the one of May".to_owned());
    }
}

async fn answering(mut observer: Observer, answerer: Answerer, answer: fn(&Answerer, &Message)) {
    while let Some(Observed::Message(envelope)) = observer.recv().await {
        answer(&answerer, envelope.message.as_ref());
    }
}

/// An honest executor forgot half of the work. The judge of the second plan was shown its calls alone, so that
/// it had to reject the half that the first one had done.
#[tokio::test]
async fn the_judge_of_a_second_plan_sees_what_the_first_did() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(change("Add both files")))
            .expect(Expect::purpose("executor"), Answer::json(shell("echo one > one.txt; cat one.txt")))
            .expect(Expect::purpose("meta_validator"), judges(false))
            .expect(
                Expect::purpose("planner")
                    .user_contains("shell: echo one > one.txt; cat one.txt -> succeeded; created")
                    .user_contains("one.txt (4 bytes)"),
                Answer::json(change("Add two.txt as well")),
            )
            .expect(
                Expect::purpose("executor")
                    .user_contains("Calls made before in this run.")
                    .user_contains("shell: echo one > one.txt; cat one.txt -> succeeded"),
                Answer::json(shell("echo two > two.txt; cat two.txt")),
            )
            .expect(
                Expect::purpose("meta_validator")
                    .user_contains("Done by earlier plans of this run:")
                    .user_contains("echo one > one.txt")
                    .user_contains("echo two > two.txt")
                    .user_lacks("Nothing was created, changed or deleted."),
                judges(true),
            ),
    );
    let artoo = house.builder(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    let seen = house.run(&artoo, "Make one.txt, and another file with the word two").await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
}

/// The user's answer was nobody's evidence: what they had chosen looked arbitrary.
#[tokio::test]
async fn what_the_user_answered_is_shown_to_judge_and_planner() {
    let house = House::new();
    let asks = json!({"ask_user": "Which report?"});
    let said = "Question: Which report? Answer: the one of May";
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(change("Rename the report")))
            .expect(Expect::purpose("executor"), Answer::json(asks))
            .expect(Expect::purpose("executor"), Answer::json(shell("touch final.txt && ls final.txt")))
            .expect(Expect::purpose("meta_validator").user_contains(said), judges(false))
            .expect(Expect::purpose("planner").user_contains(said), Answer::json(change("Show the report")))
            .expect(Expect::purpose("executor").user_contains(said), Answer::json(shell("ls final.txt")))
            .expect(Expect::purpose("meta_validator").user_contains(said), judges(true)),
    );
    let artoo = house.builder(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    let seen = answered(&house, &artoo, "Rename the report", the_one_of_may).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
}

/// Consents and refusals are shown to the judges as well.
#[tokio::test]
async fn what_the_user_agreed_to_is_shown_to_the_judge() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(change("Delete the notes")))
            .expect(Expect::purpose("executor"), Answer::json(shell("rm -v docs/d.md")))
            .expect(
                Expect::purpose("meta_validator").user_contains("Agreed to: shell rm -v docs/d.md (deletes "),
                judges(true),
            ),
    );
    let artoo = house.builder(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    let seen = answered(&house, &artoo, "Delete docs/d.md", |answerer, message| {
        if let Message::ApprovalRequested(asked) = message {
            answerer.allow(asked.call_id, ApprovalScope::Once);
        }
    })
    .await;
    model.assert_finished();
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
}

/// The planner's question goes to the user, and the plan is made with the answer.
#[tokio::test]
async fn a_question_of_the_planner_goes_to_the_user() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(json!({"subtasks": [], "ask": "Which report?"})))
            .expect(
                Expect::purpose("planner").user_contains("Question: Which report? Answer: the one of May"),
                Answer::json(crate::fixture::question("Count the lines of the report of May")),
            )
            .expect(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = answered(&house, &artoo, "Count the lines of the report", the_one_of_may).await;
    model.assert_finished();
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
}

/// Whoever declines to go on ends the run, whatever was asked, and no model is asked any more.
#[tokio::test]
async fn declining_ends_the_run_without_another_model_call() {
    let asks = json!({"ask_user": "Which report?"});
    for (turn, planner_asks) in [(asks.clone(), false), (shell("rm -v docs/d.md"), false), (asks, true)] {
        let house = House::new();
        let plan = if planner_asks {
            json!({"subtasks": [], "ask": "Which report?"})
        } else {
            change("Delete the report")
        };
        let model = Arc::new(
            ScriptedModel::new()
                .always(Expect::purpose("planner"), Answer::json(plan))
                .always(Expect::purpose("executor"), Answer::json(turn)),
        );
        let artoo = house.builder(&model).build().unwrap();
        let seen = answered(&house, &artoo, "Delete the report", |answerer, message| {
            if message.kind().is_question() {
                answerer.decline();
            }
        })
        .await;
        assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Declined), 5), "{:#?}", seen.result);
        let question = seen.kinds().into_iter().position(MessageKind::is_question).unwrap();
        let after = &seen.kinds()[question..];
        assert!(!after.contains(&MessageKind::ModelCall), "{after:?}");
        assert!(house.path("home/docs/d.md").exists());
    }
}

/// A listing of the start of the run was shown to every plan: it named files that the run had deleted.
#[tokio::test]
async fn the_listing_of_a_replan_is_current() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner").user_contains("docs/").user_lacks("new.txt ("),
                Answer::json(change("Make new.txt")),
            )
            .expect(Expect::purpose("executor"), Answer::json(shell("echo 1 > new.txt; cat new.txt")))
            .expect(Expect::purpose("meta_validator"), judges(false))
            .expect(
                Expect::purpose("planner").user_contains("new.txt (2 bytes)"),
                Answer::json(change("Show it")),
            )
            .expect(Expect::purpose("executor"), Answer::json(shell("cat new.txt")))
            .expect(Expect::purpose("meta_validator"), judges(true)),
    );
    let artoo = house.builder(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    watched(artoo.start(house.request("Make new.txt")).unwrap()).await;
    model.assert_finished();
}

/// The executor of a one-step plan was told "The output is not empty", and judged by what the planner wrote.
#[tokio::test]
async fn the_executor_is_told_by_what_it_is_judged_and_where_it_works() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(change("Make new.txt")))
            .expect(Expect::purpose("executor"), Answer::json(shell("echo 1 > new.txt; cat new.txt")))
            .expect(Expect::purpose("meta_validator"), judges(true)),
    );
    let artoo = house.builder(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    watched(artoo.start(house.request("Make new.txt")).unwrap()).await;
    let requests = model.requests();
    let told = user_part(requests.iter().find(|request| request.purpose == "executor").unwrap());
    for part in [
        "It is done as the request says",
        "Environment:\n- Commands may write below the working folder, $WORKSPACE and $TMPDIR.",
        match PrivateNetwork::is_expected() {
            true => "- Commands and jobs share a loopback of this run",
            false => "- Commands have no network.",
        },
        "- Nobody can be asked in this run.",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}
