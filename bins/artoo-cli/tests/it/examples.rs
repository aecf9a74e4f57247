//! Runs the examples of every help text verbatim.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, shell};
use crate::process::{Said, wait};

/// Examples that need a person, the network or another server. They are
/// tried by hand; here they are only parsed.
const BY_HAND: [&str; 13] = [
    "artoo resume",
    "artoo resume last",
    "artoo audit tail --follow",
    "artoo run --plan \"Write a list of the files in docs to list.txt\"",
    "artoo setup",
    "artoo setup --yes",
    "artoo model pull",
    "artoo model pull --from ~/Downloads/model.gguf",
    "artoo model path",
    "artoo memory show 0197a3b2",
    "artoo memory show 0197a3b2 --json",
    "artoo memory forget 0197a3b2",
    "artoo memory forget \"sort sales.csv\"",
];

/// Runs a line, or a script, in the working folder, with `artoo` in `PATH` and the server as its model.
#[expect(clippy::disallowed_methods, reason = "an example is a line for a shell")]
pub(crate) fn in_a_shell(scene: &Scene, line: &str) -> Said {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_artoo")).parent().unwrap().display().to_string();
    let mut command = Command::new("sh");
    command.args(["-c", line]).env_clear().current_dir(scene.folder());
    command.env("HOME", scene.home()).env("PATH", format!("{folder}:/usr/bin:/bin"));
    let server = scene.server().base_url();
    command.env("OPENAI_BASE_URL", server).env("OPENAI_MODEL", "mock");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().flush().unwrap();
    wait(child)
}

fn examples(scene: &Scene) -> Vec<String> {
    let commands = [
        "",
        "run",
        "setup",
        "model",
        "doctor",
        "runs",
        "runs delete",
        "runs prune",
        "sessions",
        "memory",
        "memory stats",
        "memory list",
        "memory show",
        "memory why",
        "memory forecast",
        "memory remember",
        "memory forget",
        "memory export",
        "memory import",
        "memory rebuild",
        "memory verify",
        "memory dream",
        "memory log",
        "audit",
        "policy",
        "config",
        "diff",
        "explain",
        "stop",
        "undo",
        "resume",
        "help",
        "version",
        "completions",
        "man",
        // After every command that uses the last run.
        "sandbox",
    ];
    let mut examples = Vec::new();
    for command in commands {
        let line: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = scene.say(&line).ended(0).out;
        let (_, after) =
            help.split_once("Examples:\n").unwrap_or_else(|| panic!("{command} has no examples"));
        let block = after.split("\n\n").next().unwrap();
        examples.extend(block.lines().map(|line| line.trim().to_owned()));
    }
    examples
}

#[test]
fn every_example_works() {
    let scene = Scene::new(model(count_plan("Do what is asked"), |shown| {
        // An answer about a file must depend on that file: its call is run again without it.
        let of = |file: &str| shown.contains(file);
        shell(match (of("sales.csv"), of("todo.txt")) {
            (true, _) => "awk '{s += $1} END {print s}' sales.csv",
            (false, true) => "wc -l < todo.txt",
            (false, false) => "ls docs/*.txt | wc -l",
        })
    }));
    std::fs::write(scene.folder().join("sales.csv"), "1\n2\n").unwrap();
    std::fs::write(scene.folder().join("todo.txt"), "b\na\n").unwrap();
    let examples = examples(&scene);
    assert!(examples.len() > 20, "{examples:?}");
    for example in examples {
        if BY_HAND.contains(&example.as_str()) {
            let parsed = in_a_shell(&scene, &format!("{example} --help"));
            assert_eq!(parsed.code, 0, "{example}: {}", parsed.err);
            continue;
        }
        // An example with a server of its own is sent to the mock.
        let line = example.replace("http://localhost:11434", &scene.server().base_url());
        let said = in_a_shell(&scene, &line);
        assert_eq!(said.code, 0, "{example}\n{}\n{}", said.out, said.err);
    }
}
