//! Tests of the default executor: how it handles turns and results.

use std::sync::{Arc, Mutex};

use artoo_executor::{
    Attempt, AttemptContext, CallStopped, CallTool, ExecuteError, Executor, ModelExecutor, conformance,
};
use artoo_llm_client::{
    LlmClient, LlmError, ModelProfile,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{
    Arguments, CallEnding, ExecutionFailure, ExecutionStatus, FailureClass, GaveUp, GiveUpKind, OutputRecord,
    ToolCall, ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixtures::{call, guided, json_turns, recorded};

/// Tools that return these results in order.
struct Script(Mutex<Vec<Result<ToolCall, CallStopped>>>);

#[async_trait]
impl CallTool for Script {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let next = self.0.lock().unwrap().remove(0)?;
        Ok(ToolCall { tool: tool.clone(), arguments, ..next })
    }
}

fn printed(shown: &str) -> Result<ToolCall, CallStopped> {
    Ok(recorded("shell", "x", shown, CallEnding::Exited { status: 0 }, None))
}

fn failed(class: FailureClass) -> Result<ToolCall, CallStopped> {
    Ok(recorded("shell", "x", "", CallEnding::Exited { status: 1 }, Some(class)))
}

fn refused() -> Result<ToolCall, CallStopped> {
    Ok(recorded("shell", "x", "", CallEnding::Refused, Some(FailureClass::Logical)))
}

/// Runs an attempt with these turns of the model and these tool results; all of both must be used.
async fn attempt(
    cx: &AttemptContext,
    turns: &[Value],
    results: Vec<Result<ToolCall, CallStopped>>,
) -> Result<Attempt, ExecuteError> {
    attempt_by(json_turns(), cx, turns, results).await
}

/// [`attempt`] with a model of this profile.
async fn attempt_by(
    profile: ModelProfile,
    cx: &AttemptContext,
    turns: &[Value],
    results: Vec<Result<ToolCall, CallStopped>>,
) -> Result<Attempt, ExecuteError> {
    let model = Arc::new(ScriptedModel::new().profiled(profile));
    for turn in turns {
        model.add(Expect::purpose("executor").schema("action"), Answer::json(turn.clone()));
    }
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let tools = Script(Mutex::new(results));
    let ended = ModelExecutor::default().attempt(cx, &tools, &client).await;
    model.assert_finished();
    assert!(tools.0.lock().unwrap().is_empty(), "a call was not made");
    ended.map(without_conversation)
}

/// What came of an attempt, without the way there.
fn without_conversation(ended: Attempt) -> Attempt {
    Attempt { conversation: None, ..ended }
}

async fn first(turns: &[Value], results: Vec<Result<ToolCall, CallStopped>>) -> Attempt {
    attempt(&conformance::context("Count the files"), turns, results).await.unwrap()
}

fn done(output: &str, verbatim: bool) -> Attempt {
    Attempt {
        status: ExecutionStatus::Completed,
        output: output.to_owned(),
        verbatim,
        failure: None,
        samples: None,
        conversation: None,
    }
}

fn because(attempt: &Attempt) -> (ExecutionStatus, FailureClass, bool) {
    let ExecutionFailure { class, infrastructure, .. } = attempt.failure.clone().unwrap();
    (attempt.status, class, infrastructure)
}

#[tokio::test]
async fn an_output_declared_to_be_the_answer_takes_one_turn() {
    assert_eq!(first(&[call("ls | wc -l", true)], vec![printed(" 3\n")]).await, done("3", true));
}

/// No output, a failed call, or a tool whose output is no answer: the model continues.
#[tokio::test]
async fn a_declaration_needs_something_to_declare() {
    let answer = json!({"answer": "none"});
    for result in [printed(" \n"), failed(FailureClass::Unknown)] {
        assert_eq!(first(&[call("ls", true), answer.clone()], vec![result]).await, done("none", false));
    }
    let mut cx = conformance::context("Count the files");
    cx.tools[0].output_is_answer = false;
    let turn = json!({"tool": "shell", "arguments": {"command": "ls"}});
    assert_eq!(attempt(&cx, &[turn, answer], vec![printed("3")]).await.unwrap(), done("none", false));
}

/// Lesson 18: a truncated output was taken for the whole.
#[tokio::test]
async fn lesson_18_a_cut_output_does_not_pass_for_the_whole() {
    let cut = OutputRecord {
        shown: "a\n[... 9000 bytes left out ...]\nz".to_owned(),
        bytes: 9032,
        ..OutputRecord::default()
    };
    let long = printed("").map(|call| ToolCall { output: cut, ..call });
    let ended = first(&[call("ls", true), json!({"answer": "too many"})], vec![long]).await;
    assert_eq!(ended, done("too many", false));
}

/// Lesson 84 and 30: a claim needs a tool result. A guided model cannot answer before a call ran.
#[tokio::test]
async fn lesson_84_no_answer_before_a_call_ran() {
    let claim = json!({"answer": "3"});
    let cx = conformance::context("Count the files");
    let error = attempt_by(guided(), &cx, &[claim.clone(), claim.clone()], vec![]).await.unwrap_err();
    assert!(matches!(error, ExecuteError::Model(LlmError::Unusable { .. })), "{error}");
    let failure = error.failure(None);
    assert_eq!((failure.class, failure.infrastructure), (FailureClass::Unknown, true));
    // A refused call shows nothing either. If the model insists, that is no answer, but a correction may
    // follow.
    let insists = [call("ls", false), claim.clone(), claim.clone()];
    let ended = attempt_by(guided(), &cx, &insists, vec![refused()]).await.unwrap();
    assert_eq!(because(&ended), (ExecutionStatus::Uncertain, FailureClass::Logical, false));
    assert_eq!(ended.output, "");
    // A later attempt may answer from the result of an earlier one, if that call ran.
    let earlier = |call| AttemptContext { earlier: vec![call], attempt: 2, ..cx.clone() };
    let found = earlier(printed("3").unwrap());
    for profile in [guided(), json_turns()] {
        let ended = attempt_by(profile, &found, std::slice::from_ref(&claim), vec![]).await;
        assert_eq!(without_conversation(ended.unwrap()), done("3", false));
    }
    let refused = earlier(refused().unwrap());
    assert!(attempt_by(guided(), &refused, &[claim.clone(), claim.clone()], vec![]).await.is_err());
    // Any other model is told to look first, and can.
    let looks = [claim.clone(), call("ls | wc -l", true)];
    assert_eq!(first(&looks, vec![printed("3")]).await, done("3", true));
    let insists = vec![claim; 8];
    assert_eq!(because(&first(&insists, vec![]).await).0, ExecutionStatus::Uncertain);
}

/// Lesson 85: two objects in one answer, the second with an invented result. The first counts.
#[tokio::test]
async fn lesson_85_the_first_of_two_actions_counts() {
    let two = format!("{}\n{}", call("ls", true), json!({"answer": "made up"}));
    let model = Arc::new(ScriptedModel::new().expect(Expect::any(), Answer::text(two)));
    let client: Arc<dyn LlmClient> = model as _;
    let tools = Script(Mutex::new(vec![printed("3")]));
    let ended =
        ModelExecutor::default().attempt(&conformance::context("Count"), &tools, &client).await.unwrap();
    assert_eq!(without_conversation(ended), done("3", true));
}

/// Fact 6: the model was never shown its own calls, only their outputs.
#[tokio::test]
async fn fact_6_the_model_sees_its_calls_and_results() {
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::any().user_lacks("notes.txt"), Answer::json(call("cat notes.txt", false)))
            .expect(
                Expect::any().user_contains("the first line").when("the call is there", |request| {
                    request.messages.iter().any(|turn| turn.content.contains("cat notes.txt"))
                }),
                Answer::json(json!({"answer": "x"})),
            ),
    );
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let tools = Script(Mutex::new(vec![printed("the first line")]));
    ModelExecutor::default().attempt(&conformance::context("Read"), &tools, &client).await.unwrap();
    model.assert_finished();
}

#[tokio::test]
async fn failures_take_the_class_that_the_machine_knows() {
    let give_up = json!({"give_up": "no such file"});
    let table = [
        (vec![failed(FailureClass::Environmental)], FailureClass::Environmental),
        (vec![failed(FailureClass::Unknown)], FailureClass::Logical),
    ];
    for (results, class) in table {
        let mut turns = vec![call("ls", false); results.len()];
        turns.push(give_up.clone());
        let ended = first(&turns, results).await;
        assert_eq!(because(&ended), (ExecutionStatus::Failed, class, false), "{ended:?}");
        assert_eq!(ended.failure.unwrap().reason, "no such file");
    }
}

/// The specification's cases e9 and e10: the one call failed because a file is not there, the model went on to answer from
/// nothing, and the attempt was called logical. What went wrong is what the last call that was started failed of.
#[tokio::test]
async fn lesson_an_attempt_out_of_turns_has_the_class_of_what_went_wrong() {
    let complains = |class| {
        let stderr = OutputRecord { shown: "No such file".to_owned(), ..OutputRecord::default() };
        failed(class).map(|call| ToolCall { stderr, ..call })
    };
    let missing = || complains(FailureClass::Environmental);
    let table = [
        (vec![missing()], 8, FailureClass::Environmental),
        // What was refused was not tried.
        (vec![missing(), refused()], 7, FailureClass::Environmental),
        (vec![refused()], 7, FailureClass::Logical),
        (vec![complains(FailureClass::Unknown)], 8, FailureClass::Logical),
        (vec![], 8, FailureClass::Logical),
    ];
    for (results, words, class) in table {
        let mut turns: Vec<Value> =
            (0..results.len()).map(|number| call(&format!("cat {number}"), false)).collect();
        turns.extend(vec![json!({"answer": "none"}); words]);
        let ended = first(&turns, results).await;
        assert_eq!(because(&ended), (ExecutionStatus::Uncertain, class, false), "{ended:?}");
        assert_eq!(ended.failure.unwrap().reason, "8 turns in a row came to nothing");
    }
}

/// Observed with the embedded model: a search found nothing, and it gave up "because nothing was found". That
/// is the answer.
#[tokio::test]
async fn a_call_that_did_what_it_should_is_answered_and_not_given_up_on() {
    let turns =
        [call("find . -name '*.docx'", false), json!({"give_up": "none found"}), json!({"answer": "none"})];
    let cx = conformance::context("Count the files");
    let ended = attempt_by(guided(), &cx, &turns, vec![printed("")]).await.unwrap();
    assert_eq!((ended.status, ended.output.as_str()), (ExecutionStatus::Completed, "none"));
}

/// Observed with the embedded model: it copied the fences of its prompt into its answer.
#[tokio::test]
async fn fences_are_no_part_of_an_answer() {
    let turns = [call("ls", false), json!({"answer": "<<<data: tool output\na.txt\ndata>>>"})];
    assert_eq!(first(&turns, vec![printed("a.txt")]).await.output, "a.txt");
}

/// A small model gives up at the first error. It may not before something was shown or three turns were
/// tried.
#[tokio::test]
async fn giving_up_takes_a_guided_model_a_try() {
    let give_up = json!({"give_up": "I cannot"});
    let cx = conformance::context("Count the files");
    assert!(attempt_by(guided(), &cx, &[give_up.clone(), give_up.clone()], vec![]).await.is_err());
    let turns = [call("a", false), call("find b", false), call("python3 c", false), give_up];
    let ended = attempt_by(guided(), &cx, &turns, vec![refused(), refused(), refused()]).await.unwrap();
    assert_eq!(because(&ended), (ExecutionStatus::Failed, FailureClass::Logical, false));
}

/// Giving up is a valid result, available to a capable model at any time.
#[tokio::test]
async fn giving_up_says_what_would_be_needed() {
    let gave_up = |kind, question: Option<&str>| GaveUp {
        kind,
        reason: "two files match".to_owned(),
        question: question.map(str::to_owned),
    };
    let needs = json!({"give_up": "two files match", "kind": "needs_person", "question": "Which one?"});
    for (turn, expected) in [
        (json!({"give_up": "two files match"}), gave_up(GiveUpKind::Impossible, None)),
        // No person is present.
        (needs, gave_up(GiveUpKind::NeedsPerson, Some("Which one?"))),
    ] {
        let ended = first(&[turn], vec![]).await;
        assert_eq!(because(&ended), (ExecutionStatus::Failed, FailureClass::Logical, false));
        assert_eq!(ended.failure.unwrap().gave_up, Some(expected));
    }
}

#[tokio::test]
async fn an_attempt_ends_when_it_is_stopped() {
    let repeated = CallStopped::Repeated { tool: ToolName::new("shell"), target: "ls".to_owned(), times: 2 };
    let denied = CallStopped::Denied { reason: "nobody allowed it".to_owned() };
    let table = [
        (repeated, ExecutionStatus::Uncertain, FailureClass::Logical, false),
        (denied, ExecutionStatus::Failed, FailureClass::Denied, false),
        (CallStopped::Cancelled, ExecutionStatus::Failed, FailureClass::Unknown, true),
    ];
    for (stopped, status, class, infrastructure) in table {
        let ended = first(&[call("pwd", false), call("ls", false)], vec![printed("x"), Err(stopped)]).await;
        assert_eq!(because(&ended), (status, class, infrastructure));
        assert_eq!(ended.output, "x", "what there was is handed on");
    }
}

#[tokio::test]
async fn turns_of_a_guided_model_are_bounded() {
    let turns: Vec<Value> = (0..6).map(|number| call(&format!("do {number}"), false)).collect();
    let results = (0..6).map(|number| printed(&number.to_string())).collect();
    let cx = conformance::context("Count the files");
    let ended = attempt_by(guided(), &cx, &turns, results).await.unwrap();
    assert_eq!(because(&ended), (ExecutionStatus::Uncertain, FailureClass::Logical, false));
    assert_eq!(ended.output, "5");
}

#[tokio::test]
async fn calls_in_vain_are_bounded() {
    let cx = conformance::context("Count the files");
    let turns: Vec<Value> = (0..4).map(|number| call(&format!("awk {number}"), false)).collect();
    let complaint = || {
        let stderr = OutputRecord { shown: "syntax error".to_owned(), ..OutputRecord::default() };
        failed(FailureClass::Logical).map(|call| ToolCall { stderr, ..call })
    };
    let ended = attempt_by(guided(), &cx, &turns, (0..4).map(|_| complaint()).collect()).await.unwrap();
    assert_eq!(because(&ended), (ExecutionStatus::Uncertain, FailureClass::Logical, false));
    assert_eq!(ended.failure.unwrap().reason, "4 calls in a row came to nothing");
}

#[tokio::test]
async fn the_default_executor_keeps_the_contract_whatever_the_model_says() {
    for turn in [call("ls", true), call("ls", false)] {
        let client: Arc<dyn LlmClient> =
            Arc::new(ScriptedModel::new().always(Expect::any(), Answer::json(turn)));
        conformance::check_all(&ModelExecutor::default(), &client).await.unwrap();
    }
}

/// An executor that reports success after a given number of calls, whatever their results.
struct Boasts(u32);

#[async_trait]
impl Executor for Boasts {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        for _ in 0..self.0 {
            let _ = tools.call(&cx.tools[0].name, Arguments::new()).await;
        }
        Ok(done("3", false))
    }
}

/// An executor that makes no attempt and says so: it satisfies every law but one.
struct Idles;

#[async_trait]
impl Executor for Idles {
    async fn attempt(
        &self,
        _: &AttemptContext,
        _: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        let failure = ExecutionFailure::of(FailureClass::Logical, "it cannot be done");
        Ok(Attempt { status: ExecutionStatus::Failed, failure: Some(failure), ..done("", false) })
    }
}

#[tokio::test]
async fn what_is_possible_is_completed() {
    for turns in [vec![call("ls docs | wc -l", true)], vec![call("ls docs", false), json!({"answer": "3"})]] {
        let model = ScriptedModel::new();
        for turn in turns {
            model.add(Expect::purpose("executor"), Answer::json(turn));
        }
        let client: Arc<dyn LlmClient> = Arc::new(model);
        conformance::completes_what_is_possible(&ModelExecutor::default(), &client).await.unwrap();
    }
    let client: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    conformance::completes_what_is_possible(&Boasts(1), &client).await.unwrap();
    conformance::check_all(&Idles, &client).await.unwrap();
    assert!(conformance::completes_what_is_possible(&Idles, &client).await.is_err());
    assert!(conformance::completes_what_is_possible(&Boasts(0), &client).await.is_err());
}

#[tokio::test]
async fn the_suite_finds_executors_that_break_the_contract() {
    let client: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    assert!(conformance::completes_nothing_without_a_call(&Boasts(0), &client).await.is_err());
    assert!(conformance::stops_when_it_is_stopped(&Boasts(1), &client).await.is_err());
    assert!(conformance::stops_when_it_is_stopped(&Boasts(2), &client).await.is_err());
    assert!(conformance::ends_where_everything_is_refused(&Boasts(1), &client).await.is_err());
    assert!(conformance::ends_where_everything_is_refused(&Boasts(1000), &client).await.is_err());
}
