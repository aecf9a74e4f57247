//! A provider that fails stays what it is, whoever asks it and however far the run is: exit code 1, its words, no further
//! plan, no advice about budgets, and what was done so far.

use std::sync::Arc;

use artoo_llm_client::{
    LlmError, Usage,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{FaultKind, MessageKind, OutcomeStatus, Role};
use serde_json::json;

use crate::{
    doubles::{AsksOfTheWhole, Fixed},
    fixture::{House, Seen, open_question, question, say, steps},
};

fn refused(status: u16, message: &'static str) -> Answer {
    Answer::error(move || LlmError::Status {
        url: "http://model.test".to_owned(),
        status,
        message: message.to_owned(),
        usage: Usage::default(),
    })
}

/// The failures of a server, with a part of their words.
fn failures() -> Vec<(Answer, &'static str)> {
    vec![
        (refused(401, "Incorrect API key provided"), "Incorrect API key"),
        (refused(402, "Insufficient credits"), "Insufficient credits"),
        (refused(404, "model m does not exist"), "does not exist"),
        (refused(500, "no user query found in messages"), "no user query"),
        (Answer::error(crate::fixture::unreachable), "connection refused"),
        (
            Answer::error(|| LlmError::TimedOut {
                url: "http://model.test".to_owned(),
                phase: "stopped sending",
                waited: std::time::Duration::from_secs(300),
                usage: Usage::default(),
            }),
            "stopped sending",
        ),
        (
            Answer::error(|| LlmError::Protocol {
                url: "http://model.test".to_owned(),
                reason: "an event that is not JSON".to_owned(),
                usage: Usage::default(),
            }),
            "not JSON",
        ),
    ]
}

/// Checks a run that a provider ended.
fn ended(seen: &Seen, role: Role, words: &str) {
    let fault = seen.result.fault.clone().unwrap_or_else(|| panic!("{:#?}", seen.result));
    assert_eq!((fault.role, fault.kind, seen.exit_code()), (role, FaultKind::Provider, 1), "{fault:?}");
    assert!(fault.message.contains(words), "{words}: {fault:?}");
    let summary = &seen.result.summary;
    assert!(summary.contains(words), "{summary}");
    for wrong in ["allow more time", "replans", "say more exactly"] {
        assert!(!summary.contains(wrong), "{wrong}: {summary}");
    }
    assert_eq!(seen.count(MessageKind::FailureReportRequest), 0, "nobody is asked who cannot answer");
}

/// earendil-works/pi#5793, ollama/ollama#18107, NousResearch/hermes-agent PR 86054: three more plans were bought, and the
/// user was told to say more exactly what they want.
#[tokio::test(start_paused = true)]
async fn lesson_an_executor_without_a_provider_is_no_failed_step() {
    for (failure, words) in failures() {
        let house = House::new();
        let model = Arc::new(
            ScriptedModel::new()
                .expect(Expect::purpose("planner"), Answer::json(question("Count")))
                .always(Expect::purpose("executor"), failure),
        );
        let seen = house.run(&house.quiet(&model).build().unwrap(), "Count").await;
        model.assert_finished();
        ended(&seen, Role::Executor, words);
        let nothing = [MessageKind::CorrectionSignal, MessageKind::ReplanRequest, MessageKind::PlanDirective];
        assert_eq!(nothing.map(|kind| seen.count(kind)), [0; 3]);
        assert_eq!(seen.count(MessageKind::MegramWrite), 0, "a provider is no lesson");
    }
}

/// What was done before it is delivered, and said.
#[tokio::test(start_paused = true)]
async fn what_was_done_before_is_kept() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner"),
                Answer::json(steps(&[("Count apples", 1), ("Count pears", 2)])),
            )
            .expect(Expect::purpose("executor"), Answer::json(say("3")))
            .always(Expect::purpose("executor"), refused(402, "Insufficient credits")),
    );
    let seen = house.run(&house.quiet(&model).build().unwrap(), "Count apples and pears").await;
    ended(&seen, Role::Executor, "Insufficient credits");
    let [part] = seen.result.partial.as_slice() else { panic!("{:#?}", seen.result) };
    assert_eq!((part.status, &part.output), (OutcomeStatus::Matched, &json!("3")));
    assert!(seen.result.summary.contains("Count apples"), "{}", seen.result.summary);
}

#[tokio::test(start_paused = true)]
async fn a_judge_without_a_provider_is_no_refusal() {
    for (failure, words) in failures() {
        let house = House::new();
        let model = Arc::new(
            ScriptedModel::new()
                .always(Expect::purpose("executor"), Answer::json(say("Dear friend: blue")))
                .always(Expect::purpose("agent_validator"), failure),
        );
        let artoo = house.quiet(&model).planner(Arc::new(Fixed::judged_step())).build().unwrap();
        let seen = house.run(&artoo, "Name a colour").await;
        ended(&seen, Role::AgentValidator, words);
        let [part] = seen.result.partial.as_slice() else { panic!("{:?}", seen.result) };
        assert_eq!((part.status, &part.output), (OutcomeStatus::Unjudged, &json!("Dear friend: blue")));
    }
}

/// Of the judge of the whole everything is done; that nobody could look at it is the provider's fault.
#[tokio::test(start_paused = true)]
async fn a_last_judge_without_a_provider_leaves_what_is_done() {
    for (failure, words) in failures() {
        let house = House::new();
        let model = Arc::new(
            ScriptedModel::new()
                .expect(Expect::purpose("planner"), Answer::json(open_question("Name a colour")))
                .always(Expect::purpose("executor"), Answer::json(say("Dear friend: blue")))
                .always(Expect::purpose("meta_validator"), failure),
        );
        let artoo = house.quiet(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
        let seen = house.run(&artoo, "Name a colour").await;
        ended(&seen, Role::MetaValidator, words);
        assert!(seen.result.summary.starts_with("Done, not checked: "), "{}", seen.result.summary);
        assert_eq!(seen.result.output, json!("Dear friend: blue"));
    }
}

/// Before the first plan and before another one.
#[tokio::test(start_paused = true)]
async fn a_planner_without_a_provider_is_the_same_in_every_round() {
    for (failure, words) in failures() {
        let house = House::new();
        let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), failure.clone()));
        let seen = house.run(&house.quiet(&model).build().unwrap(), "Count").await;
        ended(&seen, Role::Planner, words);

        let house = House::new();
        let mut model =
            ScriptedModel::new().expect(Expect::purpose("planner"), Answer::json(question("Count")));
        for attempt in 0..3 {
            let wrong = format!("not a number {}", "x".repeat(attempt));
            model = model.expect(Expect::purpose("executor"), Answer::json(say(&wrong)));
        }
        let model = Arc::new(model.always(Expect::purpose("planner"), failure));
        let seen = house.run(&house.quiet(&model).build().unwrap(), "Count").await;
        assert_eq!(seen.count(MessageKind::PlanDirective), 1, "{:#?}", seen.result);
        ended(&seen, Role::Planner, words);
    }
}

/// What a model made of a request is a failure of the step, where another plan may help.
#[tokio::test(start_paused = true)]
async fn an_unusable_answer_is_no_fault_of_the_provider() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .expect(Expect::purpose("executor"), Answer::text("I would rather chat."))
            .expect(Expect::purpose("executor"), Answer::text("I would rather chat."))
            .expect(Expect::purpose("planner"), Answer::json(question("Count the files")))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let seen = house.run(&house.quiet(&model).build().unwrap(), "Count").await;
    assert_eq!((seen.fault(), seen.exit_code()), (None, 0), "{:#?}", seen.result);
    assert_eq!(seen.count(MessageKind::Plan), 2);
}
