//! Tests of the plan validator.

use artoo_checks::Flaw;
use artoo_planner::{PlanContext, Violation, conformance, validate};
use artoo_types::{BlockedProgram, Check, Criterion, Mode, Plan, PlannedSubTask, SubTaskId, ToolName};
use uuid::Uuid;

fn subtask(intent: &str, criterion: &str) -> PlannedSubTask {
    PlannedSubTask::new(1, intent, vec![judged(criterion)])
}

fn judged(text: &str) -> Criterion {
    Criterion::new(text, Mode::Plausible)
}

fn checked(check: Check) -> Criterion {
    Criterion::checked("It is so", check)
}

fn plan(subtasks: Vec<PlannedSubTask>) -> Plan {
    Plan::new(conformance::task("x").task_id, 1, subtasks)
}

fn sound() -> PlannedSubTask {
    subtask("Count the files", "The output is one number")
}

fn first() -> PlanContext {
    conformance::context("How many files are in docs?")
}

#[test]
fn a_sound_plan_breaks_no_rule() {
    assert_eq!(validate(&plan(vec![sound()]), &first()), []);
}

#[test]
fn each_rule_is_found() {
    let with = |change: fn(&mut PlannedSubTask)| {
        let mut subtask = sound();
        change(&mut subtask);
        validate(&plan(vec![subtask]), &first())
    };
    assert_eq!(validate(&plan(vec![]), &first()), [Violation::Empty]);
    assert_eq!(validate(&plan(vec![sound(); 257]), &first()), [Violation::TooMany { count: 257 }]);
    assert_eq!(with(|subtask| subtask.intent = " \n".into()), [Violation::NoIntent { position: 0 }]);
    assert_eq!(with(|subtask| subtask.sequence = 0), [Violation::NoGroup { position: 0 }]);
    assert_eq!(with(|subtask| subtask.success_criteria.clear()), [Violation::NoCriterion { position: 0 }]);
    let pattern = with(|subtask| {
        subtask.success_criteria = vec![checked(Check::OutputMatches { pattern: "(".into() })]
    });
    assert!(
        matches!(pattern.as_slice(), [Violation::Criterion { flaw: Flaw::Pattern { .. } }]),
        "{pattern:?}"
    );
    let status = || checked(Check::ExitStatus { equals: 0 });
    let ended = |others: Vec<Criterion>| {
        let success_criteria = others.into_iter().chain([status(), status()]).collect();
        validate(&plan(vec![PlannedSubTask { success_criteria, ..sound() }]), &first())
    };
    assert_eq!(ended(vec![]), [Violation::OnlyStatus { position: 0 }]);
    assert_eq!(ended(vec![judged("The output is one number")]), []);
    let shaped = |pattern: &str| ended(vec![checked(Check::OutputMatches { pattern: pattern.to_owned() })]);
    for anything in [r"\w+", ".", "(?s)^.+$", "[a-z]|[^a-z]"] {
        let found = shaped(anything);
        assert!(
            matches!(found.as_slice(), [Violation::Criterion { flaw: Flaw::Vacuous { .. } }]),
            "{anything}: {found:?}"
        );
    }
    // The check for a non-empty answer is what code adds if there is no other criterion.
    assert_eq!(shaped(r"\S"), []);
    assert_eq!(shaped(r"\.txt$"), []);
    let runs = checked(Check::CommandSucceeds { command: "cargo test".to_owned() });
    let whole = Plan { task_criteria: vec![runs.clone()], ..plan(vec![sound()]) };
    assert_eq!(validate(&whole, &first()), [Violation::TaskCommand]);
    assert_eq!(ended(vec![runs]), []);
}

/// A plan was rejected because its request begins with a verb from a list, or because it names a program that
/// is also an ordinary word. Blocked calls are refused at the call.
#[test]
fn lesson_no_plan_is_refused_because_of_a_word() {
    let asked = conformance::context("Create a file called list.txt");
    assert_eq!(validate(&plan(vec![sound()]), &asked), []);
    let mut cx = conformance::replanning("Count the files in docs", &[], &["Count"]);
    let shell = ToolName::new("shell");
    let directive = &mut cx.previous.as_mut().unwrap().directive;
    directive.blocked_tools = vec![shell.clone()];
    directive.blocked_programs = vec![BlockedProgram { tool: shell, program: "find".to_owned() }];
    for words in ["Find what counts with the shell", "Use `find` of the tool shell", "find docs -name x"] {
        assert_eq!(validate(&plan(vec![subtask(words, "The output is one number")]), &cx), [], "{words}");
    }
}

/// Lesson 38: criteria that repeat the goal.
#[test]
fn lesson_38_an_echo_of_the_intent_is_no_criterion() {
    let found = validate(&plan(vec![subtask("Count the files", "count the files!")]), &first());
    assert!(matches!(found.as_slice(), [Violation::Criterion { flaw: Flaw::Echo { .. } }]), "{found:?}");
    let task = Plan { task_criteria: vec![judged("how many files are in docs")], ..plan(vec![sound()]) };
    assert!(matches!(
        validate(&task, &first()).as_slice(),
        [Violation::Criterion { flaw: Flaw::Echo { .. } }]
    ));
}

/// A replan that keeps what matched and plans nothing else would be accepted without the missing part.
#[test]
fn only_matched_subtasks_are_kept_and_something_new_is_planned() {
    let cx = conformance::replanning("Count and list", &["Count"], &["List"]);
    let ids = cx.previous.as_ref().unwrap().subtask_ids.clone();
    let (matched, failed, unknown) = (ids[0], ids[1], SubTaskId::new(Uuid::from_u128(77)));
    let keeping = |kept: Vec<SubTaskId>| Plan { kept, ..plan(vec![sound()]) };
    assert_eq!(validate(&keeping(vec![matched]), &cx), []);
    assert_eq!(validate(&keeping(vec![failed]), &cx), [Violation::Kept { id: failed }]);
    assert_eq!(validate(&keeping(vec![matched, unknown]), &cx), [Violation::Kept { id: unknown }]);
    assert_eq!(validate(&keeping(vec![matched, matched]), &cx), [Violation::Kept { id: matched }]);
    assert_eq!(validate(&keeping(vec![matched]), &first()), [Violation::Kept { id: matched }]);
    let nothing_new = Plan { kept: vec![matched], ..plan(vec![]) };
    assert_eq!(validate(&nothing_new, &cx), [Violation::Empty]);
}
