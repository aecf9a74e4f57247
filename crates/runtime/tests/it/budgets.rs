//! Hard budgets: an exhausted budget ends the run as an ordinary `abandon`, with its partial results.

use std::{collections::BTreeMap, sync::Arc};

use artoo_llm_client::{
    LlmError, Usage,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::{Builder, StartError, events::Event, explain::explain, journal};
use artoo_types::{
    Amount, FaultKind, Limits, Message, MessageKind, OutcomeStatus, PrevDirective, Price, Prices, Role,
    TerminalState,
};
use serde_json::{Value, json};

use crate::{
    doubles::Fixed,
    fixture::{House, Seen, open_question, question, say, steps, watched},
};

/// A model that plans two steps and does each with a call of an estimated 100 tokens.
fn two_steps() -> Arc<ScriptedModel> {
    let usage =
        Usage { prompt_tokens: 60, completion_tokens: 40, requests: 1, estimated: true, ..Usage::default() };
    let answer = |value: Value| Answer::json(value).with_usage(usage);
    Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), answer(steps(&[("Count apples", 1), ("Count pears", 2)])))
            .always(Expect::purpose("executor"), answer(say("3")))
            .always(Expect::purpose("answer"), answer(json!("3 and 3"))),
    )
}

fn amount(units: f64) -> Amount {
    Amount::new(units).unwrap()
}

/// Each call costs 0.03.
fn prices() -> Prices {
    let price = Price { prompt: amount(100.0), completion: amount(600.0) };
    let roles = [Role::Perceiver, Role::Planner, Role::Executor, Role::AgentValidator, Role::MetaValidator];
    Prices { currency: "EUR".to_owned(), roles: roles.map(|role| (role, price)).into() }
}

async fn run(builder: Builder, house: &House, limits: Limits) -> Seen {
    let mut request = house.request("Count apples and pears");
    request.limits = limits;
    watched(builder.build().unwrap().start(request).unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn spent_tokens_end_the_run_as_an_abandon_with_what_there_is() {
    let house = House::new();
    // Enough for the plan and one step.
    let limits = Limits { max_tokens: Some(299), ..Limits::default() };
    let seen = run(house.quiet(&two_steps()), &house, limits).await;
    let result = &seen.result;
    assert_eq!((result.directive, seen.fault(), seen.exit_code()), (TerminalState::Abandon, None, 4));
    assert!(
        result.summary.starts_with(
            "Not finished: The token budget is spent: 300 tokens used (estimated), 299 allowed."
        ),
        "{}",
        result.summary
    );
    assert!(result.summary.contains("Done: Count apples."), "{}", result.summary);
    assert!(
        result.summary.contains("Next: ask for a smaller step, or allow more tokens"),
        "{}",
        result.summary
    );
    let [partial] = result.partial.as_slice() else { panic!("{:#?}", result.partial) };
    assert_eq!((partial.status, &partial.output), (OutcomeStatus::Matched, &json!("3")));
    assert_eq!(result.output, json!("3"));
    assert_eq!(result.prev_directive, PrevDirective::Init);
    // The record names the budget, and shows that no story was requested, which would have cost still more.
    let spent = seen.messages().filter_map(|message| {
        if let Message::Fault(fault) = message { Some((fault.role, fault.kind)) } else { None }
    });
    assert_eq!(spent.collect::<Vec<_>>(), [(Role::Supervisor, FaultKind::Budget)]);
    assert_eq!(seen.count(MessageKind::FailureReportRequest), 0);
}

/// A judge that does not answer was still asked: its input counts, although its answer was not awaited.
#[tokio::test(start_paused = true)]
async fn a_call_that_a_deadline_cut_short_counts() {
    let house = House::new();
    let free = Usage { requests: 1, ..Usage::default() };
    let answer = |value: Value| Answer::json(value).with_usage(free);
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("executor"), answer(say("Dear friend: blue")))
            .always(Expect::purpose("agent_validator"), Answer::hang()),
    );
    let limits = Limits { max_tokens: Some(10), max_retries: 0, max_replans: 0, ..Limits::default() };
    let seen = run(house.quiet(&model).planner(Arc::new(Fixed::judged_step())), &house, limits).await;
    let calls = seen.messages().filter_map(Message::payload::<artoo_types::ModelCall>);
    let judged: Vec<_> = calls.filter(|call| call.role == Role::AgentValidator).collect();
    let [call] = judged.as_slice() else { panic!("{judged:#?}") };
    assert!(call.estimated && call.prompt_tokens > 10 && call.error.is_some(), "{call:#?}");
    assert!(call.elapsed_ms >= 180_000, "as long as a judge may take: {call:#?}");
    let spent = seen.messages().filter_map(|message| {
        if let Message::Fault(fault) = message { Some((fault.role, fault.kind)) } else { None }
    });
    assert_eq!(spent.collect::<Vec<_>>(), [(Role::Supervisor, FaultKind::Budget)]);
}

/// The page attributed the end to the controller, for a round that was never reported.
#[tokio::test(start_paused = true)]
async fn what_a_spent_budget_cut_short_is_explained_as_no_decision() {
    let house = House::new();
    let limits = Limits { max_tokens: Some(299), ..Limits::default() };
    let seen = run(house.quiet(&two_steps()), &house, limits).await;
    let page = explain(&journal::read(&seen.folder.join(journal::FILE_NAME)).unwrap());
    let [round] = page.rounds.as_slice() else { panic!("{:#?}", page.rounds) };
    assert_eq!(round.decided, None);
    let end = page.end.unwrap();
    assert_eq!((end.directive, &end.fault, end.exit_code), (Some(TerminalState::Abandon), &None, 4));
    assert_eq!(end.summary, seen.result.summary);
}

/// A server that aborts has read the prompt. What it reported before is in the run's total, price and record.
#[tokio::test(start_paused = true)]
async fn what_a_failed_call_used_is_in_the_sum() {
    let house = House::new();
    let broken = || LlmError::Protocol {
        url: "http://model.test".to_owned(),
        reason: "it broke off".to_owned(),
        usage: Usage { prompt_tokens: 60, completion_tokens: 40, requests: 1, ..Usage::default() },
    };
    let model = Arc::new(ScriptedModel::new().expect(Expect::purpose("planner"), Answer::error(broken)));
    let seen = run(house.quiet(&model).prices(prices()), &house, Limits::default()).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Provider), 1));
    let lines = seen.lines();
    let Some(Event::RunFinished { usage, .. }) = lines.last().map(|line| &line.event) else {
        panic!("{lines:#?}")
    };
    assert_eq!((usage.calls, usage.prompt_tokens, usage.completion_tokens), (1, 60, 40));
    assert_eq!(usage.cost.as_ref().map(|cost| cost.amount), Some(amount(0.03)));
    let [summary] = artoo_runtime::runs::list(&house.data_folder()).unwrap().try_into().unwrap();
    assert_eq!((summary.tokens, summary.calls), (100, 1));
}

/// Aborted and repeated attempts count towards the limit, together with the answer that came.
#[tokio::test(start_paused = true)]
async fn a_failed_judgement_counts_towards_the_limit() {
    let house = House::new();
    let usage = Usage { prompt_tokens: 60, completion_tokens: 40, requests: 1, ..Usage::default() };
    let slow = move || LlmError::TimedOut {
        url: "http://model.test".to_owned(),
        phase: "stopped sending",
        waited: std::time::Duration::from_secs(60),
        usage,
    };
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(open_question("Greet")).with_usage(usage))
            .always(Expect::purpose("executor"), Answer::json(say("Hello")).with_usage(usage))
            .expect(Expect::purpose("meta_validator"), Answer::error(slow))
            // It is asked again, and the limit ends the run meanwhile.
            .expect(Expect::purpose("meta_validator"), Answer::hang()),
    );
    let limits = Limits { max_tokens: Some(299), ..Limits::default() };
    let seen = run(house.quiet(&model), &house, limits).await;
    let budget = seen.messages().any(
        |message| matches!(message, Message::Fault(fault) if fault.kind == FaultKind::Budget && fault.message.contains("300 tokens used")),
    );
    assert!(budget, "{:#?}", seen.result);
}

#[tokio::test(start_paused = true)]
async fn spent_money_does_the_same() {
    let house = House::new();
    let limits = Limits { max_cost: Some(amount(0.02)), ..Limits::default() };
    let seen = run(house.quiet(&two_steps()).prices(prices()), &house, limits).await;
    let result = &seen.result;
    assert_eq!((result.directive, seen.fault(), seen.exit_code()), (TerminalState::Abandon, None, 4));
    let spent = "The money budget is spent: 0.03 EUR spent (estimated), 0.02 EUR allowed.";
    assert!(result.summary.contains(spent), "{}", result.summary);
    assert_eq!(result.partial, []);
    assert!(!result.summary.contains("Done:"), "{}", result.summary);
}

#[tokio::test(start_paused = true)]
async fn a_budget_for_money_needs_every_price() {
    let house = House::new();
    let limits = Limits { max_cost: Some(amount(1.0)), ..Limits::default() };
    let mut some = prices();
    some.roles.remove(&Role::AgentValidator);
    let artoo = house.quiet(&two_steps()).prices(some).build().unwrap();
    let mut request = house.request("Count");
    request.limits = limits;
    let error = artoo.start(request).unwrap_err();
    assert!(matches!(error, StartError::NoPrice { role: Role::AgentValidator }), "{error}");
    assert_eq!(std::fs::read_dir(house.data_folder().join("runs")).unwrap().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_it_cost_is_in_every_view() {
    let house = House::new();
    let seen = run(house.quiet(&two_steps()).prices(prices()), &house, Limits::default()).await;
    let lines = seen.lines();
    let (mut last, mut sum) = (None, Amount::ZERO);
    for line in &lines {
        if let Event::Usage { cost: Some(cost), cumulative, .. } = &line.event {
            sum = sum.saturating_add(cost.amount);
            assert_eq!(cumulative.cost.as_ref().map(|cost| cost.amount), Some(sum));
        } else if let Event::RunFinished { usage, roles, .. } = &line.event {
            last = Some((usage.clone(), roles.clone()));
        }
    }
    let (usage, roles) = last.unwrap();
    let cost = usage.cost.unwrap();
    assert_eq!((usage.calls, sum, usage.estimated), (4, amount(0.12), true), "{:#?}", seen.result);
    assert_eq!((cost.amount, cost.currency.as_str()), (sum, "EUR"));
    let roles = roles.iter().filter_map(|role| role.usage.cost.as_ref());
    assert_eq!(roles.fold(Amount::ZERO, |sum, cost| sum.saturating_add(cost.amount)), sum);
    let [summary] = artoo_runtime::runs::list(&house.data_folder()).unwrap().try_into().unwrap();
    assert_eq!((summary.cost.map(|cost| cost.amount), summary.estimated), (Some(sum), true));
}

#[tokio::test(start_paused = true)]
async fn a_part_of_the_cost_never_passes_for_the_whole() {
    let house = House::new();
    let roles = BTreeMap::from([(Role::Planner, Price { prompt: amount(1.0), completion: amount(1.0) })]);
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let builder = house.quiet(&model).prices(Prices { currency: String::new(), roles });
    let seen = run(builder, &house, Limits::default()).await;
    let lines = seen.lines();
    let Event::RunFinished { usage, roles, .. } = &lines.last().unwrap().event else { panic!() };
    assert_eq!(usage.cost, None);
    let priced: Vec<Role> =
        roles.iter().filter(|role| role.usage.cost.is_some()).map(|role| role.role).collect();
    assert_eq!(priced, [Role::Planner], "of each role, where all of it is known");
}
