//! Other defects of the first implementation that show in a whole run. "There" is that implementation. The
//! table of lessons and tests: `docs/design/lessons.md`.

use std::{sync::Arc, time::Duration};

use artoo_llm_client::{
    LlmClient,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{Message, Role, TerminalState};
use serde_json::json;

use crate::{
    doubles::{Fixed, subtask},
    fixture::{House, question, say},
};

/// There: after every result the model was told to say `status=completed now`, whatever the result was.
#[tokio::test]
async fn lesson_n12_a_result_comes_without_a_nudge_to_be_finished() {
    const ASKED: &str = "How many .txt files are in docs?";
    let look = |command: &str| json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": false});
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(ASKED)))
            .expect(Expect::purpose("executor"), Answer::json(look("ls missing")))
            .expect(Expect::purpose("executor"), Answer::json(look("find docs -name '*.txt' | wc -l")))
            .expect(Expect::purpose("executor"), Answer::json(json!({"answer": "3"}))),
    );
    let artoo = house.builder(&model).build().unwrap();
    let seen = house.run(&artoo, ASKED).await;
    model.assert_finished();
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    let requests = model.requests();
    let told: Vec<&str> = requests
        .iter()
        .filter(|request| request.purpose == "executor" && request.messages.len() > 1)
        .filter_map(|request| request.messages.last())
        .map(|message| message.content.as_str())
        .collect();
    assert_eq!(told.len(), 2);
    for told in told {
        // After a failure and after a success alike: both continuations are open.
        let last = told.lines().last();
        assert_eq!(last, Some("Call a tool, or answer if this shows what the step asks for."));
        for nudge in ["completed", "status=", "you are done", "finished"] {
            assert!(!told.to_lowercase().contains(nudge), "{nudge:?} in {told}");
        }
    }
}

/// There: the alarm counted attempts, so that three subtasks of two attempts each set it off.
#[tokio::test(flavor = "multi_thread")]
async fn lesson_n21_three_subtasks_corrected_once_are_three_corrections_and_no_alarm() {
    let house = House::new();
    let corrected = |request: &artoo_llm_client::Request| {
        request.messages.iter().any(|message| message.content.contains("Your result was not accepted"))
    };
    let model = Arc::new(ScriptedModel::new().always(
        Expect::purpose("executor"),
        Answer::with(move |request| say(if corrected(request) { "alpha" } else { "beta" }).to_string()),
    ));
    let subtasks = (1..=3).map(|n| subtask(1, &format!("Say it {n}"), &["alpha"])).collect();
    let planner = Fixed { subtasks, task_criteria: Vec::new() };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).build().unwrap();
    let seen = house.run(&artoo, "Say it three times").await;
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    let report = artoo.audit_report(None).await.unwrap();
    assert_eq!(
        (report.total_corrections, report.tasks_observed),
        (3, 1),
        "corrections, not attempts; runs, not plans"
    );
    assert!(report.drift_alerts.is_empty() && report.anomalies.is_empty(), "{report:#?}");
    artoo.close().await;
}

/// There: an accept went past the controller, with a loss of constants.
#[tokio::test(start_paused = true)]
async fn lesson_44_an_accepted_run_ends_at_r7_with_its_own_loss() {
    let omega = async |seconds: u64| {
        let house = House::new();
        let model = Arc::new(
            ScriptedModel::new().expect(Expect::purpose("planner"), Answer::json(question("Count"))).expect(
                Expect::purpose("executor"),
                Answer::json(say("3")).after(Duration::from_secs(seconds)),
            ),
        );
        let artoo = house.quiet(&model).build().unwrap();
        let seen = house.run(&artoo, "Count").await;
        let by: Vec<Role> = seen
            .envelopes
            .iter()
            .filter(|envelope| matches!(envelope.message.as_ref(), Message::FinalResult(_)))
            .map(|envelope| envelope.from)
            .collect();
        assert_eq!((by, seen.result.directive), (vec![Role::Ggs], TerminalState::Accept));
        assert_eq!(seen.result.loss.d.get(), 0.0);
        seen.result.loss.omega.get()
    };
    assert!(omega(100).await > omega(10).await);
}

/// There: one model for all roles.
#[tokio::test(start_paused = true)]
async fn lesson_45_a_role_may_have_a_model_of_its_own() {
    let house = House::new();
    let plans =
        Arc::new(ScriptedModel::new().expect(Expect::purpose("planner"), Answer::json(question("Count"))));
    let acts = Arc::new(ScriptedModel::new().expect(Expect::purpose("executor"), Answer::json(say("3"))));
    let builder = house.quiet(&acts).role_model(Role::Planner, Arc::clone(&plans) as Arc<dyn LlmClient>);
    let artoo = builder.build().unwrap();
    let seen = house.run(&artoo, "Count").await;
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    plans.assert_finished();
    acts.assert_finished();
}
