//! Tests of logging: warnings reach the user, and the log file has the rest.
//!
//! Neither contains request text or secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use artoo_llm_http::doubles::Reply;
use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, shell};
use crate::process::{say, until, wait};

/// Text of the request, which must not be in any log line.
const CANARY: &str = "canary-of-the-request";

/// The record for undo cannot be completed: the run has its result, but the user must be warned.
#[test]
fn a_record_for_undo_that_fails_is_told() {
    let waits = "touch $TMPDIR/begun; until [ -e $TMPDIR/end ]; do sleep 0.01; done; echo 3";
    for extra in [&[][..], &["--quiet"], &["--json"]] {
        let calls = AtomicUsize::new(0);
        let scene = Scene::new(model(count_plan("Wait"), move |_| {
            match calls.fetch_add(1, Ordering::Relaxed) {
                // The first change opens the record.
                0 => {
                    json!({"tool": "shell", "arguments": {"command": "echo > made"}, "output_is_answer": false})
                }
                _ => shell(waits),
            }
        }));
        let child = scene.artoo(&[&["run", "Wait for something"], extra].concat()).spawn().unwrap();
        let tmp = || scene.runs().pop().unwrap_or_default().join("tmp");
        until("the command works", || tmp().join("begun").exists());
        let undo = scene.runs().pop().unwrap().join("undo");
        fs::remove_dir_all(&undo).unwrap();
        fs::write(&undo, "in the way").unwrap();
        fs::write(tmp().join("end"), "").unwrap();
        let said = wait(child);
        let warning = "warning: the record for undo could not be closed: ";
        let told = said.err.lines().find(|line| line.starts_with(warning));
        let told = told.unwrap_or_else(|| panic!("{extra:?}: {}", said.err));
        assert!(told.contains("was removed while the run worked"), "{told}");
        assert!(!said.out.contains(warning), "standard output is for programs");
    }
}

/// A server that fails and repeats the request in its message, as real servers do.
fn repeating() -> Scene {
    Scene::new(|call| {
        let body = json!({"error": {"message": format!("no room for {} and sk-canary-1", call.body)}});
        Reply::status(503, body.to_string())
    })
}

#[test]
fn a_warning_says_nothing_of_the_request_or_a_secret() {
    let scene = repeating();
    let log = scene.home().join("log");
    let line = ["run", "--json", "-c", "http.attempts=2", "--log", log.to_str().unwrap(), CANARY];
    let said = scene.say(&line).ended(1);
    let warning = said.err.lines().find(|line| line.starts_with("warning: ")).unwrap();
    assert!(
        warning.starts_with("warning: a model server failed, and is asked again (server http"),
        "{warning}"
    );
    assert!(warning.ends_with("reason status 503)"), "no id, and no wait to the nanosecond: {warning}");
    let told = said.err.matches("is asked again").count();
    assert_eq!(told, 1, "once while the server fails, whatever the number of calls: {}", said.err);
    let run = scene.runs().pop().unwrap();
    let run = run.file_name().unwrap().to_str().unwrap();
    for line in said.err.lines().filter(|line| !line.starts_with("error: ")) {
        assert!(!line.contains(CANARY) && !line.contains("sk-canary-1"), "{line}");
    }
    let text = fs::read_to_string(&log).unwrap();
    assert!(!text.contains("sk-canary-1"), "{text}");
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let warned = lines.iter().find(|line| line["level"] == "warn").unwrap();
    assert_eq!(
        (&warned["spans"]["run"], &warned["spans"]["role"], &warned["spans"]["purpose"]),
        (&json!(run), &json!("planner"), &json!("planner")),
        "the file says of which run"
    );
    assert!(lines.iter().any(|line| line["message"] == "what the server said"), "{text}");
}

#[test]
fn more_is_shown_when_it_is_asked_for() {
    let scene = repeating();
    let run = |extra: &[&str], filter: Option<&str>| {
        let mut command =
            scene.artoo(&[&["run", "--json", "-c", "http.attempts=2"], extra, &[CANARY]].concat());
        command.envs(filter.map(|filter| ("ARTOO_LOG", filter)));
        say(&mut command).ended(1)
    };
    assert!(!run(&[], None).err.contains("debug: "));
    assert!(run(&["-vv"], None).err.contains("debug: what the server said: "));
    assert!(run(&[], Some("debug")).err.contains("debug: what the server said: "));
    assert!(!run(&[], Some("off")).err.contains("warning: "));
    let said = run(&["--log", "-"], None).err;
    assert!(
        said.lines().any(|line| line.starts_with('{') && line.contains("what the server said")),
        "{said}"
    );
    assert!(!run(&["-vv"], None).err.contains("sk-canary-1"), "no secret at any level");
    let mut command = scene.artoo(&["runs", "list"]);
    say(command.env("ARTOO_LOG", "artoo=loud")).ended(2).explains("artoo=loud", "ARTOO_LOG=debug");
}

/// A normal run logs no warnings.
#[test]
fn a_run_that_goes_well_is_silent() {
    let scene = Scene::new(counting());
    let said = scene.say(&["run", "--quiet", "How many .txt files are in docs?"]).ended(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("3\n", ""));
}
