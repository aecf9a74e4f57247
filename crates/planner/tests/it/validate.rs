//! The rules that no plan may break.

use artoo_checks::Flaw;
use artoo_planner::{PlanContext, Violation, conformance, validate};
use artoo_types::{
    BlockedApproach, BlockedProgram, BlockedTarget, Check, Criterion, Mode, Plan, PlannedSubTask, SubTaskId,
    ToolName,
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
        memory: artoo_types::PlanMemory::default(),
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
    // That there is an answer at all is what code asks where nothing else is asked.
    assert_eq!(shaped(r"\S"), []);
    assert_eq!(shaped(r"\.txt$"), []);
    let same = Check::SameAnswer { subtasks: vec![0, 1] };
    let mut compares = sound();
    compares.success_criteria = vec![checked(same.clone())];
    assert_eq!(validate(&plan(vec![compares]), &first()), [Violation::Level { position: 0 }]);
    let far = Plan { task_criteria: vec![checked(same)], ..plan(vec![sound()]) };
    assert_eq!(validate(&far, &first()), [Violation::Reference { position: 1 }]);
    let runs = checked(Check::CommandSucceeds { command: "cargo test".to_owned() });
    let whole = Plan { task_criteria: vec![runs.clone()], ..plan(vec![sound()]) };
    assert_eq!(validate(&whole, &first()), [Violation::TaskCommand]);
    assert_eq!(ended(vec![runs]), []);
}

/// A plan was refused since its request begins with a verb of a list; what a weak model plans is looked at by its own rules.
#[test]
fn lesson_no_plan_is_refused_because_of_a_verb() {
    let asked = conformance::context("Create a file called list.txt");
    assert_eq!(validate(&plan(vec![sound()]), &asked), []);
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

/// A plan that searched a folder was refused, because a tool is called `search`.
#[test]
fn a_blocked_tool_is_no_ordinary_word() {
    let mut cx = conformance::replanning("Count the files in docs", &[], &["Count"]);
    let blocked = ["search", "read_file"].map(ToolName::new);
    cx.previous.as_mut().unwrap().directive.blocked_tools = blocked.to_vec();
    let found = |intent: &str| validate(&plan(vec![subtask(intent, "The output is one number")]), &cx);
    for innocent in [
        "Search the folder docs for images",
        "Count what the search brought",
        "Look through the search results with the file list",
    ] {
        assert_eq!(found(innocent), [], "{innocent}");
    }
    for asking in [
        "Look it up with `search docs`",
        "Use search",
        "Count with the search.",
        "Use the search to count",
        "Take the search tool for it",
        "Count with the tool search",
    ] {
        assert_eq!(found(asking), [Violation::BlockedTool { tool: blocked[0].clone() }], "{asking}");
    }
    assert_eq!(found("read_file docs/a.txt"), [Violation::BlockedTool { tool: blocked[1].clone() }]);
}

/// The last tool is never blocked, but the way it was used is.
#[test]
fn a_blocked_approach_is_not_planned_again() {
    let mut cx = conformance::replanning("Count and list the notes", &[], &["List the notes"]);
    let block = |cx: &mut PlanContext, intent: &str| {
        let approach = BlockedApproach { tool: ToolName::new("glob"), approach: intent.to_owned() };
        cx.previous.as_mut().unwrap().directive.blocked_approaches = vec![approach.clone()];
        [Violation::BlockedApproach { approach }]
    };
    let of = |cx: &PlanContext, subtask: PlannedSubTask| validate(&plan(vec![sound(), subtask]), cx);
    let step = |intent: &str| subtask(intent, "Every line is a path");
    let again = block(&mut cx, "List the notes with the glob tool");
    for same in ["List the notes with the glob tool", "please list notes with glob tool."] {
        assert_eq!(of(&cx, step(same)), again, "{same}");
    }
    for other in ["List the notes in docs with the glob tool", "List the notes with the shell tool"] {
        assert_eq!(of(&cx, step(other)), [], "{other}");
    }
    // A further derivation has other means, and a step that is the request has no other words.
    let derived =
        PlannedSubTask { sequence: 2, independent_of: vec![0], ..step("List the notes with the glob tool") };
    assert_eq!(of(&cx, derived), []);
    cx.spec.intent = "List the notes with the glob tool".to_owned();
    assert_eq!(of(&cx, step("List the notes with the glob tool")), []);
    // Nobody can say before the call that it is the same way: there it is refused.
    cx.spec.intent = "Count and list the notes".to_owned();
    block(&mut cx, "List the notes");
    assert_eq!(of(&cx, step("List the notes")), []);
}
