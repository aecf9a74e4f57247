//! Tests of a capable model's tool loop: the requests and the results.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use artoo_executor::{
    Attempt, AttemptContext, CallStopped, CallTool, Environment, Executor, ModelExecutor, ToolSpec,
    conformance,
};
use artoo_llm_client::{
    Completion, LlmClient, LlmError, Message, ModelProfile, Request, StopReason, ToolUse, Usage,
    doubles::{Answer, Expect, ScriptedModel},
    estimate_usage,
};
use artoo_types::{
    Arguments, CallEnding, EvidenceId, ExecutionStatus, FailureClass, GiveUpKind, OutputRecord, ToolCall,
    ToolName,
};
use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::{correction, json_turns, native, recorded};

/// Tools that return a text, the same always or told apart, and count how many of their calls ran concurrently.
#[derive(Default)]
struct Shows {
    text: String,
    /// Whether each output has a line of its own.
    told_apart: bool,
    person: Option<&'static str>,
    made: Mutex<Vec<(String, Arguments)>>,
    running: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl CallTool for Shows {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        self.made.lock().unwrap().push((tool.to_string(), arguments.clone()));
        let shown = match self.told_apart {
            true => format!("{}{}", self.text, "x".repeat(self.made.lock().unwrap().len())),
            false => self.text.clone(),
        };
        let number = if self.told_apart { self.made.lock().unwrap().len() } else { 0 };
        let evidence = EvidenceId::parse(&format!("{number:064x}")).unwrap();
        let output = OutputRecord {
            bytes: shown.len() as u64,
            shown,
            evidence: Some(evidence),
            ..OutputRecord::default()
        };
        let call = recorded("shell", "x", "", CallEnding::Exited { status: 0 }, None);
        Ok(ToolCall { tool: tool.clone(), arguments, output, ..call })
    }

    async fn ask_person(&self, _: &str) -> Option<String> {
        self.person.map(str::to_owned)
    }
}

fn context() -> AttemptContext {
    let mut cx = conformance::context("Find the bug");
    let look = ToolSpec {
        name: ToolName::new("read_file"),
        only_looks: true,
        output_is_answer: false,
        ..cx.tools[0].clone()
    };
    cx.tools.push(look);
    cx
}

/// The attempt that follows from these answers, and the requests sent to the model.
async fn attempt(profile: ModelProfile, tools: &Shows, answers: Vec<Answer>) -> (Attempt, Vec<Request>) {
    attempt_with(&context(), profile, tools, answers).await
}

/// [`attempt`] at this, with native calls that show the same.
async fn attempt_of(cx: &AttemptContext, answers: Vec<Answer>) -> (Attempt, Vec<Request>) {
    attempt_with(cx, native(), &shows("x"), answers).await
}

async fn attempt_with(
    cx: &AttemptContext,
    profile: ModelProfile,
    tools: &Shows,
    answers: Vec<Answer>,
) -> (Attempt, Vec<Request>) {
    let model = Arc::new(ScriptedModel::new().profiled(profile));
    for answer in answers {
        model.add(Expect::purpose("executor"), answer);
    }
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let ended = ModelExecutor::default().attempt(cx, tools, &client).await.unwrap();
    model.assert_finished();
    (ended, model.requests())
}

fn shows(text: &str) -> Shows {
    Shows { text: text.to_owned(), ..Shows::default() }
}

fn run(command: &str) -> (&'static str, Value) {
    ("shell", json!({"command": command}))
}

/// The tools and the constant part are the same in every turn, and the conversation only grows: the prompt
/// cache stays valid.
#[tokio::test]
async fn a_conversation_only_grows() {
    let tools = shows("three");
    let answers =
        vec![Answer::calls([run("ls")]), Answer::calls([run("ls -a")]), Answer::text("There are three.")];
    let (ended, requests) = attempt(native(), &tools, answers).await;
    assert_eq!((ended.status, ended.output.as_str()), (ExecutionStatus::Completed, "There are three."));
    for pair in requests.windows(2) {
        assert_eq!((&pair[0].system, &pair[0].tools), (&pair[1].system, &pair[1].tools));
        assert_eq!(pair[0].messages, pair[1].messages[..pair[0].messages.len()]);
    }
    let last = requests.last().unwrap();
    assert_eq!((last.messages.len(), last.schema.as_ref()), (5, None));
    let [result] = last.messages[4].results.as_slice() else { panic!("{:?}", last.messages[4]) };
    assert_eq!((result.id.as_str(), result.is_error), ("call_1", false));
    assert_eq!(result.content, "It ended with exit status 0.\n<<<data: tool output\nthree\ndata>>>");
}

/// Read-only calls run concurrently, all others in order and alone.
#[tokio::test]
async fn calls_of_one_turn_run_at_once_where_they_only_look() {
    let look = |path: &str| ("read_file", json!({"path": path}));
    let tools = shows("x");
    let answers = vec![Answer::calls([look("a"), look("b"), look("c")]), Answer::text("read")];
    let (_, requests) = attempt(native(), &tools, answers).await;
    assert_eq!(tools.most.load(Ordering::SeqCst), 3);
    assert_eq!(requests[1].messages[2].results.len(), 3);

    let tools = shows("x");
    attempt(
        native(),
        &tools,
        vec![Answer::calls([look("a"), run("make"), run("ls"), look("b")]), Answer::text("done")],
    )
    .await;
    assert_eq!(tools.most.load(Ordering::SeqCst), 1);
    let made: Vec<String> = tools.made.lock().unwrap().iter().map(|(tool, _)| tool.clone()).collect();
    assert_eq!(made, ["read_file", "shell", "shell", "read_file"]);
}

#[tokio::test]
async fn an_output_may_be_the_answer_where_its_call_is_alone() {
    let answer = || ("shell", json!({"command": "ls | wc -l", "output_is_answer": true}));
    let tools = shows("3\n");
    let (ended, _) = attempt(native(), &tools, vec![Answer::calls([answer()])]).await;
    assert_eq!((ended.output.as_str(), ended.verbatim), ("3", true));
    assert_eq!(
        tools.made.lock().unwrap()[0].1,
        json!({"command": "ls | wc -l"}).as_object().cloned().unwrap()
    );
    let (ended, _) =
        attempt(native(), &shows("3\n"), vec![Answer::calls([answer(), run("ls")]), Answer::text("4")]).await;
    assert_eq!(ended.output, "4");
}

/// Arguments that are not JSON, an unknown tool, an empty turn: the model is told, and the loop continues.
#[tokio::test]
async fn bad_turns_are_answered() {
    let broken =
        ToolUse { id: "a".to_owned(), name: "shell".to_owned(), arguments: "{\"command\": ".to_owned() };
    let broken = Completion { calls: vec![broken], ..Completion::of_text("", Usage::default(), "m") };
    let (ended, requests) = attempt_completions(
        &shows("3"),
        vec![
            broken,
            Completion::of_text("  ", Usage::default(), "m"),
            Completion {
                stop: StopReason::Length,
                ..Completion::of_text("It is a long", Usage::default(), "m")
            },
            called("look"),
            Completion::of_text("3", Usage::default(), "m"),
        ],
    )
    .await;
    assert_eq!((ended.status, ended.output.as_str()), (ExecutionStatus::Completed, "3"));
    let told: Vec<String> = requests[3]
        .messages
        .iter()
        .flat_map(|message| message.results.iter().map(|result| &result.content).chain([&message.content]))
        .filter(|text| text.contains("JSON") || text.contains("empty") || text.contains("cut off"))
        .cloned()
        .collect();
    assert_eq!(told.len(), 3, "{told:?}");
}

/// A call of a turn that was cut at the token limit may lack its end although it parses, so none of the turn is made.
#[tokio::test]
async fn no_call_of_a_cut_turn_is_made() {
    let tools = shows("3");
    let cut = |number: &str| {
        let call = |id: &str| ToolUse {
            id: format!("{id}{number}"),
            name: "shell".to_owned(),
            arguments: json!({"command": "make"}).to_string(),
        };
        let calls = vec![call("a"), call("b")];
        Completion { calls, stop: StopReason::Length, ..Completion::of_text("", Usage::default(), "m") }
    };
    let answers = vec![cut("1"), called("ls"), Completion::of_text("3", Usage::default(), "m")];
    let (ended, requests) = attempt_completions(&tools, answers).await;
    assert_eq!((ended.status, ended.output.as_str()), (ExecutionStatus::Completed, "3"));
    assert_eq!(tools.made.lock().unwrap().len(), 1);
    let told = &requests[1].messages.last().unwrap().results;
    assert_eq!(told.len(), 2, "each call has its result");
    assert!(
        told.iter().all(|result| result.content.contains("cut off") && result.content.contains("in parts"))
    );
    // Cut in every turn, the attempt ends.
    let tools = shows("3");
    let (ended, requests) = attempt_completions(&tools, (0..8).map(|n| cut(&n.to_string())).collect()).await;
    assert_eq!((ended.status, requests.len()), (ExecutionStatus::Uncertain, 8));
    assert!(tools.made.lock().unwrap().is_empty());
}

/// A filter that ends a turn ends it in the middle of a call.
#[tokio::test]
async fn no_call_of_a_refused_turn_is_made() {
    let refused = Completion { stop: StopReason::Refused, ..called("make") };
    let tools = shows("3");
    let (ended, _) = attempt_completions(&tools, vec![refused]).await;
    assert_eq!(ended.status, ExecutionStatus::Failed);
    assert!(ended.failure.unwrap().reason.contains("refused"));
    assert!(tools.made.lock().unwrap().is_empty());
}

/// A server that passes calls through as text: the model is told how to write them so that they are read, and the user
/// what to set where it does not.
#[tokio::test]
async fn a_call_that_nobody_could_read_is_no_answer() {
    let text = "<tool_call>{\"name\": \"shell\", \"arguments\": {</tool_call>";
    let unread = || Completion::of_text(text, Usage::default(), "m");
    let answers = vec![called("ls"), unread(), Completion::of_text("3", Usage::default(), "m")];
    let (ended, requests) = attempt_completions(&shows("3"), answers).await;
    assert_eq!((ended.status, ended.output.as_str()), (ExecutionStatus::Completed, "3"));
    assert!(requests[2].messages.last().unwrap().content.contains("one JSON object"));
    let (ended, _) = attempt_completions(&shows("3"), (0..8).map(|_| unread()).collect()).await;
    let reason = ended.failure.unwrap().reason;
    assert!(reason.contains("no parser") && reason.contains("--tool-call-parser"), "{reason}");
}

/// A model that never stops is stopped by fruitless turns.
#[tokio::test]
async fn a_model_that_never_stops_is_stopped() {
    let nothing = std::iter::repeat_with(|| Answer::text("")).take(8).collect();
    let (ended, requests) = attempt(native(), &shows(""), nothing).await;
    assert_eq!((ended.status, requests.len()), (ExecutionStatus::Uncertain, 8));
    assert!(ended.failure.unwrap().reason.contains("8 turns in a row"));
}

/// A model that asks for the call that it has the result of, and for nothing else, hands that result to its judges.
#[tokio::test]
async fn a_call_that_is_insisted_on_is_the_answer() {
    struct Once(AtomicUsize, CallEnding, Option<FailureClass>);
    #[async_trait]
    impl CallTool for Once {
        async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
            let made = self.0.fetch_add(1, Ordering::SeqCst);
            let ending = if made == 0 { self.1.clone() } else { CallEnding::Refused };
            Ok(ToolCall { tool: tool.clone(), arguments, ..recorded("shell", "x", "3", ending, self.2) })
        }
    }
    let insist = async |status, failure| {
        let scripted = ScriptedModel::new().profiled(native());
        let model: Arc<dyn LlmClient> =
            Arc::new(scripted.always(Expect::any(), Answer::calls([run("ls docs/*.txt | wc -l")])));
        let tools = Once(AtomicUsize::new(0), CallEnding::Exited { status }, failure);
        ModelExecutor::default().attempt(&context(), &tools, &model).await.unwrap()
    };
    let ended = insist(0, None).await;
    assert_eq!((ended.status, ended.output.as_str()), (ExecutionStatus::Completed, "3"));
    // A call that failed answers nothing.
    assert_eq!(insist(1, Some(FailureClass::Logical)).await.status, ExecutionStatus::Uncertain);
}

/// HKUDS/nanobot#2298: another comment behind the same command each time. What comes back decides, and the model is
/// told before it is too late.
#[tokio::test]
async fn lesson_a_loop_with_a_comment_is_a_loop() {
    let answers = (0..9).map(|turn| Answer::calls([run(&format!("ls docs # {turn}"))])).collect();
    let (ended, requests) = attempt(native(), &shows("a.txt"), answers).await;
    assert_eq!((ended.status, requests.len()), (ExecutionStatus::Uncertain, 9));
    assert!(ended.failure.unwrap().reason.contains("8 turns in a row came to nothing"));
    let told = |request: &Request| request.messages.last().unwrap().content.clone();
    assert_eq!(told(&requests[3]), "");
    assert!(told(&requests[4]).contains("showed nothing that was not seen before"), "{}", told(&requests[4]));
}

/// A clock that goes on is no progress either; it may be what is asked about, so it has more turns.
#[tokio::test]
async fn figures_alone_end_an_attempt_within_40_turns() {
    struct Clock(AtomicUsize);
    #[async_trait]
    impl CallTool for Clock {
        async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
            let now = format!("Fri Nov 27 21:00:{} UTC 2026", self.0.fetch_add(1, Ordering::SeqCst));
            let call = recorded("shell", "x", &now, CallEnding::Exited { status: 0 }, None);
            Ok(ToolCall { tool: tool.clone(), arguments, ..call })
        }
    }
    let model =
        Arc::new(ScriptedModel::new().profiled(native()).always(Expect::any(), Answer::calls([run("date")])));
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let ended =
        ModelExecutor::default().attempt(&context(), &Clock(AtomicUsize::new(0)), &client).await.unwrap();
    // No correction follows, which would go on in the same circle.
    assert_eq!((ended.status, model.requests().len()), (ExecutionStatus::Failed, 33));
    assert!(ended.failure.unwrap().reason.contains("nothing new"));
}

/// A prompt that would exceed the context is compacted to records of old exchanges; the last exchanges stay
/// whole.
#[tokio::test]
async fn what_is_old_is_cut_to_its_record() {
    let profile = ModelProfile { context_tokens: 8_000, output_tokens: 1_000, ..native() };
    let tools = Shows { told_apart: true, ..shows(&"word ".repeat(800)) };
    let mut answers: Vec<Answer> =
        (0..12).map(|number| Answer::calls([run(&format!("cat {number}"))])).collect();
    answers.push(Answer::text("done"));
    let (ended, requests) = attempt(profile.clone(), &tools, answers).await;
    assert_eq!(ended.status, ExecutionStatus::Completed);
    for request in &requests {
        let tokens = estimate_usage(request, "").prompt_tokens;
        assert!(tokens < u64::from(profile.context_tokens - profile.output_tokens), "{tokens}");
    }
    let last = requests.last().unwrap();
    let results: Vec<&str> = last
        .messages
        .iter()
        .flat_map(|message| &message.results)
        .map(|result| result.content.as_str())
        .collect();
    assert_eq!(results.len(), 12);
    assert!(results[0].contains("read_evidence shows") && results[0].contains("cat 0"), "{}", results[0]);
    assert!(results[11].contains("word word"));
}

/// The server knows the length of a prompt best: a rejected prompt is compacted and sent again.
#[tokio::test]
async fn a_prompt_that_the_server_finds_too_long_is_cut() {
    let too_long = || LlmError::TooLong {
        model: "m".to_owned(),
        tokens: Some(9_000),
        limit: Some(8_000),
        said: String::new(),
    };
    let tools = shows(&"word ".repeat(400));
    let mut answers: Vec<Answer> =
        (0..6).map(|number| Answer::calls([run(&format!("cat {number}"))])).collect();
    answers.extend([Answer::error(too_long), Answer::text("done")]);
    let (ended, requests) =
        attempt(ModelProfile { context_tokens: 6_400, output_tokens: 500, ..native() }, &tools, answers)
            .await;
    assert_eq!(ended.status, ExecutionStatus::Completed);
    let [.., refused, sent] = requests.as_slice() else { panic!("{}", requests.len()) };
    assert!(estimate_usage(sent, "").prompt_tokens < estimate_usage(refused, "").prompt_tokens);
}

#[tokio::test]
async fn the_person_is_asked_and_the_step_goes_on() {
    let ask = || Answer::calls([("ask_user", json!({"question": "Which?"}))]);
    let tools = Shows { person: Some("the second one"), ..shows("x") };
    let (ended, requests) =
        attempt(native(), &tools, vec![ask(), Answer::calls([run("ls")]), Answer::text("done")]).await;
    assert_eq!(ended.status, ExecutionStatus::Completed);
    assert_eq!(requests[1].messages[2].results[0].content, "The user answers: the second one");
    let (ended, _) = attempt(native(), &shows("x"), vec![ask()]).await;
    let gave_up = ended.failure.unwrap().gave_up.unwrap();
    assert_eq!((gave_up.kind, gave_up.question.as_deref()), (GiveUpKind::NeedsPerson, Some("Which?")));
    // Without a question nobody is asked.
    let blank = Answer::calls([("ask_user", json!({"question": " "}))]);
    let (_, requests) =
        attempt(native(), &tools, vec![blank, Answer::calls([run("ls")]), Answer::text("done")]).await;
    assert!(requests[1].messages[2].results[0].content.contains("needs a question"));
}

/// The tool that asks is there where somebody is; otherwise one may give up for lack of them.
#[tokio::test]
async fn nobody_is_asked_who_is_not_there() {
    for (person_present, expected) in [(true, "ask_user"), (false, "needs_person")] {
        let cx = AttemptContext {
            environment: Environment { person_present, ..Environment::default() },
            ..context()
        };
        let (_, requests) = attempt_of(&cx, vec![Answer::calls([run("ls")]), Answer::text("x")]).await;
        let tools = serde_json::to_string(&requests[0].tools).unwrap();
        let found: Vec<&str> =
            ["ask_user", "needs_person"].into_iter().filter(|word| tools.contains(word)).collect();
        assert_eq!(found, [expected]);
    }
}

/// An answer that rests on nothing may be a question. Code does not guess: the model's next call says so.
#[tokio::test]
async fn a_question_in_words_is_told_how_to_reach_the_user() {
    let cx = |person_present| AttemptContext {
        environment: Environment { person_present, ..Environment::default() },
        ..context()
    };
    let answers = || {
        let ask = Answer::calls([("ask_user", json!({"question": "Which?"}))]);
        vec![Answer::text("Which of them should I rename?"), ask]
    };
    let (_, requests) = attempt_of(&cx(true), answers()).await;
    assert!(requests[1].messages.last().unwrap().content.contains("call ask_user"));
    let (_, requests) = attempt_of(&cx(false), answers()).await;
    assert!(!requests[1].messages.last().unwrap().content.contains("ask_user"));
}

/// The attempt that corrects another goes on with its conversation: what was paid for is not read again, and each call
/// has its result, as providers demand.
#[tokio::test]
async fn a_correction_goes_on_with_the_conversation() {
    let give_up = || Answer::calls([("give_up", json!({"kind": "impossible", "reason": "no such file"}))]);
    let is_answer = || Answer::calls([("shell", json!({"command": "ls | wc -l", "output_is_answer": true}))]);
    let many = || Answer::calls([run("cat a"), ("give_up", json!({"reason": "x"})), run("cat b")]);
    for last in [
        vec![Answer::calls([run("ls")]), Answer::text("There are 4.")],
        vec![give_up()],
        vec![is_answer()],
        vec![many()],
    ] {
        let cx = context();
        let (ended, before) = attempt_of(&cx, last).await;
        let corrected = AttemptContext {
            attempt: 2,
            correction: Some(correction(1, 1)),
            conversation: ended.conversation,
            ..cx
        };
        let (_, requests) =
            attempt_of(&corrected, vec![Answer::calls([run("ls -a")]), Answer::text("3")]).await;
        let (before, after) = (before.last().unwrap(), &requests[0]);
        assert_eq!((&before.system, &before.tools), (&after.system, &after.tools));
        assert_eq!(before.messages, after.messages[..before.messages.len()]);
        assert_eq!(after.messages.len(), before.messages.len() + 2);
        let [said, came] = &after.messages[before.messages.len()..] else { panic!() };
        let ids = |message: &Message| message.calls.iter().map(|call| call.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(said), came.results.iter().map(|result| result.id.clone()).collect::<Vec<_>>());
        for part in ["the output has 2 numbers", "- The output is one number"] {
            assert!(came.content.contains(part), "{}", came.content);
        }
    }
}

/// A provider's reasoning is sent back to it unchanged.
#[tokio::test]
async fn thoughts_go_back_with_their_turn() {
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "abc"});
    let first = Completion { reasoning: vec![thought.clone()], ..called("ls") };
    let (_, requests) =
        attempt_completions(&shows("x"), vec![first, Completion::of_text("x", Usage::default(), "m")]).await;
    assert_eq!(requests[1].messages[1].reasoning, [thought]);
}

fn called(command: &str) -> Completion {
    let (name, arguments) = run(command);
    let call = ToolUse { id: "a".to_owned(), name: name.to_owned(), arguments: arguments.to_string() };
    Completion { calls: vec![call], ..Completion::of_text("", Usage::default(), "m") }
}

/// A model that returns these completions in order.
struct Gives {
    completions: Mutex<Vec<Completion>>,
    requests: Mutex<Vec<Request>>,
}

#[async_trait]
impl LlmClient for Gives {
    fn model(&self) -> &str {
        "gives"
    }

    fn structured(&self) -> bool {
        true
    }

    fn profile(&self) -> ModelProfile {
        native()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        self.requests.lock().unwrap().push(request.clone());
        Ok(self.completions.lock().unwrap().remove(0))
    }
}

async fn attempt_completions(tools: &Shows, completions: Vec<Completion>) -> (Attempt, Vec<Request>) {
    let model = Arc::new(Gives { completions: Mutex::new(completions), requests: Mutex::default() });
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let ended = ModelExecutor::default().attempt(&context(), tools, &client).await.unwrap();
    let requests = model.requests.lock().unwrap().clone();
    (ended, requests)
}

proptest! {
    /// For any text in a model's calls: the attempt continues or ends, every call has its result, and every
    /// result its call.
    #[test]
    fn any_calls_are_answered(
        names in prop::collection::vec("(shell|read_file|give_up|other|)", 1..4),
        arguments in "(\\{|\\}|\"command\":|\"kind\":|\"impossible\"|\"x\"|,|null|[0-9]){0,6}",
        in_json in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let calls = names.iter().enumerate().map(|(number, name)| ToolUse {
            id: format!("c{number}"), name: name.clone(), arguments: arguments.clone(),
        });
        let first = Completion { calls: calls.collect(), ..Completion::of_text("", Usage::default(), "m") };
        let last = || Completion::of_text("done", Usage::default(), "m");
        if !in_json {
            let looked = called("ls");
            let (_, requests) = runtime.block_on(attempt_completions(&shows("x"), vec![looked, first, last(), last(), last()]));
            for request in requests {
                for pair in request.messages.windows(2) {
                    let asked: Vec<&String> = pair[0].calls.iter().map(|call| &call.id).collect();
                    let mut told: Vec<&String> = pair[1].results.iter().map(|result| &result.id).collect();
                    told.sort();
                    prop_assert_eq!(asked, told);
                }
            }
        } else {
            let turn = json!({"tool": names[0], "arguments": {"x": arguments}});
            let answers = vec![Answer::json(json!({"tool": "shell", "arguments": {"command": "ls"}, "output_is_answer": false})), Answer::json(turn)];
            let model = ScriptedModel::new().profiled(json_turns());
            answers.into_iter().for_each(|answer| model.add(Expect::any(), answer));
            let client: Arc<dyn LlmClient> = Arc::new(model.always(Expect::any(), Answer::json(json!({"answer": "done"}))));
            let ended = runtime.block_on(ModelExecutor::default().attempt(&context(), &shows("x"), &client));
            prop_assert!(ended.is_ok() || names[0] != "shell");
        }
    }
}
