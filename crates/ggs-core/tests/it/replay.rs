//! A run can be stored, restored and replayed.

use artoo_ggs_core::{Decision, GoalGradientSolver, Observation, Profile};
use proptest::prelude::*;

use crate::fixtures::{any_observation, any_parameters, any_profile, failure, share};
use artoo_types::FailureClass;

proptest! {
    #[test]
    fn a_recorded_run_replays_to_the_same_decisions(
        profile in any_profile(),
        rounds in prop::collection::vec(any_observation(), 1..6),
    ) {
        let mut solver = GoalGradientSolver::new(profile.parameters());
        let decisions: Vec<_> = rounds.iter().map(|round| solver.step(round)).collect();
        let recorded = serde_json::to_string(&(&rounds, &decisions)).unwrap();

        let (rounds, expected): (Vec<Observation>, Vec<Decision>) = serde_json::from_str(&recorded).unwrap();
        let mut again = GoalGradientSolver::new(profile.parameters());
        let replayed: Vec<_> = rounds.iter().map(|round| again.step(round)).collect();
        prop_assert_eq!(replayed, expected);
    }

    #[test]
    fn storing_in_the_middle_changes_nothing(
        parameters in any_parameters(),
        rounds in prop::collection::vec(any_observation(), 1..6),
    ) {
        let mut steady = GoalGradientSolver::new(parameters);
        let mut restored = GoalGradientSolver::new(parameters);
        for round in &rounds {
            let stored = serde_json::to_string(&restored).unwrap();
            restored = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(restored.step(round), steady.step(round));
            prop_assert_eq!(&restored, &steady);
        }
    }
}

/// Journals outlive a version: this hand-written run must stay readable and give the same decisions.
#[test]
fn a_written_run_stays_readable() {
    let text = r#"{
        "report": "gap", "elapsed_ms": 4000,
        "criteria": [{"text": "the file lists 3 names", "mode": "verifiable", "subtask_id": null,
            "standing": {"standing": "unmet", "class": "logical", "reason": "it lists 2", "failures": 1, "attempts": 1}}],
        "failures": [{"subtask_id": "00000000-0000-0000-0000-000000000001", "intent": "list names", "tools": ["shell"],
            "failed_calls": [{"target": {"tool": "shell", "target": "ls"}, "class": "logical"}]}],
        "deliverable": true, "inventory": ["glob", "shell"]
    }"#;
    let observation: Observation = serde_json::from_str(text).unwrap();
    let decision = GoalGradientSolver::new(Profile::Default.parameters()).step(&observation);
    let got = serde_json::to_value(&decision).unwrap();
    assert_eq!(got["state"], "break_symmetry");
    assert_eq!(got["rule"], "action_grid");
    assert_eq!(got["blocked"]["tools"], serde_json::json!(["shell"]));
    assert_eq!(got["prev_directive"], "init");
}

#[test]
fn the_same_input_gives_the_same_decision() {
    let observation =
        Observation { failures: vec![failure(1, "shell", "ls", FailureClass::Logical)], ..share(4, 4, 4) };
    let step = || GoalGradientSolver::new(Profile::Default.parameters()).step(&observation);
    assert_eq!(step(), step());
}
