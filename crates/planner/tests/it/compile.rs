//! From a draft to a plan.

use artoo_checks::{Subject, World, evaluate};
use artoo_planner::{AnswerKind, CriterionDraft, PlanDraft, SubTaskDraft, compile, conformance, validate};
use artoo_types::{Check, Criterion, Finding, Mode, Plan};
use proptest::prelude::*;

use crate::given::{ONCE, TWICE, draft, question};

const REQUEST: &str = "Write the word Apfel into out.txt and ./docs/plan.md, and count the .txt files";

/// The criteria that a drafted one becomes, in a subtask of this kind.
fn compiled(criterion: CriterionDraft, kind: AnswerKind, twice: bool) -> Vec<Criterion> {
    let mut draft = draft(&[("Do it", 1, kind)]);
    draft.subtasks[0].criteria = vec![criterion];
    let options = if twice { TWICE } else { ONCE };
    compile(&draft, &conformance::task(REQUEST), options, 0).0.remove(0).success_criteria
}

fn checks(criteria: &[Criterion]) -> Vec<Option<Check>> {
    criteria.iter().map(|criterion| criterion.check.clone()).collect()
}

fn text() -> String {
    "It is so".to_owned()
}

/// Seen with the embedded model: "The file is deleted", with a check that it exists.
#[test]
fn what_is_deleted_must_be_gone_and_need_not_be_there() {
    let mut draft = draft(&[("Delete docs/old.txt", 1, AnswerKind::Create)]);
    let exists = |path: &str| CriterionDraft::FileExists { text: text(), path: path.to_owned() };
    draft.subtasks[0].criteria = vec![exists("old.txt"), exists("docs/log.txt")];
    let task = conformance::task("Delete docs/old.txt and note that in docs/log.txt");
    let (subtasks, _) = compile(&draft, &task, ONCE, 0);
    // One step is the whole request, which names more than the files to delete.
    assert_eq!(subtasks[0].intent, task.intent);
    assert_eq!(
        checks(&subtasks[0].success_criteria),
        [
            Some(Check::ExitStatus { equals: 0 }),
            Some(Check::FileAbsent { path: "docs/old.txt".into() }),
            Some(Check::FileExists { path: "docs/log.txt".into() }),
            Some(Check::FileNewer { path: "docs/log.txt".into() }),
            None,
        ]
    );
}

/// Seen with the embedded model: two commands printed the heading of the file, agreed, and that was the summary.
#[test]
fn a_text_is_judged_and_not_derived_twice() {
    let task = conformance::task("Tell me in one or two sentences what docs/a.txt says about plums.");
    let mut draft = draft(&[("Read docs/a.txt", 1, AnswerKind::FindOut)]);
    draft.subtasks[0].criteria = vec![CriterionDraft::OutputMatches { text: text(), value: ".".to_owned() }];
    let (subtasks, of_the_whole) = compile(&draft, &task, TWICE, 0);
    assert_eq!((subtasks.len(), of_the_whole), (1, vec![]));
    let sentence = Check::OutputMatches { pattern: r"(\S+\s+){3}\S".to_owned() };
    let [None, Some(least), Some(most)] = &checks(&subtasks[0].success_criteria)[..] else {
        panic!("{subtasks:?}")
    };
    assert_eq!(*least, sentence);
    // Seen with the embedded model: all of the file, for two sentences about it.
    let met = |answer: &str| {
        let world = World::new("/", "/", Default::default());
        let subject = Subject { output: answer, tool_calls: &[], answers: &[] };
        matches!(evaluate(most, &subject, &world), Finding::Pass { .. })
    };
    assert!(met("Plums are ripe in May. They cost 3.5 a pound.") && !met("Plums are ripe. They rot. Hurry!"));
    // Nothing that a reader would judge is drafted: then code asks one.
    draft.subtasks[0].criteria = vec![CriterionDraft::OutputNumber { text: text() }];
    let criteria = compile(&draft, &task, TWICE, 0).0.remove(0).success_criteria;
    assert!(criteria.iter().any(|criterion| criterion.check.is_none()), "{criteria:?}");
}

/// Seen with the embedded model: no request that limits its sentences could be planned, because short texts all kept the limit, and the
/// plan was refused for a check that every output meets.
#[test]
fn a_plan_with_a_limit_of_sentences_is_usable() {
    for limit in ["one sentence", "one or two sentences", "at most five sentences", "10 sentences"] {
        let request = format!("Tell me in {limit} what docs/a.txt says about plums.");
        let task = conformance::task(&request);
        let draft = draft(&[("Read docs/a.txt", 1, AnswerKind::FindOut)]);
        let (subtasks, task_criteria) = compile(&draft, &task, TWICE, 0);
        assert!(checks(&subtasks[0].success_criteria).iter().flatten().count() >= 2, "{subtasks:?}");
        let plan = Plan {
            memory: artoo_types::PlanMemory::default(),
            task_id: task.task_id,
            round: 1,
            task_criteria,
            subtasks,
            kept: Vec::new(),
        };
        assert_eq!(validate(&plan, &conformance::context(&request)), [], "{request}");
    }
}

/// A step that makes something could not be told from one that spoilt its source as well.
#[test]
fn what_the_request_leaves_as_it_is_must_be_as_it_was() {
    let task = conformance::task("Sort docs/a.txt into docs/b.txt without changing docs/a.txt");
    let exists = |path: &str| CriterionDraft::FileExists { text: text(), path: path.to_owned() };
    let compiled = |kind: AnswerKind| {
        let mut draft = draft(&[("Sort it", 1, kind)]);
        draft.subtasks[0].criteria = vec![exists("a.txt"), exists("docs/b.txt")];
        checks(&compile(&draft, &task, ONCE, 0).0.remove(0).success_criteria)
    };
    assert_eq!(
        compiled(AnswerKind::Create),
        [
            Some(Check::ExitStatus { equals: 0 }),
            Some(Check::FileUnchanged { path: "docs/a.txt".into() }),
            // That docs/a.txt was written in this run, which the model asked for, is no longer asked.
            Some(Check::FileExists { path: "docs/b.txt".into() }),
            Some(Check::FileNewer { path: "docs/b.txt".into() }),
            None,
        ]
    );
    // A question makes nothing, and a check of a file would make a deed of it.
    assert_eq!(compiled(AnswerKind::FindOut), [None, None]);
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
    let (ask, make) = (AnswerKind::FindOut, AnswerKind::Create);
    let zero = || Some(Check::ExitStatus { equals: 0 });
    let out = || "out.txt".into();
    let there = || {
        vec![zero(), Some(Check::FileExists { path: out() }), Some(Check::FileNewer { path: out() }), None]
    };
    let says = Some(Check::FileContains { path: out(), value: "Apfel".to_owned() });
    let table = [
        (number(), ask, vec![Some(Check::OutputNumber { min: None, max: None })]),
        // What is said of a deed is a remark: where nothing looks at what was made, a reader does.
        (contains("apfel"), make, vec![zero(), None]),
        (number(), make, vec![zero(), None]),
        (matches(r"\.md$"), make, vec![zero(), None]),
        // What the question itself meets says nothing about its answer.
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
        (CriterionDraft::None { text: text() }, ask, vec![None]),
        // A question makes no file.
        (exists("out.txt"), ask, vec![None]),
        (holds("Apfel"), ask, vec![None]),
        // Making something succeeds, and what was there before does not count (lesson 89).
        (exists(" out.txt "), make, there()),
        (exists("*.txt"), make, vec![zero(), None]),
        // The request names the file and not the folder: that is a guess.
        (exists("workspace/out.txt"), make, there()),
        (exists("/home/ada/artoo_workspace/out.txt"), make, there()),
        (
            exists("guess/plan.md"),
            make,
            vec![
                zero(),
                Some(Check::FileExists { path: "./docs/plan.md".into() }),
                Some(Check::FileNewer { path: "./docs/plan.md".into() }),
                None,
            ],
        ),
        (
            exists("plan.md"),
            make,
            vec![
                zero(),
                Some(Check::FileExists { path: "./docs/plan.md".into() }),
                Some(Check::FileNewer { path: "./docs/plan.md".into() }),
                None,
            ],
        ),
        (holds("Apfel"), AnswerKind::Change, vec![zero(), says]),
        (holds("Birne"), make, vec![zero(), None]),
    ];
    for (criterion, kind, expected) in table {
        assert_eq!(checks(&compiled(criterion.clone(), kind, false)), expected, "{criterion:?}");
    }
}

/// Seen with the embedded model: the words that a file should hold were looked for in a remark about it.
#[test]
fn what_a_deed_should_say_its_file_should_hold() {
    let criteria = vec![
        CriterionDraft::OutputContains { text: text(), value: "Apfel".to_owned() },
        CriterionDraft::FileExists { text: text(), path: "out.txt".to_owned() },
    ];
    let draft = SubTaskDraft { intent: "Write it".into(), sequence: 1, kind: AnswerKind::Create, criteria };
    let (subtasks, _) = compile(&PlanDraft::of(vec![draft]), &conformance::task(REQUEST), ONCE, 0);
    let holds = Check::FileContains { path: "out.txt".into(), value: "Apfel".to_owned() };
    assert!(subtasks[0].success_criteria.iter().any(|criterion| criterion.check == Some(holds.clone())));
}

#[test]
fn criteria_without_a_check_are_judged_unless_two_derivations_agree() {
    let judged = compiled(CriterionDraft::None { text: text() }, AnswerKind::FindOut, false);
    assert_eq!(judged, [Criterion { text: text(), mode: Mode::Plausible, check: None }]);
    let agreed = compiled(CriterionDraft::None { text: text() }, AnswerKind::FindOut, true);
    assert_eq!(checks(&agreed), [Some(Check::OutputMatches { pattern: r"\S".to_owned() })]);
    // What is made is not derived twice, so its criteria stay.
    let made = compiled(CriterionDraft::None { text: text() }, AnswerKind::Create, true);
    assert_eq!(checks(&made), [Some(Check::ExitStatus { equals: 0 }), None]);
}

/// Lesson N2: sequence 0 hung the task.
#[test]
fn lesson_n2_groups_are_numbered_from_1() {
    use AnswerKind::{Create, FindOut};
    let drafted = draft(&[("c", 900, FindOut), ("a", 0, FindOut), ("b", 7, Create), ("d", 0, FindOut)]);
    let spec = conformance::task(REQUEST);
    let groups = |options| -> Vec<(String, u32)> {
        let (subtasks, _) = compile(&drafted, &spec, options, 0);
        subtasks.into_iter().map(|subtask| (subtask.intent, subtask.sequence)).collect()
    };
    let named = |list: &[(&str, u32)]| {
        list.iter().map(|(name, group)| ((*name).to_owned(), *group)).collect::<Vec<_>>()
    };
    assert_eq!(groups(ONCE), named(&[("c", 3), ("a", 1), ("b", 2), ("d", 1)]));
    // A part is told what it is a part of, and the parts are judged together.
    let (subtasks, criteria) = compile(&drafted, &spec, ONCE, 0);
    assert!(subtasks.iter().all(|subtask| subtask.context.contains(REQUEST)));
    assert_eq!(checks(&criteria), [None]);
    // Every group leaves room for the second derivations of its questions.
    let twice = named(&[("c", 5), ("a", 1), ("b", 3), ("d", 1), ("c", 6), ("a", 2), ("d", 2)]);
    assert_eq!(groups(TWICE), twice);
}

/// Restating can only lose something: a plan of one subtask asks for the request itself, unless that is very long.
#[test]
fn a_single_subtask_is_the_request_word_for_word() {
    let intents = |request: &str, kept| {
        let (subtasks, criteria) = compile(&question("Count"), &conformance::task(request), ONCE, kept);
        let [subtask] = subtasks.try_into().unwrap();
        (subtask.intent, subtask.context.is_empty(), criteria.len())
    };
    assert_eq!(intents(REQUEST, 0), (REQUEST.to_owned(), true, 0));
    assert_eq!(intents(&"很".repeat(1001), 0).0, "Count");
    // Beside what is kept it is a part of the request, not the request.
    assert_eq!(intents(REQUEST, 1), ("Count".to_owned(), false, 1));
}

#[test]
fn a_second_derivation_refers_to_the_first_behind_what_is_kept() {
    let (subtasks, criteria) = compile(&question("Count"), &conformance::task("How many?"), TWICE, 2);
    assert_eq!(subtasks.len(), 2);
    assert_eq!(
        (subtasks[0].independent_of.as_slice(), subtasks[1].independent_of.as_slice()),
        (&[][..], &[2][..])
    );
    assert_eq!(subtasks[0].success_criteria, subtasks[1].success_criteria);
    assert_eq!(checks(&criteria), [None, Some(Check::SameAnswer { subtasks: vec![2, 3] })]);
}

fn any_criterion() -> impl Strategy<Value = CriterionDraft> {
    (0u8..6, ".{1,20}", ".{1,20}").prop_map(|(kind, text, value)| match kind {
        0 => CriterionDraft::OutputNumber { text },
        1 => CriterionDraft::OutputContains { text, value },
        2 => CriterionDraft::OutputMatches { text, value },
        3 => CriterionDraft::FileExists { text, path: value },
        4 => CriterionDraft::FileContains { text, path: value.clone(), value },
        _ => CriterionDraft::None { text },
    })
}

fn any_draft() -> impl Strategy<Value = PlanDraft> {
    let kinds = prop::sample::select(vec![AnswerKind::FindOut, AnswerKind::Create, AnswerKind::Change]);
    let subtask = (".{1,30}", any::<u32>(), kinds, prop::collection::vec(any_criterion(), 0..4));
    prop::collection::vec(subtask, 0..7).prop_map(|subtasks| PlanDraft {
        give_up: None,
        subtasks: subtasks
            .into_iter()
            .map(|(intent, sequence, kind, criteria)| artoo_planner::SubTaskDraft {
                intent,
                sequence,
                kind,
                criteria,
            })
            .collect(),
    })
}

proptest! {
    /// Whatever is drafted: groups begin at 1 without gaps in meaning, every subtask has a criterion, every check can be evaluated,
    /// and what refers to others refers to earlier groups.
    #[test]
    fn any_draft_compiles_to_a_sound_plan(draft in any_draft(), twice in any::<bool>(), kept in 0usize..3) {
        let options = if twice { TWICE } else { ONCE };
        let (subtasks, criteria) = compile(&draft, &conformance::task(REQUEST), options, kept);
        for (position, subtask) in subtasks.iter().enumerate() {
            prop_assert!(subtask.sequence >= 1);
            prop_assert!(!subtask.success_criteria.is_empty());
            for check in subtask.success_criteria.iter().filter_map(|criterion| criterion.check.as_ref()) {
                prop_assert_eq!(artoo_checks::lint(check), Ok(()));
            }
            for other in &subtask.independent_of {
                prop_assert!(*other >= kept && *other < kept + position);
                prop_assert!(subtasks[*other - kept].sequence < subtask.sequence);
            }
        }
        let questions = draft.subtasks.iter().filter(|subtask| subtask.kind == AnswerKind::FindOut).count();
        prop_assert_eq!(subtasks.len(), draft.subtasks.len() + if twice { questions } else { 0 });
        let agreements = criteria.iter().filter(|criterion| criterion.check.is_some()).count();
        prop_assert_eq!(agreements, if twice { questions } else { 0 });
    }
}
