//! What a turn may use once means were used, blocked or came to nothing: seen in what the model is asked.

use std::sync::{Arc, Mutex};

use artoo_executor::{
    Attempt, AttemptContext, CallStopped, CallTool, Executor, ModelExecutor, ToolSpec, conformance,
};
use artoo_llm_client::{
    LlmClient, Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{
    Arguments, BlockedProgram, BlockedTarget, CallEnding, Check, Criterion, ExecutionStatus, FailureClass,
    Mode, OutputRecord, ToolCall, ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::given::{call, guided, recorded};

/// Tools that end every call in the same way.
struct Ends(CallEnding, Mutex<u32>);

#[async_trait]
impl CallTool for Ends {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        *self.1.lock().unwrap() += 1;
        let failed = self.0 != CallEnding::Exited { status: 0 };
        let class = failed.then_some(FailureClass::Logical);
        let ended = recorded("shell", "x", "", self.0.clone(), class);
        let shown = if failed { "SyntaxError" } else { "" };
        let stderr = OutputRecord { shown: shown.to_owned(), ..OutputRecord::default() };
        Ok(ToolCall { tool: tool.clone(), arguments, stderr, ..ended })
    }
}

fn context(intent: &str, avoid: &[(&str, &str)], blocked: &[&str]) -> AttemptContext {
    let mut cx = conformance::context(intent);
    let target = |(tool, target): &(&str, &str)| BlockedTarget {
        tool: ToolName::new(*tool),
        target: (*target).to_owned(),
    };
    cx.subtask.avoid = avoid.iter().map(target).collect();
    let program = |name: &&str| BlockedProgram { tool: ToolName::new("shell"), program: (*name).to_owned() };
    cx.blocked = blocked.iter().map(program).collect();
    cx.programs = ["jq", "node", "python3", "sqlite3"].map(str::to_owned).into();
    for name in ["glob", "write_file"] {
        let tool = ToolSpec { name: ToolName::new(name), output_is_answer: false, ..cx.tools[0].clone() };
        cx.tools.push(tool);
    }
    cx
}

/// The requests of an attempt in which the model says these turns and every call ends alike.
async fn asked(cx: &AttemptContext, turns: Vec<Value>, ending: CallEnding) -> (Attempt, Vec<Request>) {
    let model = Arc::new(ScriptedModel::new().profiled(guided()));
    for turn in turns {
        model.add(Expect::any(), Answer::json(turn));
    }
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let ended = ModelExecutor::default().attempt(cx, &Ends(ending, Mutex::default()), &client).await.unwrap();
    model.assert_finished();
    (ended, model.requests())
}

/// The tools that a turn offers, and what a command must begin with.
fn offered(request: &Request) -> (Vec<String>, Option<String>) {
    let schema = &request.schema.as_ref().unwrap().schema;
    let turns = schema["anyOf"].as_array().unwrap();
    let calls = turns.iter().filter(|turn| turn["properties"]["tool"].is_object());
    let name = |turn: &Value| turn["properties"]["tool"]["const"].as_str().unwrap().to_owned();
    let shell = turns.iter().find(|turn| turn["properties"]["tool"]["const"] == "shell");
    let pattern = shell.and_then(|turn| {
        turn["properties"]["arguments"]["properties"]["command"]["pattern"].as_str().map(str::to_owned)
    });
    // Behind the program stands what holds for every command of a guided model.
    let begins = pattern.map(|pattern| pattern.split('(').next().unwrap_or_default().to_owned());
    (calls.map(name).collect(), begins.filter(|begins| begins != "^"))
}

/// The first turn, after which the model gives up.
async fn first_turn(cx: &AttemptContext) -> (Vec<String>, Option<String>) {
    let mut cx = cx.clone();
    cx.earlier = vec![recorded("shell", "true", "seen", CallEnding::Exited { status: 0 }, None)];
    let give_up = json!({"give_up": "enough"});
    offered(&asked(&cx, vec![give_up], CallEnding::Returned).await.1[0])
}

fn tools(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn a_first_derivation_is_free() {
    let all = tools(&["shell", "glob", "write_file"]);
    assert_eq!(first_turn(&context("Count the files", &[], &[])).await, (all, None));
}

/// What answers a question about a table is no use for counting files: the other program fits what is asked.
#[tokio::test]
async fn a_second_derivation_begins_with_another_program_that_fits() {
    let table = [
        ("Sum up b in a.csv", "python3 -c 1", "^sqlite3 "),
        ("Sum up b in a.csv", "sqlite3 :memory: x", "^python3 "),
        ("Who is in a.json?", "jq . a.json", "^python3 "),
        ("Who is in a.json?", "python3 -c 1", "^jq "),
        ("How many lines has a.log?", "wc -l a.log", "^awk "),
        ("How many lines has a.log?", "cat a.log | awk 1", "^grep "),
        ("How many .log files are here?", "find . | wc -l", "^python3 "),
        ("How many .log files are here?", "python3 -c 1", "^find "),
        ("Which note mentions the word heron?", "find . -name '*heron*'", "^grep "),
        ("Which note mentions the word heron?", "grep -rl heron .", "^python3 "),
    ];
    for (intent, first, begins) in table {
        let (left, pattern) = first_turn(&context(intent, &[("shell", first)], &[])).await;
        assert_eq!((left, pattern.as_deref()), (tools(&["shell", "glob"]), Some(begins)), "{intent} {first}");
    }
    let after_glob = context("How many files?", &[("glob", "*")], &[]);
    assert_eq!(first_turn(&after_glob).await, (tools(&["shell"]), Some("^find ".to_owned())));
}

/// Seen with the embedded model: names were searched again and again for a word that stands in the contents.
#[tokio::test]
async fn a_search_in_contents_that_fell_short_goes_on_with_grep() {
    let mut cx = context("Which note mentions the word heron?", &[], &[]);
    assert_eq!(first_turn(&cx).await.1, None);
    cx.correction = Some(crate::given::correction(1, 1));
    assert_eq!(first_turn(&cx).await.1.as_deref(), Some("^grep "));
}

#[tokio::test]
async fn what_the_directive_blocks_is_not_begun() {
    let cx = context("Sum up b in a.csv", &[], &["python3"]);
    assert_eq!(first_turn(&cx).await.1.as_deref(), Some("^sqlite3 "));
    let cx = context("Sum up b in a.csv", &[("shell", "python3 -c 1")], &["sqlite3"]);
    assert_eq!(first_turn(&cx).await.1.as_deref(), Some("^awk "));
    // Nothing is left that code knows of: the choice is free, and the rules at the call decide.
    let all = ["awk", "find", "grep", "jq", "ls", "node", "perl", "python3", "sed", "sqlite3"];
    assert_eq!(first_turn(&context("Sum up b in a.csv", &[], &all)).await.1, None);
}

/// Nine calls of one `perl` command that had failed in one way, in a run of the development suite.
#[tokio::test]
async fn a_program_that_fails_twice_makes_room_for_another() {
    let cx = context("Sum up b in a.csv", &[], &[]);
    let python = |code: &str| call(&format!("python3 -c {code}"), false);
    let turns = vec![python("1"), python("2"), call("sqlite3 x", false), json!({"give_up": "enough"})];
    let (_, requests) = asked(&cx, turns, CallEnding::Exited { status: 1 }).await;
    let begins: Vec<_> = requests.iter().map(|request| offered(request).1).collect();
    assert_eq!(begins, [None, None, Some("^sqlite3 ".to_owned()), Some("^sqlite3 ".to_owned())]);
    let told =
        |request: &Request| request.messages.last().unwrap().content.contains("must begin with sqlite3");
    assert_eq!(requests.iter().map(told).collect::<Vec<_>>(), [false, false, true, false]);
}

/// A model at temperature 0 that repeats a refused call would do so for ever.
#[tokio::test]
async fn after_a_refusal_the_means_and_the_dice_change() {
    let cx = context("Sum up b in a.csv", &[], &[]);
    let glob = json!({"tool": "glob", "arguments": {"command": "*"}});
    let turns =
        vec![call("python3 -c 1", false), glob, call("sqlite3 1", false), json!({"give_up": "enough"})];
    let (_, requests) = asked(&cx, turns, CallEnding::Refused).await;
    let temperatures: Vec<_> = requests.iter().map(|request| request.temperature_percent).collect();
    assert_eq!(temperatures, [0, 70, 70, 70]);
    assert_eq!(offered(&requests[1]).1.as_deref(), Some("^sqlite3 "));
    assert_eq!(offered(&requests[2]).0, tools(&["shell", "write_file"]), "glob was refused");
}

#[tokio::test]
async fn calls_in_vain_are_bounded() {
    let turns =
        ["awk 1", "awk 2", "find 1", "find 2", "python3 1"].map(|command| call(command, false)).into();
    let (ended, _) =
        asked(&context("Count the files", &[], &[]), turns, CallEnding::Exited { status: 1 }).await;
    let failure = ended.failure.unwrap();
    assert_eq!((ended.status, failure.class), (ExecutionStatus::Uncertain, FailureClass::Logical));
    assert_eq!(failure.reason, "5 calls in a row came to nothing");
}

/// To make something there is seldom a second way: the program stays the model's choice.
#[tokio::test]
async fn what_makes_something_is_not_steered() {
    let mut cx = context("Write the names of the files into a.txt", &[], &["python3"]);
    let check = Check::FileExists { path: "a.txt".into() };
    cx.subtask.success_criteria =
        vec![Criterion { text: "It is there".to_owned(), mode: Mode::Verifiable, check: Some(check) }];
    assert_eq!(first_turn(&cx).await.1, None);
}
