//! Tests of `artoo runs undo`.

use std::fs;
use std::path::PathBuf;

use artoo_llm_http::doubles::{Call, Reply};
use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, schema, shell, shown};

/// A run that has changed the workspace. On a machine without confinement the
/// run has full access and is tested as well.
fn after_a_run() -> Scene {
    let command = "cd ~/artoo_workspace && rm 旧.txt && echo 2 > kept.txt && mkdir out && echo 1 > out/new.txt && echo 3";
    let scene = Scene::new(model(count_plan("Tidy up the workspace"), move |_| shell(command)));
    fs::create_dir_all(workspace(&scene)).unwrap();
    for name in ["旧.txt", "kept.txt"] {
        fs::write(workspace(&scene).join(name), "old").unwrap();
    }
    scene
        .say(&["run", "--yes", "deletes", "--yes", "overwrites", "How many files did you tidy up?"])
        .ended(0);
    assert!(!workspace(&scene).join("旧.txt").exists());
    scene
}

fn workspace(scene: &Scene) -> PathBuf {
    scene.home().join("artoo_workspace")
}

#[test]
fn a_run_is_taken_back_once() {
    let scene = after_a_run();
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("possible"));
    let tried = scene.say(&["runs", "undo", "last", "--dry-run"]).ended(0);
    for expected in ["would remove", "would restore", "would recreate", "旧.txt", "out/new.txt"] {
        assert!(tried.out.contains(expected), "no `{expected}` in\n{}", tried.out);
    }
    assert!(tried.err.contains("nothing was changed"), "{}", tried.err);
    assert!(workspace(&scene).join("out/new.txt").exists());

    let done = scene.say(&["runs", "undo", "last"]).ended(0);
    assert!(done.out.contains("recreated") && done.err.contains("undo/taken"), "{}\n{}", done.out, done.err);
    for name in ["旧.txt", "kept.txt"] {
        assert_eq!(fs::read_to_string(workspace(&scene).join(name)).unwrap(), "old");
    }
    assert!(!workspace(&scene).join("out").exists());
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("undone"));
    scene.say(&["runs", "undo", "last"]).ended(1).explains("undone already", "undo/taken");
}

#[test]
fn the_short_commands_are_about_the_newest_run() {
    let scene = after_a_run();
    let diff = scene.say(&["diff"]).ended(0).out;
    for expected in ["deleted: ", "旧.txt", "+2", "out/new.txt"] {
        assert!(diff.contains(expected), "no `{expected}` in\n{diff}");
    }
    let page: Value = serde_json::from_str(&scene.say(&["diff", "last", "--json"]).ended(0).out).unwrap();
    assert_eq!((&page["finished"], &page["undone"]), (&true.into(), &false.into()), "{page:#}");
    assert_eq!(scene.say(&["explain"]).ended(0).out, scene.say(&["runs", "explain", "last"]).ended(0).out);
    assert!(scene.say(&["stop"]).ended(0).err.contains("ended already"));
    assert!(scene.say(&["undo", "--dry-run"]).ended(0).err.contains("nothing was changed"));
    scene.say(&["undo"]).ended(0);
    assert_eq!(fs::read_to_string(workspace(&scene).join("kept.txt")).unwrap(), "old");
    assert!(scene.say(&["diff"]).ended(0).err.contains("taken back since"));
    scene.say(&["diff", "nothing-like-it"]).ended(2).explains("there is no run", "artoo runs list");
    scene.say(&["resume", "nobody"]).ended(2).explains("no run and no session", "artoo sessions list");
    assert_eq!(scene.runs().len(), 1);
}

#[test]
fn what_somebody_changed_since_stops_it_as_a_whole() {
    let scene = after_a_run();
    let report = workspace(&scene).join("out/new.txt");
    fs::write(&report, "a person's work").unwrap();
    let said = scene.say(&["runs", "undo", "last"]).ended(1);
    assert!(said.err.contains("out/new.txt: changed since the run"), "{}", said.err);
    assert!(said.err.contains("1 of the run's changes cannot be taken back, so none was"), "{}", said.err);
    assert_eq!(fs::read_to_string(&report).unwrap(), "a person's work");
    assert!(!workspace(&scene).join("旧.txt").exists(), "nothing half-done");

    let page = scene.say(&["runs", "undo", "last", "--json"]).ended(1).out;
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!(
        (&page["undone"], &page["obstacles"][0]["why"]),
        (&false.into(), &"changed_since".into()),
        "{page:#}"
    );
}

#[test]
fn programs_read_it_as_json() {
    let scene = after_a_run();
    let undo = |options: &[&str]| {
        let line = [&["runs", "undo", "last", "--json"], options].concat();
        serde_json::from_str::<Value>(&scene.say(&line).ended(0).out).unwrap()
    };
    let page = undo(&["--dry-run"]);
    let actions: Vec<_> =
        page["changes"].as_array().unwrap().iter().map(|change| &change["action"]).collect();
    assert_eq!(actions, ["restore", "remove", "remove", "recreate"], "{page:#}");
    assert_eq!((&page["undone"], &page["dry_run"]), (&false.into(), &true.into()));
    assert_eq!(undo(&[])["undone"], true);
    let listed = scene.say(&["runs", "list", "--json"]).ended(0).out;
    assert_eq!(serde_json::from_str::<Value>(&listed).unwrap()["undo"], "undone");
}

#[test]
fn a_run_that_changed_nothing_needs_no_undo() {
    let scene = Scene::new(counting());
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    let said = scene.say(&["runs", "undo", "last"]).ended(0);
    assert!(said.err.contains("changed no files"), "{}", said.err);
    let page = scene.say(&["runs", "undo", "last", "--json"]).ended(0).out;
    assert_eq!(serde_json::from_str::<Value>(&page).unwrap()["changes"], serde_json::json!([]));
    scene.say(&["runs", "undo", "ffff"]).ended(2).explains("ffff", "artoo runs list");
}

#[test]
fn contents_that_are_too_old_are_removed_when_a_run_begins() {
    let scene = after_a_run();
    let first = scene.runs()[0].clone();
    let config = scene.home().join(".config/artoo/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[undo]\nmax_bytes = 0\n").unwrap();
    // The removing thread is not joined; a run usually takes long enough for it to finish.
    for _ in 0..20 {
        scene.say(&["run", "Once more"]);
        if !first.join("undo/before.jsonl").exists() {
            scene
                .say(&["runs", "undo", first.file_name().unwrap().to_str().unwrap()])
                .ended(1)
                .explains("not kept any more", "max_age_days");
            return;
        }
    }
    panic!("nothing was removed");
}

/// A run that only reads leaves no trace, not even in timestamps.
#[test]
fn a_run_that_only_reads_changes_no_time() {
    use std::os::unix::fs::MetadataExt;
    let scene = Scene::new(counting());
    fs::create_dir_all(workspace(&scene)).unwrap();
    let places =
        [workspace(&scene), scene.folder(), scene.folder().join("docs"), scene.folder().join("docs/a.txt")];
    let times = || {
        let of = |path: &PathBuf| {
            fs::metadata(path).map(|found| (found.mtime(), found.mtime_nsec(), found.ctime_nsec()))
        };
        places.iter().map(|path| of(path).unwrap()).collect::<Vec<_>>()
    };
    let before = times();
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    assert_eq!(times(), before);
}

/// A model that works, and that undoes the named earlier run with the undo tool.
fn taking_back(call: &Call) -> Reply {
    let shown = shown(call);
    let offers = call.body.to_string().contains("undo_run");
    // The last occurrence: memory names earlier runs, too.
    let named = |before: &str, after: &str| {
        let (_, rest) = shown.rsplit_once(before)?;
        Some(rest.split_once(after)?.0.to_owned())
    };
    let step = |run: &str| format!("Take back what run {run} changed");
    match schema(call) {
        name @ ("resolved_request" | "resolved_or_open") => {
            let run = named("\\nrun ", ", which can be taken back").unwrap();
            let mut understood = json!({"intent": step(&run)});
            if name == "resolved_or_open" {
                understood["questions"] = json!([]);
            }
            Reply::text(understood.to_string())
        }
        "plan" => {
            let wanted = named("Request: Take back what run ", " changed");
            let (intent, kind) = wanted.map_or(("Do it".to_owned(), "create"), |run| (step(&run), "change"));
            let criterion = json!({"text": "All of it is done", "check": "none"});
            let subtask = json!({"intent": intent, "sequence": 1, "kind": kind, "criteria": [criterion]});
            Reply::text(json!({"subtasks": [subtask]}).to_string())
        }
        "action" => {
            let wanted = named("Step: Take back what run ", " changed");
            assert_eq!(wanted.is_some(), offers, "{shown}");
            let action = wanted.map_or_else(
                || shell("echo 1 > new.txt; echo 2 > docs/a.txt; rm docs/b.txt; echo done"),
                |run| json!({"tool": "undo_run", "arguments": {"run": run}, "output_is_answer": true}),
            );
            Reply::text(action.to_string())
        }
        _ => model(Value::Null, |_| Value::Null)(call),
    }
}

/// "Undo that", in any language: the model names the run, and the tool undoes it after
/// approval. An undo can be undone in the same way.
#[test]
fn what_a_run_of_the_conversation_did_is_taken_back_in_words() {
    let scene = Scene::new(taking_back);
    let state = || {
        let read = |name: &str| fs::read_to_string(scene.folder().join(name)).ok();
        ["new.txt", "docs/a.txt", "docs/b.txt"].map(read)
    };
    let found = state();
    scene.say(&["run", "--yes", "overwrites", "--yes", "deletes", "Make new.txt, and tidy docs"]).ended(0);
    let left = state();
    assert_eq!(left, [Some("1\n".to_owned()), Some("2\n".to_owned()), None]);

    let revoked =
        || scene.say(&["memory", "list", "--json"]).ended(0).out.matches("they undid what it did").count();
    // Without approval nothing is changed, and nothing unlearned.
    let undo = ["run", "--continue", "kumoa se"];
    let denied = scene.say(&undo);
    assert_ne!(denied.code, 0, "{}", denied.err);
    assert_eq!(state(), left);
    assert_eq!(revoked(), 0);

    let undo = [&["run", "--yes", "overwrites", "--yes", "deletes"], &undo[1..]].concat();
    let said = scene.say(&undo).ended(0);
    assert!(said.err.contains("understood: Take back what run "), "{}", said.err);
    assert_eq!(state(), found, "{}", said.err);
    assert_ne!(revoked(), 0, "what the run taught is revoked, though another run took it back");
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("undone"));

    scene.say(&undo).ended(0);
    assert_eq!(state(), left);
    scene.say(&["runs", "undo", "last"]).ended(0);
    assert_eq!(state(), found);
    // A request of another session does not know these runs.
    scene.say(&["run", "--yes", "overwrites", "--yes", "deletes", "Make new.txt, and tidy docs"]).ended(0);
}
