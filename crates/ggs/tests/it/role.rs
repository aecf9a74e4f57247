//! R7's messages and their order.

use artoo_ggs_core::Profile;
use artoo_types::{
    ActionState, BlockedProgram, Fault, FaultKind, Message, OutcomeStatus, PrevDirective, ReplanRequest,
    Role, SubTaskOutcome, TerminalState, ToolName,
};
use serde_json::json;

use crate::fixtures::{
    ENVIRONMENTAL, LOGICAL, all_met, call, envelope, fail, failed, fault, kinds, matched, outcome, replan,
    role, role_of, story, task,
};

#[test]
fn an_action_state_becomes_a_directive_after_its_megrams() {
    let mut role = role();
    assert!(role.on(&envelope(task())).is_empty());
    let out = role.on(&envelope(replan(vec![matched(1, &["a"]), failed(2, &["b", "c"], LOGICAL)])));
    assert_eq!(kinds(&out), ["megram_write", "plan_directive"]);
    let Message::PlanDirective(directive) = &out[1] else { panic!() };
    assert_eq!(directive.directive, ActionState::BreakSymmetry);
    assert_eq!((directive.round, directive.prev_directive), (1, PrevDirective::Init));
    assert_eq!(directive.blocked_tools, [], "shell runs other programs");
    let program = BlockedProgram { tool: ToolName::new("shell"), program: "find".to_owned() };
    assert_eq!(directive.blocked_programs, [program]);
    assert_eq!(directive.failed_criterion, "b");
    assert_eq!(directive.task_id, task().task_id);

    let out = role.on(&envelope(replan(vec![failed(3, &["b", "c"], LOGICAL)])));
    let Some(Message::PlanDirective(directive)) = out.last() else { panic!() };
    assert_eq!(
        (directive.round, directive.prev_directive),
        (2, PrevDirective::Action(ActionState::BreakSymmetry))
    );
}

/// Every step matched and the whole did not: the directive names what is unmet. The calls did what they should, so
/// nothing of them is blocked, and memory learns nothing from them.
#[test]
fn an_unmet_criterion_of_the_task_directs_the_next_plan() {
    let mut role = role();
    role.on(&envelope(task()));
    let done = SubTaskOutcome { tool_calls: vec![call(1, "shell", "find docs")], ..matched(1, &["a"]) };
    let request =
        ReplanRequest { task_verdicts: vec![fail("nothing is left out", LOGICAL)], ..replan(vec![done]) };
    let out = role.on(&envelope(request));
    assert_eq!(kinds(&out), ["plan_directive"]);
    let Some(Message::PlanDirective(directive)) = out.last() else { panic!() };
    assert_eq!(directive.directive, ActionState::BreakSymmetry);
    assert_eq!((&directive.blocked_programs, &directive.blocked_targets), (&vec![], &vec![]));
    assert_eq!(directive.blocked_approaches, vec![]);
    let unmet: Vec<_> =
        directive.unmet.iter().map(|unmet| (unmet.criterion.as_str(), unmet.reason.as_str())).collect();
    assert_eq!(unmet, [("nothing is left out", "expected 3, found 2")]);
    assert_eq!(directive.unmet[0].subtask_id, None);
}

fn abandoned() -> artoo_ggs::GgsRole {
    let mut role = role();
    role.on(&envelope(task()));
    for _ in 0..3 {
        role.on(&envelope(replan(vec![failed(2, &["b", "c"], ENVIRONMENTAL)])));
    }
    let out = role.on(&envelope(replan(vec![failed(2, &["b", "c"], ENVIRONMENTAL)])));
    assert_eq!(kinds(&out), ["megram_write", "megram_write", "failure_report_request"]);
    assert!(role.awaits_report() && !role.has_ended());
    role
}

#[test]
fn before_an_abandon_the_planner_is_asked() {
    let mut role = abandoned();
    let out = role.on(&envelope(story("I tried twice.")));
    assert_eq!(kinds(&out), ["final_result"]);
    assert!(role.has_ended() && !role.awaits_report());
}

#[test]
fn the_deadline_ends_the_wait() {
    let mut role = abandoned();
    assert_eq!(kinds(&role.on_report_deadline()), ["final_result"]);
    assert!(role.on_report_deadline().is_empty());
    assert!(role.on(&envelope(story("too late"))).is_empty());
}

#[test]
fn while_it_waits_only_the_story_a_fault_or_the_deadline_matter() {
    let mut role = abandoned();
    assert!(role.on(&envelope(replan(vec![failed(2, &["b"], LOGICAL)]))).is_empty());
    assert!(role.on(&envelope(all_met(vec![matched(1, &["a"])]))).is_empty());
    assert!(role.awaits_report());
}

/// The run was already decided: a fault of the planner loses only its story; a person's interruption is
/// recorded.
#[test]
fn a_fault_while_it_waits_ends_the_wait() {
    let table = [
        (fault(Role::Planner, FaultKind::Provider), None),
        (fault(Role::Planner, FaultKind::Deadline), None),
        (fault(Role::Supervisor, FaultKind::Cancelled), Some(FaultKind::Cancelled)),
        (fault(Role::Supervisor, FaultKind::Timeout), Some(FaultKind::Timeout)),
    ];
    for (fault, expected) in table {
        let out = abandoned().on(&envelope(fault));
        let [Message::FinalResult(result)] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!(result.fault.as_ref().map(|fault| fault.kind), expected);
        assert_eq!(result.replans, 3);
    }
}

#[test]
fn the_planner_is_asked_about_a_fault_only_where_it_can_tell() {
    let after_a_round = |fault| {
        let mut role = role();
        role.on(&envelope(replan(vec![failed(2, &["b", "c"], ENVIRONMENTAL)])));
        kinds(&role.on(&envelope(fault)))
    };
    let asked = [fault(Role::Executor, FaultKind::Panic), fault(Role::MetaValidator, FaultKind::Answer)];
    for fault in asked {
        assert_eq!(after_a_round(fault), ["failure_report_request"]);
    }
    let not_asked = [
        fault(Role::Planner, FaultKind::Answer),
        fault(Role::Executor, FaultKind::Provider),
        fault(Role::Supervisor, FaultKind::Cancelled),
        fault(Role::Supervisor, FaultKind::Timeout),
        fault(Role::Supervisor, FaultKind::Storage),
        fault(Role::Supervisor, FaultKind::Budget),
    ];
    for fault in not_asked {
        assert_eq!(after_a_round(fault), ["final_result"]);
    }
    // Nothing has run yet, so there is no story.
    assert_eq!(kinds(&role().on(&envelope(fault(Role::Executor, FaultKind::Panic)))), ["final_result"]);
}

#[test]
fn a_spent_budget_is_an_ordinary_abandon_that_names_it() {
    let mut role = role();
    role.on(&envelope(replan(vec![failed(2, &["b", "c"], ENVIRONMENTAL)])));
    let spent = Fault {
        message: "The token budget is spent".to_owned(),
        hint: Some("allow more".to_owned()),
        ..fault(Role::Supervisor, FaultKind::Budget)
    };
    let out = role.on(&envelope(spent));
    let [Message::FinalResult(result)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((result.directive, &result.fault), (TerminalState::Abandon, &None));
    assert!(result.summary.starts_with("Not finished: The token budget is spent.\n"), "{}", result.summary);
    assert!(result.summary.ends_with("\nNext: allow more."), "{}", result.summary);
    assert!(!result.unmet.is_empty());
}

/// Real work, finding 2: everything was done, and the judge did not answer. The result is what it is: handed over, not
/// checked, and no lesson in either profile. No model is asked for a story.
#[test]
fn what_nobody_judged_is_handed_over_as_that() {
    for profile in Profile::ALL {
        let mut role = role_of(profile);
        role.on(&envelope(task()));
        role.on(&envelope(replan(vec![failed(2, &["b"], ENVIRONMENTAL)])));
        role.on(&envelope(matched(3, &["b"])));
        let unjudged = fault(Role::MetaValidator, FaultKind::Unjudged);
        let out = role.on(&envelope(unjudged.clone()));
        let [Message::FinalResult(result)] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!((result.directive, &result.fault), (TerminalState::Abandon, &Some(unjudged)));
        assert_eq!(result.output, json!("output 3"));
        let labels: Vec<_> = result.partial.iter().map(|part| (&part.output, part.status)).collect();
        let (done, before) = (json!("output 3"), json!("output 2"));
        assert_eq!(labels, [(&done, OutcomeStatus::Unjudged), (&before, OutcomeStatus::Failed)]);
        assert_eq!(result.unmet, [], "what was unmet before is made good, and more is not known");
        let told = "Done, not checked: the model did not answer.\nDone: subtask 3.\nNext: try again.";
        assert_eq!(result.summary, told);
    }
}

/// The judge of a step did not answer: the step neither matched nor failed.
#[test]
fn a_step_that_nobody_judged_is_handed_over_as_that() {
    let mut role = role();
    role.on(&envelope(task()));
    role.on(&envelope(matched(1, &["a"])));
    role.on(&envelope(outcome(2, OutcomeStatus::Unjudged, Vec::new())));
    let out = role.on(&envelope(fault(Role::AgentValidator, FaultKind::Unjudged)));
    let [Message::FinalResult(result)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(result.output, json!("output 1"), "only what matched");
    let labels: Vec<_> = result.partial.iter().map(|part| part.status).collect();
    assert_eq!(labels, [OutcomeStatus::Matched, OutcomeStatus::Unjudged]);
    assert_eq!(
        result.summary,
        "Not finished: the model did not answer.\nDone: step 1: subtask 1.\n\
         An output that no judge has looked at is handed over, marked.\nNext: try again."
    );
}

#[test]
fn a_second_fault_while_it_waits_keeps_the_first() {
    let mut role = role();
    role.on(&envelope(replan(vec![failed(2, &["b", "c"], ENVIRONMENTAL)])));
    role.on(&envelope(fault(Role::Executor, FaultKind::Panic)));
    let out = role.on(&envelope(fault(Role::Supervisor, FaultKind::Cancelled)));
    let [Message::FinalResult(result)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(result.fault.as_ref().map(|fault| fault.kind), Some(FaultKind::Panic));
}

#[test]
fn a_report_without_a_task_is_named_by_itself() {
    let out = role().on(&envelope(all_met(vec![matched(1, &["a"])])));
    let Some(Message::FinalResult(result)) = out.last() else { panic!() };
    assert_eq!(result.task_id, task().task_id);
}
