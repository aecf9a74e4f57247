//! What is accepted never bypasses the pipeline, and an answer that does says so. Pins `docs/deviations.md`, "Direct answers".

use std::{collections::BTreeSet, sync::Arc};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_types::{Basis, Evidence, Finding, Message, MessageKind, OutcomeStatus, TerminalState};
use serde_json::json;

use crate::fixture::{House, Seen, question, say};

const REQUEST: &str = "What is 2 + 2?";

/// The messages of a run, without those that are only recorded.
const WHOLE_WAY: [MessageKind; 11] = [
    MessageKind::UserRequest,
    MessageKind::TaskSpec,
    MessageKind::MemoryQuery,
    MessageKind::MemoryReply,
    MessageKind::Plan,
    MessageKind::DispatchManifest,
    MessageKind::SubTask,
    MessageKind::ExecutionResult,
    MessageKind::SubTaskOutcome,
    MessageKind::OutcomeSummary,
    MessageKind::FinalResult,
];

/// The passes of the delivered result, each with a call of this run or a check's observation as evidence.
fn evidence(seen: &Seen) -> usize {
    let calls: BTreeSet<_> = seen
        .messages()
        .filter_map(|message| {
            if let Message::ToolFinished(finished) = message { Some(finished.call.call_id) } else { None }
        })
        .collect();
    let outcomes = seen.outcomes();
    let matched = outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Matched);
    let passes =
        matched.flat_map(|outcome| &outcome.criteria_verdicts).map(|verdict| match &verdict.finding {
            Finding::Pass { evidence: Evidence::ToolCall { call_id, .. } } => {
                assert!(calls.contains(call_id))
            }
            Finding::Pass { evidence: Evidence::Observation { text } } => assert!(!text.trim().is_empty()),
            Finding::Fail { .. } => panic!("{verdict:?} in what matched"),
        });
    passes.count()
}

/// Lesson 106: a direct answer was in no log and was not checked. A model that knows the answer still has to
/// show it by a call.
#[tokio::test(start_paused = true)]
async fn lesson_106_what_a_model_would_know_takes_the_whole_way() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner").user_contains(REQUEST), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor"), Answer::json(json!({"answer": "4"})))
            .expect(Expect::purpose("executor"), Answer::json(say("4"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, REQUEST).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let way: Vec<_> = seen.kinds().into_iter().filter(|kind| WHOLE_WAY.contains(kind)).collect();
    assert_eq!(way, WHOLE_WAY);
    assert!(evidence(&seen) > 0);
    artoo.close().await;
}

/// Words without a call are not a result, however right they are.
#[tokio::test(start_paused = true)]
async fn lesson_106_words_without_a_call_are_never_accepted() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner").schema("plan"), Answer::json(question(REQUEST)))
            .always(Expect::purpose("executor"), Answer::json(json!({"answer": "4"})))
            .always(Expect::any(), Answer::text("Nothing was shown.")),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, REQUEST).await;
    assert_eq!(seen.result.directive, TerminalState::Abandon, "{:#?}", seen.result);
    assert_eq!((seen.count(MessageKind::ToolFinished), evidence(&seen)), (0, 0));
    artoo.close().await;
}

/// A question that needs no tool had to run a pointless command to be accepted: six calls where one does. The answer is on record, is never
/// called accepted, and teaches memory nothing.
#[tokio::test(start_paused = true)]
async fn a_direct_answer_is_recorded_and_labelled() {
    let house = House::new();
    let text = "A byte order mark.";
    let said = json!({"do": "answer", "criteria": [], "text": text});
    let model = Arc::new(ScriptedModel::new().expect(Expect::purpose("planner"), Answer::json(said)));
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "What does BOM mean?").await;
    model.assert_finished();
    let result = &seen.result;
    assert_eq!((result.basis, result.directive), (Basis::Model, TerminalState::Success));
    assert_eq!(
        (&result.output, result.summary.as_str()),
        (&json!(text), "From the model's knowledge, not checked.")
    );
    assert_eq!(seen.exit_code(), 3);
    assert_eq!(seen.count(MessageKind::DirectAnswer), 1);
    for kind in [MessageKind::Plan, MessageKind::SubTask, MessageKind::ToolFinished, MessageKind::MegramWrite]
    {
        assert_eq!(seen.count(kind), 0, "{kind:?}");
    }
    artoo.close().await;
}

/// Whatever the model says of it, a request that names a file that is there is worked on.
#[tokio::test(start_paused = true)]
async fn a_request_about_a_file_is_never_answered_from_knowledge() {
    let house = House::new();
    let request = "What does docs tell?";
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner")
                    .when("no answer is offered", |request| !request.system.contains("\"answer\"")),
                Answer::json(json!({"do": "answer", "criteria": [], "text": "Much."})),
            )
            .expect(Expect::purpose("planner"), Answer::json(question(request)))
            .always(Expect::purpose("executor"), Answer::json(say("4"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, request).await;
    assert_eq!((seen.count(MessageKind::DirectAnswer), seen.count(MessageKind::Plan)), (0, 1));
    assert_eq!(seen.result.basis, Basis::Evidence);
    artoo.close().await;
}
