//! Conformance suite for [`Planner`]: contract checks that any implementation can be run against.
//!
//! Each check is one law. `model` is passed to the implementation; an implementation that asks a model needs
//! one that answers any question with a usable plan, and with a text when a report is requested.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use artoo_llm_client::{LlmClient, doubles::{Answer, Expect, ScriptedModel}};
//! use artoo_planner::{ModelPlanner, conformance};
//!
//! let plan = serde_json::json!({"subtasks": [{"intent": "Look again", "sequence": 3, "kind": "find_out",
//!     "criteria": [{"check": "output_number", "text": "It is a number"}]}]});
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::json(plan)));
//! assert_eq!(conformance::check_all(&ModelPlanner::default(), &model).await, Ok(()));
//! # });
//! ```

use std::{path::PathBuf, sync::Arc};

use artoo_llm_client::LlmClient;
use artoo_types::{
    ActionState, Criterion, DominantClass, Entity, FailureReportRequest, Loss, MemoryReply, Mode,
    OutcomeStatus, PairMemory, Plan, PlanDirective, PlannedSubTask, PrevDirective, RunId, Space, SubTaskId,
    SubTaskOutcome, Surroundings, TagPair, TaskSpec, ToolName, Workplace,
};
use chrono::DateTime;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    FailureContext, FolderListing, Inventory, PlanContext, Planner, Previous, Shortcuts, ToolBrief, replan,
    validate,
};

/// Checks every law in turn.
///
/// # Errors
/// Describes how the implementation broke the first law that failed; likewise for the functions below.
pub async fn check_all(planner: &dyn Planner, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    plans_what_can_be_run(planner, model).await?;
    keeps_what_matched(planner, model).await?;
    plans_another_way(planner, model).await?;
    tells_a_story(planner, model).await
}

/// A first plan breaks no rule of [`validate()`], keeps nothing and has the number of its round.
///
/// # Errors
/// See [`check_all`].
pub async fn plans_what_can_be_run(planner: &dyn Planner, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    for request in ["How many .txt files are in docs?", "数一数 docs 里的文件", "كم عدد الملفات في docs؟"]
    {
        let plan = planned(planner, model, &context(request)).await?;
        if !plan.kept.is_empty() {
            return Err(format!("the first plan of {request:?} keeps {:?}", plan.kept));
        }
    }
    Ok(())
}

/// A replan keeps the matched subtask and plans something new for the failed one (lesson N10).
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_what_matched(planner: &dyn Planner, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    let cx = replanning(
        "Count the files in docs and say which is the largest",
        &["Count the files"],
        &["Find the largest"],
    );
    let plan = planned(planner, model, &cx).await?;
    let matched =
        cx.previous.iter().flat_map(|previous| previous.subtask_ids.first()).copied().collect::<Vec<_>>();
    if plan.kept != matched {
        return Err(format!("the replan keeps {:?} where {matched:?} matched", plan.kept));
    }
    match plan.subtasks.iter().find(|subtask| subtask.intent == "Count the files") {
        Some(again) => Err(format!("the replan runs again what matched: {:?}", again.intent)),
        None => Ok(()),
    }
}

/// A replan differs from the plan that failed, for any directive. Planning the failed step again word for
/// word breaks it.
///
/// # Errors
/// See [`check_all`].
pub async fn plans_another_way(planner: &dyn Planner, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    for directive in [
        ActionState::BreakSymmetry,
        ActionState::ChangeApproach,
        ActionState::ChangePath,
        ActionState::Refine,
    ] {
        let mut cx = replanning(
            "Count the files in docs and say which is the largest",
            &["Count the files"],
            &["Find the largest"],
        );
        if let Some(previous) = &mut cx.previous {
            previous.directive.directive = directive;
        }
        let plan = planned(planner, model, &cx).await?;
        if let Some(violation) = replan::repeats(&plan.subtasks, &cx) {
            return Err(format!("under {directive:?}: {violation}"));
        }
    }
    Ok(())
}

/// After a failure the report suggests what the person could do, or is empty, which leaves the suggestion to
/// code.
///
/// # Errors
/// See [`check_all`].
pub async fn tells_a_story(planner: &dyn Planner, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    let spec = task("How many .txt files are in docs?");
    let request = FailureReportRequest {
        task_id: spec.task_id.clone(),
        reason: "the budget is spent".to_owned(),
        unmet: Vec::new(),
        partial: Vec::new(),
    };
    let cx = FailureContext { spec, surroundings: context("").surroundings, request };
    match planner.failure_report(&cx, model).await {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("no report of a failure was written: {error}")),
    }
}

/// A task with this intent.
pub fn task(intent: &str) -> TaskSpec {
    TaskSpec::verbatim(intent)
}

/// The inputs of a first plan for this intent, at a fixed place and time, with an empty memory.
pub fn context(intent: &str) -> PlanContext {
    let tool = |name: &str| ToolBrief { name: ToolName::new(name), summary: format!("the tool {name}") };
    PlanContext {
        spec: task(intent),
        notes: Vec::new(),
        resumed: Vec::new(),
        surroundings: Surroundings {
            now: DateTime::UNIX_EPOCH.fixed_offset(),
            zone: "UTC".to_owned(),
            working_folder: PathBuf::from("/home/ada/work"),
            workspace: PathBuf::from("/home/ada/artoo_workspace"),
            home: PathBuf::from("/home/ada"),
            platform: "linux".to_owned(),
        },
        inventory: Inventory {
            tools: ["glob", "read_file", "write_file", "shell"].map(tool).into(),
            programs: vec!["find".to_owned(), "python3".to_owned()],
        },
        listing: FolderListing::default(),
        workplace: Workplace::default(),
        person_present: false,
        turns: Vec::new(),
        shortcuts: Shortcuts::None,
        instructions: Arc::default(),
        memory: MemoryReply {
            recalled: vec![PairMemory::unknown(TagPair::new(Space::intent(intent), Entity::local()))],
            laws: Vec::new(),
        },
        run_id: RunId::OPERATOR,
        round: 1,
        statements: Vec::new(),
        before: Vec::new(),
        previous: None,
    }
}

/// The inputs of a second plan for this intent, after a first plan whose subtasks matched and failed as
/// given, in this order.
pub fn replanning(intent: &str, matched: &[&str], failed: &[&str]) -> PlanContext {
    let first = context(intent);
    let all = matched.iter().map(|step| (step, OutcomeStatus::Matched));
    let all: Vec<_> = all.chain(failed.iter().map(|step| (step, OutcomeStatus::Failed))).collect();
    let outcomes: Vec<_> =
        (1..).zip(&all).map(|(number, (step, status))| outcome(number, step, *status)).collect();
    let previous = Previous {
        notes: 0,
        plan: Plan::new(first.spec.task_id.clone(), 1, outcomes.iter().map(planned_as).collect()),
        subtask_ids: outcomes.iter().map(|outcome| outcome.subtask_id).collect(),
        directive: PlanDirective {
            task_id: first.spec.task_id.clone(),
            round: 1,
            loss: Loss::default(),
            prev_directive: PrevDirective::Init,
            directive: ActionState::ChangeApproach,
            blocked_tools: Vec::new(),
            blocked_targets: Vec::new(),
            blocked_programs: Vec::new(),
            blocked_approaches: Vec::new(),
            failed_criterion: "The output is one number".to_owned(),
            unmet: Vec::new(),
            failure_class: DominantClass::Logical,
            grad_l: 0.0,
            grad_goal: 0.0,
            rationale: "The approach is wrong: use another method.".to_owned(),
        },
        outcomes,
    };
    PlanContext { round: 2, previous: Some(previous), ..first }
}

fn outcome(number: u128, intent: &str, status: OutcomeStatus) -> SubTaskOutcome {
    SubTaskOutcome {
        criteria: vec![Criterion::new("The output is one number", Mode::Plausible)],
        output: Value::from("3"),
        failure_reason: (status != OutcomeStatus::Matched).then(|| "the output has 2 numbers".to_owned()),
        ..SubTaskOutcome::new(SubTaskId::new(Uuid::from_u128(number)), RunId::OPERATOR, intent, status)
    }
}

fn planned_as(outcome: &SubTaskOutcome) -> PlannedSubTask {
    PlannedSubTask::new(outcome.sequence, outcome.intent.clone(), outcome.criteria.clone())
}

async fn planned(
    planner: &dyn Planner,
    model: &Arc<dyn LlmClient>,
    cx: &PlanContext,
) -> Result<Plan, String> {
    let plan = planner
        .plan(cx, model)
        .await
        .map_err(|error| format!("{:?} was not planned: {error}", cx.spec.intent))?;
    let violations = validate(&plan, cx);
    if let Some(violation) = violations.first() {
        return Err(format!("the plan of {:?} breaks a rule: {violation}", cx.spec.intent));
    }
    if plan.round != cx.round || plan.task_id != cx.spec.task_id {
        return Err(format!("the plan of {:?} has the round or the label of another", cx.spec.intent));
    }
    Ok(plan)
}
