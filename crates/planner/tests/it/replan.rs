//! Tests of incremental replans.

use artoo_planner::{CriterionDraft, PlanContext, Planner, conformance};
use artoo_types::{Check, Criterion, Mode, OutcomeStatus, Plan, StepKind, SubTaskId, UnmetCriterion};

use crate::fixtures::{answer, capable, changing, client, draft, planner, question, scripted};

fn ids(cx: &PlanContext, positions: &[usize]) -> Vec<SubTaskId> {
    positions.iter().map(|position| cx.previous.as_ref().unwrap().subtask_ids[*position]).collect()
}

async fn planned(cx: &PlanContext, answers: Vec<artoo_llm_client::doubles::Answer>) -> Plan {
    let model = scripted(answers);
    let plan = planner().plan(cx, &client(&model)).await.unwrap();
    model.assert_finished();
    plan
}

#[tokio::test]
async fn criteria_of_the_whole_are_carried_over() {
    let mut cx = conformance::replanning("Count and report", &["Count"], &["Report"]);
    let judged = Criterion::new("The answer is polite", Mode::Plausible);
    cx.previous.as_mut().unwrap().plan.task_criteria = vec![judged.clone()];
    let plan = planned(&cx, vec![answer(&question("Say it politely"))]).await;
    assert_eq!(plan.kept, ids(&cx, &[0]));
    assert!(plan.task_criteria.contains(&judged), "{plan:#?}");
}

/// What was to be true of the last step ends with that step.
#[tokio::test]
async fn a_criterion_of_a_last_step_that_failed_is_not_carried_over() {
    let of_last = || Criterion {
        of_last_step: true,
        ..Criterion::new("The report names the largest file", Mode::Plausible)
    };
    for (matched, failed, is_kept) in
        [(&["Count"][..], &["Report"][..], false), (&["Count", "Report"], &[], true)]
    {
        let mut cx = conformance::replanning("Count and report", matched, failed);
        cx.previous.as_mut().unwrap().plan.task_criteria = vec![of_last()];
        let plan = planned(&cx, vec![answer(&question("Say it in a table"))]).await;
        assert_eq!(plan.task_criteria.contains(&of_last()), is_kept, "{plan:#?}");
    }
}

/// A criterion with a wrong path failed every later plan, since it was carried over whatever the new plan said.
#[tokio::test]
async fn a_plan_that_keeps_nothing_and_has_criteria_replaces_the_earlier_ones() {
    let mut cx = conformance::replanning("Start a changelog", &[], &["Start it"]);
    let wrong = Criterion::new("The changelog is in docs", Mode::Plausible);
    cx.previous.as_mut().unwrap().plan.task_criteria = vec![wrong.clone()];
    let planned = async |criteria: Vec<CriterionDraft>| {
        let mut draft = draft(&[("Write it at the top", 1, StepKind::Create)]);
        draft.subtasks[0].criteria = criteria;
        let model = capable(vec![answer(&draft)]);
        planner().plan(&cx, &client(&model)).await.unwrap().task_criteria
    };
    let right = || CriterionDraft::None { text: "It has a section for the next version".to_owned() };
    assert_eq!(
        planned(vec![right()]).await,
        [Criterion::new("It has a section for the next version", Mode::Plausible)]
    );
    assert_eq!(planned(Vec::new()).await, [wrong], "a plan that says nothing replaces nothing");
}

/// The only step matched, and the judge of the whole rejected its answer: if kept, it would be half of the
/// next answer.
#[tokio::test]
async fn lesson_an_answer_that_was_not_accepted_is_not_kept() {
    let mut cx = conformance::replanning("How many files are in docs?", &["Count"], &[]);
    let whole = UnmetCriterion {
        criterion: "The request is met".to_owned(),
        mode: Mode::Plausible,
        subtask_id: None,
        reason: "folders were counted, too".to_owned(),
    };
    let previous = cx.previous.as_mut().unwrap();
    previous.directive.unmet = vec![whole];
    let first = conformance::context("How many files are in docs?");
    previous.plan.subtasks = planned(&first, vec![answer(&question("Count"))]).await.subtasks;
    let model = scripted(vec![answer(&question("Count")), answer(&question("Count what is no folder"))]);
    let plan = planner().plan(&cx, &client(&model)).await.unwrap();
    model.assert_finished();
    assert_eq!((plan.kept.len(), plan.subtasks.len()), (0, 1));
    assert_eq!(plan.subtasks[0].intent, cx.spec.intent);
    assert_eq!(plan.subtasks[0].context, "As planned: Count what is no folder");
    let prompts = model.requests();
    assert!(
        changing(&prompts[0].messages).contains("Fell short: Count\n"),
        "the answer is shown as what fell short"
    );
    assert!(
        changing(&prompts[1].messages).contains("this is the plan that failed"),
        "a small model is told, too"
    );
}

/// Lesson N10: matched subtasks were planned and run again. If the model plans them again, code drops them.
#[tokio::test]
async fn lesson_n10_what_matched_is_kept_and_not_run_again() {
    let cx = conformance::replanning(
        "Count the files and find the largest",
        &["Count the files"],
        &["Find the largest"],
    );
    let again =
        draft(&[("count the files.", 1, StepKind::FindOut), ("Look for the largest", 2, StepKind::FindOut)]);
    let model = scripted(vec![answer(&again)]);
    let plan = planner().plan(&cx, &client(&model)).await.unwrap();
    assert_eq!(plan.kept, ids(&cx, &[0]));
    let intents: Vec<_> =
        plan.subtasks.iter().map(|subtask| (subtask.intent.as_str(), subtask.sequence)).collect();
    assert_eq!(intents, [("Look for the largest", 1)]);
    model.assert_finished();
}

/// A model that plans only finished steps is told so, once.
#[tokio::test]
async fn a_replan_without_anything_new_is_refused() {
    let cx = conformance::replanning(
        "Count the files and find the largest",
        &["Count the files"],
        &["Find the largest"],
    );
    let again = || answer(&question("Count the files"));
    let model = scripted(vec![again(), again()]);
    let error = planner().plan(&cx, &client(&model)).await.unwrap_err();
    assert!(matches!(error, artoo_planner::PlanError::NothingMissing), "{error}");
    model.assert_finished();
}

/// Observed with the embedded model: after failing to write a file it planned a question instead, and the
/// file would not have been checked.
#[tokio::test]
async fn a_deed_stays_a_deed() {
    let request = "Write the names of the pictures into a new file pictures.txt";
    let mut cx = conformance::replanning(request, &["Write the names"], &[]);
    let previous = cx.previous.as_mut().unwrap();
    let written =
        Criterion::checked("The list is written", Check::FileExists { path: "pictures.txt".into() });
    previous.outcomes[0].status = OutcomeStatus::Failed;
    previous.outcomes[0].criteria = vec![written.clone()];
    previous.outcomes[0].kind = StepKind::Create;
    let plan = planned(&cx, vec![answer(&question("Which pictures are there?"))]).await;
    let [only] = plan.subtasks.try_into().unwrap();
    assert_eq!(only.kind, StepKind::Create);
    assert!(only.success_criteria.contains(&written), "{only:#?}");
}
