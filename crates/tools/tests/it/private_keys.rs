//! Parts of private keys in files that a call names.

use std::fs;
use std::sync::{Arc, Mutex};

use artoo_sandbox::SandboxMode;
use artoo_tools::EvidenceStore;
use serde_json::json;

use crate::fixture::{Scene, can_confine, shown};

/// Data as of a key, in which nothing shows it.
const DATA: [&str; 4] = [
    "7kPq2ZfW9cXbL0tRjY4mN8sVhA6uD3oGeIx1QwTzKyHnBrJvSpCaEgMlFdUi5OYk",
    "q8WnZt3XcVbR5yLmK1sJhG7fD0aPoI9uTeQ2rY6wEiU4vCxBzNMlOkAjSgHdFpWe",
    "mX2cVb8nQw5eRt1yUi7oPa4sDf0gHj6kLz3xCvBnMqWeRtYuIoPlKjHgFdSaZ9Cd",
    "Zz1YyXxWwVv2UuTtSsRr3QqPp+o/nNmMlL4kKjJiIhH=",
];

fn key() -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", DATA.join("\n"))
}

fn scene() -> Scene {
    let mut scene = Scene::new();
    if !can_confine() {
        scene.cx.mode = SandboxMode::FullAccess;
    }
    scene.file("server key.pem", key());
    scene.file("certs/server.pem", key());
    scene
}

/// Whether twelve characters of the key are in the text.
fn has_part(text: &str) -> bool {
    let key = DATA.concat();
    (0..key.len() - 12).any(|at| text.contains(&key[at..at + 12]))
}

/// All that the store keeps on the disk.
fn on_disk(store: &EvidenceStore) -> String {
    let entries = fs::read_dir(store.folder()).unwrap();
    let texts =
        entries.map(|entry| String::from_utf8_lossy(&fs::read(entry.unwrap().path()).unwrap()).into_owned());
    texts.collect()
}

/// The model sees the line that it asked for, and no record has it.
#[tokio::test]
async fn no_line_of_a_key_that_a_call_names_is_on_record() {
    // The tools that read files refuse a key; a command may print it.
    for command in [
        "sed -n 3p 'server key.pem'",
        "cat certs/server.pem | head -3 | tail -1",
        "cd certs && cut -c5-40 <server.pem",
        "grep -n q8WnZt3XcVbR5y certs/server.pem",
        "tr -d '\\n' < certs/server.pem | cut -c 100-150",
        "cp certs/server.pem new.pem && sed -n 2,3p new.pem",
    ] {
        let mut scene = scene();
        let live = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&live);
        scene.cx.on_output = Some(Arc::new(move |text: &str| heard.lock().unwrap().push_str(text)));
        let call = scene.call("shell", json!({ "command": command })).await;
        assert!(has_part(shown(&call)), "{command}: {call:?}");
        assert!(
            has_part(&String::from_utf8_lossy(&scene.whole(&call))),
            "{command}: decisions see the truth"
        );
        let (disk, live) = (on_disk(&scene.cx.evidence), live.lock().unwrap().clone());
        assert!(disk.contains("[redacted: private key]") && !has_part(&disk), "{command}: {disk}");
        assert!(!has_part(&live), "{command}: {live}");
        let redactor = scene.cx.evidence.redactor();
        assert!(!has_part(&redactor.apply(&format!("{call:?}"))), "{command}");
    }
}

/// A key that a command makes is known when the command has ended, which is when its call is recorded.
#[tokio::test]
async fn no_line_of_a_key_that_a_command_made_is_in_the_record_of_its_call() {
    let scene = scene();
    fs::remove_file(scene.cx.working_folder.join("server key.pem")).unwrap();
    fs::remove_dir_all(scene.cx.working_folder.join("certs")).unwrap();
    let marks = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let lines: String =
        [marks.0].iter().chain(&DATA).chain([&marks.1]).map(|line| format!("'{line}' ")).collect();
    let command = format!("printf '%s\\n' {lines}> new.pem; sed -n 3p new.pem");
    let call = scene.call("shell", json!({ "command": command })).await;
    assert!(has_part(shown(&call)));
    assert!(!has_part(&scene.cx.evidence.redactor().apply(&call.output.shown)));
}

/// What is no key, or named by nobody, stays as it is.
#[tokio::test]
async fn other_data_stay() {
    let scene = scene();
    scene.file("picture.txt", format!("{}\n", DATA.join("\n")));
    let call = scene.call("shell", json!({ "command": "cat picture.txt" })).await;
    assert!(has_part(shown(&call)) && has_part(&on_disk(&scene.cx.evidence)));
}
