//! Tests of `setup` and `model` without a network.

use crate::model::counting;
use crate::process::{ended, say};
use crate::scene::Scene;
use crate::screen::Screen;

#[test]
fn setup_without_a_terminal_asks_for_a_decision() {
    let scene = Scene::new(counting());
    say(&mut scene.bare(&["setup"])).ended(2).explains("no terminal", "artoo setup --yes");
    assert!(!scene.home().join(".config").exists());
}

#[test]
fn a_person_chooses_and_no_key_is_written() {
    let scene = Scene::new(counting());
    let mut screen = Screen::new(100);
    // The list starts with the servers that run on this machine, then the keys; the embedded model is last.
    screen.types("0\nnonsense\nq\n");
    let mut command = scene.bare(&["setup"]);
    command.env("TERM", "xterm").env("ANTHROPIC_API_KEY", "sk-canary-2");
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    assert_eq!(ended(&mut child).code(), Some(0));
    let (shown, raw) = screen.end();
    assert!(
        shown.contains("Anthropic, with the key in ANTHROPIC_API_KEY")
            && shown.contains("nothing was changed"),
        "{shown}"
    );
    let number = shown
        .lines()
        .find(|line| line.contains("Anthropic, with"))
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();

    let mut screen = Screen::new(100);
    screen.types(&format!("{number}\n"));
    let mut command = scene.bare(&["setup"]);
    command.env("TERM", "xterm").env("ANTHROPIC_API_KEY", "sk-canary-2");
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    assert_eq!(ended(&mut child).code(), Some(0), "{}", screen.end().0);
    let written = std::fs::read_to_string(scene.home().join(".config/artoo/config.toml")).unwrap();
    assert!(
        written.contains("provider = \"anthropic\"") && written.contains("key_env = \"ANTHROPIC_API_KEY\""),
        "{written}"
    );
    assert!(!written.contains("canary") && !raw.contains("canary"));
}

#[test]
fn models_are_listed_and_located() {
    let scene = Scene::new(counting());
    let listed = say(&mut scene.bare(&["model", "list"])).ended(0).out;
    assert!(
        listed.contains("qwen2.5-coder-1.5b")
            && listed.contains("Apache-2.0")
            && listed.contains("not installed"),
        "{listed}"
    );
    say(&mut scene.bare(&["model", "path"])).ended(1).explains("not installed", "artoo model pull");
    say(&mut scene.bare(&["model", "path", "qwen2.5-coder-1.5"]))
        .ended(2)
        .explains("no embedded model", "did you mean");
    say(&mut scene.bare(&["model", "remove"])).ended(0);
}

#[test]
fn a_file_that_is_not_the_model_is_not_installed() {
    let scene = Scene::new(counting());
    std::fs::write(scene.folder().join("other.gguf"), "GGUF").unwrap();
    let said = say(&mut scene.bare(&["model", "pull", "--from", "other.gguf"])).ended(1);
    said.explains("other.gguf", "");
    assert!(!scene.home().join(".artoo/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").exists());
    say(&mut scene.bare(&["model", "pull", "--from", "nowhere.gguf"]))
        .ended(2)
        .explains("nowhere.gguf", "GGUF");
}

#[test]
fn a_model_server_that_does_not_have_it_is_named() {
    let scene = Scene::new(counting());
    let address = format!("{}/model.gguf", scene.server().base_url());
    let said = say(&mut scene.bare(&["model", "pull", "--from", &address])).ended(1);
    said.explains(&address, "");
}
