//! Tests of the actor on a real bus, with a fake shell.

use std::{sync::Arc, time::Duration};

use artoo_executor::{Attempt, AttemptContext, CallStopped, CallTool, ExecuteError, Executor, ModelExecutor};
use artoo_llm_client::{
    LlmClient, LlmError, Usage,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{
    ActionState, BlockedTarget, CallEnding, DominantClass, ExecutionStatus, FailureClass, FaultKind, Loss,
    Message, MessageKind, PlanDirective, PrevDirective, Role, SubTask, TaskId, ToolName,
};
use async_trait::async_trait;
use serde_json::json;

use crate::fixtures::{House, arguments, call, correction, count, finished, guided, now, results, subtask};

fn with_model(model: &Arc<ScriptedModel>) -> House {
    House::new(Arc::new(ModelExecutor::default()), model, 4)
}

fn silent() -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new())
}

fn directive(tools: &[&str], targets: &[&str]) -> PlanDirective {
    let shell = ToolName::new("shell");
    let target = |target: &&str| BlockedTarget { tool: shell.clone(), target: (*target).to_owned() };
    PlanDirective {
        task_id: TaskId::from_text("count"),
        round: 1,
        loss: Loss::default(),
        prev_directive: PrevDirective::Init,
        directive: ActionState::BreakSymmetry,
        blocked_tools: tools.iter().map(|tool| ToolName::new(*tool)).collect(),
        blocked_targets: targets.iter().map(target).collect(),
        blocked_programs: Vec::new(),
        blocked_approaches: Vec::new(),
        failed_criterion: "x".to_owned(),
        unmet: Vec::new(),
        failure_class: DominantClass::Logical,
        grad_l: 0.0,
        grad_goal: 0.0,
        rationale: "x".to_owned(),
    }
}

/// Makes its calls in order regardless of their results, and reports success.
struct Stubborn(&'static [&'static str]);

#[async_trait]
impl Executor for Stubborn {
    async fn attempt(
        &self,
        _: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        for command in self.0 {
            let made: Result<_, CallStopped> = tools.call(&ToolName::new("shell"), arguments(command)).await;
            drop(made);
        }
        Ok(Attempt {
            status: ExecutionStatus::Completed,
            output: "done".to_owned(),
            verbatim: false,
            failure: None,
            samples: None,
            conversation: None,
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_announced_made_and_recorded() {
    let model = Arc::new(ScriptedModel::new().expect(Expect::any(), Answer::json(call("say 3", true))));
    let mut house = with_model(&model);
    house.dispatcher.publish(subtask(1, "Count")).unwrap();
    let said = house.said().await;
    let kinds: Vec<_> = said.iter().map(Message::kind).collect();
    use MessageKind::{ExecutionResult, ModelCall, ToolFinished, ToolStarted};
    assert_eq!(kinds, [ModelCall, ToolStarted, ToolFinished, ExecutionResult]);
    let [result] = results(&said).try_into().unwrap();
    assert_eq!((result.attempt, result.status, result.verbatim), (1, ExecutionStatus::Completed, true));
    assert_eq!(result.output, "3");
    assert_eq!(result.tool_calls, finished(&said));
    let Message::ModelCall(cost) = &said[0] else { panic!("{said:?}") };
    assert_eq!((cost.role, cost.subtask_id), (Role::Executor, Some(result.subtask_id)));
    house.close().await;
}

/// Lesson 18: the answer was the excerpt of the output that the prompt shows.
#[tokio::test(start_paused = true)]
async fn lesson_18_a_long_output_is_an_answer_as_a_whole_or_not_at_all() {
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::any(), Answer::json(call("long 2000", true)))
            .expect(Expect::any(), Answer::json(call("long 40000", true)))
            .expect(Expect::any(), Answer::json(json!({"answer": "too much"}))),
    );
    let mut house = with_model(&model);
    house.dispatcher.publish(subtask(1, "List")).unwrap();
    let [result] = house.results().await.try_into().unwrap();
    assert_eq!(result.output, "行\n".repeat(2000) + "\u{FFFD}end");
    assert!(result.tool_calls[0].output.shown.len() < 3000);
    house.dispatcher.publish(subtask(2, "List more")).unwrap();
    let [result] = house.results().await.try_into().unwrap();
    assert_eq!((result.output.as_str(), result.verbatim), ("too much", false));
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_correction_makes_one_more_attempt_that_sees_the_first() {
    let model =
        Arc::new(ScriptedModel::new().expect(Expect::any(), Answer::json(call("say 3 4", true))).expect(
            Expect::any().user_contains("3 4").user_contains("- The output is one number"),
            Answer::json(json!({"answer": "3"})),
        ));
    let mut house = with_model(&model);
    house.dispatcher.publish(subtask(1, "Count")).unwrap();
    assert_eq!(house.results().await.len(), 1);
    // Corrections of another attempt, of this one (twice), and of an unknown subtask.
    for signal in [correction(1, 2), correction(1, 1), correction(1, 1), correction(7, 1)] {
        house.validator.publish(signal).unwrap();
    }
    let [second] = house.results().await.try_into().unwrap();
    assert_eq!((second.attempt, second.output.as_str(), second.tool_calls.len()), (2, "3", 0));
    model.assert_finished();
    house.close().await;
}

/// Lesson 27: one id, many uses. A subtask delivered twice runs once.
#[tokio::test(start_paused = true)]
async fn lesson_27_a_subtask_that_comes_twice_is_done_once() {
    let mut house = House::new(Arc::new(Stubborn(&["say 1"])), &silent(), 4);
    for _ in 0..2 {
        house.dispatcher.publish(subtask(1, "Count")).unwrap();
    }
    assert_eq!(house.results().await.len(), 1);
    house.ggs.publish(directive(&[], &[])).unwrap();
    house.dispatcher.publish(subtask(1, "Count")).unwrap();
    assert_eq!(house.results().await.len(), 0);
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn subtasks_run_side_by_side_up_to_the_bound() {
    let mut house = House::new(Arc::new(Stubborn(&["wait 100"])), &silent(), 2);
    for number in 1..=3 {
        house.dispatcher.publish(subtask(number, "Wait")).unwrap();
    }
    let said = house.said_within(Duration::from_secs(50)).await;
    assert_eq!((count(&said, MessageKind::ToolStarted), results(&said).len()), (2, 0));
    let said = house.said_within(Duration::from_secs(100)).await;
    assert_eq!((count(&said, MessageKind::ToolStarted), results(&said).len()), (1, 2));
    assert_eq!(house.results().await.len(), 1);
    house.close().await;
}

/// A hanging tool or model cannot hold up a run: the deadline ends the attempt, and the call in flight is
/// recorded.
#[tokio::test(start_paused = true)]
async fn a_deadline_ends_an_attempt_and_records_the_call_that_ran() {
    let mut house = House::new(Arc::new(Stubborn(&["say 1", "hang"])), &silent(), 4);
    house.dispatcher.publish(subtask(1, "Wait")).unwrap();
    let said = house.said_within(Duration::from_secs(901)).await;
    let [result] = results(&said).try_into().unwrap();
    let failure = result.failure.unwrap();
    assert_eq!(
        (result.status, failure.class, failure.infrastructure),
        (ExecutionStatus::Failed, FailureClass::Environmental, true)
    );
    assert_eq!(result.tool_calls, finished(&said));
    assert_eq!(count(&said, MessageKind::ToolStarted), 2, "each call that began has ended");
    assert_eq!(result.tool_calls[1].ending, CallEnding::Cancelled);
    house.close().await;

    let model = Arc::new(ScriptedModel::new().expect(Expect::any(), Answer::hang()));
    let mut house = with_model(&model);
    house.dispatcher.publish(subtask(1, "Count")).unwrap();
    let [result] = house.results().await.try_into().unwrap();
    let failure = result.failure.unwrap();
    assert!(failure.infrastructure);
    assert_eq!(failure.class, FailureClass::Unknown, "a silent model says nothing of the way or the world");
    house.close().await;
}

/// Makes these calls, and never returns.
struct Endless(&'static [&'static str]);

#[async_trait]
impl Executor for Endless {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        Stubborn(self.0).attempt(cx, tools, model).await?;
        std::future::pending().await
    }
}

/// A deadline has the class of the last call that was started, where that failed.
#[tokio::test(start_paused = true)]
async fn a_deadline_has_the_class_of_what_went_wrong() {
    for (calls, class) in [
        (&["say 1", "fail"][..], FailureClass::Environmental),
        (&["fail", "fail"], FailureClass::Environmental),
        (&["fail", "say 1"], FailureClass::Unknown),
        (&[], FailureClass::Unknown),
    ] {
        let mut house = House::new(Arc::new(Endless(calls)), &silent(), 1);
        house.dispatcher.publish(subtask(1, "Wait")).unwrap();
        let said = house.said_within(Duration::from_secs(901)).await;
        let [result] = results(&said).try_into().unwrap();
        assert_eq!(result.failure.unwrap().class, class, "{calls:?}");
        house.close().await;
    }
}

/// Calls the model so often, each time with a tool call after it.
struct Goes(u32);

#[async_trait]
impl Executor for Goes {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        for _ in 0..self.0 {
            model.complete(&artoo_llm_client::Request::new("executor", "Work.", "Go on.")).await?;
        }
        Stubborn(&["say 1"]).attempt(cx, tools, model).await
    }
}

/// BlockRunAI/Franklin#74, 2389-research/tracker#577: a model that thinks for minutes in each call was ended by a limit
/// on the whole attempt. What is heard of it begins the limit anew.
#[tokio::test(start_paused = true)]
async fn lesson_an_attempt_that_gets_on_is_not_ended_by_the_clock() {
    let slow = Answer::text("on").after(Duration::from_secs(800));
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), slow));
    let mut house = House::new(Arc::new(Goes(20)), &model, 1);
    house.dispatcher.publish(subtask(1, "Think")).unwrap();
    let said = house.said_within(Duration::from_secs(17_000)).await;
    let [result] = results(&said).try_into().unwrap();
    assert_eq!((result.status, result.failure), (ExecutionStatus::Completed, None));
    assert_eq!(count(&said, MessageKind::ModelCall), 20);
    house.close().await;
}

/// The deadline that the user stated ends an attempt as well, and the ones after it at once.
#[tokio::test(start_paused = true)]
async fn the_deadline_of_the_task_ends_its_attempts() {
    let mut house = House::new(Arc::new(Stubborn(&["say 1", "hang"])), &silent(), 4);
    let deadline = Some(now() + chrono::TimeDelta::seconds(60));
    house.dispatcher.publish(SubTask { deadline, ..subtask(1, "Wait") }).unwrap();
    let said = house.said_within(Duration::from_secs(61)).await;
    let [result] = results(&said).try_into().unwrap();
    assert!(result.failure.unwrap().reason.contains("60 s"));
    house.validator.publish(correction(1, 1)).unwrap();
    let said = house.said_within(Duration::from_secs(1)).await;
    assert_eq!(results(&said).len(), 1);
    house.close().await;
}

struct Panics;

#[async_trait]
impl Executor for Panics {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        if cx.subtask.intent == "Panic" {
            panic!("as planned");
        }
        Stubborn(&["say fine"]).attempt(cx, tools, &(silent() as _)).await
    }
}

/// Claims that its output is the output of the last call.
struct Quotes(&'static str);

#[async_trait]
impl Executor for Quotes {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        let attempt = Stubborn(&["say 3"]).attempt(cx, tools, &(silent() as _)).await?;
        Ok(Attempt { output: self.0.to_owned(), verbatim: true, ..attempt })
    }
}

/// Readers of the result trust a quotation without checking it, so the actor checks every one.
#[tokio::test(start_paused = true)]
async fn what_calls_itself_a_quotation_is_compared() {
    for (output, verbatim) in [("3", true), (" 3\n", true), ("4", false), ("", false)] {
        let mut house = House::new(Arc::new(Quotes(output)), &silent(), 1);
        house.dispatcher.publish(subtask(1, "Count")).unwrap();
        let [result] = house.results().await.try_into().unwrap();
        assert_eq!((result.verbatim, result.output.as_str()), (verbatim, output));
        house.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failed_result_and_spreads_to_nobody() {
    let mut house = House::new(Arc::new(Panics), &silent(), 1);
    house.dispatcher.publish(subtask(1, "Panic")).unwrap();
    house.dispatcher.publish(subtask(2, "Count")).unwrap();
    let [first, second] = house.results().await.try_into().unwrap();
    let failure = first.failure.unwrap();
    assert!(failure.reason.contains("as planned") && failure.infrastructure, "{failure:?}");
    assert_eq!(second.status, ExecutionStatus::Completed);
    house.close().await;
}

/// Lesson N3 and fact 12: a failed model call produces a result, not silence.
#[tokio::test(start_paused = true)]
async fn lesson_n3_a_model_that_fails_is_a_failed_result() {
    let unreachable = || LlmError::Unreachable {
        url: "http://x".into(),
        reason: "refused".into(),
        usage: Usage::default(),
    };
    let nonsense = || Answer::text("I would rather chat.");
    let no_key = || LlmError::Configuration { reason: "the base URL has no host".to_owned() };
    let no_credits = || LlmError::Status {
        url: "http://x".into(),
        status: 402,
        message: "Insufficient credits".into(),
        usage: Usage::default(),
    };
    // The run ends with what another plan cannot change, and not with what the model made of a request.
    for (answers, class, ends_with) in [
        (vec![Answer::error(unreachable)], FailureClass::Environmental, Some(FaultKind::Provider)),
        (vec![Answer::error(no_credits)], FailureClass::Environmental, Some(FaultKind::Provider)),
        (vec![Answer::error(no_key)], FailureClass::Environmental, Some(FaultKind::Configuration)),
        (vec![nonsense(), nonsense()], FailureClass::Unknown, None),
    ] {
        let model = silent();
        for answer in answers {
            model.add(Expect::any(), answer);
        }
        let mut house = with_model(&model);
        house.dispatcher.publish(subtask(1, "Count")).unwrap();
        let [result] = house.results().await.try_into().unwrap();
        let failure = result.failure.unwrap();
        assert_eq!(
            (result.status, failure.class, failure.infrastructure),
            (ExecutionStatus::Failed, class, true)
        );
        let fault = failure.fault.map(|fault| (fault.role, fault.kind, fault.message));
        assert_eq!(fault, ends_with.map(|kind| (Role::Executor, kind, failure.reason.clone())));
        // Raw text from a model is no evidence (lesson 83).
        assert!(!result.output.contains("rather chat") && result.tool_calls.is_empty());
        house.close().await;
    }
}

/// Fact 8: consent was refused, and the next command did it by other means. A denial ends the subtask,
/// regardless of what the behaviour returns or does next.
#[tokio::test(start_paused = true)]
async fn fact_8_a_denied_call_ends_the_subtask_whatever_the_behaviour_says() {
    let mut house = House::new(Arc::new(Stubborn(&["say 1", "deny", "say bypass"])), &silent(), 4);
    house.dispatcher.publish(subtask(1, "Delete")).unwrap();
    let said = house.said().await;
    let [result] = results(&said).try_into().unwrap();
    assert_eq!((result.status, result.output.as_str()), (ExecutionStatus::Failed, ""));
    assert_eq!(result.failure.unwrap().class, FailureClass::Denied);
    assert_eq!(result.tool_calls.len(), 2, "the bypass was not run");
    assert_eq!(finished(&said)[2].ending, CallEnding::Refused);
    // Nor is it run in another attempt after a correction.
    house.validator.publish(correction(1, 1)).unwrap();
    let said = house.said().await;
    let [again] = results(&said).try_into().unwrap();
    assert!(
        again.tool_calls.is_empty() && finished(&said).iter().all(|call| call.ending == CallEnding::Refused)
    );
    house.close().await;
}

/// What is never allowed leaves the subtask another way: no consent is missing.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_never_allowed_leaves_another_way() {
    let mut house = House::new(Arc::new(Stubborn(&["forbid", "say other"])), &silent(), 4);
    house.dispatcher.publish(subtask(1, "Commit")).unwrap();
    let said = house.said().await;
    let [result] = results(&said).try_into().unwrap();
    assert_eq!((result.tool_calls.len(), result.failure), (2, None));
    assert_eq!(result.tool_calls[0].failure.as_ref().unwrap().class, FailureClass::Forbidden);
    assert_eq!(result.tool_calls[1].output.shown, "other");
    house.close().await;
}

/// Fact 7: a directive is enforced at the call: a blocked tool is neither offered nor run, a blocked input is
/// not run.
#[tokio::test(start_paused = true)]
async fn fact_7_a_directive_is_enforced_at_the_call() {
    let mut house = House::new(Arc::new(Stubborn(&["say  blocked", "say fine"])), &silent(), 4);
    house.ggs.publish(directive(&[], &["say blocked"])).unwrap();
    house.dispatcher.publish(subtask(1, "Count")).unwrap();
    let said = house.said().await;
    let endings: Vec<_> = finished(&said).into_iter().map(|call| call.ending).collect();
    assert_eq!(endings, [CallEnding::Refused, CallEnding::Returned]);
    assert_eq!(results(&said)[0].tool_calls.len(), 1, "what was refused is no evidence");
    house.close().await;

    let model = Arc::new(ScriptedModel::new().expect(
        Expect::any().when("no tool is offered", |request| !request.system.contains("- shell")),
        Answer::json(json!({"give_up": "there is no tool"})),
    ));
    let mut house = with_model(&model);
    house.ggs.publish(directive(&["shell"], &[])).unwrap();
    house.dispatcher.publish(subtask(1, "Count")).unwrap();
    assert_eq!(house.results().await.len(), 1);
    model.assert_finished();
    house.close().await;
}

/// Lessons 58 and 90, end to end: ten identical calls ran.
#[tokio::test(start_paused = true)]
async fn lessons_58_and_90_an_identical_call_runs_once() {
    let weak = Arc::new(ScriptedModel::new().profiled(guided()));
    let mut house = House::new(Arc::new(Stubborn(&["say x", "say x", "say x", "say y"])), &weak, 4);
    house.dispatcher.publish(subtask(1, "Search")).unwrap();
    let said = house.said().await;
    let ran = finished(&said).into_iter().filter(|call| call.ending != CallEnding::Refused).count();
    assert_eq!(ran, 1);
    assert_eq!(results(&said)[0].tool_calls.len(), 1);
    house.close().await;
}

/// Lesson 11: work went on after the interrupt.
#[tokio::test(start_paused = true)]
async fn lesson_11_nothing_runs_after_the_run_is_cancelled_or_closed() {
    let mut house = House::new(Arc::new(Stubborn(&["wait 100", "say late"])), &silent(), 4);
    house.dispatcher.publish(subtask(1, "Wait")).unwrap();
    house.said_within(Duration::from_secs(50)).await;
    house.cancel.cancel();
    let said = house.said().await;
    assert!(finished(&said).iter().all(|call| !call.output.shown.contains("late")), "{said:?}");
    house.close().await;

    let mut house = House::new(Arc::new(Stubborn(&["hang"])), &silent(), 4);
    house.dispatcher.publish(subtask(1, "Wait")).unwrap();
    assert_eq!(count(&house.said_within(Duration::from_secs(50)).await, MessageKind::ToolStarted), 1);
    house.close().await;
}
