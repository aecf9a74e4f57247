//! The one table from results to exit codes.

use artoo_runtime::{exit_code, exit_code_with};
use artoo_types::{Fault, FaultKind, FinalResult, Role, RunId, SubTaskOutcome, TerminalState};
use serde_json::json;

fn result(directive: TerminalState, fault: Option<FaultKind>) -> FinalResult {
    FinalResult {
        directive,
        gave_up: None,
        fault: fault.map(|kind| Fault { role: Role::Planner, kind, message: String::new(), hint: None, remedy: None }),
        ..serde_json::from_value(json!({
            "run_id": RunId::OPERATOR, "task_id": "t", "summary": "", "output": null,
            "loss": {"D": 1.0, "P": 0.0, "Omega": 0.0, "L": 0.6}, "grad_l": 0.0, "grad_goal": 0.0, "replans": 0,
            "prev_directive": "init", "directive": "abandon", "unmet": [], "partial": [],
        }))
        .unwrap()
    }
}

fn outcome(class: &str) -> SubTaskOutcome {
    serde_json::from_value(json!({
        "subtask_id": "00000000-0000-0000-0000-00000000000a", "parent_task_id": RunId::OPERATOR, "sequence": 1,
        "intent": "a", "criteria": [], "status": "failed", "output": null, "failure_reason": null, "gap_trajectory": [],
        "criteria_verdicts": [{
            "criterion": "c", "mode": "verifiable", "judge": "rule",
            "verdict": "fail", "failure_class": class, "reason": "r",
        }],
        "tool_calls": [],
    }))
    .unwrap()
}

#[test]
fn the_whole_table() {
    use FaultKind as Kind;
    use TerminalState::{Abandon, Accept, Success};
    let table = [
        (Accept, None, 0),
        (Success, None, 3),
        (Abandon, None, 4),
        (Abandon, Some(Kind::Provider), 1),
        (Abandon, Some(Kind::Answer), 1),
        (Abandon, Some(Kind::Deadline), 1),
        (Abandon, Some(Kind::Panic), 1),
        (Abandon, Some(Kind::Bus), 1),
        (Abandon, Some(Kind::Storage), 1),
        (Accept, Some(Kind::Storage), 1),
        (Abandon, Some(Kind::Unjudged), 1),
        (Abandon, Some(Kind::Configuration), 2),
        (Abandon, Some(Kind::Request), 2),
        (Abandon, Some(Kind::Budget), 4),
        (Abandon, Some(Kind::Refused), 5),
        (Abandon, Some(Kind::Timeout), 124),
        (Abandon, Some(Kind::HungUp), 129),
        (Abandon, Some(Kind::Cancelled), 130),
        (Abandon, Some(Kind::Quit), 131),
        (Abandon, Some(Kind::Terminated), 143),
    ];
    for (directive, fault, code) in table {
        assert_eq!(exit_code(&result(directive, fault)), code, "{directive:?} {fault:?}");
    }
    // Everything is done, and only the verdict on the whole did not come.
    let mut done = result(Abandon, Some(Kind::Unjudged));
    done.fault.as_mut().unwrap().role = Role::MetaValidator;
    assert_eq!(exit_code(&done), 3);
}

#[test]
fn missing_consent_is_5_where_nothing_else_ended_the_run() {
    let denied = [outcome("logical"), outcome("denied")];
    assert_eq!(exit_code_with(&result(TerminalState::Abandon, None), &denied), 5);
    assert_eq!(exit_code_with(&result(TerminalState::Abandon, None), &denied[..1]), 4);
    assert_eq!(exit_code_with(&result(TerminalState::Success, None), &denied), 5);
    assert_eq!(exit_code_with(&result(TerminalState::Success, None), &denied[..1]), 3);
    assert_eq!(exit_code_with(&result(TerminalState::Accept, None), &denied), 0);
    assert_eq!(exit_code_with(&result(TerminalState::Abandon, Some(FaultKind::Cancelled)), &denied), 130);
    assert_eq!(exit_code_with(&result(TerminalState::Abandon, Some(FaultKind::Budget)), &denied), 4);
}
