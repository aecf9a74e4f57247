//! Plans of every shape: groups, replans, large ones and impossible ones.

use std::sync::Arc;

use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_tools::{Tool, ToolContext, ToolReport};
use artoo_types::{
    Arguments, Check, Checkpoints, Criterion, FaultKind, Message, MessageKind, OutcomeStatus, PlannedSubTask,
    ToolName,
};
use serde_json::{Value, json};

use crate::{
    doubles::{Fixed, Say, subtask},
    fixture::{House, Seen, say, steps, verdict, watched},
};

/// Runs a fixed plan whose steps echo their own intent.
async fn run(
    subtasks: Vec<PlannedSubTask>,
    answers: impl Fn(&Request) -> String + Send + Sync + 'static,
) -> Seen {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::with(answers)));
    let planner = Fixed { subtasks, task_criteria: Vec::new() };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).build().unwrap();
    let mut request = house.request("Do all of it");
    // Nobody is there to be asked whether a long plan goes on.
    request.limits.checkpoints = Checkpoints::NONE;
    watched(artoo.start(request).unwrap()).await
}

/// Prints the step's intent, so that a step matches if its criterion is a word of it.
fn echo(request: &Request) -> String {
    let step =
        request.messages[0].content.lines().find_map(|line| line.strip_prefix("Step: ")).unwrap_or_default();
    say(step).to_string()
}

fn order(seen: &Seen) -> Vec<&str> {
    let intents = seen
        .messages()
        .filter_map(|message| if let Message::SubTask(task) = message { Some(&task.intent) } else { None });
    intents.map(String::as_str).collect()
}

#[tokio::test(start_paused = true)]
async fn lesson_n2_and_others_plans_that_break_rules_are_typed_faults() {
    let nothing: Vec<PlannedSubTask> = Vec::new();
    let group_zero = vec![subtask(0, "alpha", &["alpha"])];
    let no_criterion = vec![subtask(1, "alpha", &[])];
    let many = (0..257).map(|n| subtask(1, &format!("alpha {n}"), &["alpha"])).collect();
    for plan in [nothing, group_zero, no_criterion, many] {
        let seen = run(plan, echo).await;
        assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Answer), 1));
        assert_eq!(seen.count(MessageKind::SubTask), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn lesson_n3_equal_intents_are_different_subtasks() {
    let seen = run(vec![subtask(1, "alpha", &["alpha"]), subtask(1, "alpha", &["alpha"])], echo).await;
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    assert_eq!(seen.count(MessageKind::SubTask), 2);
    // Equal outputs are told once.
    assert_eq!(seen.result.output, json!("- alpha"));
}

#[tokio::test(start_paused = true)]
async fn lesson_17_groups_run_in_order_whatever_their_numbers() {
    let plan =
        vec![subtask(9, "three", &["three"]), subtask(2, "one", &["one"]), subtask(5, "two", &["two"])];
    let seen = run(plan, echo).await;
    assert_eq!(order(&seen), ["one", "two", "three"]);
    assert_eq!(seen.exit_code(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_subtasks_of_a_group_run_side_by_side() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::with(echo)));
    let planner = Fixed {
        subtasks: vec![subtask(1, "one", &["one"]), subtask(1, "two", &["two"])],
        task_criteria: Vec::new(),
    };
    // Neither call returns before both were made.
    let together = Together(tokio::sync::Barrier::new(2));
    let artoo = house
        .quiet(&model)
        .planner(Arc::new(planner))
        .toolbox(artoo_tools::Toolbox::new().with(together))
        .build()
        .unwrap();
    let seen = house.run(&artoo, "Do both").await;
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
}

struct Together(tokio::sync::Barrier);

#[async_trait::async_trait]
impl Tool for Together {
    fn name(&self) -> ToolName {
        Say.name()
    }

    fn summary(&self) -> &str {
        Say.summary()
    }

    fn arguments(&self) -> Value {
        Say.arguments()
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        self.0.wait().await;
        Say.call(arguments, cx).await
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_failed_group_the_later_ones_are_skipped_not_run() {
    let plan = || {
        vec![subtask(1, "one", &["impossible"]), subtask(2, "two", &["two"]), subtask(3, "three", &["three"])]
    };
    let seen = run(plan(), echo).await;
    assert_ne!(seen.exit_code(), 0);
    assert!(order(&seen).iter().all(|intent| *intent == "one"), "{:?}", order(&seen));
    let skipped = seen.outcomes().iter().filter(|outcome| outcome.status == OutcomeStatus::Skipped).count();
    assert_eq!(skipped, 2 * seen.count(MessageKind::Plan));
}

#[tokio::test(start_paused = true)]
async fn lesson_n10_what_matched_is_kept_and_handed_on() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner"),
                Answer::json(steps(&[("Count apples", 1), ("Add one to the apples", 2)])),
            )
            .expect(
                Expect::purpose("planner"),
                Answer::json(steps(&[("Add one to the apples, differently", 1)])),
            )
            .expect(Expect::purpose("executor").user_contains("Step: Count apples"), Answer::json(say("17")))
            .expect(
                Expect::purpose("executor").user_contains("Result of an earlier step (Count apples)"),
                Answer::json(say("many")),
            )
            .expect(
                Expect::purpose("executor").user_contains("differently").user_contains("17"),
                Answer::json(say("18")),
            )
            .always(Expect::purpose("executor"), Answer::json(json!({"give_up": "no idea"})))
            .always(Expect::purpose("agent_validator"), Answer::json(verdict(false)))
            .always(Expect::purpose("answer"), crate::doubles::composed())
            .always(Expect::purpose("meta_validator"), Answer::json(verdict(true))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Count apples and add one").await;
    model.assert_finished();
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    assert_eq!(seen.result.replans, 1);
    assert_eq!(order(&seen).iter().filter(|intent| **intent == "Count apples").count(), 1);
    let kept: Vec<usize> = seen
        .messages()
        .filter_map(|message| if let Message::Plan(plan) = message { Some(plan.kept.len()) } else { None })
        .collect();
    assert_eq!(kept, [0, 1]);
}

#[tokio::test(start_paused = true)]
async fn two_hundred_subtasks_in_twenty_groups() {
    let plan = (0..200).map(|n| subtask(n / 10 + 1, &format!("alpha {n}"), &["alpha"])).collect();
    let seen = run(plan, echo).await;
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result.fault);
    assert_eq!(seen.count(MessageKind::SubTaskOutcome), 200);
    assert_eq!(seen.result.output.as_str().unwrap().lines().count(), 200);
}

#[tokio::test(start_paused = true)]
async fn an_unmet_task_criterion_is_no_accept() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::with(echo)));
    let absent = Criterion::checked("The file is there", Check::FileExists { path: "nowhere.txt".into() });
    let planner = Fixed { subtasks: vec![subtask(1, "alpha", &["alpha"])], task_criteria: vec![absent] };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).build().unwrap();
    let seen = house.run(&artoo, "Do it").await;
    assert_ne!(seen.exit_code(), 0);
    assert!(seen.result.unmet.iter().any(|unmet| unmet.criterion == "The file is there"));
}
