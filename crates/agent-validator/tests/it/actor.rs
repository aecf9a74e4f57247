//! Tests of the actor on a real bus.

use std::{path::Path, sync::Arc, time::Duration};

use artoo_agent_validator::{Judge, ModelJudge, NoCommands, Settings, run};
use artoo_bus::{Port, doubles::Scene};
use artoo_llm_client::{
    LlmClient, LlmError,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{
    ExecutionFailure, ExecutionResult, ExecutionStatus, FailureClass, Fault, FaultKind, GaveUp, GiveUpKind,
    Message, MessageKind, OutcomeStatus, OutputRecord, Role, StepKind, SubTask, SubTaskId, SubTaskOutcome,
    ToolCall,
};
use serde_json::json;
use uuid::Uuid;

use crate::fixtures::{
    Always, Unasked, call, counted, counting, fail, result, scene, subtask, surroundings, unfinished,
};

struct House {
    scene: Scene,
    dispatcher: Port,
    executor: Port,
    actor: tokio::task::JoinHandle<()>,
}

impl House {
    fn new(judge: Arc<dyn Judge>, model: &Arc<ScriptedModel>) -> Self {
        Self::with(Path::new("/nonexistent"), judge, model)
    }

    /// In this folder, with a model that is not asked.
    fn within(folder: &Path, judge: Arc<dyn Judge>) -> Self {
        Self::with(folder, judge, &Arc::new(ScriptedModel::new()))
    }

    fn with(folder: &Path, judge: Arc<dyn Judge>, model: &Arc<ScriptedModel>) -> Self {
        let scene = scene();
        let client: Arc<dyn LlmClient> = Arc::clone(model) as _;
        let settings = Settings {
            surroundings: surroundings(folder),
            max_retries: 2,
            judge_deadline: Duration::from_secs(60),
            silence: artoo_llm_client::Silence::default(),
            commands: Arc::new(NoCommands),
            again: Arc::new(artoo_agent_validator::NoRerun),
            world: artoo_checks::Filesystem::of(&surroundings(folder)),
            excerpts: artoo_agent_validator::Excerpts::Long,
        };
        let actor = tokio::spawn(run(scene.bus.port(Role::AgentValidator).unwrap(), judge, client, settings));
        let dispatcher = scene.bus.port(Role::Dispatcher).unwrap();
        let executor = scene.bus.port(Role::Executor).unwrap();
        Self { scene, dispatcher, executor, actor }
    }

    fn unasked() -> Self {
        Self::new(Arc::new(Unasked), &Arc::new(ScriptedModel::new()))
    }

    /// Runs the actor until it is idle, and returns the messages it published.
    async fn said(&mut self) -> Vec<Message> {
        // Time is paused: it advances only when nothing else can run.
        tokio::time::sleep(Duration::from_secs(600)).await;
        let inputs = [MessageKind::SubTask, MessageKind::ExecutionResult];
        self.scene.said().into_iter().filter(|message| !inputs.contains(&message.kind())).collect()
    }

    async fn attempted(&mut self, result: ExecutionResult) -> Vec<Message> {
        self.executor.publish(result).unwrap();
        self.said().await
    }

    async fn close(self) {
        self.scene.bus.close();
        self.actor.await.unwrap();
    }
}

fn kinds(said: &[Message]) -> Vec<MessageKind> {
    said.iter().map(Message::kind).collect()
}

fn outcomes(said: &[Message]) -> Vec<&SubTaskOutcome> {
    said.iter().filter_map(Message::payload::<SubTaskOutcome>).collect()
}

#[tokio::test(start_paused = true)]
async fn a_correction_then_a_match() {
    let mut house = House::unasked();
    house.dispatcher.publish(counting(1)).unwrap();
    let found = ExecutionResult { output: "many".to_owned(), ..counted(1, 1, "3") };
    let said = house.attempted(found).await;
    assert_eq!(kinds(&said), [MessageKind::VerdictReached, MessageKind::CorrectionSignal]);
    // The second attempt answers from the results of the first.
    let said = house.attempted(ExecutionResult { tool_calls: Vec::new(), ..counted(1, 2, "3") }).await;
    assert_eq!(kinds(&said), [MessageKind::VerdictReached, MessageKind::SubTaskOutcome]);
    let [outcome] = outcomes(&said)[..] else { panic!("{said:?}") };
    assert_eq!(
        (outcome.status, outcome.gap_trajectory.len(), outcome.tool_calls.len()),
        (OutcomeStatus::Matched, 2, 1)
    );
    house.close().await;
}

/// Lesson 2 and the bound of the fast loop: two corrections, three attempts, an end.
#[tokio::test(start_paused = true)]
async fn corrections_are_bounded() {
    let mut house = House::unasked();
    house.dispatcher.publish(counting(1)).unwrap();
    for attempt in 1..=3 {
        let said = house.attempted(counted(1, attempt, "many")).await;
        assert_eq!(outcomes(&said).len(), usize::from(attempt == 3), "{attempt}: {said:?}");
    }
    assert_eq!(house.attempted(counted(1, 4, "3")).await, []);
    house.close().await;
}

/// Lessons 13 and 27: a duplicate or late message changes nothing.
#[tokio::test(start_paused = true)]
async fn lesson_13_duplicates_change_nothing() {
    let mut house = House::unasked();
    house.dispatcher.publish(counting(1)).unwrap();
    assert_eq!(house.attempted(counted(1, 1, "many")).await.len(), 2);
    assert_eq!(house.attempted(counted(1, 1, "3")).await, []);
    house.dispatcher.publish(counting(1)).unwrap();
    assert_eq!(house.attempted(counted(1, 1, "3")).await, []);
    assert_eq!(outcomes(&house.attempted(counted(1, 2, "3")).await).len(), 1);
    assert_eq!(house.attempted(counted(1, 2, "3")).await, []);
    assert_eq!(house.attempted(counted(9, 1, "of a subtask that nobody sent")).await, []);
    house.close().await;
}

/// A denied effect ends the subtask: a replan around it would look for a bypass (fact 8).
#[tokio::test(start_paused = true)]
async fn fact_8_a_denied_subtask_is_not_tried_again() {
    for (status, class) in [
        (ExecutionStatus::Failed, FailureClass::Denied),
        (ExecutionStatus::Uncertain, FailureClass::Denied),
        (ExecutionStatus::Failed, FailureClass::Logical),
    ] {
        let mut house = House::unasked();
        house.dispatcher.publish(counting(1)).unwrap();
        let said = house.attempted(unfinished(counted(1, 1, "3"), status, class)).await;
        let [outcome] = outcomes(&said)[..] else { panic!("{said:?}") };
        assert_eq!(outcome.status, OutcomeStatus::Failed);
        assert_eq!(outcome.gap_trajectory[0].failure_class, Some(class));
        house.close().await;
    }
}

/// Observed with the embedded model: three programs died of a column that does not exist, its judge could not see why the step
/// was given up, and the next plan added up another column. What is not there is a fact; any other claim needs a judge.
#[tokio::test(start_paused = true)]
async fn lesson_what_the_step_names_and_is_not_there_needs_no_judge() {
    let died = |stderr: &str| ToolCall {
        stderr: OutputRecord {
            shown: stderr.to_owned(),
            bytes: stderr.len() as u64,
            ..OutputRecord::default()
        },
        ..call(1, "", false)
    };
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("stock.csv"), "item,price\nchair,10\n").unwrap();
    let no_file = "cat: stock.csv: No such file or directory";
    let find_out = StepKind::FindOut;
    for (kind, intent, stderr, reason, is_fact) in [
        (
            find_out,
            "Summe der Spalte discount in stock.csv?",
            "KeyError: 'discount'",
            "discount is not there",
            true,
        ),
        (
            find_out,
            "Summe der Spalte rebate in stock.csv?",
            "KeyError: 'discount'",
            "discount is not there",
            false,
        ),
        (find_out, "Summe der Spalte price in stock.csv?", "KeyError: 'price'", "price is not there", false),
        (
            find_out,
            "Summe der Spalte discount in stock.csv?",
            "KeyError: 'discount'",
            "it cannot be done",
            false,
        ),
        (find_out, "Summe der Spalte discount?", "KeyError: 'discount'", "discount is not there", false),
        (
            find_out,
            "Read old/a.txt",
            "cat: old/a.txt: No such file or directory",
            "old/a.txt is not there",
            true,
        ),
        (
            StepKind::Create,
            "Write old/a.txt",
            "cat: old/a.txt: No such file or directory",
            "old/a.txt is not there",
            false,
        ),
        (find_out, "Read stock.csv", no_file, "stock.csv is not there", false),
    ] {
        let judge: Arc<dyn Judge> =
            if is_fact { Arc::new(Unasked) } else { Arc::new(Always(fail(FailureClass::Logical))) };
        let mut house = House::within(home.path(), judge);
        house.dispatcher.publish(SubTask { kind, intent: intent.to_owned(), ..counting(1) }).unwrap();
        let gave_up = GaveUp { kind: GiveUpKind::Impossible, reason: reason.to_owned(), question: None };
        let mut result = unfinished(counted(1, 1, ""), ExecutionStatus::Failed, FailureClass::Logical);
        result.tool_calls = vec![died(stderr)];
        result.failure.as_mut().unwrap().gave_up = Some(gave_up.clone());
        let said = house.attempted(result).await;
        let [outcome] = outcomes(&said)[..] else { panic!("{said:?}") };
        assert_eq!(outcome.gave_up.as_deref(), is_fact.then_some(&gave_up), "{intent}: {stderr}");
        house.close().await;
    }
}

/// A judge that hangs on one subtask delays no other one. Its time-out is no verdict: it is asked again, and then the
/// run ends with a fault, after what the subtask put out was handed on as not judged.
#[tokio::test(start_paused = true)]
async fn subtasks_are_judged_side_by_side() {
    let model = Arc::new(ScriptedModel::new().always(Expect::any().user_contains("Wait"), Answer::hang()));
    let mut house = House::new(Arc::new(ModelJudge), &model);
    let slow =
        SubTask { subtask_id: SubTaskId::new(Uuid::from_u128(2)), ..subtask("Wait", &["It is polite"]) };
    house.dispatcher.publish(slow.clone()).unwrap();
    house.dispatcher.publish(counting(1)).unwrap();
    house
        .executor
        .publish(ExecutionResult { subtask_id: slow.subtask_id, ..result("x", vec![call(1, "x", true)]) })
        .unwrap();
    let said = house.attempted(counted(1, 1, "3")).await;
    let [first, second] = outcomes(&said)[..] else { panic!("{said:?}") };
    assert_eq!((first.subtask_id, first.status), (counting(1).subtask_id, OutcomeStatus::Matched));
    assert_eq!((second.subtask_id, second.status), (slow.subtask_id, OutcomeStatus::Unjudged));
    assert_eq!((&second.output, second.tool_calls.len()), (&json!("x"), 1));
    assert!(second.criteria_verdicts.is_empty() && second.gap_trajectory.is_empty(), "{second:?}");
    assert_eq!(
        kinds(&said),
        [
            MessageKind::VerdictReached,
            MessageKind::SubTaskOutcome,
            MessageKind::ModelCall,
            MessageKind::Warning,
            MessageKind::ModelCall,
            MessageKind::SubTaskOutcome,
            MessageKind::Fault
        ]
    );
    let Some(Message::Fault(fault)) = said.last() else { panic!("{said:?}") };
    assert_eq!((fault.role, fault.kind), (Role::AgentValidator, FaultKind::Unjudged));
    assert_eq!(model.requests().len(), 2);
    house.close().await;
}

/// earendil-works/pi#5793, ollama#18107: the key was revoked while a step ran, and the run planned on. The outcome first,
/// so that R7 hands over what there is; no judge is asked.
#[tokio::test(start_paused = true)]
async fn lesson_a_fault_of_the_provider_ends_the_run_and_not_the_step_alone() {
    let fault = Fault {
        role: Role::Executor,
        kind: FaultKind::Provider,
        message: "the model server answered 401: Incorrect API key provided".to_owned(),
        hint: Some("check the API key".to_owned()),
        remedy: None,
    };
    let mut house = House::unasked();
    house.dispatcher.publish(counting(1)).unwrap();
    let failure = ExecutionFailure {
        infrastructure: true,
        fault: Some(Box::new(fault.clone())),
        ..ExecutionFailure::of(FailureClass::Environmental, &fault.message)
    };
    let failed =
        ExecutionResult { status: ExecutionStatus::Failed, failure: Some(failure), ..counted(1, 1, "") };
    let said = house.attempted(failed).await;
    assert_eq!(kinds(&said), [MessageKind::SubTaskOutcome, MessageKind::Fault]);
    let [outcome] = outcomes(&said)[..] else { panic!("{said:?}") };
    assert_eq!((outcome.status, outcome.tool_calls.len()), (OutcomeStatus::Unjudged, 1));
    assert_eq!(said.last(), Some(&Message::from(fault)));
    house.close().await;
}

/// The same of the judge's own model. What it answers is another matter: it leaves the result unjudged.
#[tokio::test(start_paused = true)]
async fn a_judge_without_a_provider_is_a_fault_of_the_provider() {
    let refused = || LlmError::Status {
        url: "http://model.test".to_owned(),
        status: 402,
        message: "Insufficient credits".to_owned(),
        usage: artoo_llm_client::Usage::default(),
    };
    let broken = || LlmError::Configuration { reason: "the base URL has no host".to_owned() };
    for (answer, kind) in [
        (Answer::error(refused), FaultKind::Provider),
        (Answer::error(broken), FaultKind::Configuration),
        (Answer::text("certainly!"), FaultKind::Unjudged),
    ] {
        let model = Arc::new(ScriptedModel::new().always(Expect::any(), answer));
        let mut house = House::new(Arc::new(ModelJudge), &model);
        house.dispatcher.publish(subtask("Greet", &["It is polite"])).unwrap();
        let said = house.attempted(result("Hello", vec![call(1, "Hello", true)])).await;
        let Some(Message::Fault(fault)) = said.last() else { panic!("{said:?}") };
        assert_eq!((fault.role, fault.kind), (Role::AgentValidator, kind));
        assert_eq!(fault.message.contains("asked twice"), kind == FaultKind::Unjudged, "{}", fault.message);
        house.close().await;
    }
}

/// The judge is asked whether it was right to give up, and its provider fails: that is no wrong claim.
#[tokio::test(start_paused = true)]
async fn a_review_without_a_provider_ends_the_run_as_well() {
    let unreachable = || LlmError::Unreachable {
        url: "http://model.test".to_owned(),
        reason: "connection refused".to_owned(),
        usage: artoo_llm_client::Usage::default(),
    };
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::error(unreachable)));
    let mut house = House::new(Arc::new(ModelJudge), &model);
    house.dispatcher.publish(counting(1)).unwrap();
    let gave_up =
        GaveUp { kind: GiveUpKind::Impossible, reason: "no tool can do it".to_owned(), question: None };
    let failure = ExecutionFailure {
        gave_up: Some(gave_up),
        ..ExecutionFailure::of(FailureClass::Logical, "no tool can do it")
    };
    let failed =
        ExecutionResult { status: ExecutionStatus::Failed, failure: Some(failure), ..counted(1, 1, "") };
    let said = house.attempted(failed).await;
    let Some(Message::Fault(fault)) = said.last() else { panic!("{said:?}") };
    assert_eq!((fault.role, fault.kind), (Role::AgentValidator, FaultKind::Provider));
    house.close().await;
}

/// A judge that answers the second question is a judge: nothing tells the run that it was late.
#[tokio::test(start_paused = true)]
async fn a_judge_that_comes_late_decides() {
    let pass = json!({"reason": "it says please", "verdict": "pass", "class": "logical"});
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("agent_validator"), Answer::hang())
            .expect(Expect::purpose("agent_validator"), Answer::json(pass)),
    );
    let mut house = House::new(Arc::new(ModelJudge), &model);
    house.dispatcher.publish(subtask("Ask", &["It is polite"])).unwrap();
    let said = house.attempted(result("please", vec![call(1, "please", true)])).await;
    let [outcome] = outcomes(&said)[..] else { panic!("{said:?}") };
    assert_eq!(outcome.status, OutcomeStatus::Matched);
    assert!(!kinds(&said).contains(&MessageKind::Fault), "{said:?}");
    model.assert_finished();
    house.close().await;
}

/// Whether it was right to give up is a question as well: without an answer the attempt has failed by its own words,
/// with its own class, and is not borne out.
#[tokio::test(start_paused = true)]
async fn giving_up_without_a_verdict_is_an_ordinary_failure() {
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::hang()));
    let mut house = House::new(Arc::new(ModelJudge), &model);
    house.dispatcher.publish(counting(1)).unwrap();
    let mut result = unfinished(counted(1, 1, "x"), ExecutionStatus::Failed, FailureClass::Logical);
    let reason = "the figures are not there".to_owned();
    let gave_up = GaveUp { kind: GiveUpKind::Impossible, reason, question: None };
    result.failure.as_mut().unwrap().gave_up = Some(gave_up);
    let said = house.attempted(result).await;
    let [outcome] = outcomes(&said)[..] else { panic!("{said:?}") };
    assert_eq!((outcome.status, outcome.gave_up.as_ref()), (OutcomeStatus::Failed, None));
    assert_eq!(outcome.gap_trajectory[0].failure_class, Some(FailureClass::Logical));
    assert!(!kinds(&said).contains(&MessageKind::Fault), "{said:?}");
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_call_is_on_record_for_its_subtask() {
    let pass = json!({"reason": "it says please", "verdict": "pass", "class": "logical"});
    let model = Arc::new(ScriptedModel::new().expect(Expect::purpose("agent_validator"), Answer::json(pass)));
    let mut house = House::new(Arc::new(ModelJudge), &model);
    house.dispatcher.publish(subtask("Ask", &["It is polite"])).unwrap();
    let said = house.attempted(result("please", vec![call(1, "please", true)])).await;
    let [Message::ModelCall(cost), Message::VerdictReached(reached), Message::SubTaskOutcome(outcome)] =
        said.as_slice()
    else {
        panic!("{said:?}")
    };
    assert_eq!((cost.role, cost.subtask_id), (Role::AgentValidator, Some(outcome.subtask_id)));
    assert_eq!((reached.subtask_id, reached.attempt), (Some(outcome.subtask_id), 1));
    assert_eq!(outcome.status, OutcomeStatus::Matched);
    model.assert_finished();
    house.close().await;
}

/// Closing the run ends the actor while a judge is still running.
#[tokio::test(start_paused = true)]
async fn closing_the_run_ends_the_actor() {
    let model = Arc::new(ScriptedModel::new().expect(Expect::any(), Answer::hang()));
    let house = House::new(Arc::new(ModelJudge), &model);
    house.dispatcher.publish(subtask("Ask", &["It is polite"])).unwrap();
    house.executor.publish(result("please", vec![call(1, "please", true)])).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(model.requests().len(), 1);
    house.close().await;
}
