//! Tests of the model selection, and of the error if there is no model.

use std::fs;

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::say;

const REQUEST: &str = "How many .txt files are in docs?";

fn config(scene: &Scene, text: &str) {
    let folder = scene.home().join(".config/artoo");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn without_a_model_the_way_to_one_is_named() {
    let scene = Scene::new(counting());
    say(&mut scene.bare(&["run", REQUEST])).ended(2).explains("no model is set up", "artoo setup");
}

#[test]
fn a_damaged_model_file_is_named() {
    let scene = Scene::new(counting());
    let models = scene.home().join(".artoo/models");
    fs::create_dir_all(&models).unwrap();
    fs::write(models.join("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"), "GGUF, but short").unwrap();
    say(&mut scene.bare(&["run", REQUEST]))
        .ended(2)
        .explains("15 bytes instead of 1117320768", "artoo model pull");
}

#[test]
fn the_configuration_file_chooses() {
    let scene = Scene::new(counting());
    config(&scene, &format!("[brain]\nbase_url = \"{}\"\nmodel = \"mock\"\n", scene.server().base_url()));
    assert_eq!(say(&mut scene.bare(&["run", REQUEST])).ended(0).out, "3\n");
    config(&scene, "[brain]\nmodle = \"mock\"\n");
    say(&mut scene.bare(&["run", REQUEST]))
        .ended(2)
        .explains("config.toml:2:1: unknown key `modle`", "brain.model");
}

#[test]
fn anthropic_is_a_choice_like_any_other() {
    let scene = Scene::new(counting());
    config(
        &scene,
        &format!(
            "[brain]\nprovider = \"anthropic\"\nbase_url = \"{}\"\nmodel = \"mock\"\nkey_env = \"ANTHROPIC_API_KEY\"\n",
            scene.server().base_url()
        ),
    );
    let said = say(scene.bare(&["run", REQUEST]).env("ANTHROPIC_API_KEY", "sk-ant-canary"));
    // The mock does not implement the schema of the Messages API; the test
    // checks the address and headers only.
    let calls = scene.server().calls();
    assert!(calls.iter().any(|call| call.path.ends_with("/messages") && call.header("x-api-key") == Some("sk-ant-canary")), "{}", said.err);
    assert!(!scene.journal().contains("canary"));
}

#[test]
fn a_file_in_the_working_folder_chooses_nothing() {
    let scene = Scene::new(counting());
    for name in ["config.toml", "artoo.toml", ".artoo.toml", ".env"] {
        fs::write(
            scene.folder().join(name),
            "[brain]\nbase_url = \"http://127.0.0.1:9\"\nOPENAI_BASE_URL=http://127.0.0.1:9\n",
        )
        .unwrap();
    }
    say(&mut scene.bare(&["run", REQUEST])).ended(2).explains("no model is set up", "artoo setup");
    assert_eq!(scene.say(&["run", REQUEST]).ended(0).out, "3\n");
}

/// Tools that reach the network are enabled by the user's configuration only,
/// not by a file in somebody else's folder.
#[test]
fn the_web_is_granted_by_the_user_and_not_by_a_folder() {
    let scene = Scene::new(counting());
    fs::write(scene.folder().join("config.toml"), "[tools]\nweb = true\napps = true\nmdfind = true\n")
        .unwrap();
    let offered = |from: usize, summary: &str| {
        scene
            .server()
            .calls()
            .iter()
            .skip(from)
            .any(|call| call.body.to_string().to_lowercase().contains(summary))
    };
    scene.say(&["run", REQUEST]).ended(0);
    assert!(offered(0, "run a command with bash in the working folder"));
    for summary in ["read a web page", "search the web", "find files anywhere"] {
        assert!(!offered(0, summary), "{summary}");
    }
    let before = scene.server().calls().len();
    let granted =
        ["-c", "tools.web=true", "-c", "tools.search=brave", "-c", "tools.search_key_env=SEARCH_KEY"];
    let line = [&granted[..], &["run", REQUEST]].concat();
    say(scene.artoo(&line).env("SEARCH_KEY", "search-canary")).ended(0);
    assert!(offered(before, "read a web page") && offered(before, "search the web"));
    assert!(!offered(0, "search-canary"));
    for run in scene.runs() {
        assert!(!fs::read_to_string(run.join("events.jsonl")).unwrap().contains("search-canary"));
    }
    let line = [&granted[..], &["run", REQUEST]].concat();
    say(&mut scene.artoo(&line)).ended(2).explains("SEARCH_KEY, which is not set", "tools.search");
}

#[test]
fn what_is_configured_can_be_seen_but_no_key() {
    let scene = Scene::new(counting());
    let said = scene.say(&["config", "show", "--data-dir", "/tmp/d"]).ended(0);
    for part in ["OPENAI_BASE_URL", "set (from OPENAI_API_KEY)", "run.data_dir", "# --data-dir", "# default"]
    {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    let json = scene.say(&["config", "show", "--json"]).ended(0).out;
    assert!(!said.out.contains("canary") && !json.contains("canary"));
    let values: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(values["values"]["brain.model"]["origin"], "OPENAI_MODEL");
}

#[test]
fn a_session_can_be_recorded_and_replayed_without_a_model() {
    let scene = Scene::new(counting());
    scene.say(&["run", "--record", "tape", REQUEST]).ended(0);
    let tape = scene.folder().join("tape");
    let texts: Vec<String> = fs::read_dir(&tape)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| !text.contains("canary")));
    let asked = scene.server().stats().requests;
    assert_eq!(say(&mut scene.bare(&["run", "--replay", "tape", REQUEST])).ended(0).out, "3\n");
    assert_eq!(scene.server().stats().requests, asked);
    scene
        .say(&["run", "--record", "tape", REQUEST])
        .ended(2)
        .explains("already holds recordings", "new folder");
    say(&mut scene.bare(&["run", "--replay", "nowhere", REQUEST])).ended(2).explains("nowhere", "--record");
}
