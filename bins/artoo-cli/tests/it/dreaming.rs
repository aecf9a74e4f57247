//! The Dreamer in ordinary use: a conversation dreams while nothing else happens, a single run leaves that to others.

use std::io::Write as _;
use std::process::{Child, Stdio};

use artoo_bus::{Clock as _, SystemClock};
use artoo_llm_http::doubles::{Call, Reply};
use serde_json::json;

use crate::fixture::Scene;
use crate::mock_model::{counting, schema};
use crate::process::{Said, until, wait};

const REQUEST: &str = "How many .txt files are in docs?";
/// How often a request has to go well until a rule arises: 6 times an attention of 0.9.
const OFTEN: usize = 6;

fn dreaming() -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    let counting = counting();
    move |call| match schema(call) {
        "distilled" => Reply::text(json!({"rule": "Count with a shell command."}).to_string()),
        _ => counting(call),
    }
}

fn asked(scene: &Scene, name: &str) -> usize {
    scene.server().calls().iter().filter(|call| schema(call) == name).count()
}

/// The texts of the rules.
fn rules(scene: &Scene) -> Vec<String> {
    let listed = scene.say(&["memory", "list", "--level", "C", "--json"]).ended(0).out;
    let rule = |line: &str| {
        let listed: serde_json::Value = serde_json::from_str(line).unwrap();
        listed["megram"]["content"].as_str().unwrap().to_owned()
    };
    listed.lines().map(rule).collect()
}

/// A conversation without a terminal.
struct Conversation(Child);

impl Conversation {
    fn begin(scene: &Scene, line: &[&str]) -> Self {
        Self(scene.artoo(line).stdin(Stdio::piped()).spawn().unwrap())
    }

    fn says(&mut self, line: &str) {
        self.0.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn ends(mut self) -> Said {
        drop(self.0.stdin.take());
        wait(self.0).ended(0)
    }
}

/// Lesson: a conversation made seven requests and was idle for ten seconds, and its Dreamer made no model call, because each
/// request had an artoo of its own.
#[test]
fn a_quiet_conversation_words_its_rules_with_the_model() {
    let scene = Scene::new(dreaming());
    let mut talk = Conversation::begin(&scene, &[]);
    for _ in 0..OFTEN {
        talk.says(REQUEST);
    }
    // One rule for the request, one for it in this folder.
    until("rules in the words of the model", || asked(&scene, "distilled") == 2);
    talk.says("/cost");
    talk.says("/memory list --level C");
    let said = talk.ends();
    assert!(said.out.contains("and memory's rules: 2 model calls, "), "{}", said.out);
    assert_eq!(said.out.matches("Count with a shell command.").count(), 2, "{}", said.out);
    assert_eq!(asked(&scene, "distilled"), 2, "one call for each rule");
    assert_eq!(rules(&scene), ["Count with a shell command."; 2]);
}

#[test]
fn a_single_run_leaves_the_work_to_others() {
    let scene = Scene::new(dreaming());
    for _ in 0..OFTEN {
        scene.say(&["run", REQUEST]).ended(0);
    }
    assert_eq!((asked(&scene, "distilled"), rules(&scene)), (0, Vec::new()));
    let mut talk = Conversation::begin(&scene, &[]);
    talk.says(REQUEST);
    until("the rules that were left", || asked(&scene, "distilled") == 2);
    talk.ends();
    assert_eq!(rules(&scene), ["Count with a shell command."; 2]);
}

/// `[memory] dream` decides: code words the rules at the end at the latest, and where nothing dreams there are none, until
/// a person orders it.
#[test]
fn the_configuration_says_who_dreams() {
    for (mode, found) in [("code", 2), ("off", 0)] {
        let scene = Scene::new(dreaming());
        let mut talk = Conversation::begin(&scene, &["-c", &format!("memory.dream={mode}")]);
        for _ in 0..OFTEN {
            talk.says(REQUEST);
        }
        talk.ends();
        let made = rules(&scene);
        assert_eq!(made.len(), found, "{mode}: {made:?}");
        assert!(made.iter().all(|rule| rule.starts_with("Prefer this (6 of 6")), "{mode}: {made:?}");
        assert_eq!(asked(&scene, "distilled"), 0, "{mode}");
    }
    let scene = Scene::new(dreaming());
    scene.say(&["run", "-c", "memory.dream=sometimes", REQUEST]).ended(2).explains("memory.dream", "");
}

/// At most twenty calls a day, whichever process makes them; the other rules are worded by code.
#[test]
fn the_calls_of_a_day_are_counted_on_disk() {
    let scene = Scene::new(dreaming());
    for _ in 0..OFTEN {
        scene.say(&["run", REQUEST]).ended(0);
    }
    let today = SystemClock::new().now().date_naive();
    let count = json!({"day": today, "calls": 19});
    std::fs::write(scene.home().join(".artoo/memory/dream-calls.json"), count.to_string()).unwrap();
    scene.say(&["memory", "dream"]).ended(0);
    assert_eq!(asked(&scene, "distilled"), 1);
    let mut rules = rules(&scene);
    rules.sort();
    assert_eq!(rules[0], "Count with a shell command.");
    assert!(rules[1].starts_with("Prefer this (6 of 6"), "{rules:?}");
}

/// What changes between two requests counts at the next one: here the model, and a rule of consent.
#[test]
fn a_change_between_requests_takes_effect() {
    let scene = Scene::new(dreaming());
    let mut talk = Conversation::begin(&scene, &[]);
    talk.says(REQUEST);
    talk.says("/model another");
    talk.says(REQUEST);
    let said = talk.ends();
    assert_eq!(said.out.lines().filter(|line| *line == "3").count(), 2, "{}", said.out);
    let planned: Vec<String> = scene
        .server()
        .calls()
        .iter()
        .filter(|call| schema(call) == "plan")
        .map(|call| call.body["model"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(planned, ["mock", "another"]);
    let verified = scene.say(&["audit", "verify"]).ended(0);
    assert!(!verified.err.contains("gap"), "{}", verified.err);
}
