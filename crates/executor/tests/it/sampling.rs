//! Tests of sampling: the requests, rehearsals and choice for the first turn of a guided model's question.

use std::path::Path;
use std::sync::{Arc, Mutex};

use artoo_executor::{
    Attempt, AttemptContext, CallStopped, CallTool, ExecuteError, Executor, ModelExecutor, conformance,
};
use artoo_llm_client::{
    LlmClient, LlmError, Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{
    Arguments, CallEnding, ExecutionStatus, GuardAction, NotRehearsed, Perturbation, Rehearsed, Said,
    Samples, StepKind, SubTask, ToolCall, ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixtures::{House, call, finished, guided, recorded, subtask, surroundings};

/// Commands with their outputs in the unchanged world, without the subject, and with lines doubled. Any other
/// command cannot be rehearsed.
struct Stage {
    plays: &'static [(&'static str, [&'static str; 3])],
    /// A command whose result is known.
    known: Option<&'static str>,
    rehearsed: Mutex<Vec<(String, Perturbation)>>,
    called: Mutex<Vec<String>>,
}

#[async_trait]
impl CallTool for Stage {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let command = arguments["command"].as_str().unwrap().to_owned();
        let shown = self.play(&command).map_or("what nobody rehearsed", |worlds| worlds[0]);
        self.called.lock().unwrap().push(command.clone());
        let made = recorded("shell", &command, shown, CallEnding::Exited { status: 0 }, None);
        Ok(ToolCall { tool: tool.clone(), arguments, ..made })
    }

    fn is_known(&self, _: &ToolName, arguments: &Arguments) -> bool {
        self.known.is_some_and(|known| arguments["command"] == known)
    }

    async fn rehearse(&self, command: &str, world: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        if command == "true" && !self.plays.is_empty() {
            return Ok(said("", "", 0));
        }
        self.rehearsed.lock().unwrap().push((command.to_owned(), world.clone()));
        let worlds =
            self.play(command).ok_or_else(|| NotRehearsed { reason: "it needs the network".to_owned() })?;
        let shown = match world {
            Perturbation::AsIs => worlds[0],
            Perturbation::Hidden(_) => worlds[1],
            Perturbation::Doubled(_) => worlds[2],
        };
        Ok(match shown.strip_prefix("error: ") {
            Some(complaint) => said("", complaint, 1),
            None if shown == "hangs" => std::future::pending().await,
            None => said(shown, "", 0),
        })
    }
}

fn said(stdout: &str, stderr: &str, status: i32) -> Rehearsed {
    let whole = |text: &str| Said::Whole(text.as_bytes().to_vec());
    Rehearsed { stdout: whole(stdout), stderr: whole(stderr), status, changed: false }
}

impl Stage {
    fn new(plays: &'static [(&'static str, [&'static str; 3])]) -> Self {
        Self { plays, known: None, rehearsed: Mutex::default(), called: Mutex::default() }
    }

    fn play(&self, command: &str) -> Option<[&'static str; 3]> {
        self.plays.iter().find(|(name, _)| *name == command).map(|(_, worlds)| *worlds)
    }
}

/// What was observed of an attempt.
struct Seen {
    attempt: Attempt,
    requests: Vec<Request>,
    rehearsed: Vec<(String, Perturbation)>,
    called: Vec<String>,
}

const WORKS: [(&str, [&str; 3]); 5] = [
    ("wc -l < docs/a.txt", ["3\n", "error: denied", "4"]),
    ("grep -c '' docs/a.txt", ["3", "error: no", "4"]),
    ("wc -c < docs/a.txt", ["40", "error: denied", "53"]),
    ("echo 9", ["9", "9", "9"]),
    ("wc -w < docs/a.txt", ["8", "error: denied", "11"]),
];

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("docs")).unwrap();
    std::fs::write(home.path().join("docs/a.txt"), "a\nb\nc\n").unwrap();
    home
}

fn question(home: &Path) -> AttemptContext {
    let mut cx = conformance::context("Wie viele Zeilen hat docs/a.txt?");
    cx.surroundings = surroundings(home);
    cx.programs.retain(|program| program != "python3");
    cx
}

async fn seen(cx: &AttemptContext, turns: &[Value], stage: Stage) -> Seen {
    let model = Arc::new(ScriptedModel::new().profiled(guided()));
    for turn in turns {
        model.add(Expect::any(), Answer::json(turn.clone()));
    }
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let attempt = ModelExecutor::default().attempt(cx, &stage, &client).await.unwrap();
    model.assert_finished();
    let Stage { rehearsed, called, .. } = stage;
    Seen {
        attempt,
        requests: model.requests(),
        rehearsed: rehearsed.into_inner().unwrap(),
        called: called.into_inner().unwrap(),
    }
}

fn answered(output: &str, samples: Option<Samples>) -> Attempt {
    Attempt {
        status: ExecutionStatus::Completed,
        output: output.to_owned(),
        verbatim: true,
        failure: None,
        samples,
    }
}

fn samples(asked: u32, agreed: u32, ways: u32, depends: Option<bool>) -> Option<Samples> {
    Some(Samples { asked, agreed, ways, depends })
}

#[tokio::test]
async fn two_ways_that_agree_are_enough() {
    let home = home();
    let turns = [call(WORKS[0].0, true), call(WORKS[1].0, true)];
    let seen = seen(&question(home.path()), &turns, Stage::new(&WORKS)).await;
    assert_eq!(seen.attempt, answered("3", samples(2, 2, 2, Some(true))));
    assert_eq!(seen.called, [WORKS[0].0], "that of the sample without dice, and once");
    let [first, other] = &seen.requests[..] else { panic!("{:?}", seen.requests) };
    assert_eq!((first.seed, other.seed, other.temperature_percent), (None, None, 0));
    let (before, added) = other.messages.split_at(first.messages.len());
    assert_eq!(before, first.messages);
    insta::assert_debug_snapshot!("in_another_way", added);
    let subject = vec![home.path().canonicalize().unwrap().join("docs/a.txt")];
    let worlds = |command: &str| {
        [Perturbation::AsIs, Perturbation::Hidden(subject.clone()), Perturbation::Doubled(subject.clone())]
            .map(|world| (command.to_owned(), world))
    };
    assert_eq!(seen.rehearsed, [worlds(WORKS[0].0), worlds(WORKS[1].0)].concat());
}

/// Lesson of issue 16: most commands that quote a program within a text within a command end at a quote. The
/// program is requested on its own.
#[tokio::test]
async fn lesson_the_other_way_is_a_program_that_the_code_quotes() {
    const IN_PYTHON: &str = r#"python3 -c 'print(open("docs/a.txt").read().count('\''\n'\''))'"#;
    const PLAYS: [(&str, [&str; 3]); 3] =
        [WORKS[0], WORKS[1], (IN_PYTHON, ["3", "error: no such file", "4"])];
    let home = home();
    let mut cx = question(home.path());
    cx.programs.push("python3".to_owned());
    let program = json!({"python": r#"print(open("docs/a.txt").read().count('\n'))"#});
    let first = seen(&cx, &[call(WORKS[0].0, true), program], Stage::new(&PLAYS)).await;
    assert_eq!(first.attempt, answered("3", samples(2, 2, 2, Some(true))));
    assert_eq!(first.called, [WORKS[0].0]);
    let asked = &first.requests[1];
    insta::assert_debug_snapshot!("in_python", (asked.messages.last(), &asked.schema));
    // A program is checked with shell commands.
    let turns = [call(IN_PYTHON, true), call(WORKS[1].0, true)];
    let first = seen(&cx, &turns, Stage::new(&PLAYS)).await;
    assert_eq!(first.attempt, answered("3", samples(2, 2, 2, Some(true))));
    assert_eq!(first.requests[1].schema, first.requests[0].schema);
}

/// Lesson of issue 16: a model that is told that its call is known makes it again, and each repetition costs
/// a turn.
#[tokio::test]
async fn lesson_in_place_of_a_call_whose_result_is_known_samples_are_drawn() {
    let home = home();
    let known = |plays| Stage { known: Some("wc -l < docs/a.txt"), ..Stage::new(plays) };
    let again = || call(WORKS[0].0, true);
    // One of three samples differs.
    let other =
        seen(&question(home.path()), &[again(), again(), call("echo 9", true), again()], known(&[])).await;
    assert_eq!(other.called, ["echo 9"]);
    let temperatures: Vec<_> = other.requests.iter().map(|request| request.temperature_percent).collect();
    assert_eq!(temperatures, [0, 70, 70, 70]);
    // If none differs, the call is made, and the tools refuse it.
    let none = seen(&question(home.path()), &[again(), again(), again(), again()], known(&[])).await;
    assert_eq!(none.called, [WORKS[0].0]);
    // A known call is no derivation either.
    let turns = [again(), call(WORKS[1].0, true), again(), again()];
    let derived = seen(&question(home.path()), &turns, known(&WORKS)).await;
    assert_eq!((derived.called, derived.rehearsed.len()), (vec![WORKS[1].0.to_owned()], 3));
    assert_eq!(derived.attempt.samples, samples(4, 1, 1, Some(true)));
}

#[tokio::test]
async fn where_no_two_ways_agree_two_samples_more_are_asked_for() {
    let home = home();
    let turns = [2, 0, 4, 1].map(|at: usize| call(WORKS[at].0, true));
    let seen = seen(&question(home.path()), &turns, Stage::new(&WORKS)).await;
    assert_eq!(seen.attempt, answered("3", samples(4, 2, 2, Some(true))));
    assert_eq!(seen.called, [WORKS[0].0]);
    let seeds: Vec<_> = seen.requests.iter().map(|request| request.seed).collect();
    assert_eq!(seeds, [None, None, Some(2), Some(3)]);
}

/// Lesson of issue 16: a small model gave the same command twice, which agreed with itself, and both were
/// wrong. It is rehearsed once, and settles nothing.
#[tokio::test]
async fn lesson_the_same_command_again_is_no_other_way() {
    let home = home();
    let turns = [0, 0, 0, 0].map(|at: usize| call(WORKS[at].0, true));
    let seen = seen(&question(home.path()), &turns, Stage::new(&WORKS)).await;
    assert_eq!(seen.attempt, answered("3", samples(4, 4, 1, Some(true))));
    assert_eq!(seen.rehearsed.len(), 3);
}

/// Two literals agree without looking at anything; one command that looks is worth more.
#[tokio::test]
async fn literals_are_outvoted_however_many() {
    let home = home();
    let turns = [3, 3, 3, 1].map(|at: usize| call(WORKS[at].0, true));
    let seen = seen(&question(home.path()), &turns, Stage::new(&WORKS)).await;
    assert_eq!(seen.attempt, answered("3", samples(4, 1, 1, Some(true))));
    assert_eq!(seen.called, [WORKS[1].0]);
}

#[tokio::test]
async fn where_nothing_is_named_agreement_is_all_there_is() {
    let home = home();
    let subtask = conformance::context("Wer bin ich?").subtask;
    let cx = AttemptContext { subtask, ..question(home.path()) };
    let turns = [3, 3, 3, 3].map(|at: usize| call(WORKS[at].0, true));
    let seen = seen(&cx, &turns, Stage::new(&WORKS)).await;
    assert_eq!(seen.attempt, answered("9", samples(4, 4, 1, None)));
    assert_eq!(seen.rehearsed, [(WORKS[3].0.to_owned(), Perturbation::AsIs)]);
}

/// The result of a change cannot be voted on before it is made; and without rehearsals nothing is sampled.
#[tokio::test]
async fn only_questions_are_sampled_and_only_where_commands_can_be_rehearsed() {
    let home = home();
    let mut deed = question(home.path());
    deed.subtask.kind = StepKind::Change;
    for (cx, stage) in [(deed, Stage::new(&WORKS)), (question(home.path()), Stage::new(&[]))] {
        let seen = seen(&cx, &[call("echo 9", true)], stage).await;
        assert_eq!((seen.requests.len(), seen.attempt.samples), (1, None));
        assert_eq!(seen.called, ["echo 9"]);
    }
}

#[tokio::test]
async fn a_first_sample_that_is_no_command_is_taken_as_it_is() {
    let home = home();
    let mut cx = question(home.path());
    let other = |name| artoo_executor::ToolSpec { name: ToolName::new(name), ..cx.tools[0].clone() };
    cx.tools = [cx.tools.clone(), vec![other("web_fetch"), other("glob")]].concat();
    let by = |tool: &str| json!({"tool": tool, "arguments": {"command": "docs/*"}, "output_is_answer": true});
    let taken = (vec!["docs/*".to_owned()], vec![], None);
    let page = seen(&cx, &[by("web_fetch")], Stage::new(&WORKS)).await;
    assert_eq!((page.called, page.rehearsed, page.attempt.samples), taken);
    // Names are derived by commands. A model that insists on the tool gets it.
    let names = seen(&cx, &[by("glob"), by("glob")], Stage::new(&WORKS)).await;
    assert_eq!((names.called, names.rehearsed, names.attempt.samples), taken);
    assert!(!names.requests[0].schema.as_ref().unwrap().schema.to_string().contains("glob"));
}

#[tokio::test]
async fn what_cannot_be_rehearsed_does_not_count() {
    let home = home();
    // All unrehearsable: the first is called, as if there had been no others.
    let turns = ["curl a", "curl b"].map(|command| call(command, true));
    let none = seen(&question(home.path()), &turns, Stage::new(&WORKS)).await;
    assert_eq!((none.called, none.attempt.samples), (vec!["curl a".to_owned()], None));
    // Some unrehearsable: the others decide.
    let turns = ["curl a", WORKS[0].0, "curl b", WORKS[1].0].map(|command| call(command, true));
    let some = seen(&question(home.path()), &turns, Stage::new(&WORKS)).await;
    assert_eq!(some.attempt, answered("3", samples(4, 2, 2, Some(true))));
}

/// The agreement belongs to one call. An answer that rests on a later call does not carry it.
#[tokio::test]
async fn samples_stand_for_the_call_they_are_of_and_no_other() {
    let home = home();
    let cx = question(home.path());
    let first = [call(WORKS[0].0, false), call(WORKS[1].0, false)];
    let answer = json!({"answer": "3"});
    let at_once = seen(&cx, &[&first[..], std::slice::from_ref(&answer)].concat(), Stage::new(&WORKS)).await;
    assert_eq!(at_once.attempt, Attempt { verbatim: false, ..answered("3", samples(2, 2, 2, Some(true))) });
    let later = [call(WORKS[2].0, false), answer];
    let later = seen(&cx, &[&first[..], &later[..]].concat(), Stage::new(&WORKS)).await;
    assert_eq!(later.attempt, Attempt { verbatim: false, ..answered("3", None) });
}

#[tokio::test]
async fn an_unusable_sample_is_one_fewer_and_an_unusable_first_one_is_asked_for_again() {
    let home = home();
    let cx = question(home.path());
    let talk = json!("I would count them.");
    let turns = [call(WORKS[0].0, true), talk.clone(), talk.clone(), call(WORKS[1].0, true)];
    let second = seen(&cx, &turns, Stage::new(&WORKS)).await;
    assert_eq!(second.attempt, answered("3", samples(4, 2, 2, Some(true))));
    let first = seen(&cx, &[talk, call(WORKS[0].0, true)], Stage::new(&WORKS)).await;
    assert_eq!((first.attempt, first.requests.len()), (answered("3", None), 2));
}

#[tokio::test]
async fn a_model_that_fails_ends_the_attempt_as_ever() {
    let home = home();
    let unreachable = || LlmError::Configuration { reason: "no key".to_owned() };
    let model = ScriptedModel::new().profiled(guided()).expect(Expect::any(), Answer::error(unreachable));
    let client: Arc<dyn LlmClient> = Arc::new(model);
    let stage = Stage::new(&WORKS);
    let ended = ModelExecutor::default().attempt(&question(home.path()), &stage, &client).await;
    assert!(ended.is_err() && stage.called.lock().unwrap().is_empty());
}

/// An attempt may be dropped during a rehearsal: nothing was called by then.
#[tokio::test(start_paused = true)]
async fn an_attempt_may_end_within_a_rehearsal() {
    const HANGS: [(&str, [&str; 3]); 1] = [("sleep 9", ["3", "hangs", "3"])];
    let home = home();
    let model =
        ScriptedModel::new().profiled(guided()).always(Expect::any(), Answer::json(call("sleep 9", true)));
    let client: Arc<dyn LlmClient> = Arc::new(model);
    let (cx, stage, executor) = (question(home.path()), Stage::new(&HANGS), ModelExecutor::default());
    let attempt = executor.attempt(&cx, &stage, &client);
    tokio::time::timeout(std::time::Duration::from_secs(5), attempt).await.unwrap_err();
    assert_eq!(stage.rehearsed.lock().unwrap().len(), 2);
    assert!(stage.called.lock().unwrap().is_empty());
}

/// Rehearses two commands and sends the results to the test.
struct Rehearses(tokio::sync::mpsc::UnboundedSender<Result<Rehearsed, NotRehearsed>>);

#[async_trait]
impl Executor for Rehearses {
    async fn attempt(
        &self,
        _: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        for command in ["printf 3", "printf 4"] {
            self.0.send(tools.rehearse(command, &Perturbation::AsIs).await).unwrap();
        }
        Ok(answered("", None))
    }
}

/// Rehearsal through the actor: a real shell over overlay layers, no recorded call, and nothing that memory
/// holds back.
#[tokio::test]
async fn the_actor_rehearses_and_makes_no_call_of_it() {
    let (sender, mut came) = tokio::sync::mpsc::unbounded_channel();
    let model = Arc::new(ScriptedModel::new());
    let mut house = House::new(Arc::new(Rehearses(sender)), &model, 1);
    let guards = vec![crate::guards::guard("printf 4", GuardAction::Confirm)];
    house.dispatcher.publish(SubTask { guards, ..subtask(1, "Rehearse") }).unwrap();
    let (free, held) = (came.recv().await.unwrap(), came.recv().await.unwrap());
    assert_eq!(held, Err(NotRehearsed { reason: "memory advises against it".to_owned() }));
    match free {
        Ok(rehearsed) => assert_eq!(rehearsed, said("3", "", 0)),
        Err(why) => eprintln!("not tried: this machine has no layers ({why})"),
    }
    let messages = house.said_within(std::time::Duration::ZERO).await;
    assert!(finished(&messages).is_empty(), "{messages:?}");
    house.close().await;
}
