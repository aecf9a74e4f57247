//! Runs that ask before their plans run. Pins `docs/deviations.md`, "Consent to a plan".

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use artoo_bus::{Observed, Observer};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{Artoo, Run};
use artoo_tools::Toolbox;
use artoo_types::{FaultKind, Message, MessageKind, PlanApprovalRequested, Remedy, TerminalState};
use serde_json::json;

use crate::{
    doubles::{Deaf, Say, Series, subtask},
    fixture::{House, Seen, question, recorded, say, watched},
};

fn one_question() -> Arc<ScriptedModel> {
    Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    )
}

fn start(house: &House, artoo: &Artoo) -> Run {
    let mut request = house.request("Count");
    request.person_present = true;
    artoo.start(request).unwrap()
}

/// Waits for a question.
async fn asked(observer: &mut Observer) -> PlanApprovalRequested {
    loop {
        let Some(Observed::Message(envelope)) = observer.recv().await else { panic!("no question came") };
        if let Message::PlanApprovalRequested(asked) = envelope.message.as_ref() {
            return asked.clone();
        }
    }
}

/// What is dispatched, asked, decided and done, in order.
fn course(seen: &Seen) -> Vec<MessageKind> {
    const OF_INTEREST: [MessageKind; 6] = [
        MessageKind::Plan,
        MessageKind::PlanApprovalRequested,
        MessageKind::PlanApprovalDecided,
        MessageKind::DispatchManifest,
        MessageKind::ToolStarted,
        MessageKind::Fault,
    ];
    seen.kinds().into_iter().filter(|kind| OF_INTEREST.contains(kind)).collect()
}

#[tokio::test(start_paused = true)]
async fn nothing_of_a_plan_runs_before_a_yes_and_the_clock_rests() {
    let house = House::new();
    let artoo = house.quiet(&one_question()).ask_before_plans(true).build().unwrap();
    let run = start(&house, &artoo);
    let (mut observer, answerer, folder) = (run.observe(1000), run.answerer(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    let question = asked(&mut observer).await;
    assert_eq!(question.round, 1);
    assert_eq!(question.subtasks[0].intent, "Count");
    assert_eq!(question.subtasks[0].success_criteria[0].text, "The output is one number");
    // Free text, and a yes to another plan, are not consent.
    answerer.answer(1, "yes".to_owned());
    answerer.agree(2);
    // Far longer than the dispatcher may take.
    tokio::time::sleep(Duration::from_secs(1800)).await;
    answerer.agree(1);
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.result.directive, seen.exit_code()), (TerminalState::Accept, 0), "{:#?}", seen.result);
    use MessageKind::{DispatchManifest, Plan, PlanApprovalDecided, PlanApprovalRequested, ToolStarted};
    assert_eq!(
        course(&seen),
        [Plan, PlanApprovalRequested, PlanApprovalDecided, DispatchManifest, ToolStarted]
    );
    let elapsed = seen.envelopes.last().unwrap().elapsed_ms;
    assert!(elapsed < 60_000, "{elapsed} ms, of which half an hour were the person's");
    artoo.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_no_ends_the_run_and_nothing_was_run() {
    let house = House::new();
    let artoo = house.quiet(&one_question()).ask_before_plans(true).build().unwrap();
    let run = start(&house, &artoo);
    let (mut observer, answerer, folder) = (run.observe(1000), run.answerer(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    answerer.refuse(asked(&mut observer).await.round);
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Refused), 5), "{:#?}", seen.result);
    use MessageKind::{Fault, Plan, PlanApprovalDecided, PlanApprovalRequested};
    assert_eq!(course(&seen), [Plan, PlanApprovalRequested, PlanApprovalDecided, Fault]);
    let lines: Vec<_> = seen.lines().iter().map(|line| serde_json::to_value(line).unwrap()).collect();
    let decided = lines.iter().find(|line| line["type"] == "plan_approval.decided").unwrap();
    assert_eq!(
        (&decided["granted"], &decided["reason"]),
        (&json!(false), &json!("the person did not agree"))
    );
    let end = lines.last().unwrap();
    assert_eq!((&end["exit_code"], &end["directive"]), (&json!(5), &json!(null)));
    assert_eq!(end["error"]["message"], "nothing of plan 1 was run: the person did not agree");
    artoo.close().await;
}

#[tokio::test(start_paused = true)]
async fn without_a_person_the_answer_is_no_and_nobody_is_asked() {
    let house = House::new();
    let artoo = house.quiet(&one_question()).ask_before_plans(true).build().unwrap();
    let seen = watched(artoo.start(house.request("Count")).unwrap()).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Refused), 5), "{:#?}", seen.result);
    assert_eq!(course(&seen), [MessageKind::Plan, MessageKind::Fault]);
    let fault = seen.result.fault.unwrap();
    assert_eq!(fault.message, "nothing of plan 1 was run: nobody is there to agree to it");
    assert_eq!(fault.remedy, Some(Remedy::AgreeToPlan));
    artoo.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_a_run_that_waits_for_consent() {
    let house = House::new();
    let artoo = house.quiet(&one_question()).ask_before_plans(true).build().unwrap();
    let run = start(&house, &artoo);
    let (mut observer, canceller, folder) = (run.observe(1000), run.canceller(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    asked(&mut observer).await;
    canceller.cancel();
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
    assert_eq!(seen.count(MessageKind::DispatchManifest), 0);
    artoo.close().await;
}

/// A replan of approved subtasks is not asked about; a new subtask is, and a no delivers the partial results.
#[tokio::test(start_paused = true)]
async fn a_replan_is_asked_about_where_it_has_a_new_subtask() {
    let house = House::new();
    let calls = AtomicU32::new(0);
    let answer = move |request: &artoo_llm_client::Request| {
        let sent = &request.messages[0].content;
        if sent.contains("Step: alpha") {
            say("alpha").to_string()
        } else {
            say(&format!("wrong {}", calls.fetch_add(1, Ordering::SeqCst))).to_string()
        }
    };
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::with(answer)));
    let (alpha, beta) = (subtask(1, "alpha", &["alpha"]), subtask(2, "beta", &["beta"]));
    let (again, gamma) = (subtask(1, "beta", &["beta"]), subtask(1, "gamma", &["gamma"]));
    let planner = Series::new([vec![alpha, beta], vec![again], vec![gamma]]);
    // Another tool remains if one is blocked.
    let toolbox = Toolbox::new().with(Say).with(Deaf);
    let artoo = house.quiet(&model).toolbox(toolbox).planner(planner).ask_before_plans(true).build().unwrap();
    let run = start(&house, &artoo);
    let (mut observer, answerer, folder) = (run.observe(10_000), run.answerer(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    let first = asked(&mut observer).await;
    answerer.agree(first.round);
    let second = asked(&mut observer).await;
    answerer.refuse(second.round);
    let seen = recorded(finished.await.unwrap(), &folder);
    let intents = |asked: &PlanApprovalRequested| {
        asked.subtasks.iter().map(|subtask| subtask.intent.clone()).collect::<Vec<_>>()
    };
    assert_eq!((first.round, intents(&first)), (1, vec!["alpha".to_owned(), "beta".to_owned()]));
    assert_eq!((second.round, intents(&second)), (3, vec!["gamma".to_owned()]));
    assert_eq!((seen.count(MessageKind::Plan), seen.count(MessageKind::DispatchManifest)), (3, 2));
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Refused), 5), "{:#?}", seen.result);
    assert!(
        seen.result
            .partial
            .iter()
            .any(|partial| partial.intent == "alpha" && partial.output == json!("alpha")),
        "{:#?}",
        seen.result
    );
    artoo.close().await;
}
