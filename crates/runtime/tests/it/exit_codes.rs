//! The one table from results to exit codes.

use std::collections::BTreeSet;

use artoo_runtime::{exit_code, exit_code_with};
use artoo_types::{
    Fault, FaultKind, FinalResult, GaveUp, GiveUpKind, Role, RunId, StructuredOutput, SubTaskOutcome,
    TerminalState,
};
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
        (Abandon, Some(Kind::Impossible), 4),
        (Abandon, Some(Kind::NeedsPerson), 6),
        (Abandon, Some(Kind::Refused), 5),
        (Abandon, Some(Kind::Declined), 5),
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

/// Every kind of ending with the code that a script sees.
fn endings() -> Vec<(String, u8)> {
    use TerminalState::{Abandon, Accept, Success};
    let mut endings: Vec<(String, u8)> = Vec::new();
    let mut add = |how: String, result: &FinalResult, outcomes: &[SubTaskOutcome]| {
        endings.push((how, exit_code_with(result, outcomes)));
    };
    for directive in [Accept, Success, Abandon] {
        add(format!("{directive:?}"), &result(directive, None), &[]);
        add(format!("{directive:?}, denied"), &result(directive, None), &[outcome("denied")]);
    }
    let missing = Some(StructuredOutput::Missing("it has no such field".to_owned()));
    add("no value".to_owned(), &FinalResult { structured: missing, ..result(Accept, None) }, &[]);
    for kind in FaultKind::ALL.iter().copied() {
        for role in [Role::Planner, Role::Executor, Role::AgentValidator, Role::MetaValidator, Role::User] {
            let mut ended = result(Abandon, Some(kind));
            ended.fault.as_mut().unwrap().role = role;
            add(format!("{kind:?} of {role}"), &ended, &[outcome("denied")]);
        }
    }
    for kind in [GiveUpKind::Impossible, GiveUpKind::NeedsConsent, GiveUpKind::NeedsPerson] {
        let gave_up = Some(GaveUp { kind, reason: String::new(), question: None });
        add(format!("{kind:?}"), &FinalResult { gave_up, ..result(Abandon, None) }, &[]);
    }
    endings
}

/// The codes that the guide's table names.
fn told() -> BTreeSet<u8> {
    let page = include_str!("../../../../docs/guide/scripts-and-ci.md");
    let table = page.split("| exit code | meaning |").nth(1).expect("the page has a table of exit codes");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let codes = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(','));
    codes.map(|code| code.trim().parse().unwrap()).collect()
}

/// No ending has a code that the guide does not tell, and it tells none that no run has.
#[test]
fn the_guide_tells_every_code() {
    let (told, mut seen) = (told(), BTreeSet::new());
    for (how, code) in endings() {
        assert!(told.contains(&code), "{how}: the guide does not tell {code}");
        seen.insert(code);
    }
    assert_eq!(seen, told);
}

/// Who ended it, and what it is a fault of, are told apart by the code; the role only where everything was done.
#[test]
fn the_code_of_a_fault_is_that_of_its_kind() {
    let of = |how: &str| endings().into_iter().find(|(name, _)| name == how).map(|(_, code)| code);
    for role in ["planner", "executor", "agent_validator", "meta_validator"] {
        assert_eq!(of(&format!("Provider of {role}")), Some(1), "{role}");
    }
    assert_eq!((of("Unjudged of agent_validator"), of("Unjudged of meta_validator")), (Some(1), Some(3)));
    assert_eq!((of("Budget of user"), of("Declined of user")), (Some(4), Some(5)));
    assert_eq!((of("Abandon, denied"), of("Accept, denied")), (Some(5), Some(0)));
    assert_eq!((of("NeedsConsent"), of("NeedsPerson"), of("no value")), (Some(5), Some(6), Some(3)));
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
