//! The pure parts of the explanation.

use std::collections::BTreeMap;

use artoo_ggs_core::{GoalGradientSolver, Observation, Parameters, State};
use artoo_types::{Plan, PlannedSubTask, SubTaskId, TaskId};
use uuid::Uuid;

use super::replay::reach;
use super::{PlanChange, Reach};

fn plan(kept: &[SubTaskId], intents: &[&str]) -> Plan {
    let subtask = |intent: &&str| PlannedSubTask::new(1, (*intent).to_owned(), Vec::new());
    Plan {
        kept: kept.to_vec(),
        ..Plan::new(TaskId::from_text("task"), 2, intents.iter().map(subtask).collect())
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn every_subtask_of_both_plans_is_told_once() {
    let id = SubTaskId::new(Uuid::from_u128(1));
    let stranger = SubTaskId::new(Uuid::from_u128(2));
    let intents = BTreeMap::from([(id, "count the apples".to_owned())]);
    let before = texts(&["count the apples", "count the pears", "count the pears", "count the plums"]);
    let change =
        PlanChange::of(&plan(&[id, stranger], &["count the pears", "weigh the plums"]), &before, &intents);
    assert_eq!(
        change,
        PlanChange {
            kept: vec!["count the apples".to_owned(), stranger.to_string()],
            again: texts(&["count the pears"]),
            replaced: texts(&["count the pears", "count the plums"]),
            new: texts(&["weigh the plums"]),
        }
    );
    assert_eq!(change.intents().len(), 4);
}

/// The page's reach of blocking matches the solver: a call that failed only in the first round is blocked in
/// the second exactly if the page says `every_round`.
#[test]
fn the_reach_is_the_solvers() {
    let mut seen = Vec::new();
    for (first, second, class) in
        [(3, 4, "logical"), (4, 3, "logical"), (3, 4, "environmental"), (4, 3, "environmental")]
    {
        let mut solver = GoalGradientSolver::new(Parameters::default());
        solver.step(&observation(first, class, "glob"));
        let decision = solver.step(&observation(second, class, "shell"));
        let State::Action(action) = decision.state else { panic!("{decision:?}") };
        let blocked = decision.blocked.tools.iter().map(|tool| tool.as_str());
        let targets = decision.blocked.targets.iter().map(|target| target.tool.as_str());
        let of_before = blocked.chain(targets).any(|tool| tool == "glob");
        let said = reach(action, decision.cell.trend);
        assert_eq!(said == Some(Reach::EveryRound), of_before, "{decision:#?}");
        seen.extend(said);
    }
    assert_eq!(seen, [Reach::EveryRound, Reach::ThisRound, Reach::EveryRound, Reach::ThisRound]);
}

/// `failed` of four criteria are unmet, and one call of a tool failed.
fn observation(failed: usize, class: &str, tool: &str) -> Observation {
    let criterion = |index: usize| {
        let standing = if index < failed {
            serde_json::json!({"standing": "unmet", "class": class, "reason": "no", "failures": 1, "attempts": 1})
        } else {
            serde_json::json!({"standing": "met"})
        };
        serde_json::json!({"text": index.to_string(), "mode": "verifiable", "subtask_id": null, "standing": standing})
    };
    serde_json::from_value(serde_json::json!({
        "report": "gap",
        "elapsed_ms": 0,
        "criteria": (0..4).map(criterion).collect::<Vec<_>>(),
        "failures": [{
            "subtask_id": Uuid::from_u128(1), "intent": tool, "tools": [tool],
            "failed_calls": [{"target": {"tool": tool, "target": "x"}, "class": class}],
        }],
        "deliverable": true,
        "inventory": ["glob", "read_file", "shell"],
    }))
    .unwrap()
}
