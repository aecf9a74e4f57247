//! Tests of persistent memory: each command is a separate process.

use std::fs;

use serde_json::Value;

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{Said, say, say_with_input};
use crate::screen::Screen;

const REQUEST: &str = "How many .txt files are in docs?";

fn scene() -> Scene {
    Scene::new(counting())
}

fn json(said: Said) -> Value {
    serde_json::from_str(&said.ended(0).out).unwrap()
}

fn entries(scene: &Scene) -> Vec<Value> {
    let listed = scene.say(&["memory", "list", "--json", "--limit", "1000"]).ended(0).out;
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_one_process_remembers_the_next_one_knows() {
    let scene = scene();
    let said = scene.say(&["memory", "remember", "Count with find", "--for", REQUEST, "--json"]);
    let id = json(said)["id"].as_str().unwrap().to_owned();
    let why = scene.say(&["memory", "why", REQUEST]).ended(0).out;
    assert!(why.contains("Count with find") && why.contains("exploit"), "{why}");
    let shown = scene.say(&["memory", "show", id.get(..13).unwrap()]).ended(0).out;
    assert!(shown.contains(&id) && shown.contains("you said it"), "{shown}");
    let ahead = scene.say(&["memory", "forecast", REQUEST]).ended(0).out;
    assert!(ahead.contains("exploit for the next 60 days"), "{ahead}");
    assert!(scene.say(&["memory", "verify"]).ended(0).out.contains("everything holds"));
    assert!(scene.say(&["memory", "rebuild"]).ended(0).out.contains("1 entry"));
    let said = scene.say(&["memory", "forget", &id]).ended(2);
    assert!(said.err.contains("Count with find"), "{}", said.err);
    said.explains("nobody is there to be asked", "--yes");
    scene.say(&["memory", "forget", "--yes", &id]).ended(0);
    assert_eq!(entries(&scene), Vec::<Value>::new());
    scene.say(&["memory", "show", &id]).ended(2).explains(&id, "artoo memory list");
}

/// At a terminal the user sees what would be forgotten and is asked; input
/// typed before the question is discarded.
#[test]
fn a_person_is_asked_before_anything_is_forgotten() {
    const ASKED: &str = "forget this for good? [y/N] > ";
    let scene = scene();
    scene.say(&["memory", "remember", "Count with find", "--for", REQUEST]).ended(0);
    let answer = |typed: &str| {
        let command = scene.artoo(&["memory", "forget", REQUEST]);
        let (code, _, raw) = Screen::new(80).talk(command, &[(ASKED, typed)]);
        assert_eq!(code, Some(0), "{raw}");
        assert!(raw.contains("Count with find"), "{raw}");
        raw
    };
    for no in ["\n", "n\n", "maybe\n"] {
        assert!(answer(no).contains("nothing was forgotten"));
    }
    assert_eq!(entries(&scene).len(), 1);
    assert!(answer("y\n").contains("forgotten for good: 1 entry"));
    assert_eq!(entries(&scene).len(), 0);
}

/// After `forget`, no file of the memory contains the words.
#[test]
fn what_is_forgotten_is_gone_from_every_file() {
    let scene = scene();
    let word = "zanzibarine";
    let said = scene.say(&["memory", "remember", word, "--json"]);
    let id = json(said)["id"].as_str().unwrap().to_owned();
    scene.say(&["memory", "rebuild"]).ended(0);
    let holding = || files(&scene.home().join(".artoo/memory"), word);
    assert!(!holding().is_empty());
    scene.say(&["memory", "forget", "--yes", &id]).ended(0);
    assert_eq!(holding(), Vec::<String>::new());
    assert!(scene.say(&["memory", "verify"]).ended(0).out.contains("everything holds"));
}

/// The files below a folder that contain this text.
fn files(folder: &std::path::Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, text));
        } else if path.is_file()
            && fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_run_learns_unless_it_is_told_not_to() {
    let scene = scene();
    scene.say(&["run", "--no-memory", REQUEST]).ended(0);
    scene.say(&["run", "--memory", "off", REQUEST]).ended(0);
    scene.say(&["run", "--memory", "read-only", REQUEST]).ended(0);
    scene.say(&["run", "-c", "memory.mode=off", REQUEST]).ended(0);
    assert_eq!(entries(&scene), Vec::<Value>::new());
    scene.say(&["run", "--no-memory", "--memory", "on", REQUEST]).ended(2);
    scene.say(&["run", "--memory", "sometimes", REQUEST]).ended(2);

    scene.say(&["run", REQUEST]).ended(0);
    let learned = entries(&scene);
    assert!(!learned.is_empty());
    let run_id = scene.runs().last().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    assert!(learned.iter().all(|entry| entry["megram"]["origin"]["run"] == run_id.as_str()), "{learned:#?}");

    // The next run recalls it, and `why` shows what.
    scene.say(&["run", "--memory", "read-only", REQUEST]).ended(0);
    let megrams =
        |entries: Vec<Value>| entries.into_iter().map(|entry| entry["megram"].clone()).collect::<Vec<_>>();
    assert_eq!(megrams(entries(&scene)), megrams(learned.clone()));
    let why = scene.say(&["memory", "why", "last"]).ended(0).out;
    for expected in ["before plan 1", "used: ", "accept", &format!("artoo runs show {run_id}")] {
        assert!(why.contains(expected), "no `{expected}` in\n{why}");
    }
    let page = json(scene.say(&["memory", "why", "last", "--json"]));
    assert_eq!(page["memory"]["request"], REQUEST);
    assert!(scene.say(&["memory", "why", REQUEST]).ended(0).out.contains("exploit"));
    assert!(scene.say(&["memory", "stats"]).ended(0).out.contains("kept in "));
    let doctor = scene.say(&["doctor"]).ended(0).out;
    assert!(doctor.contains(&format!("{} entries in ", learned.len())), "{doctor}");
}

#[test]
fn a_folder_may_have_a_memory_of_its_own() {
    let scene = scene();
    let config = scene.home().join(".config/artoo/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let folder = scene.folder();
    fs::write(&config, format!("[memory.folders]\n{:?} = \"separate\"\n", folder.display().to_string()))
        .unwrap();
    scene.say(&["memory", "remember", "a secret plan"]).ended(0);
    let said = scene.say(&["memory", "list"]).ended(0);
    assert!(said.out.contains("a secret plan") && said.err.contains("the memory of "), "{}", said.err);
    let elsewhere = || {
        let mut command = scene.artoo(&["memory", "list"]);
        command.current_dir(scene.home());
        say(&mut command).ended(0)
    };
    assert!(!elsewhere().out.contains("a secret plan"));
    fs::write(&config, format!("[memory.folders]\n{:?} = \"off\"\n", folder.display().to_string())).unwrap();
    scene.say(&["run", REQUEST]).ended(0);
    assert_eq!(elsewhere().out, "");
    // A configuration file in the folder itself has no effect.
    fs::write(folder.join("config.toml"), "[memory]\nmode = \"on\"\n").unwrap();
    fs::write(&config, "[memory.folders]\n\"relative\" = \"off\"\n").unwrap();
    scene.say(&["memory", "list"]).ended(2).explains("memory.folders", "from / or from ~/");
}

#[test]
fn memory_moves_as_lines_of_json() {
    let (here, there) = (scene(), scene());
    here.say(&["memory", "remember", "Count with find", "--for", REQUEST]).ended(0);
    here.say(&["memory", "remember", "--law", "Answer in English"]).ended(0);
    let text = here.say(&["memory", "export"]).ended(0).out;
    let said = say_with_input(&mut there.artoo(&["memory", "import", "-"]), text.as_bytes()).ended(0);
    assert!(said.out.starts_with("imported: 2 entries\n"), "{}", said.out);
    let origins: Vec<(Value, Value)> = entries(&there)
        .into_iter()
        .map(|entry| (entry["megram"]["level"].clone(), entry["megram"]["origin"].clone()))
        .collect();
    assert_eq!(origins, vec![("K".into(), "import".into()); 2]);
    for bad in ["", "{}", "\0\0", "{\"artoo_memory\":7}"] {
        let said = say_with_input(&mut there.artoo(&["memory", "import", "-"]), bad.as_bytes()).ended(2);
        assert!(said.err.contains("hint: "), "{}", said.err);
    }
    assert_eq!(entries(&there).len(), 2);
}

/// Six successful runs become a rule, worded by a model or by code.
#[test]
fn what_went_well_often_becomes_a_rule() {
    let scene = scene();
    for _ in 0..6 {
        scene.say(&["run", REQUEST]).ended(0);
    }
    let asked = scene.server().stats().requests;
    scene.say(&["memory", "dream", "--no-model"]).ended(0);
    assert_eq!(scene.server().stats().requests, asked, "no model was wanted");
    let rules = scene.say(&["memory", "list", "--level", "C", "--json"]).ended(0).out;
    assert!(rules.contains("Prefer this") && rules.contains("ls docs/*.txt | wc -l"), "{rules}");
    assert!(scene.say(&["memory", "log"]).ended(0).out.contains("new rules: "));
    // If no model is configured, code writes the rule.
    let said = say(&mut scene.bare(&["memory", "dream"])).ended(0);
    assert!(said.err.contains("put into words by code"), "{}", said.err);
}

/// The journal is the source of truth; a changed byte in it is detected and reported, and ends no run.
#[test]
fn a_changed_byte_is_found() {
    let scene = scene();
    for number in 0..4 {
        scene.say(&["memory", "remember", &format!("rule number {number}")]).ended(0);
    }
    let folder = scene.home().join(".artoo/memory/journal");
    let journal = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&journal, bytes).unwrap();
    let said = scene.say(&["memory", "verify"]).ended(1);
    assert!(said.out.contains("journal: "), "{}", said.out);
    let said = scene.say(&["run", REQUEST]).ended(0);
    assert!(said.out.contains('3'), "{}", said.out);
    assert!(entries(&scene).len() >= 3);
}

/// A memory that cannot be opened is reported, and the run continues without it.
#[test]
fn a_run_goes_on_without_memory() {
    let scene = scene();
    fs::create_dir_all(scene.home().join(".artoo")).unwrap();
    fs::write(scene.home().join(".artoo/memory"), "in the way").unwrap();
    let said = scene.say(&["run", REQUEST]).ended(0);
    assert!(said.err.contains("warning: the run goes on without memory: "), "{}", said.err);
    let said = scene.say(&["memory", "list"]).ended(1);
    assert!(said.err.contains("error: ") && said.err.contains("hint: "), "{}", said.err);
    let doctor = scene.say(&["doctor"]).ended(0).out;
    assert!(doctor.contains("runs go on without it"), "{doctor}");
}

/// A weak model does what a law forbids that it is only told. Where nobody can be asked, the safer choice is taken.
#[test]
fn a_law_that_names_a_place_is_enforced_where_nobody_can_be_asked() {
    let scene = scene();
    let delete = ["sandbox", "--yes", "deletes", "rm docs/a.txt"];
    let id = json(scene.say(&["memory", "remember", "--law", "Never touch the folder docs", "--json"]))["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused = scene.say(&delete);
    assert!(refused.code != 0 && scene.folder().join("docs/a.txt").exists(), "{}", refused.err);
    scene.say(&["memory", "forget", &id, "--yes"]).ended(0);
    scene.say(&delete).ended(0);
    assert!(!scene.folder().join("docs/a.txt").exists());
}
