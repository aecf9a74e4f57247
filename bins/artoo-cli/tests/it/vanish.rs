//! Tests with a data folder that disappears during a run: the run ends with an error that names the path.

use std::fs;
use std::path::PathBuf;

use artoo_llm_http::doubles::Reply;

use crate::model::{count_plan, model, shell};
use crate::process::{until, wait};
use crate::scene::Scene;

fn gone(folder: &std::path::Path) -> String {
    format!("error: the run's folder {} disappeared while the run worked", folder.display())
}

/// Removes a folder while another process creates files in it.
fn remove(folder: &std::path::Path) {
    until("the folder is gone", || fs::remove_dir_all(folder).is_ok() || !folder.exists());
}

/// Three ways to remove data: the run's own folder, the data folder, and renaming the data folder.
fn taken(scene: &Scene) -> [fn(&Scene, PathBuf); 3] {
    assert_eq!(scene.runs().len(), 0);
    [
        |_, run| remove(&run),
        |scene, _| remove(&scene.home().join(".artoo")),
        |scene, _| fs::rename(scene.home().join(".artoo"), scene.home().join("elsewhere")).unwrap(),
    ]
}

#[test]
fn while_the_model_is_waited_for() {
    for take in taken(&Scene::new(|_| Reply::stall())) {
        let scene = Scene::new(|_| Reply::stall());
        let child = scene.artoo(&["run", "--json", "How many files?"]).spawn().unwrap();
        scene.until_asked(1);
        let run = scene.runs().pop().unwrap();
        take(&scene, run.clone());
        let said = wait(child).ended(1);
        assert!(said.err.contains(&gone(&run)), "{}", said.err);
        said.explains("disappeared", "--data-dir");
        let last = said.out.lines().last().unwrap();
        assert!(last.contains("run.finished") && last.contains("\"kind\":\"storage\""), "{last}");
    }
}

#[test]
fn while_a_command_works() {
    for take in taken(&Scene::new(|_| Reply::stall())) {
        // The output exceeds what is kept inline, so it needs a file in the folder.
        let command = "touch $TMPDIR/begun; until [ -e ~/end ]; do sleep 0.01; done; seq 1 90000";
        let scene = Scene::new(model(count_plan("Wait"), move |_| shell(command)));
        let child = scene.artoo(&["run", "Wait for something"]).spawn().unwrap();
        let run = || scene.runs().pop().unwrap_or_default();
        until("the command works", || run().join("tmp/begun").exists());
        let run = run();
        take(&scene, run.clone());
        fs::write(scene.home().join("end"), "").unwrap();
        let said = wait(child).ended(1);
        assert!(said.err.contains(&gone(&run)), "{}", said.err);
    }
}
