//! Every run ends: with the time that the user stated, and with the user's word when it has taken much.

use std::{num::NonZeroU64, sync::Arc, time::Duration};

use artoo_bus::{Observed, Observer};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{Interruption, Run};
use artoo_types::{
    Checkpoints, ContinuationRequested, Fault, FaultKind, Limits, Message, MessageKind, Remedy, Role,
    TerminalState,
};
use serde_json::json;

use crate::{
    doubles::Deaf,
    fixture::{House, Seen, question, recorded, say, watched},
};

const SECOND: Duration = Duration::from_secs(1);

/// Plans, and never ends its first turn.
fn hangs() -> Arc<ScriptedModel> {
    Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::hang()),
    )
}

async fn run(house: &House, model: &Arc<ScriptedModel>, limits: Limits) -> Seen {
    let mut request = house.request("Count");
    request.limits = limits;
    watched(house.quiet(model).build().unwrap().start(request).unwrap()).await
}

fn budget_faults(seen: &Seen) -> Vec<String> {
    let faults = seen.messages().filter_map(Message::payload::<Fault>);
    faults.filter(|fault| fault.kind == FaultKind::Budget).map(|fault| fault.message.clone()).collect()
}

/// superplanehq/superplane#4123: `--time-budget` only made another plan less likely; a call under way went on for ever.
#[tokio::test(start_paused = true)]
async fn lesson_a_stated_time_budget_ends_a_call_under_way() {
    let house = House::new();
    let seen = run(&house, &hangs(), Limits::default().with_stated_time(5_000)).await;
    let result = &seen.result;
    assert_eq!((result.directive, seen.fault(), seen.exit_code()), (TerminalState::Abandon, None, 4));
    assert!(result.summary.contains("The time budget is spent: 5 s allowed."), "{}", result.summary);
    assert!(result.summary.contains("or allow more time"), "{}", result.summary);
    assert_eq!(budget_faults(&seen), ["The time budget is spent: 5 s allowed"]);
    let elapsed = seen.envelopes.last().unwrap().elapsed_ms;
    assert!((5_000..7_000).contains(&elapsed), "{elapsed}");
}

/// So does one that hangs in a tool, or in the plan.
#[tokio::test(start_paused = true)]
async fn a_stated_time_budget_ends_whatever_goes_on() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), Answer::hang()));
    let seen = run(&house, &model, Limits::default().with_stated_time(5_000)).await;
    assert_eq!((seen.exit_code(), budget_faults(&seen).len()), (4, 1), "{:#?}", seen.result);

    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new().expect(Expect::purpose("planner"), Answer::json(question("Count"))).always(
            Expect::purpose("executor"),
            Answer::json(json!({"tool": "deaf", "arguments": {}, "output_is_answer": false})),
        ),
    );
    let mut request = house.request("Count");
    request.limits = Limits::default().with_stated_time(5_000);
    let artoo = house.quiet(&model).toolbox(artoo_tools::Toolbox::new().with(Deaf)).build().unwrap();
    let seen = watched(artoo.start(request).unwrap()).await;
    assert_eq!((seen.exit_code(), budget_faults(&seen).len()), (4, 1), "{:#?}", seen.result);
}

/// A budget that nobody stated is what Omega is measured against, and ends nothing.
#[tokio::test(start_paused = true)]
async fn a_time_budget_that_nobody_stated_ends_no_call() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("3")).after(400 * SECOND)),
    );
    let limits = Limits { time_budget_ms: 5_000, ..Limits::default() };
    let seen = run(&house, &model, limits).await;
    assert_eq!((seen.exit_code(), budget_faults(&seen).len()), (0, 0), "{:#?}", seen.result);
}

/// The time of the user's own answers is not the run's.
#[tokio::test(start_paused = true)]
async fn a_stated_time_budget_rests_while_the_user_is_asked() {
    let house = House::new();
    let unclear = json!({"questions": ["docs or logs?"], "intent": ""});
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("perceiver"), Answer::json(unclear).after(3 * SECOND))
            .expect(
                Expect::purpose("perceiver"),
                Answer::json(json!({"questions": [], "intent": "Count the logs"})),
            )
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::hang()),
    );
    let mut request = house.request("count it");
    (request.turns, request.person_present) =
        (vec![artoo_types::Turn::new("What is there?", "docs and logs")], true);
    request.limits = Limits::default().with_stated_time(5_000);
    let run = house.quiet(&model).build().unwrap().start(request).unwrap();
    let (mut observer, answerer, folder) = (run.observe(1000), run.answerer(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    until(&mut observer, MessageKind::ClarificationRequested).await;
    tokio::time::sleep(3600 * SECOND).await;
    answerer.answer(1, "logs".to_owned());
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.exit_code(), budget_faults(&seen).len()), (4, 1), "{:#?}", seen.result);
    let elapsed = seen.envelopes.last().unwrap().elapsed_ms;
    assert!((5_000..7_000).contains(&elapsed), "{elapsed}");
}

async fn until(observer: &mut Observer, kind: MessageKind) -> Arc<artoo_types::Envelope> {
    loop {
        let Some(Observed::Message(envelope)) = observer.recv().await else { panic!("no {kind:?} came") };
        if envelope.message.kind() == kind {
            return envelope;
        }
    }
}

/// Works on for as long as it may: each call shows another word.
fn tireless() -> Arc<ScriptedModel> {
    let turns = std::sync::atomic::AtomicUsize::new(1);
    let next = move |_: &artoo_llm_client::Request| {
        let turn = turns.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        json!({"tool": "say", "arguments": {"text": "x".repeat(turn)}, "output_is_answer": false}).to_string()
    };
    Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::with(next)),
    )
}

fn at_turns(turns: u64) -> Limits {
    let checkpoints = Checkpoints { turns: NonZeroU64::new(turns), tokens: None };
    Limits { checkpoints, ..Limits::default() }
}

/// A run that gets on, and may ask somebody.
fn asking(house: &House, model: &Arc<ScriptedModel>, limits: Limits) -> Run {
    let mut request = house.request("Count");
    (request.limits, request.person_present) = (limits, true);
    house.quiet(model).build().unwrap().start(request).unwrap()
}

/// The next question whether it goes on.
async fn asked(observer: &mut Observer) -> ContinuationRequested {
    let envelope = until(observer, MessageKind::ContinuationRequested).await;
    assert_eq!(envelope.from, Role::Supervisor);
    envelope.message.payload::<ContinuationRequested>().unwrap().clone()
}

/// By default at 200 calls; without a user it ends there with what it has.
#[tokio::test(start_paused = true)]
async fn without_a_user_a_run_that_takes_much_ends() {
    let house = House::new();
    let seen = run(&house, &tireless(), Limits::default()).await;
    assert_eq!((seen.fault(), seen.exit_code()), (None, 4), "{:#?}", seen.result);
    assert_eq!(seen.count(MessageKind::ModelCall), 200);
    assert_eq!(seen.count(MessageKind::ContinuationRequested), 0, "nobody is asked who is not there");
    let told = "It has taken 200 model calls, ";
    assert!(seen.result.summary.contains(told), "{}", seen.result.summary);
    let remedy = seen.messages().filter_map(Message::payload::<Fault>).find_map(|fault| fault.remedy);
    assert_eq!(remedy, Some(Remedy::AllowToGoOn));
}

#[tokio::test(start_paused = true)]
async fn each_multiple_is_asked_about_and_nothing_goes_on_meanwhile() {
    let house = House::new();
    let model = tireless();
    let run = asking(&house, &model, at_turns(5));
    let (mut observer, answerer, folder) = (run.observe(1000), run.answerer(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    for (number, turns) in [(1, 5), (2, 10), (3, 15)] {
        let question = asked(&mut observer).await;
        assert_eq!((question.number, question.turns), (number, turns));
        assert!(question.tokens > 0 && question.cost.is_none(), "{question:?}");
        // Far longer than any deadline of a role.
        tokio::time::sleep(20_000 * SECOND).await;
        assert_eq!(model.requests().len() as u64, turns, "no model is asked while the user is");
        match number {
            3 => answerer.end_here(number),
            _ => answerer.go_on(number),
        }
    }
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Declined), 5), "{:#?}", seen.result);
    assert!(seen.result.summary.contains("after it had taken 15 model calls"), "{}", seen.result.summary);
    let elapsed = seen.envelopes.last().unwrap().elapsed_ms;
    assert!(elapsed < 60_000, "{elapsed} ms, of which hours were the user's");
    let types: Vec<String> = seen
        .lines()
        .iter()
        .map(|line| serde_json::to_value(line).unwrap()["type"].as_str().unwrap().to_owned())
        .filter(|name| name.starts_with("continuation."))
        .collect();
    assert_eq!(types, ["continuation.requested", "continuation.decided"].repeat(3));
}

/// Tokens that a cache spared do not count.
#[tokio::test(start_paused = true)]
async fn tokens_are_asked_about_as_well() {
    let house = House::new();
    let used = artoo_llm_client::Usage {
        prompt_tokens: 1_000,
        cached_tokens: 600,
        completion_tokens: 10,
        requests: 1,
        ..artoo_llm_client::Usage::default()
    };
    let turn = std::sync::atomic::AtomicUsize::new(1);
    let next = move |_: &artoo_llm_client::Request| {
        let turn = turn.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        json!({"tool": "say", "arguments": {"text": "y".repeat(turn)}, "output_is_answer": false}).to_string()
    };
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("Count")).with_usage(used))
            .always(Expect::purpose("executor"), Answer::with(next).with_usage(used)),
    );
    let checkpoints = Checkpoints { turns: None, tokens: NonZeroU64::new(2_000) };
    let run = asking(&house, &model, Limits { checkpoints, ..Limits::default() });
    let (mut observer, canceller) = (run.observe(1000), run.canceller());
    let finished = tokio::spawn(run.finished());
    let question = asked(&mut observer).await;
    assert_eq!((question.turns, question.tokens), (5, 2_000));
    canceller.interrupt(Interruption::Interrupted);
    assert_eq!(finished.await.unwrap().fault.map(|fault| fault.kind), Some(FaultKind::Cancelled));
}

/// Whoever is gone cannot say that it goes on.
#[tokio::test(start_paused = true)]
async fn declining_and_a_timeout_end_it_too() {
    for (declines, kind, code) in [(true, FaultKind::Declined, 5), (false, FaultKind::Timeout, 124)] {
        let house = House::new();
        let model = tireless();
        let mut request = house.request("Count");
        (request.limits, request.person_present) = (at_turns(5), true);
        request.timeout = Some(100 * SECOND);
        let run = house.quiet(&model).build().unwrap().start(request).unwrap();
        let (mut observer, answerer, folder) = (run.observe(1000), run.answerer(), run.folder().to_owned());
        let finished = tokio::spawn(run.finished());
        asked(&mut observer).await;
        if declines {
            answerer.decline();
        }
        let seen = recorded(finished.await.unwrap(), &folder);
        assert_eq!((seen.fault(), seen.exit_code()), (Some(kind), code), "{:#?}", seen.result);
    }
}

/// A judge that thinks for longer than any old deadline has judged.
#[tokio::test(start_paused = true)]
async fn a_model_that_thinks_for_minutes_is_waited_for() {
    let house = House::new();
    let slow = |answer: Answer| answer.after(290 * SECOND);
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), slow(Answer::json(question("Count"))))
            .always(Expect::purpose("executor"), slow(Answer::json(say("3")))),
    );
    let seen = run(&house, &model, Limits::default()).await;
    assert_eq!((seen.fault(), seen.exit_code()), (None, 0), "{:#?}", seen.result);
}
