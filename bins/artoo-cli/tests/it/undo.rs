//! `artoo runs undo`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::model::{count_plan, counting, model, shell};
use crate::scene::Scene;

/// A run that changed the workspace. On a machine without confinement the run has full access and is looked at as well.
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
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("can be undone"));
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
    // The thread that removes them is not waited for; a run that is a whole process long gives it time, mostly.
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

/// Looking leaves no trace: not in times either.
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
