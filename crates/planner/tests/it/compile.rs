//! Tests of compiling a draft into a plan.

use artoo_planner::{Author, CriterionDraft, PlanDraft, SubTaskDraft, compile, conformance};
use artoo_types::{Check, Criterion, Mode, StepKind};
use proptest::prelude::*;

use crate::fixtures::{draft, question};

const REQUEST: &str = "Write the word Apfel into out.txt and ./docs/plan.md, and count the .txt files";

/// The criteria that a drafted criterion becomes, in a subtask of this kind.
fn compiled(criterion: CriterionDraft, kind: StepKind, author: Author) -> Vec<Criterion> {
    let mut draft = draft(&[("Do it", 1, kind)]);
    draft.subtasks[0].criteria = vec![criterion];
    let (mut subtasks, of_the_whole) = compile(&draft, &conformance::task(REQUEST), author, 0);
    let of_the_step = subtasks.remove(0).success_criteria;
    // If nothing else of the step is checked, the check that there is an output is added.
    let told = |criterion: &Criterion| of_the_whole.is_empty() || *criterion != not_empty();
    let of_the_step: Vec<Criterion> = of_the_step.into_iter().filter(told).collect();
    [of_the_step, of_the_whole].concat()
}

fn not_empty() -> Criterion {
    Criterion::checked("The output is not empty", Check::OutputMatches { pattern: r"\S".to_owned() })
}

fn checks(criteria: &[Criterion]) -> Vec<Option<Check>> {
    criteria.iter().map(|criterion| criterion.check.clone()).collect()
}

fn text() -> String {
    "It is so".to_owned()
}

/// Verb tables used to decide what a request deletes and what it leaves alone. The model says it now, and
/// code checks.
#[test]
fn what_goes_and_what_stays_is_said_by_the_model() {
    let request = "Poista docs/vanha.txt, \u{e4}l\u{e4} koske tiedostoon docs/a.txt";
    let mut draft = draft(&[("Poista se", 1, StepKind::Change)]);
    draft.subtasks[0].criteria = vec![
        CriterionDraft::FileAbsent { text: text(), path: "docs/vanha.txt".to_owned() },
        CriterionDraft::FileUnchanged { text: text(), path: "docs/a.txt".to_owned() },
    ];
    let (subtasks, _) = compile(&draft, &conformance::task(request), Author::Capable, 0);
    assert_eq!(
        checks(&subtasks[0].success_criteria),
        [
            Some(Check::FileAbsent { path: "docs/vanha.txt".into() }),
            Some(Check::FileUnchanged { path: "docs/a.txt".into() }),
        ]
    );
    assert_eq!(subtasks[0].kind, StepKind::Change);
    // A question makes nothing, and a file check would turn it into a change.
    draft.subtasks[0].kind = StepKind::FindOut;
    let (subtasks, of_the_whole) = compile(&draft, &conformance::task(request), Author::Capable, 0);
    assert_eq!(
        (&subtasks[0].success_criteria[..], checks(&of_the_whole)),
        (&[not_empty()][..], vec![None, None])
    );
}

#[test]
fn what_the_model_asks_for_becomes_a_check_where_it_may() {
    let contains = |value: &str| CriterionDraft::OutputContains { text: text(), value: value.to_owned() };
    let matches = |value: &str| CriterionDraft::OutputMatches { text: text(), value: value.to_owned() };
    let exists = |path: &str| CriterionDraft::FileExists { text: text(), path: path.to_owned() };
    let holds = |value: &str| CriterionDraft::FileContains {
        text: text(),
        path: "out.txt".into(),
        value: value.into(),
    };
    let number = || CriterionDraft::OutputNumber { text: text() };
    let (ask, make) = (StepKind::FindOut, StepKind::Create);
    let out = || "out.txt".into();
    let written = |path: &str| {
        vec![Some(Check::FileExists { path: path.into() }), Some(Check::FileNewer { path: path.into() })]
    };
    let says = Some(Check::FileContains { path: out(), value: "Apfel".to_owned() });
    let table = [
        (number(), ask, vec![Some(Check::OutputNumber { min: None, max: None })]),
        // The output of a change is a remark: if no check looks at what was made, a reader does.
        (contains("apfel"), make, vec![None]),
        (number(), make, vec![None]),
        (matches(r"\.md$"), make, vec![None]),
        // What the question itself matches says nothing about its answer.
        (matches("(?i)apfel.*"), ask, vec![None]),
        (contains("apfel"), ask, vec![None]),
        // A value that the request does not name is a guess; a reader judges it.
        (contains("42"), ask, vec![None]),
        (contains(" "), ask, vec![None]),
        (matches(r"^\d+$"), ask, vec![Some(Check::OutputMatches { pattern: r"^\d+$".to_owned() })]),
        (matches(".*"), ask, vec![None]),
        (matches("."), ask, vec![None]),
        (matches("[a-z]|[^a-z]"), ask, vec![None]),
        (matches("("), ask, vec![None]),
        // What the request does not say is a guess at the answer.
        (matches("^9$"), ask, vec![None]),
        (CriterionDraft::None { text: text() }, ask, vec![None]),
        // A question makes no file.
        (exists("out.txt"), ask, vec![None]),
        (holds("Apfel"), ask, vec![None]),
        // A file check of a created file is kept, and an older file does not count (lesson 89).
        (exists(" out.txt "), make, written("out.txt")),
        (exists("*.txt"), make, vec![None]),
        // A path is meant as the planner wrote it, whatever the request names.
        (exists("workspace/out.txt"), make, written("workspace/out.txt")),
        (exists("/home/ada/artoo_workspace/out.txt"), make, written("/home/ada/artoo_workspace/out.txt")),
        (exists("$WORKSPACE/out.txt"), make, written("$WORKSPACE/out.txt")),
        (exists("guess/plan.md"), make, written("guess/plan.md")),
        (exists("plan.md"), make, written("plan.md")),
        (holds("Apfel"), StepKind::Change, vec![says]),
        (holds("Birne"), make, vec![None]),
    ];
    for (criterion, kind, expected) in table {
        assert_eq!(checks(&compiled(criterion.clone(), kind, Author::Capable)), expected, "{criterion:?}");
    }
}

/// Findings: one README.md of several was asked for at another place, and a page at a place that is a pattern.
#[test]
fn a_criterion_keeps_the_path_that_the_planner_wrote() {
    for (request, path, is_kept) in [
        ("Add a README.md to each package in crates/", "crates/alpha/README.md", true),
        ("Move the pages of site: every page x.html becomes x/index.html", "site/about/index.html", true),
        ("Move the pages of site: every page x.html becomes x/index.html", "about/index.html", true),
        ("Start a changelog for this project", "CHANGELOG.md", true),
        ("Write the totals into `out/totals.csv`", "totals.csv", true),
        ("Rename the photos to YYYY-MM-DD_n.jpg", "YYYY-MM-DD_n.jpg", false),
        ("Make a page <name>.md for each member", "team/<name>.md", false),
        ("Turn all *.txt into *.md", "*.md", false),
    ] {
        let exists = CriterionDraft::FileExists { text: text(), path: path.to_owned() };
        let draft = SubTaskDraft {
            intent: "Do it".to_owned(),
            sequence: 1,
            kind: StepKind::Create,
            criteria: vec![exists],
        };
        let draft = PlanDraft::of(vec![draft]);
        let (subtasks, _) = compile(&draft, &conformance::task(request), Author::Capable, 1);
        let kept =
            checks(&subtasks[0].success_criteria).contains(&Some(Check::FileExists { path: path.into() }));
        assert_eq!(kept, is_kept, "{request}");
    }
}

/// Observed with the embedded model: the words that a file should contain were searched in a remark about it.
#[test]
fn what_a_deed_should_say_its_file_should_hold() {
    let criteria = vec![
        CriterionDraft::OutputContains { text: text(), value: "Apfel".to_owned() },
        CriterionDraft::FileExists { text: text(), path: "out.txt".to_owned() },
    ];
    let draft = SubTaskDraft { intent: "Write it".into(), sequence: 1, kind: StepKind::Create, criteria };
    let (subtasks, _) = compile(&PlanDraft::of(vec![draft]), &conformance::task(REQUEST), Author::Guided, 0);
    let holds = Check::FileContains { path: "out.txt".into(), value: "Apfel".to_owned() };
    assert!(subtasks[0].success_criteria.iter().any(|criterion| criterion.check == Some(holds.clone())));
}

/// Observed with the embedded model: a file was made in one step, and written in another at the same time; the files that have a word were
/// found in one step, and listed in another that did not name the folder any more.
#[test]
fn lesson_a_weak_models_plan_is_one_step_in_the_words_of_the_request() {
    use StepKind::{Change, Create, FindOut};
    let two = PlanDraft {
        english: Some("Make out.txt with Apfel in it".to_owned()),
        ..draft(&[("Look", 1, FindOut), ("Make out.txt", 1, Create), ("Write it", 2, Change)])
    };
    let steps = |draft: &PlanDraft, kept| {
        let (subtasks, _) = compile(draft, &conformance::task(REQUEST), Author::Guided, kept);
        subtasks.into_iter().map(|step| (step.intent, step.context, step.kind)).collect::<Vec<_>>()
    };
    let english = "Make out.txt with Apfel in it".to_owned();
    assert_eq!(steps(&two, 0), [(REQUEST.to_owned(), format!("As planned: {english}"), Create)]);
    let without = PlanDraft { english: None, ..two.clone() };
    assert_eq!(steps(&without, 0)[0].1, "As planned: Look; Make out.txt; Write it");
    // Beside what is kept, it is a part.
    assert_eq!(
        steps(&two, 1),
        [(
            english.clone(),
            format!("Request, of which the step is a part: {REQUEST}\nIn English: {english}"),
            Create
        )]
    );
    assert_eq!(steps(&draft(&[("a", 1, FindOut), ("b", 2, FindOut)]), 0).len(), 1);
}

#[test]
fn what_a_weak_model_would_have_judged_is_left_to_the_judge_of_the_whole() {
    let none = || CriterionDraft::None { text: text() };
    let judged = [Criterion::new(text(), Mode::Plausible)];
    assert_eq!(compiled(none(), StepKind::FindOut, Author::Capable), judged);
    assert_eq!(compiled(none(), StepKind::FindOut, Author::Guided), [not_empty()]);
    assert_eq!(compiled(none(), StepKind::Create, Author::Capable), judged);
    assert_eq!(compiled(none(), StepKind::Create, Author::Guided), [not_empty()]);
}

/// A short plan has no words of its own: its step is the request, and nothing is said twice.
#[test]
fn a_step_without_words_is_the_request() {
    let mut drafted = draft(&[("", 1, StepKind::Create)]);
    drafted.subtasks[0].criteria.clear();
    let compiled = |draft: &PlanDraft, kept| {
        let (subtasks, _) = compile(draft, &conformance::task(REQUEST), Author::Capable, kept);
        subtasks.into_iter().map(|step| (step.intent, step.context)).collect::<Vec<_>>()
    };
    assert_eq!(compiled(&drafted, 0), [(REQUEST.to_owned(), String::new())]);
    // Beside what is kept, it is a part of the request, and has to say which.
    assert_eq!(compiled(&drafted, 1)[0].0, "");
}

/// A criterion that repeats the step or the request cost a repair, although the whole is judged by the request anyway.
#[test]
fn a_readers_criterion_that_says_nothing_is_left_out() {
    for text in ["do it!", REQUEST, " ", ""] {
        let criterion = CriterionDraft::None { text: text.to_owned() };
        assert_eq!(compiled(criterion, StepKind::Create, Author::Capable), [not_empty()], "{text:?}");
    }
}

/// The whole is judged right after the last step, so that its reader is not asked twice.
#[test]
fn what_a_reader_judges_of_the_last_step_is_judged_with_the_whole() {
    let read = |text: &str| CriterionDraft::None { text: text.to_owned() };
    let lifted = |steps: &[(&str, u32, StepKind)]| {
        let mut drafted = draft(steps);
        for step in &mut drafted.subtasks {
            step.criteria = vec![read(&format!("{} fits on a page", step.intent))];
        }
        let (subtasks, of_the_task) = compile(&drafted, &conformance::task(REQUEST), Author::Capable, 0);
        let own: Vec<usize> = subtasks.iter().map(|step| step.success_criteria.len()).collect();
        let readers = subtasks
            .iter()
            .map(|step| step.success_criteria.iter().any(|one| one.check.is_none()))
            .collect::<Vec<_>>();
        assert_eq!(own, vec![1; steps.len()], "each step has one criterion, if only that it says something");
        (readers, of_the_task.into_iter().map(|one| (one.text, one.of_last_step)).collect::<Vec<_>>())
    };
    use StepKind::FindOut;
    let both = lifted(&[("The list", 1, FindOut), ("The report", 2, FindOut)]);
    assert_eq!(both, (vec![true, false], vec![("The report fits on a page".to_owned(), true)]));
    let side_by_side = lifted(&[("The list", 1, FindOut), ("The report", 1, FindOut)]);
    assert_eq!(side_by_side, (vec![true, true], Vec::new()));
}

/// Lesson N2: sequence 0 hung the task.
#[test]
fn lesson_n2_groups_are_numbered_from_1() {
    use StepKind::{Create, FindOut};
    let drafted = draft(&[("c", 900, FindOut), ("a", 0, FindOut), ("b", 7, Create), ("d", 0, FindOut)]);
    let spec = conformance::task(REQUEST);
    let (subtasks, criteria) = compile(&drafted, &spec, Author::Capable, 0);
    let groups: Vec<(String, u32)> =
        subtasks.iter().map(|subtask| (subtask.intent.clone(), subtask.sequence)).collect();
    let named = |list: &[(&str, u32)]| {
        list.iter().map(|(name, group)| ((*name).to_owned(), *group)).collect::<Vec<_>>()
    };
    assert_eq!(groups, named(&[("c", 3), ("a", 1), ("b", 2), ("d", 1)]));
    // A part quotes the request it belongs to; the judge of the whole checks that the parts are complete.
    assert!(subtasks.iter().all(|subtask| subtask.context.contains(REQUEST)));
    assert_eq!(criteria, []);
}

/// Restating can only lose something: a plan of one subtask uses the request itself as its intent, unless
/// that is very long.
#[test]
fn a_single_subtask_is_the_request_word_for_word() {
    let intents = |words: &str, request: &str, kept| {
        let spec = conformance::task(request);
        let (subtasks, criteria) = compile(&question(words), &spec, Author::Guided, kept);
        let [subtask] = subtasks.try_into().unwrap();
        (subtask.intent, subtask.context, criteria.len())
    };
    // The planner's own words are added on one line: the new method of a replan reaches the executor.
    let way = "As planned: Count with a listing".to_owned();
    assert_eq!(intents("Count with\na listing", REQUEST, 0), (REQUEST.to_owned(), way, 0));
    assert_eq!(intents(REQUEST, REQUEST, 0), (REQUEST.to_owned(), String::new(), 0));
    assert_eq!(intents("Count", &"很".repeat(1001), 0).0, "Count");
    // Beside kept subtasks it is a part of the request, not the request.
    let (intent, context, criteria) = intents("Count", REQUEST, 1);
    assert_eq!((intent.as_str(), criteria), ("Count", 0));
    assert!(context.contains(REQUEST), "{context}");
}

fn any_criterion() -> impl Strategy<Value = CriterionDraft> {
    (0u8..8, ".{1,20}", ".{1,20}").prop_map(|(kind, text, value)| match kind {
        0 => CriterionDraft::OutputNumber { text },
        1 => CriterionDraft::OutputContains { text, value },
        2 => CriterionDraft::OutputMatches { text, value },
        3 => CriterionDraft::FileExists { text, path: value },
        4 => CriterionDraft::FileContains { text, path: value.clone(), value },
        5 => CriterionDraft::FileAbsent { text, path: value },
        6 => CriterionDraft::FileUnchanged { text, path: value },
        _ => CriterionDraft::None { text },
    })
}

fn any_draft() -> impl Strategy<Value = PlanDraft> {
    let kinds = prop::sample::select(vec![StepKind::FindOut, StepKind::Create, StepKind::Change]);
    let subtask = (".{1,30}", any::<u32>(), kinds, prop::collection::vec(any_criterion(), 0..4));
    let step = |(intent, sequence, kind, criteria)| SubTaskDraft { intent, sequence, kind, criteria };
    prop::collection::vec(subtask, 0..7)
        .prop_map(move |subtasks| PlanDraft::of(subtasks.into_iter().map(step).collect()))
}

proptest! {
    /// For any draft: groups begin at 1, every subtask has a criterion, and every check can be evaluated.
    #[test]
    fn any_draft_compiles_to_a_sound_plan(draft in any_draft(), guided in any::<bool>(), kept in 0usize..3) {
        let author = if guided { Author::Guided } else { Author::Capable };
        let (subtasks, criteria) = compile(&draft, &conformance::task(REQUEST), author, kept);
        for subtask in &subtasks {
            prop_assert!(subtask.sequence >= 1);
            prop_assert!(!subtask.success_criteria.is_empty());
            for check in subtask.success_criteria.iter().filter_map(|criterion| criterion.check.as_ref()) {
                prop_assert_eq!(artoo_checks::lint(check), Ok(()));
            }
        }
        // A weak model's steps may become one.
        match author {
            Author::Capable => prop_assert_eq!(subtasks.len(), draft.subtasks.len()),
            Author::Guided => {
                prop_assert!(subtasks.len() <= draft.subtasks.len());
                prop_assert_eq!(subtasks.is_empty(), draft.subtasks.is_empty());
            }
        }
        prop_assert!(criteria.iter().all(|criterion| criterion.check.is_none()));
    }
}
