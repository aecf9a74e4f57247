//! Tests of derivations: what a guided model is asked for, what is rehearsed, and which command is called.

use std::path::Path;
use std::sync::{Arc, Mutex};

use artoo_executor::{
    Attempt, AttemptContext, CallStopped, CallTool, ExecuteError, Executor, ModelExecutor, Terms, conformance,
};
use artoo_llm_client::{
    LlmClient, LlmError, Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{
    Arguments, CallEnding, ExecutionStatus, FailureClass, FileChange, FileChangeKind, GaveUp, GiveUpKind,
    GuardAction, NotRehearsed, Perturbation, Progress, Rehearsed, RehearsedChanges, Said, Samples, StepKind,
    ToolCall, ToolName, TrialFiles,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixtures::{House, Knows, call, finished, guided, recorded, subtask, surroundings};

/// Commands with their outputs in the unchanged world, without the subject, and with lines doubled; `error: ` and
/// `change: ` stand before a complaint and before what is changed. Any other command cannot be rehearsed.
struct Stage {
    plays: Vec<(String, [&'static str; 3])>,
    /// A command whose result is known.
    known: Option<&'static str>,
    /// The output of each command where a line is planted; without it, that of the unchanged world.
    planted: Option<&'static str>,
    /// The output of each command where a value is replaced; without it, another one than anywhere else.
    replaced: Option<&'static str>,
    /// What a call makes.
    made: Vec<FileChange>,
    rehearsed: Mutex<Vec<(String, Perturbation)>>,
    called: Mutex<Vec<String>>,
    /// What was told of trials.
    told: Mutex<Vec<Option<Progress>>>,
}

#[async_trait]
impl CallTool for Stage {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let command = arguments["command"].as_str().unwrap().to_owned();
        let shown = self.play(&command).map_or("what nobody rehearsed", |worlds| worlds[0]);
        self.called.lock().unwrap().push(command.clone());
        let failure = shown.strip_prefix("error: ").map(|_| FailureClass::Logical);
        let status = i32::from(failure.is_some());
        let made = recorded("shell", &command, shown, CallEnding::Exited { status }, failure);
        Ok(ToolCall { tool: tool.clone(), arguments, files: self.made.clone(), ..made })
    }

    fn is_known(&self, _: &ToolName, arguments: &Arguments) -> bool {
        self.known.is_some_and(|known| arguments["command"] == known)
    }

    fn tell_trial(&self, trial: Option<Progress>) {
        self.told.lock().unwrap().push(trial);
    }

    async fn rehearse(&self, command: &str, world: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        if command == "true" && !self.plays.is_empty() {
            return Ok(said("", "", 0));
        }
        if command.starts_with("head -c") {
            return Ok(said(self.play(command).map_or("a\nb\nc\n", |worlds| worlds[0]), "", 0));
        }
        self.rehearsed.lock().unwrap().push((command.to_owned(), world.clone()));
        let worlds =
            self.play(command).ok_or_else(|| NotRehearsed { reason: "it needs the network".to_owned() })?;
        let shown = match world {
            Perturbation::AsIs => worlds[0],
            Perturbation::Hidden(_) => worlds[1],
            Perturbation::Emptied(_) => return Err(NotRehearsed { reason: "nobody asks for it".to_owned() }),
            Perturbation::Doubled(_) => worlds[2],
            Perturbation::Planted { .. } => self.planted.unwrap_or(worlds[0]),
            Perturbation::Replaced { .. } => self.replaced.unwrap_or("another"),
        };
        if let Some(change) = shown.strip_prefix("change: ") {
            let (rest, written) = ([change.as_bytes()[0]; 32], Vec::new());
            let changes = Some(RehearsedChanges { rest, written });
            return Ok(Rehearsed { changes, ..said("done", "", 0) });
        }
        Ok(match shown.strip_prefix("error: ") {
            Some(complaint) => said("", complaint, 1),
            None if shown == "hangs" => std::future::pending().await,
            None => said(shown, "", 0),
        })
    }
}

fn said(stdout: &str, stderr: &str, status: i32) -> Rehearsed {
    let whole = |text: &str| Said::Whole(text.as_bytes().to_vec());
    Rehearsed { stdout: whole(stdout), stderr: whole(stderr), status, changes: None }
}

impl Stage {
    fn new(plays: Vec<(String, [&'static str; 3])>) -> Self {
        Self {
            plays,
            known: None,
            planted: None,
            replaced: None,
            made: Vec::new(),
            rehearsed: Mutex::default(),
            called: Mutex::default(),
            told: Mutex::default(),
        }
    }

    fn play(&self, command: &str) -> Option<[&'static str; 3]> {
        self.plays.iter().find(|(name, _)| name == command).map(|(_, worlds)| *worlds)
    }
}

/// What was observed of an attempt.
struct Seen {
    attempt: Attempt,
    requests: Vec<Request>,
    rehearsed: Vec<(String, Perturbation)>,
    called: Vec<String>,
    told: Vec<Option<Progress>>,
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

/// An attempt whose derivations are these texts, followed by these turns.
async fn seen(cx: &AttemptContext, written: &[&str], turns: &[Value], stage: Stage) -> Seen {
    let model = Arc::new(ScriptedModel::new().profiled(guided()));
    for text in written {
        model.add(Expect::any(), Answer::text(format!("{text}\n```")));
    }
    for turn in turns {
        model.add(Expect::any(), Answer::json(turn.clone()));
    }
    let client: Arc<dyn LlmClient> = Arc::clone(&model) as _;
    let attempt = ModelExecutor::default().attempt(cx, &stage, &client).await.unwrap();
    model.assert_finished();
    let Stage { rehearsed, called, told, .. } = stage;
    Seen {
        attempt,
        requests: model.requests(),
        rehearsed: rehearsed.into_inner().unwrap(),
        called: called.into_inner().unwrap(),
        told: told.into_inner().unwrap(),
    }
}

fn answered(output: &str, samples: Option<Samples>) -> Attempt {
    Attempt {
        status: ExecutionStatus::Completed,
        output: output.to_owned(),
        verbatim: true,
        failure: None,
        samples,
        conversation: None,
    }
}

/// Of an answer that nothing contradicts: all that were asked for agreed, so that both languages are among them, or one did.
fn samples(asked: u32, agreed: u32, ways: u32, depends: Option<bool>) -> Option<Samples> {
    let languages = if asked == 4 && agreed == 4 { 2 } else { 1 };
    Some(Samples { asked, agreed, ways, languages, depends, against: 0 })
}

/// Of what depends on its subject and is contradicted by the rest of four.
fn of_four(agreed: u32, ways: u32, languages: u32) -> Option<Samples> {
    Some(Samples { asked: 4, agreed, ways, languages, depends: Some(true), against: 4 - agreed })
}

/// A Python program as it is called. One word needs no quotes.
fn program(code: &str) -> String {
    if code.chars().all(char::is_alphanumeric) {
        format!("python3 -c {code}")
    } else {
        format!("python3 -c '{code}'")
    }
}

/// The command that a query of a table comes to; its arguments are quoted where a shell needs it.
fn query(table: &str, between: &str, query: &str) -> String {
    let runs = include_str!("../../prompts/query.py").trim_end();
    format!("python3 -c '{runs}' {table} {between} {query}")
}

/// The derivations of three programs alike and of a shell command, in the order in which they are asked for.
fn both<'a>(shell: &'a str, program: &'a str) -> [&'a str; 4] {
    [program, program, program, shell]
}

/// Both ways are there, and the home has Python.
fn both_ways(home: &Path) -> AttemptContext {
    let mut cx = question(home);
    cx.programs.push("python3".to_owned());
    cx
}

/// The commands of [`WORKS`], and programs that do the same.
fn plays() -> Vec<(String, [&'static str; 3])> {
    let counts = ["3", "error: no", "4"];
    let programs = [("a", counts), ("a()", counts), ("b", ["8", "error: no", "11"]), ("c", ["9", "9", "9"])];
    let shell = WORKS.iter().map(|(command, worlds)| ((*command).to_owned(), *worlds));
    shell.chain(programs.map(|(code, worlds)| (program(code), worlds))).collect()
}

#[tokio::test]
async fn two_ways_that_agree_are_enough() {
    let home = home();
    let seen = seen(&both_ways(home.path()), &both(WORKS[0].0, "a"), &[], Stage::new(plays())).await;
    assert_eq!(seen.attempt, answered("3", samples(4, 4, 2, Some(true))));
    assert_eq!(seen.called, [program("a")], "the shortest, and once");
    let [best, again, once_more, shell] = &seen.requests[..] else { panic!("{:?}", seen.requests) };
    insta::assert_snapshot!("derived_step", shell.messages[0].content);
    assert_eq!(shell.messages, best.messages);
    assert_eq!(
        (shell.answer_begins.as_str(), best.answer_begins.as_str()),
        ("```bash\n", "```python\nfrom pathlib import Path\nimport")
    );
    let sampled = |request: &Request| (request.seed, request.temperature_percent);
    assert_eq!([best, shell].map(sampled), [(None, 0); 2]);
    assert_eq!([again, once_more].map(sampled), [(Some(1), 80), (Some(2), 80)]);
    assert!(seen.requests.iter().all(|request| request.schema.is_none()));
    let subject = vec![home.path().canonicalize().unwrap().join("docs/a.txt")];
    let worlds = |command: String| {
        [Perturbation::AsIs, Perturbation::Hidden(subject.clone()), Perturbation::Doubled(subject.clone())]
            .map(|world| (command.clone(), world))
    };
    assert_eq!(seen.rehearsed, [worlds(program("a")), worlds(WORKS[0].0.to_owned())].concat());
}

/// Observed with the embedded model: of 26 requests that two programs agreed on and the shell command did not, they were right in
/// 22, and only the shell's words kept that from being told. The interpreter is not what two programs have in common.
#[tokio::test]
async fn lesson_another_program_is_another_way() {
    let home = home();
    let of = async |written: [&str; 4]| {
        seen(&both_ways(home.path()), &written, &[], Stage::new(plays())).await.attempt
    };
    let three = of(["a", "a()", "b", WORKS[0].0]).await;
    assert_eq!(three, answered("3", of_four(3, 3, 2)));
    let same = of(["a", "a", "a", WORKS[2].0]).await;
    assert_eq!(same, answered("3", of_four(3, 1, 1)));
}

/// The command in the shell says something else: the programs agree in one language alone.
#[tokio::test]
async fn what_programs_alone_agree_on_is_of_one_language() {
    let home = home();
    let of = async |shell| {
        let written = ["a", "b", "a()", shell];
        seen(&both_ways(home.path()), &written, &[], Stage::new(plays())).await.attempt
    };
    assert_eq!(of(WORKS[2].0).await, answered("3", of_four(2, 2, 1)));
    assert_eq!(of(WORKS[4].0).await, answered("8", of_four(2, 2, 2)), "two languages go before two ways");
}

/// Observed with the embedded model: its plan took "tel op" (add up) for "appear", and each way was told so and listed
/// the amounts. A program is told the person's words alone; but a part of a plan needs what the planner says.
#[tokio::test]
async fn lesson_one_way_owes_nothing_to_the_planner() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.context = "As planned: How long is docs/a.txt?".to_owned();
    for (is_whole, told) in [(true, [false, false, false, true]), (false, [true; 4])] {
        cx.subtask.is_whole = is_whole;
        let seen = seen(&cx, &both(WORKS[0].0, "a"), &[], Stage::new(plays())).await;
        let says = |said: &str| {
            let told = seen.requests.iter().map(|request| request.messages[0].content.contains(said));
            told.collect::<Vec<_>>()
        };
        assert_eq!(says("As planned: How long is docs/a.txt?"), told);
        assert_eq!(says("Task: Wie viele Zeilen hat docs/a.txt?"), [true; 4]);
    }
}

/// Observed with the embedded model: asked for the lines between two hours, each way counted all lines, and they
/// agreed. What depends on no number of the request agrees with nothing.
#[tokio::test]
async fn lesson_what_a_number_of_the_request_is_nothing_to_is_not_borne_out() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.is_whole = true;
    cx.subtask.intent = "Quante righe di docs/a.txt tra 13:00 e 14:00?".to_owned();
    let all = seen(&cx, &both(WORKS[0].0, "a"), &[], Stage::new(plays())).await;
    assert_eq!(all.attempt, answered("3", samples(4, 4, 2, Some(false))));
    // One way has the hours, and other hours come to something else.
    let hours = |from: &str, to: &str| format!("awk '/^{from}/,/^{to}/' docs/a.txt | wc -l");
    let hourly = vec![
        (hours("13", "14"), ["2", "error: no", "3"]),
        (hours("00", "14"), ["3", "error: no", "4"]),
        (hours("13", "00"), ["1", "error: no", "1"]),
        (program("h(13, 14)"), ["2", "error: no", "3"]),
        (program("h(0, 14)"), ["error: no such hour", "", ""]),
        (program("h(14, 14)"), ["0", "0", "0"]),
        (program("h(13, 0)"), ["1", "error: no", "1"]),
    ];
    // Zeros keep the width of the number.
    let padded =
        [(program("h(00, 14)"), ["error: no such hour", "", ""]), (program("h(13, 00)"), ["1", "", ""])];
    let stage = Stage::new([hourly, padded.to_vec()].concat());
    let kept = seen(&cx, &both(&hours("13", "14"), "h(13, 14)"), &[], stage).await;
    assert_eq!(kept.attempt, answered("2", samples(4, 4, 2, Some(true))));
}

/// Observed with the embedded model: "Turun myyntien summa" was the sum of all cities, in both languages, and accepted. The model
/// is told where the value stands, and what it makes no difference to agrees with nothing.
#[tokio::test]
async fn lesson_what_a_value_of_the_request_is_nothing_to_is_not_borne_out() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.intent = "Montako kertaa Turussa, docs/a.txt?".to_owned();
    let part = cx.clone();
    cx.subtask.is_whole = true;
    let table = "city,n\nOulu,1\nTurku,2\nTurku,4\n";
    let table = ("head -c 65536 -- docs/a.txt".to_owned(), [table, "", ""]);
    let query = (query("docs/a.txt", ",", "'SELECT COUNT(*) FROM data'"), ["3", "error: no", "4"]);
    let plays = || [plays(), vec![table.clone(), query.clone()]].concat();
    let of = async |cx: &AttemptContext, replaced| {
        let stage = Stage { replaced: Some(replaced), ..Stage::new(plays()) };
        seen(cx, &both(" COUNT(*) FROM data", "a"), &[], stage).await
    };
    let all = of(&cx, "3").await;
    assert_eq!(all.attempt, answered("3", samples(4, 4, 2, Some(false))));
    let told = ["(\"city\")", "(city)"].map(|city| format!("Values that the task names: \"Turku\" {city}\n"));
    for (request, told) in all.requests.iter().rev().zip(told) {
        assert!(request.messages[0].content.contains(&told), "{}", request.messages[0].content);
    }
    let worlds: Vec<&Perturbation> = all.rehearsed.iter().map(|(_, world)| world).collect();
    let replaced = Perturbation::Replaced {
        places: vec![home.path().canonicalize().unwrap().join("docs/a.txt")],
        from: "Turku".to_owned(),
        to: "Uvslv".to_owned(),
    };
    assert_eq!(worlds.into_iter().filter(|world| **world == replaced).count(), 2, "once for each command");
    assert_eq!(of(&cx, "2").await.attempt, answered("3", samples(4, 4, 2, Some(true))));
    let other_part = of(&part, "3").await.attempt;
    assert_eq!(
        other_part,
        answered("3", samples(4, 4, 2, Some(true))),
        "a part need not keep all that is said"
    );
}

/// Observed with the embedded model: asked to write the sum of one city, it wrote that of all. A deed is tried by its values, too.
#[tokio::test]
async fn lesson_a_deed_is_tried_by_the_values_that_the_request_names() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.intent = "Kirjoita Turun summa, docs/a.txt".to_owned();
    (cx.subtask.is_whole, cx.subtask.kind) = (true, StepKind::Change);
    let table = ("head -c 65536 -- docs/a.txt".to_owned(), ["city,n\nOulu,1\nTurku,2\n", "", ""]);
    let deed = ["change: 3", "error: no", "change: 4"];
    for (replaced, depends) in [("change: 3", false), ("change: 9", true)] {
        let plays = vec![table.clone(), (program("a"), deed), ("sum > b".to_owned(), deed)];
        let stage = Stage { replaced: Some(replaced), ..Stage::new(plays) };
        let samples = seen(&cx, &both("sum > b", "a"), &[], stage).await.attempt.samples;
        assert_eq!(samples.and_then(|samples| samples.depends), Some(depends), "{replaced}");
    }
}

/// Observed with the embedded model: asked which files mention a word, it named the files whose names have an ending. That the
/// word stands in texts is told.
#[tokio::test]
async fn lesson_a_word_that_stands_in_texts_is_said_to() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.intent = "I vilka filer i docs nämns lanterna?".to_owned();
    cx.subtask.context = "As planned: In which files in docs is lanterna mentioned?".to_owned();
    let search = "timeout 1 find docs -type f -size -64k -print0 | head -z -n 200";
    let search = format!(
        "{search} | xargs -0 -r grep -IowiFH -e lanterna -- | sort -u; echo //; {search} | tr '\\n\\0' ' \\n'"
    );
    let plays = vec![
        ("ls -A -- docs".to_owned(), ["a.txt\nb.txt\n", "", ""]),
        (search, ["docs/b.txt:Lanterna\n//\ndocs/a.txt\ndocs/b.txt\n", "", ""]),
        (program("a"), ["b.txt", "", "b.txt"]),
        ("grep -rl lanterna docs".to_owned(), ["docs/b.txt", "", "docs/b.txt"]),
    ];
    let seen = seen(&cx, &both("grep -rl lanterna docs", "a"), &[], Stage::new(plays)).await;
    let told = "docs: a folder; lanterna stands in the text of some of its files, and in no name\n";
    assert!(seen.requests.iter().all(|request| request.messages[0].content.contains(told)));
}

/// Observed with the embedded model: "write the total into total.txt and tell me" was answered with the name of the file. What was
/// made without a word is looked at, where it is short.
#[tokio::test]
async fn lesson_what_was_made_without_a_word_is_looked_at() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.kind = StepKind::Create;
    let command = "wc -l < docs/a.txt > total.txt";
    let look = "cat -- /home/total.txt";
    let of = async |change, diff: &str| {
        let plays = vec![
            (command.to_owned(), ["", "", ""]),
            (program("x"), ["", "", ""]),
            (look.to_owned(), ["421\n", "", ""]),
        ];
        let diff = Some(diff.to_owned());
        let made = vec![FileChange { diff, ..FileChange::new("/home/total.txt", change) }];
        let stage = Stage { made, ..Stage::new(plays) };
        let seen = seen(&cx, &both(command, "x"), &[], stage).await;
        (seen.attempt.output, seen.called.len())
    };
    let head = "--- nothing\n+++ after\n";
    let short = format!("{head}@@ -0,0 +1 @@\n+421\n");
    let long = format!("{head}@@ -0,0 +1,9 @@\n{}", "+1\n".repeat(9));
    let changed = "--- before\n+++ after\n@@ -1 +1 @@\n-1\n+2\n";
    let file = "/home/total.txt";
    for (change, diff, told, calls) in [
        (FileChangeKind::Created, short.as_str(), format!("created: {file}\n421"), 2),
        (FileChangeKind::Created, &long, format!("created: {file}"), 1),
        (FileChangeKind::Created, "12 bytes", format!("created: {file}"), 1),
        (FileChangeKind::Changed, changed, format!("changed: {file}"), 1),
    ] {
        assert_eq!(of(change, diff).await, (told, calls), "{diff}");
    }
}

/// Lesson of issue 16: a small model gave the same command twice, which agreed with itself, and both were
/// wrong. It is one way.
#[tokio::test]
async fn lesson_the_same_command_again_is_no_other_way() {
    let home = home();
    let seen = seen(&question(home.path()), &[WORKS[0].0; 2], &[], Stage::new(plays())).await;
    assert_eq!(seen.attempt, answered("3", samples(2, 2, 1, Some(true))));
}

/// Literals agree without looking at anything; one command that looks is worth more.
#[tokio::test]
async fn literals_are_outvoted_however_many() {
    let home = home();
    let seen = seen(&both_ways(home.path()), &both(WORKS[1].0, "c"), &[], Stage::new(plays())).await;
    // Who says the same in the same words is one voice.
    assert_eq!(
        seen.attempt,
        answered("3", of_four(1, 1, 1).map(|samples| Samples { against: 1, ..samples }))
    );
    assert_eq!(seen.called, [WORKS[1].0]);
}

/// What a step changes is derived in two ways, too: they agree where they change the same, whatever they print.
#[tokio::test]
async fn a_deed_is_derived_in_two_ways_that_change_the_same() {
    let home = home();
    let mut cx = both_ways(home.path());
    cx.subtask.kind = StepKind::Change;
    let plays = vec![
        ("sed -i d docs/a.txt".to_owned(), ["change: x", "", ""]),
        ("cat docs/a.txt".to_owned(), ["a", "", ""]),
        (program("x"), ["change: x", "", ""]),
        (program("y"), ["change: y", "", ""]),
    ];
    let agreed = seen(&cx, &both("sed -i d docs/a.txt", "x"), &[], Stage::new(plays.clone())).await;
    assert_eq!(agreed.called, [program("x")]);
    assert_eq!(agreed.attempt.samples, samples(4, 4, 2, Some(true)));
    // A weak planner took it for a question; what the commands do contradicts it.
    cx.subtask.kind = StepKind::FindOut;
    cx.subtask.is_whole = true;
    let agreed = seen(&cx, &both("sed -i d docs/a.txt", "x"), &[], Stage::new(plays.clone())).await;
    assert_eq!(agreed.attempt.samples, samples(4, 4, 2, Some(true)));
    cx.subtask.kind = StepKind::Change;
    // What changes nothing is worth less than what does.
    let alone = seen(&cx, &both("cat docs/a.txt", "y"), &[], Stage::new(plays)).await;
    assert_eq!(alone.called, [program("y")]);
    assert_eq!(alone.attempt.samples, of_four(3, 1, 1));
}

/// Observed with the embedded model: asked to write a list into a file, a plan took it for a question, commands wrote
/// it in two ways, and another one only printed it.
#[tokio::test]
async fn lesson_what_most_commands_do_contradicts_the_plan() {
    let home = home();
    let mut cx = both_ways(home.path());
    let plays = vec![
        ("find docs > list".to_owned(), ["change: x", "", ""]),
        ("find docs".to_owned(), ["a.txt", "", "a.txt"]),
        (program("x"), ["change: y", "", ""]),
        (program("p"), ["a.txt", "", "a.txt"]),
    ];
    let written = ["x", "x", "p", "find docs > list"];
    cx.subtask.is_whole = true;
    let most = seen(&cx, &written, &[], Stage::new(plays.clone())).await;
    assert_eq!((most.called, most.attempt.samples), (vec![program("x")], of_four(2, 1, 1)));
    cx.subtask.is_whole = false;
    let part = seen(&cx, &written, &[], Stage::new(plays)).await;
    assert_eq!(part.called, [program("p")]);
}

/// Lesson of issue 16: five parts of a plan, each told the whole request, appended the same line five times.
#[tokio::test]
async fn lesson_a_part_that_finds_something_out_changes_nothing() {
    let home = home();
    let plays =
        vec![("echo x >> a".to_owned(), ["change: x", "", ""]), (program("x"), ["change: x", "", ""])];
    let seen = seen(&both_ways(home.path()), &both("echo x >> a", "x"), &[], Stage::new(plays)).await;
    assert_eq!((seen.called, seen.attempt.status), (vec![], ExecutionStatus::Uncertain));
}

/// A question is not answered by a change.
#[tokio::test]
async fn what_changes_something_is_no_answer() {
    let home = home();
    let plays =
        vec![("touch x; echo 3".to_owned(), ["change: x", "", ""]), (program("a"), ["3", "error: no", "4"])];
    let seen = seen(&both_ways(home.path()), &both("touch x; echo 3", "a"), &[], Stage::new(plays)).await;
    assert_eq!(seen.called, [program("a")]);
}

/// Observed with the embedded model: `awk` was given the wrong column, and a program a table with semicolons as one with
/// commas, and columns with names of its own.
#[tokio::test]
async fn each_way_is_told_the_columns_of_a_table_as_it_names_them() {
    let home = home();
    std::fs::write(home.path().join("my sales.csv"), "n;k\n1;2\n2;2\n").unwrap();
    let question = AttemptContext {
        subtask: conformance::context("Sum up n in my sales.csv").subtask,
        ..both_ways(home.path())
    };
    let mut change = question.clone();
    change.subtask.kind = StepKind::Change;
    let query = query("'my sales.csv'", "';'", "'SELECT SUM(\"n\") FROM data'");
    let awk = "awk n 'my sales.csv' > sum";
    let columns = [
        r#"Columns of data: "n", "k""#,
        "Columns for awk -F';': n is $1, k is $2",
        r#"Columns of list(csv.DictReader(open("my sales.csv"), delimiter=";")): "n", "k""#,
    ];
    for (cx, written, came, told) in [
        (&question, " SUM(\"n\") FROM data", ["3", "error: no", "5"], [columns[0], columns[2]]),
        (&change, "awk n my sales.csv > sum", ["change: 3", "", ""], [columns[1], columns[2]]),
    ] {
        let plays = vec![
            (program("a"), came),
            (query.clone(), came),
            (awk.to_owned(), came),
            ("head -c 65536 -- 'my sales.csv'".to_owned(), ["n;k\n1;2\n2;2\n", "", ""]),
        ];
        let seen = seen(cx, &both(written, "a"), &[], Stage::new(plays)).await;
        assert_eq!(seen.attempt.samples.map(|samples| samples.languages), Some(2), "{:?}", seen.attempt);
        for (request, columns) in seen.requests.iter().rev().zip(told) {
            assert!(request.messages[0].content.contains(columns), "{}", request.messages[0].content);
        }
    }
}

/// A query answers of one table alone: not of two files, nor of a file and whatever lies in a folder.
#[tokio::test]
async fn what_is_about_more_than_a_table_is_no_query() {
    let home = home();
    std::fs::write(home.path().join("b.csv"), "n;k\n1;2\n2;2\n").unwrap();
    for (request, begun) in [
        ("Which n of b.csv is in docs/a.txt?", "```bash\n"),
        ("Which n of b.csv is the largest?", "```sql\nSELECT"),
    ] {
        let subtask = conformance::context(request).subtask;
        let cx = AttemptContext { subtask, ..both_ways(home.path()) };
        let table = ("head -c 65536 -- b.csv".to_owned(), ["n;k\n1;2\n2;2\n", "", ""]);
        let seen = seen(&cx, &both("a", "a"), &[], Stage::new([plays(), vec![table]].concat())).await;
        assert_eq!(seen.requests.last().unwrap().answer_begins, begun, "{request}");
    }
}

/// Lesson of issue 16: a small model forgets the quotes, and writes blanks as underscores.
#[tokio::test]
async fn lesson_a_name_with_blanks_is_quoted_by_the_code() {
    let home = home();
    std::fs::write(home.path().join("my notes.txt"), "a\n").unwrap();
    let cx = AttemptContext {
        subtask: conformance::context("Wie viele Zeilen hat my notes.txt?").subtask,
        ..question(home.path())
    };
    for written in
        ["wc -l < my notes.txt", r"wc -l < my\ notes.txt", "wc -l < my_notes.txt", "wc -l < 'my notes.txt'"]
    {
        let plays = vec![("wc -l < 'my notes.txt'".to_owned(), ["1", "error: no", "2"])];
        let seen = seen(&cx, &[written; 2], &[], Stage::new(plays)).await;
        assert_eq!(seen.called, ["wc -l < 'my notes.txt'"], "{written}");
    }
}

/// Where commands cannot be rehearsed, the model chooses a call a turn.
#[tokio::test]
async fn without_rehearsals_nothing_is_derived() {
    let home = home();
    let seen = seen(&both_ways(home.path()), &[], &[call("echo 9", true)], Stage::new(Vec::new())).await;
    assert_eq!((seen.requests.len(), seen.attempt.samples), (1, None));
    assert_eq!(seen.called, ["echo 9"]);
}

/// Tools that do what no command does are offered first. A command that the model chooses is derived.
#[tokio::test]
async fn where_other_tools_are_offered_the_model_chooses_first() {
    let home = home();
    let mut cx = both_ways(home.path());
    let other = |name| artoo_executor::ToolSpec { name: ToolName::new(name), ..cx.tools[0].clone() };
    cx.tools = [cx.tools.clone(), vec![other("fetch"), other("glob")]].concat();
    let page = json!({"tool": "fetch", "arguments": {"command": "docs/*"}, "output_is_answer": true});
    let page = seen(&cx, &[], &[page], Stage::new(plays())).await;
    assert_eq!((page.called, page.attempt.samples), (vec!["docs/*".to_owned()], None));
    let model = Arc::new(ScriptedModel::new().profiled(guided()));
    model.add(Expect::any(), Answer::json(call("wc -l < docs/a.txt", true)));
    for text in both(WORKS[0].0, "a") {
        model.add(Expect::any(), Answer::text(text));
    }
    let (stage, client) = (Stage::new(plays()), Arc::clone(&model) as Arc<dyn LlmClient>);
    let attempt = ModelExecutor::default().attempt(&cx, &stage, &client).await.unwrap();
    model.assert_finished();
    assert_eq!(attempt, answered("3", samples(4, 4, 2, Some(true))));
}

#[tokio::test]
async fn what_cannot_be_rehearsed_does_not_count() {
    let home = home();
    let none = seen(&question(home.path()), &["curl a", "curl b"], &[], Stage::new(plays())).await;
    assert_eq!((none.called, none.attempt.status), (vec![], ExecutionStatus::Uncertain));
    let some = seen(&question(home.path()), &["curl a", WORKS[0].0], &[], Stage::new(plays())).await;
    assert_eq!(some.attempt, answered("3", samples(2, 1, 1, Some(true))));
}

/// A call whose result is known is no derivation.
#[tokio::test]
async fn a_known_call_is_not_derived_again() {
    let home = home();
    let stage = Stage { known: Some("wc -l < docs/a.txt"), ..Stage::new(plays()) };
    let seen = seen(&question(home.path()), &[WORKS[0].0, WORKS[1].0], &[], stage).await;
    assert_eq!(
        (seen.called, seen.attempt.samples),
        (vec![WORKS[1].0.to_owned()], samples(2, 1, 1, Some(true)))
    );
}

/// Nothing came out, and the model says what that means. The agreement belongs to the call.
#[tokio::test]
async fn what_puts_out_nothing_is_put_into_words() {
    let home = home();
    let plays = vec![("grep x docs/a.txt".to_owned(), ["", "", ""]), (program("q"), ["", "", ""])];
    // It is no agreement: most mistakes find nothing, too.
    let seen = seen(
        &both_ways(home.path()),
        &both("grep x docs/a.txt", "q"),
        &[json!({"answer": "none"})],
        Stage::new(plays),
    )
    .await;
    let expected = Attempt { verbatim: false, ..answered("none", samples(4, 4, 1, None)) };
    assert_eq!((seen.attempt, seen.called), (expected, vec![program("q")]));
}

/// Observed with the embedded model: no file has the word, both ways looked for it, and the model gave up.
#[tokio::test]
async fn lesson_what_looked_and_found_nothing_may_not_give_up() {
    let home = home();
    let cx = AttemptContext {
        subtask: conformance::context("Which lines of docs/a.txt mention heron?").subtask,
        ..both_ways(home.path())
    };
    let command = "grep -w heron docs/a.txt";
    let plays = || vec![(command.to_owned(), ["", "", ""]), (program("f(\"heron\")"), ["", "", ""])];
    let planted = Stage { planted: Some("heron"), ..Stage::new(plays()) };
    let looked = seen(&cx, &both(command, "f(\"heron\")"), &[json!({"answer": "none"})], planted).await;
    let expected = Attempt { verbatim: false, ..answered("none", samples(4, 4, 2, Some(true))) };
    assert_eq!(looked.attempt, expected);
    let line = looked.rehearsed.iter().find_map(|(_, world)| match world {
        Perturbation::Planted { line, .. } => Some(line.as_str()),
        Perturbation::AsIs
        | Perturbation::Hidden(_)
        | Perturbation::Emptied(_)
        | Perturbation::Doubled(_)
        | Perturbation::Replaced { .. } => None,
    });
    assert_eq!(line, Some("heron"));
    let may_give_up = |seen: &Seen| {
        let schema = seen.requests.last().unwrap().schema.as_ref().unwrap();
        schema.schema.to_string().contains("give_up")
    };
    assert!(!may_give_up(&looked));
    // What does not find a planted line either has not looked.
    let blind =
        seen(&cx, &both(command, "f(\"heron\")"), &[json!({"answer": "none"})], Stage::new(plays())).await;
    assert_eq!(blind.attempt.samples, samples(4, 4, 1, None));
    assert!(may_give_up(&blind));
}

/// Observed with the embedded model: three programs die of a column that is not there, and the shell command says 0.
#[tokio::test]
async fn lesson_what_the_request_names_and_is_not_there_has_no_answer() {
    let home = home();
    let cx = AttemptContext {
        subtask: conformance::context("Mikä on sarakkeen discount summa, docs/a.txt?").subtask,
        ..both_ways(home.path())
    };
    let died = "error: Traceback\nKeyError: 'discount'";
    let written = both("awk sum docs/a.txt", "sum(\"discount\")");
    let search = format!("grep -rqF -e discount -- {}", home.path().join("docs/a.txt").display());
    let plays = |found| {
        let wrong = ("awk sum docs/a.txt".to_owned(), ["0", "error: no", "0"]);
        vec![(program("sum(\"discount\")"), [died; 3]), wrong, (search.clone(), [found; 3])]
    };
    let missing = seen(&cx, &written, &[], Stage::new(plays("error: "))).await;
    assert_eq!(missing.called, [program("sum(\"discount\")")]);
    let gave_up = missing.attempt.failure.and_then(|failure| failure.gave_up);
    let reason = "discount is not there".to_owned();
    assert_eq!(gave_up, Some(GaveUp { kind: GiveUpKind::Impossible, reason, question: None }));
    // It stands in the file: the programs looked in the wrong place.
    let there = seen(&cx, &written, &[], Stage::new(plays(""))).await;
    assert_eq!((there.attempt.output.as_str(), there.called.len()), ("0", 1));
}

#[tokio::test]
async fn a_model_that_fails_ends_the_attempt_as_ever() {
    let home = home();
    let unreachable = || LlmError::Configuration { reason: "no key".to_owned() };
    let model = ScriptedModel::new().profiled(guided()).expect(Expect::any(), Answer::error(unreachable));
    let client: Arc<dyn LlmClient> = Arc::new(model);
    let stage = Stage::new(plays());
    let ended = ModelExecutor::default().attempt(&question(home.path()), &stage, &client).await;
    assert!(ended.is_err() && stage.called.lock().unwrap().is_empty());
}

/// An attempt may be dropped during a rehearsal: nothing was called by then.
#[tokio::test(start_paused = true)]
async fn an_attempt_may_end_within_a_rehearsal() {
    let home = home();
    let model = ScriptedModel::new().profiled(guided()).always(Expect::any(), Answer::text("sleep 9"));
    let client: Arc<dyn LlmClient> = Arc::new(model);
    let stage = Stage::new(vec![("sleep 9".to_owned(), ["3", "hangs", "3"])]);
    let (cx, executor) = (question(home.path()), ModelExecutor::default());
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
    let memory = Knows::Guards(vec![crate::guards::guard("printf 4", GuardAction::Confirm)]);
    let executor = Arc::new(Rehearses(sender));
    let mut house = House::beside(Some(memory), Terms::default(), executor, &model, 1);
    house.dispatcher.publish(subtask(1, "Rehearse")).unwrap();
    let (free, held) = (came.recv().await.unwrap(), came.recv().await.unwrap());
    assert_eq!(held, Err(NotRehearsed { reason: "memory advises against it".to_owned() }));
    match free {
        Ok(rehearsed) => assert_eq!(rehearsed, said("3", "", 0)),
        Err(why) => artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, why),
    }
    let messages = house.said_within(std::time::Duration::ZERO).await;
    assert!(finished(&messages).is_empty(), "{messages:?}");
    house.close().await;
}

/// Who waits is told which command is tried on which files, until none is.
#[tokio::test]
async fn trials_are_told() {
    let home = home();
    let (command, worlds) = WORKS[0];
    let stage = Stage::new(vec![(command.to_owned(), worlds)]);
    let seen = seen(&question(home.path()), &[command, command], &[], stage).await;
    assert_eq!(seen.called, [command]);
    let trial = |files| Some(Progress::TryingCommand { variant: 1, of: 1, files });
    assert_eq!(seen.told.last(), Some(&None));
    let expected = [TrialFiles::AsIs, TrialFiles::Hidden, TrialFiles::Doubled].map(trial);
    assert_eq!(seen.told[..3], expected, "{:?}", seen.told);
    assert_eq!(seen.told.len(), seen.rehearsed.len() + 1, "each trial is told");
}
