//! Failures of the first implementation's end-to-end probes, as whole runs. "There" is that implementation.
//! The table of all lessons and tests: `docs/design/lessons.md`.

use std::{fs, sync::Arc, time::Duration};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_types::{
    CallEnding, Check, Criterion, FaultKind, Message, MessageKind, PlannedSubTask, TerminalState,
};
use serde_json::json;

use crate::{
    doubles::{Fixed, judged, subtask},
    fixture::{House, Seen, open_question, question, say, shell, verdict},
};

fn ran(seen: &Seen) -> usize {
    let runs = |message: &&Message| matches!(message, Message::ToolFinished(finished) if finished.call.ending != CallEnding::Refused);
    seen.messages().filter(runs).count()
}

/// There: 30 executions and 37 model calls.
#[tokio::test(start_paused = true)]
async fn lessons_58_and_90_an_identical_call_for_ever_runs_once_a_plan() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner").schema("next"), Answer::text("It does not count."))
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("no number"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Count").await;
    assert_eq!((seen.result.directive, seen.exit_code()), (TerminalState::Abandon, 4));
    assert!(ran(&seen) <= seen.count(MessageKind::Plan), "{} calls", ran(&seen));
    // Three attempts at each of four plans, each ended by its second duplicate.
    assert!(seen.count(MessageKind::ModelCall) <= 40, "{} model calls", seen.count(MessageKind::ModelCall));
}

/// There: prose after the plan lost it, and one word after a verdict three attempts. A verdict within prose
/// may be a quotation, so it is asked for again, and no attempt is lost.
#[tokio::test(start_paused = true)]
async fn lessons_31_102_and_n13_prose_around_any_answer_costs_no_attempt() {
    let house = House::new();
    let wrapped =
        |value: serde_json::Value| Answer::text(format!("Let me think.\n```json\n{value}\n```\nDone. [1]"));
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), wrapped(open_question("Name a colour")))
            .expect(Expect::purpose("executor"), wrapped(say("blue")))
            .expect(Expect::purpose("meta_validator"), wrapped(verdict(true)))
            .expect(Expect::purpose("meta_validator"), Answer::json(verdict(true))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Name a colour").await;
    model.assert_finished();
    assert_eq!((seen.exit_code(), &seen.result.output), (0, &json!("blue")), "{:#?}", seen.result);
}

/// There: an answer of R2 after 35 s was an abandon at 30.0 s.
#[tokio::test(start_paused = true)]
async fn fact_19_a_model_may_think_for_minutes() {
    let house = House::new();
    let minutes = Duration::from_secs(170);
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(open_question("Name a colour")).after(minutes))
            .expect(Expect::purpose("executor"), Answer::json(say("blue")).after(minutes))
            .expect(Expect::purpose("meta_validator"), Answer::json(verdict(true)).after(minutes)),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Name a colour").await;
    assert_eq!(seen.exit_code(), 0, "accept is accept whatever the budget says: {:#?}", seen.result);
}

/// There: `rm` was blocked, the next round's `/bin/rm` deleted the file, and the task was accepted.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn fact_8_what_may_not_be_deleted_is_not_deleted_by_another_name() {
    let house = House::new();
    let path = house.path("home/docs/a.txt");
    let before = fs::read_to_string(&path).unwrap();
    let gone = Criterion::checked("docs/a.txt is gone", Check::FileAbsent { path: "docs/a.txt".into() });
    let planner = Fixed {
        subtasks: vec![PlannedSubTask {
            success_criteria: vec![gone],
            ..subtask(1, "Delete docs/a.txt", &[])
        }],
        task_criteria: Vec::new(),
    };
    let ways = [
        "rm docs/a.txt",
        "/bin/rm docs/a.txt",
        "bash -c 'unlink docs/a.txt'",
        "find docs -name a.txt -delete",
        "mv docs/a.txt docs/z",
        ": > docs/a.txt",
    ];
    let mut model = ScriptedModel::new();
    for way in ways {
        model = model.expect(Expect::purpose("executor"), Answer::json(shell(way)));
    }
    let model = Arc::new(
        model.always(Expect::purpose("executor"), Answer::json(json!({"answer": "It is deleted."}))),
    );
    let artoo = house.builder(&model).planner(Arc::new(planner)).build().unwrap();
    let seen = house.run(&artoo, "Delete docs/a.txt").await;
    assert_ne!(seen.result.directive, TerminalState::Accept);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    // Refused without a person, or, if it was tried on a layer, held back by the kernel in each variant.
    assert!(seen.count(MessageKind::ToolFinished) >= 1 && seen.exit_code() >= 4, "it was tried");
}

/// There: a second run of the same name began with the first one's clock and counters, and printed its
/// decisions.
#[tokio::test(start_paused = true)]
async fn lesson_n7_the_same_request_again_begins_anew() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner"),
                Answer::error(crate::fixture::unreachable).after(Duration::from_secs(200)),
            )
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .expect(Expect::purpose("executor"), Answer::json(say("1"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let first = house.run(&artoo, "Count").await;
    assert_eq!(first.fault(), Some(FaultKind::Provider));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let second = house.run(&artoo, "Count").await;
    model.assert_finished();
    assert_eq!((second.exit_code(), second.result.replans), (0, 0));
    assert!(second.result.loss.omega < first.result.loss.omega, "{:?}", second.result.loss);
    assert!(second.envelopes.iter().all(|envelope| envelope.elapsed_ms < 1000));
    assert_eq!(second.result.task_id, first.result.task_id, "the label is the same, and is no key");
}

/// There: one task was left behind per subtask.
#[tokio::test(start_paused = true)]
async fn lesson_n9_nothing_is_left_running() {
    let house = House::new();
    let model =
        Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::json(say("alpha"))));
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = alive();
    let subtasks = (0..20).map(|n| subtask(n % 3 + 1, &format!("alpha {n}"), &["alpha"])).collect();
    let planner = Fixed { subtasks, task_criteria: Vec::new() };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).build().unwrap();
    for _ in 0..3 {
        assert_eq!(house.run(&artoo, "Say it").await.exit_code(), 0);
    }
    artoo.close().await;
    // A cancelled task may need a turn of the executor, or of a busy machine's threads, to end.
    let ended = async {
        while alive() != before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(60), ended).await;
    assert!(ended.is_ok(), "{} tasks, and {before} before", alive());
}

/// There: exactly one Megram after three failing rounds, and `blocked_targets` was always empty.
#[tokio::test]
async fn fact_4_failed_calls_are_blocked_and_remembered() {
    let house = House::new();
    let read =
        |name: &str| json!({"tool": "read_file", "arguments": {"path": name}, "output_is_answer": true});
    let mut model = ScriptedModel::new()
        .always(Expect::purpose("planner").schema("next"), Answer::text("It is not there."))
        .always(Expect::purpose("planner"), Answer::json(question("Count")));
    for n in 0..12 {
        model = model.expect(Expect::purpose("executor"), Answer::json(read(&format!("nowhere-{n}.txt"))));
    }
    let model =
        Arc::new(model.always(Expect::purpose("executor"), Answer::json(json!({"give_up": "not there"}))));
    let artoo = house.builder(&model).build().unwrap();
    let seen = house.run(&artoo, "Count").await;
    assert_eq!(seen.result.directive, TerminalState::Abandon);
    let blocked: Vec<usize> = seen
        .messages()
        .filter_map(|message| {
            if let Message::PlanDirective(directive) = message {
                Some(directive.blocked_targets.len())
            } else {
                None
            }
        })
        .collect();
    assert!(blocked.iter().any(|count| *count > 0), "{blocked:?}");
    assert!(blocked.is_sorted(), "they accumulate: {blocked:?}");
    assert!(seen.count(MessageKind::MegramWrite) > 2, "{}", seen.count(MessageKind::MegramWrite));
}

/// There: a task that R4b rejected got a green tick with the unmet criterion in the same sentence.
#[tokio::test(start_paused = true)]
async fn fact_1_what_r4b_rejects_is_planned_again_and_never_accepted() {
    let house = House::new();
    let planner = Fixed {
        subtasks: vec![subtask(1, "Say blue", &["blue"])],
        task_criteria: vec![judged("It is nice")],
    };
    let mut model =
        ScriptedModel::new().always(Expect::purpose("meta_validator"), Answer::json(verdict(false)));
    for n in 0..12 {
        model = model.expect(Expect::purpose("executor"), Answer::json(say(&format!("blue {n}"))));
    }
    let model = Arc::new(model);
    let artoo = house.quiet(&model).planner(Arc::new(planner)).build().unwrap();
    let seen = house.run(&artoo, "Say blue").await;
    assert_ne!(seen.result.directive, TerminalState::Accept);
    assert!(seen.exit_code() >= 3);
    let first = seen.messages().find_map(Message::payload::<artoo_types::PlanDirective>);
    let unmet: Vec<_> = first.unwrap().unmet.iter().map(|unmet| unmet.criterion.as_str()).collect();
    assert_eq!(unmet, ["It is nice"], "R2 is told what the whole lacks");
    let directive = first.unwrap();
    assert_eq!(
        (&directive.blocked_approaches, &directive.blocked_tools),
        (&vec![], &vec![]),
        "no call failed"
    );
}
