//! Every way in which the controller ends a run.

use std::{fs, sync::Arc};

use artoo_ggs_core::{Hyperparameters, Parameters, Profile};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_types::{FailureClass, Finding, MessageKind, OutcomeStatus, TerminalState};
use serde_json::json;

use crate::{
    doubles::{Fixed, subtask},
    fixture::{House, question, say, steps, unreachable},
};

/// Fails at every attempt: the calls differ, and none prints a number.
fn hopeless() -> ScriptedModel {
    let mut model = ScriptedModel::new();
    for attempt in 0..40 {
        let planned = Answer::json(question(&format!("Count by the means {attempt}")));
        model = model.expect(Expect::purpose("planner").schema("plan"), planned).expect(
            Expect::purpose("executor"),
            Answer::json(say(&format!("not a number {}", "x".repeat(attempt)))),
        );
    }
    model
}

#[tokio::test(start_paused = true)]
async fn success_names_what_is_unmet() {
    let house = House::new();
    let planner = Fixed {
        subtasks: vec![subtask(1, "say it all", &["one", "two", "three", "four"])],
        task_criteria: Vec::new(),
    };
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("executor"), Answer::json(say("one two three")))
            .expect(Expect::purpose("executor"), Answer::json(say("three two one")))
            .expect(Expect::purpose("executor"), Answer::json(say("two, one, three"))),
    );
    let artoo = house.quiet(&model).planner(Arc::new(planner)).build().unwrap();
    let seen = house.run(&artoo, "Say it all").await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Success);
    assert_eq!(seen.exit_code(), 3);
    let unmet: Vec<&str> = seen.result.unmet.iter().map(|unmet| unmet.criterion.as_str()).collect();
    assert_eq!(unmet, ["The output contains four"]);
    assert_eq!(seen.result.partial.len(), 1, "the output is handed over, labelled as failed");
    assert_eq!(seen.result.partial[0].status, OutcomeStatus::Failed);
    assert!(seen.result.output.to_string().contains("three"));
}

#[tokio::test(start_paused = true)]
async fn strict_runs_do_not_end_as_success() {
    let house = House::new();
    let planner = Fixed {
        subtasks: vec![subtask(1, "say", &["one", "two", "three", "four"])],
        task_criteria: Vec::new(),
    };
    let mut model = ScriptedModel::new();
    for attempt in 0..20 {
        model =
            model.expect(Expect::purpose("executor"), Answer::json(say(&format!("one two three {attempt}"))));
    }
    let model = Arc::new(model);
    let artoo = house.quiet(&model).strict(true).planner(Arc::new(planner)).build().unwrap();
    let seen = house.run(&artoo, "Say it all").await;
    assert_eq!(seen.result.directive, TerminalState::Abandon);
    assert_eq!(seen.exit_code(), 4);
}

#[tokio::test(start_paused = true)]
async fn abandon_tells_the_planners_story() {
    let house = House::new();
    let model = Arc::new(
        hopeless()
            .expect(Expect::purpose("planner").schema("next"), Answer::json(json!({"next": "say_which"}))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Count the things").await;
    assert_eq!(seen.result.directive, TerminalState::Abandon);
    assert_eq!(seen.exit_code(), 4);
    assert!(seen.result.summary.contains("Next: say which one is meant."), "{}", seen.result.summary);
    assert_eq!(seen.result.replans, 3, "each plan is another one, and none comes nearer");
    assert_eq!(seen.count(MessageKind::Plan), 4);
    assert_eq!(seen.result.fault, None);
}

#[tokio::test(start_paused = true)]
async fn abandon_falls_back_to_the_template() {
    for answer in [Answer::error(unreachable), Answer::hang(), Answer::text("  ")] {
        let house = House::new();
        let model = Arc::new(hopeless().expect(Expect::purpose("planner").schema("next"), answer));
        let artoo = house.quiet(&model).build().unwrap();
        let seen = house.run(&artoo, "Count the things").await;
        assert_eq!(seen.exit_code(), 4);
        assert_eq!(seen.count(MessageKind::FailureReportRequest), 1);
        assert!(!seen.result.summary.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn abandon_delivers_what_matched() {
    let house = House::new();
    let mut model = ScriptedModel::new()
        .always(Expect::purpose("planner").schema("next"), Answer::text("Half of it is done."))
        .expect(Expect::purpose("planner"), Answer::json(steps(&[("Count apples", 1), ("Count pears", 1)])))
        .always(Expect::purpose("planner").schema("plan"), Answer::json(steps(&[("Count pears", 1)])))
        .expect(Expect::purpose("executor").user_contains("apples"), Answer::json(say("17")));
    for attempt in 0..40 {
        model = model.expect(
            Expect::purpose("executor").user_contains("pears"),
            Answer::json(say(&format!("none {}", "x".repeat(attempt)))),
        );
    }
    let model = Arc::new(model);
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Count apples and pears").await;
    assert_eq!(seen.result.directive, TerminalState::Abandon);
    let matched = seen.result.partial.iter().filter(|partial| partial.status == OutcomeStatus::Matched);
    assert_eq!(matched.map(|partial| partial.output.clone()).collect::<Vec<_>>(), [json!("17")]);
    let apples = seen.outcomes().iter().filter(|outcome| outcome.intent == "Count apples").count();
    assert_eq!(apples, 1, "lesson N10: what matched is not run again");
}

#[tokio::test]
async fn denied_changes_nothing_and_exits_with_5() {
    let house = House::new();
    let path = house.path("home/docs/a.txt");
    let before = fs::read_to_string(&path).unwrap();
    let write = json!({
        "tool": "write_file", "arguments": {"path": "docs/a.txt", "content": "overwritten"}, "output_is_answer": false,
    });
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner").schema("next"), Answer::text("It was not allowed."))
            .always(Expect::purpose("planner"), Answer::json(question("Overwrite docs/a.txt")))
            .always(Expect::purpose("executor"), Answer::json(write)),
    );
    let artoo = house.builder(&model).build().unwrap();
    let seen = house.run(&artoo, "Overwrite docs/a.txt").await;
    assert_eq!(seen.exit_code(), 5, "{:#?}", seen.result);
    assert_eq!(seen.result.directive, TerminalState::Abandon);
    assert_eq!(fs::read_to_string(&path).unwrap(), before, "untouched");
    assert_eq!(seen.count(MessageKind::ToolFinished), 1, "it is not tried again by any means");
    let denied =
        seen.outcomes().iter().flat_map(|outcome| outcome.criteria_verdicts.clone()).all(|verdict| {
            matches!(verdict.finding, Finding::Fail { failure_class: FailureClass::Denied, .. })
        });
    assert!(denied);
}

/// An embedder tunes the controller, under either profile: with a delta of 1, any shortfall is close enough.
#[tokio::test(start_paused = true)]
async fn tuned_parameters_decide() {
    for profile in Profile::ALL {
        let tuned = Parameters::new(Hyperparameters { delta: 1.0, ..*profile.parameters() }).unwrap();
        for (parameters, directive) in
            [(tuned, TerminalState::Success), (profile.parameters(), TerminalState::Abandon)]
        {
            let house = House::new();
            let model = Arc::new(hopeless());
            let subtasks = vec![subtask(1, "Say it", &["blue"])];
            let planner = Arc::new(Fixed { subtasks, task_criteria: Vec::new() });
            let builder = house.quiet(&model).planner(planner).profile(profile).parameters(parameters);
            let seen = house.run(&builder.build().unwrap(), "Say blue").await;
            assert_eq!(seen.result.directive, directive, "{profile}");
            assert_eq!(seen.result.replans == 0, directive == TerminalState::Success, "{profile}");
        }
    }
}
