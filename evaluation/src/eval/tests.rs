//! The command as a developer uses it, with a script in place of artoo.

use clap::Parser;

use super::*;
use crate::cli::{Arguments, Task};

fn options(arguments: &[&str]) -> cli::Eval {
    let arguments = ["xtask", "eval"].iter().chain(arguments);
    let Task::Eval(options) = Arguments::parse_from(arguments).task else { panic!("not eval") };
    options
}

/// A stand-in for artoo that says the same to whatever it is asked, and what it was told.
fn pretend(place: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = place.join("artoo.sh");
    let line = serde_json::json!({"v": 1, "type": "run.finished", "run_id": "r", "directive": "accept", "output": "17",
        "summary": "s", "elapsed_ms": 10, "usage": {"calls": 3}});
    let told = place.join("told.txt").display().to_string();
    files::write(&program, format!("#!/bin/sh\necho \"$*\" >> '{told}'\ncat <<'END'\n{line}\nEND\n"))
        .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn evaluated(place: &Path, arguments: &[&str]) -> Result<Evaluation> {
    let (program, out) = (pretend(place).display().to_string(), place.join("out.md").display().to_string());
    let given = ["--binary", &program, "--out", &out];
    let model = ["--", "--base-url", "http://127.0.0.1:1", "--model", "m"];
    let arguments: Vec<&str> = arguments.iter().chain(&given).chain(&model).copied().collect();
    run(&options(&arguments))?;
    Evaluation::read(&place.join("out.json"))
}

#[test]
fn an_evaluation_leaves_a_table_and_is_gone_on_with() {
    let place = tempfile::tempdir().unwrap();
    let only = ["--only", "words-in-file", "--split", "calibration"];
    let first = evaluated(place.path(), &[&only[..], &["--sample", "1", "--without", "last-judge"]].concat())
        .unwrap();
    assert_eq!((first.done(), first.runs.len()), (1, 1));
    assert_eq!(first.sample.system, "artoo without last-judge");
    let told = files::read(place.path().join("told.txt")).unwrap();
    assert!(
        told.contains("-c acceptance.last_judge=false --base-url http://127.0.0.1:1 --model m -- "),
        "{told}"
    );
    let more = [&only[..], &["--sample", "2", "--without", "last-judge", "--resume"]].concat();
    let both = evaluated(place.path(), &more).unwrap();
    assert_eq!(both.runs[..1], first.runs[..]);
    assert_eq!((both.done(), files::read(place.path().join("told.txt")).unwrap().lines().count()), (2, 2));
    let table = files::read(place.path().join("out.md")).unwrap();
    assert!(table.contains("words-in-file") && table.contains("| artoo without last-judge |"), "{table}");
    let another = [&only[..], &["--sample", "2", "--resume"]].concat();
    assert!(evaluated(place.path(), &another).is_err(), "another system");
}

#[test]
fn of_the_test_split_nothing_is_left_but_sums() {
    let place = tempfile::tempdir().unwrap();
    let evaluation = evaluated(place.path(), &["--split", "test", "--sample", "48"]).unwrap();
    assert_eq!((evaluation.done(), evaluation.runs.len(), evaluation.own.runs), (48, 0, 16));
    assert!(!std::env::temp_dir().join(format!("{PLACE}test-{}", std::process::id())).exists());
    let told = files::read(place.path().join("told.txt")).unwrap();
    for name in ["out.md", "out.json"] {
        let text = files::read(place.path().join(name)).unwrap();
        let requests = told.lines().filter_map(|line| line.split_once(" -- ")?.1.get(..12));
        requests.for_each(|request| assert!(!text.contains(request), "{name} holds {request}"));
    }
}

#[test]
fn what_an_evaluation_left_that_was_ended_goes_and_what_another_one_works_on_stays() {
    // No process has this number: the kernel's are smaller.
    let orphan = std::env::temp_dir().join(format!("{PLACE}test-4294967295"));
    let busy = std::env::temp_dir().join(format!("{PLACE}dev-1"));
    for place in [&orphan, &busy] {
        files::write(place.join("x"), "").unwrap();
    }
    remove_orphans().unwrap();
    assert_eq!((orphan.exists(), busy.exists()), (false, true));
    files::remove_folder(&busy).unwrap();
}

#[test]
fn of_the_test_split_nothing_single_may_be_asked_for() {
    for arguments in [["--sample", "5"], ["--only", "column-sum"]] {
        let arguments = [&["--split", "test"][..], &arguments].concat();
        let refused = run(&options(&arguments)).unwrap_err().to_string();
        assert!(refused.starts_with("of the test split only sums"), "{refused}");
    }
    assert!(run(&options(&["--split", "test", "--dry-run"])).is_err());
}

#[test]
fn a_dry_run_asks_nobody() {
    run(&options(&["--dry-run", "--sample", "20", "--seed", "5"])).unwrap();
    let families = family::load(&files::root().join("fixtures/tasks"), &["column-sum".to_owned()]).unwrap();
    let case = sample::draw(&families, Split::Development, 1, 5).unwrap().remove(0);
    let shown = shown(&case);
    assert!(shown.contains(&case.request) && shown.contains("Number("), "{shown}");
}
