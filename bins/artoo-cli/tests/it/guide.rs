//! Runs the commands of README.md and of the pages in docs/guide, and compares the outputs that the pages show.
//!
//! A page has a scene of its own, so that its blocks follow one another as a reader types them. Blocks by the language of their fence:
//!
//! - `sh`: the whole block is a script; each command has to succeed.
//! - `console`: commands behind `$ `, each with its output on both streams. A line `…` stands for any lines. A command has to succeed
//!   unless `$ echo $?` comes next.
//! - `toml`: a configuration that artoo reads; with `file="policy.toml"`, rules.
//!
//! A block with `not-run="REASON"`, and one of `cargo` commands alone, is not run: of its lines that begin with `artoo`, the arguments
//! are parsed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use artoo_llm_http::doubles::{Call, Reply};
use regex::Regex;
use serde_json::{Value, json};

use crate::examples::in_a_shell;
use crate::fixture::Scene;
use crate::mock_model::{model, schema, shell, shown};
use crate::sandbox::can_try;

/// Each page, with the number of its blocks that are run and of those that are not.
const PAGES: [(&str, usize, usize); 14] = [
    ("README.md", 3, 3),
    ("docs/guide/configuration.md", 3, 0),
    ("docs/guide/consent-and-undo.md", 4, 0),
    ("docs/guide/conversation.md", 2, 0),
    ("docs/guide/editors-and-mcp.md", 3, 1),
    ("docs/guide/embedding.md", 0, 1),
    ("docs/guide/first-request.md", 2, 0),
    ("docs/guide/install.md", 2, 6),
    ("docs/guide/memory.md", 4, 1),
    ("docs/guide/models.md", 5, 1),
    ("docs/guide/python.md", 0, 0),
    ("docs/guide/records.md", 5, 0),
    ("docs/guide/sandbox.md", 2, 0),
    ("docs/guide/scripts-and-ci.md", 5, 0),
];

/// The address in the pages that stands for the model's server.
const SERVER: &str = "http://127.0.0.1:11434";

/// Stands in front of the exit status of a command, behind its output.
const MARK: char = '\u{1}';

/// A fenced block.
#[derive(Debug, PartialEq)]
struct Block {
    line: usize,
    language: String,
    info: String,
    text: String,
}

/// A command of a `console` block, and the output behind it.
#[derive(Debug, PartialEq)]
struct Exchange {
    command: String,
    output: Vec<String>,
}

/// What came of a page: its mistakes, and how many of its blocks were run and not run.
#[derive(Debug, Default)]
struct Outcome {
    mistakes: Vec<String>,
    run: usize,
    not_run: usize,
}

/// The fenced blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (open.take(), line.trim_start().strip_prefix("```")) {
            (None, Some(head)) => {
                let (language, info) = head.split_once(' ').unwrap_or((head, ""));
                let (language, info) = (language.to_owned(), info.trim().to_owned());
                open = Some(Block { line: index + 1, language, info, text: String::new() });
            }
            (None, None) => {}
            (Some(block), Some("")) => blocks.push(block),
            (Some(block), _) => open = Some(Block { text: format!("{}{line}\n", block.text), ..block }),
        }
    }
    assert_eq!(open, None, "a fence is not closed");
    blocks
}

impl Block {
    fn is_run(&self) -> bool {
        !self.info.starts_with("not-run=") && !self.text.lines().all(|line| line.starts_with("cargo "))
    }

    /// The commands of the block that begin with `artoo`, without what is no argument of it.
    fn artoo_lines(&self) -> impl Iterator<Item = &str> {
        let commands = self.text.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line));
        commands.filter(|line| line.starts_with("artoo ")).map(|line| {
            [" #", " -- ", " | ", " < ", " > "].iter().fold(line, |rest, end| rest.split(end).next().unwrap())
        })
    }
}

/// The commands of a `console` block.
fn exchanges(text: &str) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => {
                exchanges.push(Exchange { command: command.to_owned(), output: Vec::new() });
            }
            None => exchanges.last_mut().expect("a command comes first").output.push(line.to_owned()),
        }
    }
    exchanges
}

/// The commands that stand in the text of a page, as `artoo WORD WORD`: their words up to the first that is no plain one.
fn spans(page: &str) -> BTreeSet<Vec<String>> {
    let fences = Regex::new(r"(?ms)^```.*?^```$").unwrap();
    let prose = fences.replace_all(page, "");
    let is_plain = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    let spans = prose.split('`').skip(1).step_by(2).filter_map(|span| span.strip_prefix("artoo "));
    let words = |span: &str| span.split(' ').take_while(is_plain).map(str::to_owned).collect::<Vec<_>>();
    spans.map(words).filter(|words| !words.is_empty()).collect()
}

/// Whether an output is as a page shows it.
fn is_as_shown(shown: &[&str], output: &[&str]) -> bool {
    match (shown.split_first(), output.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((&"…", shown)), _) => (0..=output.len()).any(|from| is_as_shown(shown, &output[from..])),
        (Some((line, shown)), Some((other, output))) => line == other && is_as_shown(shown, output),
        (Some(_), None) => false,
    }
}

/// A text without what differs from run to run: folders of the test, ids, times, tokens, blanks at the ends.
fn comparable(text: &str, folders: &[(PathBuf, &str)]) -> String {
    let mut text = text.to_owned();
    for (folder, name) in folders {
        text = text.replace(&folder.display().to_string(), name);
    }
    let forms = [
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[id]"),
        (r"\b[0-9a-f]{12}\b", "[id]"),
        (r"\b\d+(\.\d+)? m?s\b", "[time]"),
        (r"\b[\d.]+k? tokens\b", "[tokens]"),
        (r"(?m)[ \t]+$", ""),
    ];
    for (form, name) in forms {
        text = Regex::new(form).unwrap().replace_all(&text, name).into_owned();
    }
    text.trim_matches('\n').to_owned()
}

/// A request of the pages: words of it, the kind of its one step, a criterion, and the command that does it.
type Request = (&'static str, &'static str, Value, &'static str);

fn requests() -> [Request; 4] {
    let is_something = json!({"text": "The output is not empty", "check": "output_nonempty"});
    let is_number = json!({"text": "The output is the number of files", "check": "output_number"});
    let is_gone =
        json!({"text": "The letter is gone", "check": "file_absent", "path": "drafts/town-hall.txt"});
    [
        ("How many .txt files are in docs?", "find_out", is_number, "ls docs/*.txt | wc -l"),
        (
            "How many .txt files are in docs, and which is the largest?",
            "find_out",
            is_something.clone(),
            "find docs -name '*.txt' | wc -l; ls -S docs | head -n 1",
        ),
        ("Delete the drafts", "change", is_gone, "rm -v drafts/*.txt"),
        ("Sort the lines of todo.txt", "change", is_something, "sort -o todo.txt todo.txt && cat todo.txt"),
    ]
}

/// The request that comes last in a prompt, behind those that memory brings; the first of all if there is none.
fn requested(prompt: &str) -> Request {
    let in_prompt = requests().into_iter().filter(|it| prompt.contains(it.0));
    in_prompt.max_by_key(|it| prompt.rfind(it.0)).unwrap_or_else(|| requests()[0].clone())
}

/// A model that knows the requests of the pages.
fn answers() -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    let works = model(Value::Null, |shown| shell(requested(shown).3));
    move |call| match schema(call) {
        "plan" => {
            let (words, kind, criterion, _) = requested(&shown(call));
            let step = json!({"intent": words, "sequence": 1, "kind": kind, "criteria": [criterion]});
            Reply::text(json!({"subtasks": [step]}).to_string())
        }
        "output" => Reply::text(json!({"count": 5}).to_string()),
        _ => works(call),
    }
}

/// The content of count.json.
const SCHEMA: &str = "{\"type\": \"object\", \"required\": [\"count\"], \"properties\": {\"count\": {\"type\": \"integer\"}}}\n";

/// The files that the pages speak of.
fn scene() -> Scene {
    let scene = Scene::new(answers());
    let folder = scene.folder();
    fs::remove_dir_all(folder.join("docs")).unwrap();
    for name in ["docs", "drafts"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    for (name, lines) in [("agenda", 3), ("handbook", 40), ("house", 5), ("invoices", 8), ("people", 4)] {
        fs::write(folder.join(format!("docs/{name}.txt")), "text\n".repeat(lines)).unwrap();
    }
    for (name, text) in [
        ("count.json", SCHEMA),
        ("drafts/anna.txt", "Dear Anna,\n"),
        ("drafts/town-hall.txt", "To the mayor\n"),
        ("todo.txt", "write\nbuy\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    scene
}

/// Runs the blocks of a page in a scene of its own, and parses what is not run.
fn outcome(page: &str) -> Outcome {
    let scene = scene();
    let mut outcome = Outcome::default();
    for block in blocks(page) {
        let run = match block.language.as_str() {
            "sh" => script,
            "console" => console,
            "toml" => configuration,
            _ => continue,
        };
        let mistakes = if block.is_run() {
            outcome.run += 1;
            run(&scene, &block)
        } else {
            outcome.not_run += 1;
            let lines: Vec<String> = block.artoo_lines().map(|line| format!("{line} --help")).collect();
            lines.iter().filter_map(|line| failure(&scene, line)).collect()
        };
        outcome.mistakes.extend(mistakes.iter().map(|mistake| format!("line {}: {mistake}", block.line)));
    }
    for words in spans(page) {
        // `artoo NAME --help` is answered for any name, `artoo help NAME` only for commands.
        let lines = [format!("artoo help {}", words[0]), format!("artoo {} --help", words.join(" "))];
        outcome.mistakes.extend(lines.iter().filter_map(|line| failure(&scene, line)));
    }
    outcome
}

/// What went wrong with a command, if it failed.
fn failure(scene: &Scene, command: &str) -> Option<String> {
    let said = in_a_shell(scene, command);
    (said.code != 0).then(|| format!("exit status {}\n{command}\n{}{}", said.code, said.out, said.err))
}

fn script(scene: &Scene, block: &Block) -> Vec<String> {
    let text = block.text.replace(SERVER, &scene.server().base_url());
    failure(scene, &format!("set -ex\n{text}")).into_iter().collect()
}

fn console(scene: &Scene, block: &Block) -> Vec<String> {
    let exchanges = exchanges(&block.text);
    let mut script = "exec 2>&1\nstatus=0\n".to_owned();
    for Exchange { command, .. } in &exchanges {
        script += &format!("(exit $status)\n{command}\nstatus=$?; printf '\\001%s\\n' $status\n");
    }
    let said = in_a_shell(scene, &script).out;
    let folders = [(scene.folder(), "/home/ada/project"), (scene.home(), "/home/ada")];
    let mut rest = said.as_str();
    let mut mistakes = Vec::new();
    for (at, Exchange { command, output }) in exchanges.iter().enumerate() {
        let (came, after) = rest.split_once(MARK).unwrap_or((rest, "none\n"));
        let (status, after) = after.split_once('\n').unwrap_or((after, ""));
        rest = after;
        let is_told = exchanges.get(at + 1).is_some_and(|next| next.command == "echo $?");
        let (wanted, came) = (comparable(&output.join("\n"), &[]), comparable(came, &folders));
        let (shown, seen): (Vec<&str>, Vec<&str>) = (wanted.lines().collect(), came.lines().collect());
        if (status != "0" && !is_told) || !is_as_shown(&shown, &seen) {
            mistakes.push(format!(
                "exit status {status}\n$ {command}\n--- the page\n{wanted}\n--- the output\n{came}"
            ));
        }
    }
    mistakes
}

fn configuration(_: &Scene, block: &Block) -> Vec<String> {
    let (file, command) = match block.info.as_str() {
        "" => ("config.toml", "artoo config show"),
        "file=\"policy.toml\"" => ("policy.toml", "artoo policy rules"),
        other => return vec![format!("`{other}` says nothing of a configuration")],
    };
    let scene = scene();
    let folder = scene.home().join(".config/artoo");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(file), &block.text).unwrap();
    failure(&scene, command).into_iter().collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_command_of_the_readme_and_the_guide_runs() {
    if !can_try() {
        return;
    }
    let mut mistakes = Vec::new();
    for (page, run, not_run) in PAGES {
        let outcome = outcome(&fs::read_to_string(root().join(page)).unwrap());
        mistakes.extend(outcome.mistakes.iter().map(|mistake| format!("{page}: {mistake}")));
        if (outcome.run, outcome.not_run) != (run, not_run) {
            mistakes.push(format!("{page}: {} blocks are run and {} are not", outcome.run, outcome.not_run));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n\n"));
}

#[test]
fn no_page_of_the_guide_is_forgotten() {
    let folder = fs::read_dir(root().join("docs/guide")).unwrap();
    let there: BTreeSet<String> =
        folder.map(|entry| format!("docs/guide/{}", entry.unwrap().file_name().display())).collect();
    let known: BTreeSet<String> = PAGES.iter().map(|(page, ..)| (*page).to_owned()).skip(1).collect();
    assert_eq!(there, known);
}

#[test]
fn a_page_that_is_wrong_is_found() {
    if !can_try() {
        return;
    }
    let mistakes = |page: &str| outcome(page).mistakes.len();
    assert_eq!(mistakes("```sh\nfalse\n```\n"), 1);
    assert_eq!(mistakes("```sh\nartoo --version\nls docs\n```\n"), 0);
    assert_eq!(mistakes("```console\n$ echo 1\n2\n```\n"), 1);
    assert_eq!(mistakes("```console\n$ echo 1; false\n1\n```\n"), 1);
    assert_eq!(mistakes("```console\n$ false\n$ echo $?\n1\n```\n"), 0);
    assert_eq!(mistakes("```toml\n[tols]\nweb = true\n```\n"), 1);
    assert_eq!(mistakes("```sh not-run=\"asks\"\nartoo run --no-such-option\n```\n"), 1);
    assert_eq!(mistakes("`artoo fly` and `artoo runs fly`\n"), 2);
    assert_eq!(mistakes("`artoo RUN`, `artoo runs list` and `artoo undo`\n"), 0);
}

#[test]
fn an_output_is_compared_line_by_line() {
    assert!(is_as_shown(&["a", "…", "c"], &["a", "b", "b", "c"]));
    assert!(is_as_shown(&["…"], &[]));
    assert!(!is_as_shown(&["a", "…", "c"], &["a", "b"]));
    assert!(!is_as_shown(&["a"], &["a", "b"]));
    let folders = [(PathBuf::from("/tmp/x/home"), "/home/ada")];
    let text = "1.2 s · 45 tokens\nrecorded: /tmp/x/home/runs/01a224df-cdf7-7611-a55f-0fe3daa67ec4  \n";
    assert_eq!(comparable(text, &folders), "[time] · [tokens]\nrecorded: /home/ada/runs/[id]");
}
