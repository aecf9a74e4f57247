//! Tests of `setup` and `model` without a network.

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::say;

#[test]
fn setup_without_a_terminal_asks_for_a_decision() {
    let scene = Scene::new(counting());
    say(&mut scene.bare(&["setup"])).ended(2).explains("no terminal", "artoo setup --yes");
    assert!(!scene.home().join(".config").exists());
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
