//! The fold: which messages become which facts.

use artoo_case_file::{CaseFile, Unmet};
use artoo_types::{
    ApprovalDecided, ApprovalRequested, ApprovalScope, CallId, ClarificationAnswered, ClarificationRequested,
    Criterion, CriterionVerdict, DispatchManifest, Evidence, Finding, Judge, Message, Mode, OutcomeStatus,
    PersonNote, Plan, PlannedSubTask, Role, RunId, SubTaskId, SubTaskOutcome, TaskId, TaskSpec, ToolName,
    UserStatement, VerdictReached,
};
use proptest::prelude::*;
use uuid::Uuid;

fn id(number: u128) -> SubTaskId {
    SubTaskId::new(Uuid::from_u128(number))
}

fn task_id() -> TaskId {
    TaskId::from_text("sort photos")
}

fn plan(round: u32, kept: &[u128], own: usize) -> Message {
    let step = PlannedSubTask::new(1, "Look", vec![Criterion::new("It is said", Mode::Plausible)]);
    Plan { kept: kept.iter().copied().map(id).collect(), ..Plan::new(task_id(), round, vec![step; own]) }
        .into()
}

fn manifest(round: u32, kept: &[u128], own: &[u128]) -> Message {
    DispatchManifest {
        kept: kept.iter().copied().map(id).collect(),
        ..DispatchManifest::new(task_id(), round, own.iter().copied().map(id).collect())
    }
    .into()
}

fn outcome(number: u128, intent: &str) -> Message {
    SubTaskOutcome::new(id(number), RunId::OPERATOR, intent, OutcomeStatus::Matched).into()
}

fn folded(messages: &[(Message, Role)]) -> CaseFile {
    let mut case = CaseFile::default();
    messages.iter().for_each(|(message, from)| case.on(message, *from));
    case
}

fn intents(outcomes: &[SubTaskOutcome]) -> Vec<&str> {
    outcomes.iter().map(|outcome| outcome.intent.as_str()).collect()
}

/// The request judge of a second plan was shown its calls alone, and rejected finished work.
#[test]
fn the_work_of_earlier_plans_stays_on_record() {
    let by = |message| (message, Role::Dispatcher);
    let case = folded(&[
        by(plan(1, &[], 3)),
        by(manifest(1, &[], &[1, 2, 3])),
        by(outcome(2, "second")),
        by(outcome(1, "first")),
        by(outcome(1, "a duplicate")),
        by(outcome(3, "third")),
        by(plan(2, &[1], 1)),
        by(manifest(2, &[1], &[4])),
        by(outcome(4, "fourth")),
    ]);
    let [first, second] = case.plans() else { panic!("two plans") };
    assert_eq!(intents(&case.outcomes_of(first)), ["first", "second", "third"]);
    assert_eq!(intents(&case.outcomes_of(second)), ["first", "fourth"]);
    assert_eq!(intents(&case.outcomes_before(2)), ["second", "third"], "what is kept counts for the plan");
    assert_eq!(intents(&case.outcomes_before(1)), Vec::<&str>::new());
    assert_eq!(case.plans_before(2).count(), 1);
}

/// Who works on the next plan is told what each judge found, once.
#[test]
fn what_a_plan_lacked_is_told_to_the_next() {
    let verdict =
        |criterion: &str, finding| CriterionVerdict::new(criterion, Mode::Plausible, Judge::Model, finding);
    let passed = Finding::Pass { evidence: Evidence::Observation { text: "1".to_owned() } };
    let Message::SubTaskOutcome(of_step) = outcome(1, "first") else { panic!("no outcome") };
    let of_step = SubTaskOutcome {
        criteria_verdicts: vec![
            verdict("it is there", passed),
            verdict("it is whole", Finding::fail("half of it")),
        ],
        ..of_step
    };
    let of_task = VerdictReached {
        subtask_id: None,
        attempt: 0,
        verdict: verdict("all are named", Finding::fail("no log")),
    };
    let case = folded(&[
        (plan(1, &[], 1), Role::Planner),
        (manifest(1, &[], &[1]), Role::Dispatcher),
        (of_step.into(), Role::AgentValidator),
        (of_task.clone().into(), Role::MetaValidator),
        (of_task.into(), Role::MetaValidator),
        (plan(2, &[], 1), Role::Planner),
    ]);
    let unmet = |criterion: &str, reason: &str| Unmet { criterion: criterion.into(), reason: reason.into() };
    assert_eq!(
        case.background(2).fell_short,
        [unmet("it is whole", "half of it"), unmet("all are named", "no log")]
    );
    assert_eq!(case.background(1).fell_short, []);
}

/// A run that resumes another one gets its outcomes before any plan.
#[test]
fn resumed_work_belongs_to_no_plan() {
    let by = |message| (message, Role::Dispatcher);
    let case = folded(&[
        by(outcome(7, "of the run before")),
        by(plan(1, &[7], 1)),
        by(manifest(1, &[7], &[1])),
        by(outcome(1, "own")),
    ]);
    let [only] = case.plans() else { panic!("one plan") };
    assert_eq!(intents(&case.outcomes_of(only)), ["of the run before", "own"]);
    assert_eq!(intents(&only.outcomes), ["own"]);
}

#[test]
fn answers_stand_beside_their_questions() {
    let asked = |round, subtask_id, question: &str| {
        Message::from(ClarificationRequested { round, subtask_id, questions: vec![question.to_owned()] })
    };
    let answered = |round, subtask_id, answer: &str| {
        Message::from(ClarificationAnswered { round, subtask_id, answer: answer.to_owned() })
    };
    let case = folded(&[
        (TaskSpec::verbatim("Rename the report").into(), Role::Perceiver),
        (asked(1, None, "Which folder?"), Role::Perceiver),
        (answered(1, None, " docs "), Role::User),
        (asked(1, Some(id(1)), "Which of them?"), Role::Executor),
        (answered(2, Some(id(1)), "to no question"), Role::User),
        (answered(1, Some(id(1)), "the one of May"), Role::User),
        (PersonNote { text: "as PDF".to_owned() }.into(), Role::User),
    ]);
    let answer = |asked_by, question: &str, answer: &str| UserStatement::Answer {
        asked_by,
        questions: vec![question.to_owned()],
        answer: answer.to_owned(),
    };
    assert_eq!(
        case.statements(),
        [
            answer(Role::Perceiver, "Which folder?", "docs"),
            answer(Role::Executor, "Which of them?", "the one of May"),
            UserStatement::Note("as PDF".to_owned()),
        ]
    );
    assert_eq!(case.rounds_asked(), 1);
    assert_eq!(case.task().unwrap().intent, "Rename the report\nas PDF");
}

#[test]
fn a_consent_says_what_was_asked_and_who_decided() {
    let call_id = CallId::new(Uuid::from_u128(9));
    let request = ApprovalRequested {
        subtask_id: id(1),
        call_id,
        tool: ToolName::new("shell"),
        command: "rm a.txt".to_owned(),
        effects: Vec::new(),
        changes: Vec::new(),
        commit: None,
        moves: None,
        rule: "consent-to-change".to_owned(),
        reason: "it was there before".to_owned(),
        person: true,
        always: None,
        because: Vec::new(),
    };
    let decision = ApprovalDecided {
        call_id,
        granted: false,
        scope: ApprovalScope::Once,
        reason: "the person did not agree".to_owned(),
        instead: Some("move it to old/".to_owned()),
        rule: None,
    };
    let case = folded(&[
        (request.into(), Role::Executor),
        (decision.clone().into(), Role::User),
        (decision.into(), Role::User),
    ]);
    let [UserStatement::Consent(consent)] = case.statements() else { panic!("{:?}", case.statements()) };
    assert_eq!((consent.command.as_str(), consent.granted, consent.asked), ("rm a.txt", false, true));
    assert_eq!(consent.instead.as_deref(), Some("move it to old/"));
}

proptest! {
    /// Any messages in any order are taken.
    #[test]
    fn any_order_is_taken(order in prop::collection::vec(0usize..8, 0..30)) {
        let all = [
            plan(1, &[], 1), plan(2, &[1], 1), manifest(1, &[], &[1]), manifest(2, &[1], &[2]),
            outcome(1, "one"), outcome(2, "two"), outcome(3, "three"),
            ClarificationAnswered { round: 1, subtask_id: None, answer: String::new() }.into(),
        ];
        let mut case = CaseFile::default();
        for at in order {
            case.on(&all[at], Role::User);
        }
        prop_assert!(case.statements().is_empty());
        prop_assert!(case.outcomes_before(9).len() <= 3);
    }
}
