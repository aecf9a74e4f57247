//! Canary secrets in the environment of a run; none may appear in output for programs or in any file.

use std::fs;
use std::path::{Path, PathBuf};

use artoo_llm_http::doubles::Reply;
use serde_json::json;

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, shell};
use crate::process::say;

const CANARIES: [&str; 7] = [
    "sk-canary-1",
    "canary-of-github",
    "canary-dotenv-password",
    "AKIACANARY7EXAMPLE12",
    "sk-proj-canary0123456789",
    "CANARYPEM04up8hoqzS1APIB0RhjXyObwHQnOzhAk5Bd7mhkSbPkyhP1iWlCLRX6",
    "canary-in-the-config",
];

fn must_be_clean(what: &str, text: &str) {
    for canary in CANARIES {
        assert!(!text.contains(canary), "{canary} is in {what}:\n{text}");
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn no_secret_is_printed_for_programs_or_left_behind() {
    let scene = Scene::new(model(count_plan("Count the lines of .env"), |shown| {
        if shown.contains("DB_PASSWORD") && shown.contains("KEY-----") {
            shell("wc -l < .env")
        } else if shown.contains("DB_PASSWORD") {
            json!({"tool": "shell", "arguments": {"command": "cat key.txt; cat .env >&2"}, "output_is_answer": false})
        } else {
            json!({"tool": "shell", "arguments": {"command": "cat .env"}, "output_is_answer": false})
        }
    }));
    let dotenv = "DB_PASSWORD=canary-dotenv-password\nid AKIACANARY7EXAMPLE12\nhe wrote canary-of-github\n";
    fs::write(scene.folder().join(".env"), dotenv).unwrap();
    let key = "-----BEGIN PRIVATE KEY-----\nCANARYPEM04up8hoqzS1APIB0RhjXyObwHQnOzhAk5Bd7mhkSbPkyhP1iWlCLRX6\n-----END PRIVATE KEY-----\n";
    fs::write(scene.folder().join("key.txt"), key).unwrap();
    let mut run = scene.artoo(&["run", "--json", "--record", "../tape", "How many lines has .env?"]);
    let said = say(run.env("GITHUB_TOKEN", "canary-of-github")).ended(0);
    assert!(said.out.contains("[redacted: ") && said.out.contains("run.finished"), "{}", said.out);
    must_be_clean("--json", &said.out);
    must_be_clean("standard error", &said.err);
    for line in [
        &["runs", "show", "last"][..],
        &["runs", "show", "last", "--json"],
        &["runs", "explain", "last"],
        &["runs", "explain", "last", "--json"],
        &["runs", "list"],
    ] {
        let shown = scene.say(line).ended(0);
        must_be_clean(&line.join(" "), &format!("{}{}", shown.out, shown.err));
    }
    let mut found = Vec::new();
    files(&scene.home().join(".artoo"), &mut found);
    files(&scene.folder().join("../tape"), &mut found);
    assert!(found.len() > 8, "{found:?}");
    for path in found {
        must_be_clean(&path.display().to_string(), &String::from_utf8_lossy(&fs::read(&path).unwrap()));
    }
}

#[test]
fn a_server_that_repeats_the_key_is_quoted_without_it() {
    let body =
        json!({"error": {"message": "Incorrect API key provided: sk-canary-1 or sk-proj-canary0123456789."}});
    let scene = Scene::new(move |_| Reply::status(401, body.to_string()));
    let said = scene.say(&["run", "--json", "How many .txt files are in docs?"]).ended(1);
    must_be_clean("--json", &said.out);
    let said = scene.say(&["run", "How many .txt files are in docs?"]).ended(1);
    must_be_clean("the view", &format!("{}{}", said.out, said.err));
    let mut found = Vec::new();
    files(&scene.home().join(".artoo"), &mut found);
    for path in found {
        must_be_clean(&path.display().to_string(), &String::from_utf8_lossy(&fs::read(&path).unwrap()));
    }
}

/// A key belongs in a variable. A key in the configuration is refused and not repeated.
#[test]
fn a_key_in_the_configuration_is_not_repeated() {
    let scene = Scene::new(|_| Reply::status(500, "{}"));
    let folder = scene.home().join(".config/artoo");
    fs::create_dir_all(&folder).unwrap();
    for text in [
        "[brain]\napi_key = \"canary-in-the-config\"\n",
        "[brain]\nkey_env = [\"canary-in-the-config\"]\n",
        "[brain]\nmodel = canary-in-the-config\n",
    ] {
        fs::write(folder.join("config.toml"), text).unwrap();
        for line in [&["run", "--json", "How many?"][..], &["config", "show"], &["doctor"]] {
            let said = scene.say(line);
            must_be_clean(&line.join(" "), &format!("{}{}", said.out, said.err));
        }
    }
}
