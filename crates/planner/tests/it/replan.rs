//! Incremental replans.

use artoo_planner::{AnswerKind, PlanContext, Planner, conformance};
use artoo_types::{Check, Criterion, Mode, OutcomeStatus, Plan, SubTaskId};
use serde_json::json;

use crate::given::{ONCE, TWICE, answer, client, draft, planner, question, scripted};

/// A replan after a plan whose subtasks, all derivations of one answer, ended so.
fn derived(outcomes: &[Option<&str>]) -> PlanContext {
    let mut cx = conformance::replanning("How many files are in docs?", &["Count"; 6][..outcomes.len()], &[]);
    let previous = cx.previous.as_mut().unwrap();
    let same = Check::SameAnswer { subtasks: (0..outcomes.len()).collect() };
    previous.plan.task_criteria =
        vec![Criterion { text: "They agree".into(), mode: Mode::Verifiable, check: Some(same) }];
    for (outcome, output) in previous.outcomes.iter_mut().zip(outcomes) {
        outcome.output = json!(output);
        outcome.status = if output.is_some() { OutcomeStatus::Matched } else { OutcomeStatus::Failed };
    }
    cx
}

fn ids(cx: &PlanContext, positions: &[usize]) -> Vec<SubTaskId> {
    positions.iter().map(|position| cx.previous.as_ref().unwrap().subtask_ids[*position]).collect()
}

async fn planned(cx: &PlanContext, answers: Vec<artoo_llm_client::doubles::Answer>) -> Plan {
    let model = scripted(answers);
    let plan = planner(TWICE).plan(cx, &client(&model)).await.unwrap();
    model.assert_finished();
    plan
}

fn agreements(plan: &Plan) -> Vec<Vec<usize>> {
    let members = |criterion: &Criterion| match &criterion.check {
        Some(Check::SameAnswer { subtasks }) => Some(subtasks.clone()),
        _ => None,
    };
    plan.task_criteria.iter().filter_map(members).collect()
}

/// Where all that is missing is another derivation, code plans it: no model is asked.
#[tokio::test]
async fn derivations_that_disagree_get_another_one() {
    let cx = derived(&[Some("3"), Some("4")]);
    let plan = planned(&cx, vec![]).await;
    assert_eq!(plan.kept, ids(&cx, &[0, 1]));
    assert_eq!(plan.subtasks.len(), 1);
    assert_eq!(
        (plan.subtasks[0].intent.as_str(), plan.subtasks[0].independent_of.as_slice()),
        ("Count", &[0, 1][..])
    );
    assert_eq!(agreements(&plan), [vec![0, 1, 2]]);
    assert_eq!(plan.round, 2);
}

#[tokio::test]
async fn a_derivation_that_failed_is_replaced() {
    let cx = derived(&[Some("3"), None]);
    let plan = planned(&cx, vec![]).await;
    assert_eq!(plan.kept, ids(&cx, &[0]));
    assert_eq!(plan.subtasks[0].independent_of, [0]);
    assert_eq!(agreements(&plan), [vec![0, 1]]);
}

#[tokio::test]
async fn an_answer_that_nobody_derived_is_planned_anew() {
    let cx = derived(&[None, None]);
    let plan = planned(&cx, vec![answer(&question("Count in another way"))]).await;
    assert_eq!(plan.kept, []);
    assert_eq!(plan.subtasks.len(), 2);
    assert_eq!(agreements(&plan), [vec![0, 1]]);
}

/// Derivations that agree leave nothing for code to plan: what is unmet is something else, and a model plans it.
#[tokio::test]
async fn where_derivations_agree_a_model_plans_what_else_is_missing() {
    let mut cx = derived(&[Some("3"), Some("3 files")]);
    let judged = Criterion { text: "The answer is polite".into(), mode: Mode::Plausible, check: None };
    cx.previous.as_mut().unwrap().plan.task_criteria.push(judged.clone());
    let plan = planned(&cx, vec![answer(&draft(&[("Say it politely", 1, AnswerKind::Create)]))]).await;
    assert_eq!(plan.kept, ids(&cx, &[0, 1]));
    assert_eq!(plan.subtasks.len(), 1);
    assert_eq!(agreements(&plan), [vec![0, 1]]);
    assert!(plan.task_criteria.contains(&judged), "what was asked of the whole is still asked");
}

/// Lesson N10: matched subtasks were planned and run again. Where the model plans them again, code drops them.
#[tokio::test]
async fn lesson_n10_what_matched_is_kept_and_not_run_again() {
    let cx = conformance::replanning(
        "Count the files and find the largest",
        &["Count the files"],
        &["Find the largest"],
    );
    let again = draft(&[
        ("count the files.", 1, AnswerKind::FindOut),
        ("Look for the largest", 2, AnswerKind::FindOut),
    ]);
    let model = scripted(vec![answer(&again)]);
    let plan = planner(ONCE).plan(&cx, &client(&model)).await.unwrap();
    assert_eq!(plan.kept, ids(&cx, &[0]));
    let intents: Vec<_> =
        plan.subtasks.iter().map(|subtask| (subtask.intent.as_str(), subtask.sequence)).collect();
    assert_eq!(intents, [("Look for the largest", 1)]);
    model.assert_finished();
}

/// A model that plans only what is done is told so, once.
#[tokio::test]
async fn a_replan_without_anything_new_is_refused() {
    let cx = conformance::replanning(
        "Count the files and find the largest",
        &["Count the files"],
        &["Find the largest"],
    );
    let again = || answer(&question("Count the files"));
    let model = scripted(vec![again(), again()]);
    let error = planner(ONCE).plan(&cx, &client(&model)).await.unwrap_err();
    assert!(error.to_string().contains("not done already"), "{error}");
    model.assert_finished();
}

/// Seen with the embedded model: told that its plan makes nothing, it wrote the same plan again.
#[tokio::test]
async fn a_request_that_names_its_file_is_planned_as_a_deed() {
    let again = || answer(&question("Which lines have the level ERROR?"));
    let cx = conformance::context("Copy all lines with ERROR into a new file called errors.txt.");
    let plan = planned(&cx, vec![again(), again()]).await;
    let [only] = plan.subtasks.try_into().unwrap();
    let checks: Vec<_> =
        only.success_criteria.iter().filter_map(|criterion| criterion.check.clone()).collect();
    assert!(checks.contains(&Check::ExitStatus { equals: 0 }), "{checks:?}");
    let is_there =
        |check: &Check| matches!(check, Check::FileExists { path } if path.ends_with("errors.txt"));
    assert!(checks.iter().any(is_there), "{checks:?}");

    let cx = conformance::context("Delete the file docs/old.txt");
    let plan = planned(&cx, vec![again(), again()]).await;
    let [only] = plan.subtasks.try_into().unwrap();
    assert_eq!(only.intent, "Delete the file docs/old.txt");
    let gone = Some(Check::FileAbsent { path: "docs/old.txt".into() });
    assert!(only.success_criteria.iter().any(|criterion| criterion.check == gone), "{only:#?}");

    let cx = conformance::context("Delete the folder old");
    let model = scripted(vec![again(), again()]);
    let error = planner(ONCE).plan(&cx, &client(&model)).await.unwrap_err();
    assert!(error.to_string().contains("no subtask is of kind create or change"), "{error}");
}

/// Seen with the embedded model: what it failed to write it planned anew as a question, and nobody would have looked at the file.
#[tokio::test]
async fn a_deed_stays_a_deed() {
    let request = "Write the names of the pictures into a new file pictures.txt";
    let mut cx = conformance::replanning(request, &["Write the names"], &[]);
    let previous = cx.previous.as_mut().unwrap();
    let written = Criterion {
        text: "The list is written".into(),
        mode: Mode::Verifiable,
        check: Some(Check::FileExists { path: "pictures.txt".into() }),
    };
    previous.outcomes[0].status = OutcomeStatus::Failed;
    previous.outcomes[0].criteria = vec![written.clone()];
    let plan = planned(&cx, vec![answer(&question("Which pictures are there?"))]).await;
    let [only] = plan.subtasks.try_into().unwrap();
    let about =
        |check: &Check| only.success_criteria.iter().any(|criterion| criterion.check.as_ref() == Some(check));
    assert!(about(&Check::ExitStatus { equals: 0 }) && only.success_criteria.contains(&written), "{only:#?}");
}
