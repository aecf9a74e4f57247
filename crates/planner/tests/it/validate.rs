//! The rules that no plan may break.

use artoo_checks::Flaw;
use artoo_planner::{PlanContext, Violation, conformance, validate};
use artoo_types::{
    BlockedProgram, BlockedTarget, Check, Criterion, Mode, Plan, PlannedSubTask, SubTaskId, ToolName,
};
use uuid::Uuid;

fn subtask(intent: &str, criterion: &str) -> PlannedSubTask {
    PlannedSubTask {
        sequence: 1,
        intent: intent.to_owned(),
        context: String::new(),
        success_criteria: vec![judged(criterion)],
        independent_of: Vec::new(),
    }
}

fn judged(text: &str) -> Criterion {
    Criterion { text: text.to_owned(), mode: Mode::Plausible, check: None }
}

fn checked(check: Check) -> Criterion {
    Criterion { text: "It is so".to_owned(), mode: Mode::Verifiable, check: Some(check) }
}

fn plan(subtasks: Vec<PlannedSubTask>) -> Plan {
    Plan {
        task_id: conformance::task("x").task_id,
        round: 1,
        task_criteria: Vec::new(),
        subtasks,
        kept: Vec::new(),
    }
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
    assert_eq!(with(|subtask| subtask.independent_of = vec![0]), [Violation::Reference { position: 0 }]);
    assert_eq!(with(|subtask| subtask.independent_of = vec![9]), [Violation::Reference { position: 0 }]);
    let pattern = with(|subtask| {
        subtask.success_criteria = vec![checked(Check::OutputMatches { pattern: "(".into() })]
    });
    assert!(
        matches!(pattern.as_slice(), [Violation::Criterion { flaw: Flaw::Pattern { .. } }]),
        "{pattern:?}"
    );
    let same = Check::SameAnswer { subtasks: vec![0, 1] };
    let mut compares = sound();
    compares.success_criteria = vec![checked(same.clone())];
    assert_eq!(validate(&plan(vec![compares]), &first()), [Violation::Level { position: 0 }]);
    let far = Plan { task_criteria: vec![checked(same)], ..plan(vec![sound()]) };
    assert_eq!(validate(&far, &first()), [Violation::Reference { position: 1 }]);
}

#[test]
fn a_deed_is_looked_at() {
    let asked = conformance::context("Create a file called list.txt");
    assert_eq!(validate(&plan(vec![sound()]), &asked), [Violation::NoDeed]);
    let mut deed = sound();
    deed.success_criteria.push(checked(Check::FileExists { path: "list.txt".into() }));
    assert_eq!(validate(&plan(vec![deed]), &asked), []);
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

/// A derivation and what it must be independent of lie in different groups, or the second would see nothing to avoid.
#[test]
fn references_point_to_earlier_groups() {
    let second = |sequence| PlannedSubTask { sequence, independent_of: vec![0], ..sound() };
    assert_eq!(validate(&plan(vec![sound(), second(2)]), &first()), []);
    assert_eq!(validate(&plan(vec![sound(), second(1)]), &first()), [Violation::Reference { position: 1 }]);
}

/// A replan that keeps what matched and plans nothing else would be accepted without what is missing.
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

/// Facts 4 and 7: blocked sets were a sentence in a prompt.
#[test]
fn fact_7_a_plan_may_not_name_what_is_blocked() {
    let mut cx = conformance::replanning("Count the files in docs", &[], &["Count"]);
    let shell = ToolName::new("shell");
    let target = BlockedTarget { tool: shell.clone(), target: "find docs -name '*.txt'".to_owned() };
    let directive = &mut cx.previous.as_mut().unwrap().directive;
    directive.blocked_tools = vec![shell.clone()];
    directive.blocked_targets =
        vec![target.clone(), BlockedTarget { tool: shell.clone(), target: ".".to_owned() }];
    directive.blocked_programs = ["find", "perl"]
        .map(|program| BlockedProgram { tool: shell.clone(), program: program.to_owned() })
        .into();
    let planned = |intent: &str, context: &str| {
        let subtask =
            PlannedSubTask { context: context.to_owned(), ..subtask(intent, "The output is one number") };
        validate(&plan(vec![subtask]), &cx)
    };
    assert_eq!(planned("Count with the shell.", ""), [Violation::BlockedTool { tool: shell.clone() }]);
    assert_eq!(planned("Count", "use `shell`"), [Violation::BlockedTool { tool: shell.clone() }]);
    let find = BlockedProgram { tool: shell.clone(), program: "find".to_owned() };
    assert_eq!(
        planned("Run: find docs -name '*.txt'", ""),
        [Violation::BlockedProgram { program: find }, Violation::BlockedTarget { target }]
    );
    for asking in ["Count it with perl", "Count; run `perl -e 1` for it"] {
        let program = BlockedProgram { tool: shell.clone(), program: "perl".to_owned() };
        assert_eq!(planned(asking, ""), [Violation::BlockedProgram { program }], "{asking}");
    }
    assert_eq!(planned("Count the perl scripts and find the largest", ""), []);
    for innocent in ["Count the seashells in docs.", "Say what shell_history is", "find docs -name '*.txt2'"]
    {
        assert_eq!(planned(innocent, ""), [], "{innocent}");
    }
    // What the person names is no choice of the plan.
    cx.spec.intent = "Which shell do I use?".to_owned();
    assert_eq!(validate(&plan(vec![subtask("Find the user's shell", "It names a program")]), &cx), []);
}
