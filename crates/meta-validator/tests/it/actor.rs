//! Tests of the actor on a real bus.

use std::{path::Path, sync::Arc, time::Duration};

use artoo_llm_client::{
    LlmClient, LlmError, ModelProfile,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_meta_validator::conformance::TakesTheWhole;
use artoo_meta_validator::{JudgeError, Settings, TaskContext, TaskJudge, WHOLE, run};
use artoo_types::{
    CallId, Check, Confidence, Criterion, Evidence, FailureClass, FaultKind, Finding, Judge, Message,
    MessageKind, OutcomeSummary, ReplanRequest, Role, Samples, SubTaskOutcome,
};
use async_trait::async_trait;
use serde_json::json;
use uuid::Uuid;

use crate::fixtures::{call, checked, failed, judged, manifest, matched, scene, spec, surroundings};

const COUNT: &str = "Count the .txt files in docs";

/// Plays the messages to the actor in order, and returns what it published. Afterwards the run is closed and
/// the actor has ended.
async fn played(judge: Arc<dyn TaskJudge>, model: ScriptedModel, messages: Vec<Message>) -> Vec<Message> {
    played_in(Path::new("/nonexistent"), COUNT, judge, model, messages).await
}

async fn played_in(
    folder: &Path,
    request: &str,
    judge: Arc<dyn TaskJudge>,
    model: ScriptedModel,
    messages: Vec<Message>,
) -> Vec<Message> {
    let settings = Settings {
        surroundings: surroundings(folder),
        judge_deadline: Duration::from_secs(60),
        silence: artoo_llm_client::Silence::default(),
        output_schema: None,
        judges_the_whole: true,
        again: std::sync::Arc::new(artoo_meta_validator::NoRerun),
        world: artoo_checks::Filesystem::of(&surroundings(folder)),
        conversation: None,
        excerpts: artoo_meta_validator::Excerpts::Long,
    };
    played_with(settings, request, judge, model, messages).await
}

pub(crate) async fn played_with(
    settings: Settings,
    request: &str,
    judge: Arc<dyn TaskJudge>,
    model: ScriptedModel,
    messages: Vec<Message>,
) -> Vec<Message> {
    let model = Arc::new(model);
    let scene = scene();
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let actor = tokio::spawn(run(scene.bus.port(Role::MetaValidator).unwrap(), judge, client, settings));
    let perceiver = scene.bus.port(Role::Perceiver).unwrap();
    let dispatcher = scene.bus.port(Role::Dispatcher).unwrap();
    let validator = scene.bus.port(Role::AgentValidator).unwrap();
    perceiver.publish(spec(request)).unwrap();
    for message in messages {
        let from = if message.kind() == MessageKind::SubTaskOutcome { &validator } else { &dispatcher };
        from.publish(message).unwrap();
    }
    // Time is paused: it advances only when nothing else can run, deadlines of judges included.
    tokio::time::sleep(Duration::from_secs(600)).await;
    let inputs = [MessageKind::TaskSpec, MessageKind::DispatchManifest, MessageKind::SubTaskOutcome];
    let said = scene.said().into_iter().filter(|message| !inputs.contains(&message.kind())).collect();
    scene.bus.close();
    actor.await.unwrap();
    model.assert_finished();
    said
}

async fn gated(messages: Vec<Message>) -> Vec<Message> {
    played(Arc::new(TakesTheWhole), ScriptedModel::new(), messages).await
}

fn only_replan(said: &[Message]) -> &ReplanRequest {
    let [Message::ReplanRequest(request)] = said else { panic!("{said:#?}") };
    request
}

pub(crate) fn last_summary(said: &[Message]) -> &OutcomeSummary {
    let Some(Message::OutcomeSummary(summary)) = said.last() else { panic!("{said:#?}") };
    summary
}

#[tokio::test(start_paused = true)]
async fn one_matched_subtask_is_judged_as_a_whole() {
    let said = gated(vec![manifest(1, &[], &[1], &[]).into(), matched(1, "Count", "3").into()]).await;
    let [Message::VerdictReached(reached), Message::OutcomeSummary(_)] = said.as_slice() else {
        panic!("{said:#?}")
    };
    assert_eq!((reached.subtask_id, reached.verdict.criterion.as_str()), (None, WHOLE));
    assert_eq!(last_summary(&said).merged_output, json!("3"));
}

/// A weak model's judge was asked for seconds about results that no judge makes an accept of.
#[tokio::test(start_paused = true)]
async fn lesson_what_no_judge_makes_an_accept_of_is_not_judged_as_a_whole() {
    let found_by = |agreed| SubTaskOutcome {
        samples: Some(Samples {
            asked: 2,
            agreed,
            ways: agreed,
            languages: agreed,
            depends: Some(true),
            against: 0,
        }),
        ..matched(1, "Count", "3")
    };
    for (agreed, judged) in [(1, &[][..]), (2, &[WHOLE])] {
        let weak = ScriptedModel::new().profiled(ModelProfile::embedded());
        let messages = vec![manifest(1, &[], &[1], &[]).into(), found_by(agreed).into()];
        let said = played(Arc::new(TakesTheWhole), weak, messages).await;
        let summary = last_summary(&said);
        let criteria: Vec<&str> =
            summary.task_verdicts.iter().map(|verdict| verdict.criterion.as_str()).collect();
        let confirms = summary.confidence.as_ref().is_some_and(Confidence::confirms);
        assert_eq!((criteria.as_slice(), confirms), (judged, agreed == 2));
    }
}

/// Lesson 28: a task was accepted with a failed subtask. The gate is code: no model is asked.
#[tokio::test(start_paused = true)]
async fn lesson_28_a_failed_subtask_is_never_accepted() {
    let messages = vec![
        manifest(1, &[], &[1, 2], &[judged("It is complete")]).into(),
        matched(1, "Count", "3").into(),
        failed(2, "Sum the sizes", "bc is not installed").into(),
    ];
    let said = gated(messages).await;
    let request = only_replan(&said);
    assert_eq!(request.matched_outcomes.len(), 1);
    assert_eq!(request.failed_outcomes.len(), 1);
    assert_eq!(request.task_verdicts, []);
    assert_eq!(request.gap_summary, "failed: Sum the sizes (bc is not installed)");
}

/// Facts 1 and 12: with all subtasks matched, an unmet task criterion was a green tick, and a failing judge
/// hung the task.
#[tokio::test(start_paused = true)]
async fn fact_1_an_unmet_task_criterion_is_a_replan() {
    let criterion = checked(Check::OutputContains { value: "docs".to_owned() });
    let messages = vec![
        manifest(1, &[], &[1], std::slice::from_ref(&criterion)).into(),
        matched(1, "Count", "3").into(),
    ];
    let said = gated(messages).await;
    let [Message::VerdictReached(reached), Message::VerdictReached(whole), replan] = said.as_slice() else {
        panic!("{said:#?}")
    };
    assert_eq!((reached.subtask_id, reached.attempt), (None, 0));
    let request = only_replan(std::slice::from_ref(replan));
    assert_eq!(request.task_verdicts, [reached.verdict.clone(), whole.verdict.clone()]);
    assert_eq!((whole.verdict.judge, whole.verdict.passed()), (Judge::Rule, false), "no judge could mend it");
    assert!(request.gap_summary.contains(&criterion.text), "{}", request.gap_summary);
}

/// Observed with the embedded model: every replan searched for it again. A change names what does not exist
/// yet, and a file elsewhere can be found.
#[tokio::test(start_paused = true)]
async fn a_file_that_the_request_names_and_that_is_nowhere_is_reported() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("moved.csv"), "price\n3\n").unwrap();
    let missing = async |name: &str, criteria: Vec<Criterion>| {
        let mut outcome =
            SubTaskOutcome { criteria, ..failed(1, "Sum the prices", "the file does not exist") };
        outcome.tool_calls =
            vec![call(1, &format!("awk '{{s+=$1}}' {name}"), "", Some(FailureClass::Environmental))];
        let failure = outcome.tool_calls[0].failure.as_mut().unwrap();
        failure.reason = format!("ended with status 2: awk: cannot open {name}: No such file or directory");
        let messages = vec![manifest(1, &[], &[1], &[]).into(), outcome.into()];
        let request = format!("What is the total of the prices in {name}?");
        let judge = Arc::new(TakesTheWhole);
        only_replan(&played_in(home.path(), &request, judge, ScriptedModel::new(), messages).await)
            .missing_file
            .clone()
    };
    assert_eq!(missing("data/gone.csv", Vec::new()).await.as_deref(), Some("data/gone.csv"));
    assert_eq!(missing("data/moved.csv", Vec::new()).await, None);
    let deed = checked(Check::FileExists { path: "sum.txt".into() });
    assert_eq!(missing("data/gone.csv", vec![deed]).await, None);
}

struct Silent;

#[async_trait]
impl TaskJudge for Silent {
    async fn judge(
        &self,
        criteria: &[Criterion],
        _: &TaskContext<'_>,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let looked = |text: &str| Evidence::Observation { text: text.to_owned() };
        let evidence = match criteria.first().map(|criterion| criterion.text.as_str()) {
            Some("hangs") => std::future::pending().await,
            Some("panics") => panic!("as planned"),
            Some("says nothing") => return Ok(Vec::new()),
            Some("lies") => Evidence::ToolCall {
                call_id: CallId::new(Uuid::from_u128(77)),
                excerpt: "of another task".into(),
            },
            Some("points at nothing") => looked(" "),
            _ => return Err(JudgeError::Model(LlmError::Configuration { reason: "broken".into() })),
        };
        Ok(vec![Finding::Pass { evidence }; criteria.len()])
    }
}

/// Lesson 80 and fact 12: whatever a judge does, the gate ends the plan, and never accepts. A verdict that does not
/// come is a fault; one that cannot be used is a failure of class unknown.
#[tokio::test(start_paused = true)]
async fn lesson_80_a_judge_that_fails_is_no_pass_and_no_silence() {
    let concluded = async |way: &str| {
        let messages = vec![manifest(1, &[], &[1], &[judged(way)]).into(), matched(1, "Count", "3").into()];
        played(Arc::new(Silent), ScriptedModel::new(), messages).await
    };
    for way in ["lies", "points at nothing"] {
        let said = concluded(way).await;
        let [Message::VerdictReached(_), Message::VerdictReached(_), replan] = said.as_slice() else {
            panic!("{way}: {said:#?}")
        };
        let [verdict, _] = only_replan(std::slice::from_ref(replan)).task_verdicts.as_slice() else {
            panic!("{way}")
        };
        assert_eq!(verdict.judge, Judge::Rule, "{way}");
        assert!(
            matches!(verdict.finding, Finding::Fail { failure_class: FailureClass::Unknown, .. }),
            "{way}"
        );
    }
    let unjudged = ["hangs", "panics", "says nothing"].map(|way| (way, FaultKind::Unjudged));
    // The configuration is to blame, and not the judge.
    for (way, kind) in unjudged.into_iter().chain([("errs", FaultKind::Configuration)]) {
        let said = concluded(way).await;
        let [Message::Warning(_), Message::Fault(fault)] = said.as_slice() else {
            panic!("{way}: {said:#?}")
        };
        assert_eq!((fault.role, fault.kind), (Role::MetaValidator, kind), "{way}");
    }
}

/// Fact 12: a verdict word other than "accept" and "replan" hung the task; an unusable answer was a tick.
#[tokio::test(start_paused = true)]
async fn fact_12_an_unknown_verdict_word_is_no_pass() {
    let nonsense = || Answer::json(json!({"reason": "r", "verdict": "accept!", "class": "logical"}));
    let model = (0..4).fold(ScriptedModel::new(), |model, _| model.expect(Expect::any(), nonsense()));
    let messages =
        vec![manifest(1, &[], &[1], &[judged("It is complete")]).into(), matched(1, "Count", "3").into()];
    let said = played(Arc::new(TakesTheWhole), model, messages).await;
    let kinds: Vec<_> = said.iter().map(Message::kind).collect();
    use MessageKind::{Fault, ModelCall, Warning};
    assert_eq!(kinds, [ModelCall, ModelCall, Warning, ModelCall, ModelCall, Fault]);
}

/// A subtask that nobody judged: the fault that R4a published with it ends the run, so the gate says nothing.
#[tokio::test(start_paused = true)]
async fn a_plan_that_nobody_judged_is_not_concluded() {
    let unjudged = artoo_types::SubTaskOutcome {
        status: artoo_types::OutcomeStatus::Unjudged,
        ..matched(1, "Count", "3")
    };
    let messages = vec![manifest(1, &[], &[1], &[]).into(), unjudged.into()];
    assert_eq!(played(Arc::new(TakesTheWhole), ScriptedModel::new(), messages).await, []);
}

#[tokio::test(start_paused = true)]
async fn kept_outcomes_count_again_in_the_next_plan() {
    let messages = vec![
        manifest(1, &[], &[1, 2], &[]).into(),
        matched(1, "Count", "3").into(),
        failed(2, "Count", "no answer").into(),
        manifest(2, &[1], &[3], &[]).into(),
        matched(3, "Count", "3 files").into(),
    ];
    let model = ScriptedModel::new().expect(Expect::purpose("answer"), Answer::text("3"));
    let said = played(Arc::new(TakesTheWhole), model, messages).await;
    let summary = last_summary(&said);
    assert_eq!(summary.merged_output, json!({"Count": "3", "Count (2)": "3 files"}));
    assert_eq!(
        summary.outcomes.iter().map(|outcome| outcome.output.clone()).collect::<Vec<_>>(),
        ["3", "3 files"]
    );
}

/// Like lesson 58, on the bus: a duplicate message must not conclude a plan twice.
#[tokio::test(start_paused = true)]
async fn duplicates_conclude_a_plan_once() {
    let messages = vec![
        manifest(1, &[], &[1], &[]).into(),
        matched(1, "Count", "3").into(),
        matched(1, "Count", "4").into(),
        manifest(1, &[], &[1], &[]).into(),
    ];
    let said = gated(messages).await;
    assert_eq!(said.len(), 2, "{said:#?}");
    assert_eq!(last_summary(&said).merged_output, json!("3"));
}

/// Lesson N2: a plan that runs nothing hung the task; it must not be accepted either.
#[tokio::test(start_paused = true)]
async fn lesson_n2_an_empty_plan_is_a_replan() {
    let said = gated(vec![manifest(1, &[], &[], &[]).into()]).await;
    assert_eq!(only_replan(&said).gap_summary, "the plan has no subtask");
}

#[tokio::test(start_paused = true)]
async fn all_criteria_are_judged_in_one_call_and_on_record() {
    let pass = |criterion: u32| json!({"criterion": criterion, "reason": "so it is", "verdict": "pass", "class": "logical"});
    let both = json!({"verdicts": [pass(1), pass(2)]});
    let model = ScriptedModel::new().expect(
        Expect::purpose("meta_validator")
            .schema("verdicts")
            .user_contains("names a file")
            .user_contains("is polite"),
        Answer::json(both),
    );
    let criteria = [judged("It names a file"), judged("It is polite")];
    let messages = vec![manifest(1, &[], &[1], &criteria).into(), matched(1, "Count", "b.txt").into()];
    let said = played(Arc::new(TakesTheWhole), model, messages).await;
    let summary = last_summary(&said);
    assert_eq!(summary.task_verdicts.len(), 3);
    assert!(summary.task_verdicts.iter().all(|verdict| verdict.judge == Judge::Model && verdict.passed()));
    assert_eq!(said.iter().filter(|message| message.kind() == MessageKind::ModelCall).count(), 1);
}
