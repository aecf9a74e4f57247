//! Tests of past runs, the audit log, the doctor and the manual.

use std::fs;

use serde_json::Value;

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{ended, say, until};

fn after_a_run() -> Scene {
    let scene = Scene::new(counting());
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    scene
}

#[test]
fn a_run_can_be_looked_at_again() {
    let scene = after_a_run();
    let listed = scene.say(&["runs", "list"]).ended(0).out;
    assert!(listed.contains("accept") && listed.contains("How many .txt files"), "{listed}");
    let id = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    for part in [id, "last"] {
        let shown = scene.say(&["runs", "show", part]).ended(0).out;
        for expected in ["plan: ", "wc -l → 3", "✓ Done", "recorded: "] {
            assert!(shown.contains(expected), "no `{expected}` in\n{shown}");
        }
    }
    scene.say(&["runs", "show", "ffff"]).ended(2).explains("ffff", "artoo runs list");
}

#[test]
fn a_damaged_journal_is_shown_up_to_the_damage() {
    let scene = after_a_run();
    let path = scene.runs()[0].join("events.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    let said = scene.say(&["runs", "show", "last"]).ended(1);
    assert!(said.err.contains("damaged") && said.out.contains("How many"), "{}\n{}", said.out, said.err);
}

#[test]
fn a_run_is_explained() {
    let scene = after_a_run();
    let listed = scene.say(&["runs", "list"]).ended(0).out;
    let id = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    for part in [id, "last"] {
        let said = scene.say(&["runs", "explain", part]).ended(0);
        for expected in
            ["round 1", "new      Count the .txt files", "init -> accept", "loss      0.00", "exit code 0"]
        {
            assert!(said.out.contains(expected), "no `{expected}` in\n{}", said.out);
        }
        assert_eq!(said.err, "");
    }
    let page: Value =
        serde_json::from_str(&scene.say(&["runs", "explain", "last", "--json"]).ended(0).out).unwrap();
    let decided = &page["rounds"][0]["decided"];
    assert_eq!((&decided["current"], &decided["follows"]), (&"accept".into(), &"yes".into()), "{page:#}");
    scene.say(&["runs", "explain", "ffff"]).ended(2).explains("ffff", "artoo runs list");
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    scene.say(&["runs", "explain", "0"]).ended(2).explains("2 runs", "more characters");
}

#[test]
fn an_explanation_says_what_it_cannot_stand_for() {
    let scene = after_a_run();
    let path = scene.runs()[0].join("events.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(r#""directive":"accept""#, r#""directive":"success""#)).unwrap();
    let said = scene.say(&["runs", "explain", "last"]).ended(1);
    assert!(said.out.contains("this directive does not follow from its recorded inputs"), "{}", said.out);
    assert!(said.err.contains("warning: the directive of round 1 does not follow"), "{}", said.err);

    fs::write(&path, &text[..text.len() / 2]).unwrap();
    let said = scene.say(&["runs", "explain", "last"]).ended(1);
    assert!(said.err.contains("damaged") && said.out.contains("How many"), "{}\n{}", said.out, said.err);
    let page: Value =
        serde_json::from_str(&scene.say(&["runs", "explain", "last", "--json"]).ended(1).out).unwrap();
    assert!(page["damage"].is_string() && page["end"].is_null(), "{page:#}");

    fs::write(&path, "").unwrap();
    scene.say(&["runs", "explain", "last"]).ended(0);
    fs::remove_file(&path).unwrap();
    scene.say(&["runs", "explain", "last"]).ended(1).explains("cannot be read", "artoo doctor");
}

#[test]
fn the_audit_log_shows_its_changes() {
    let scene = after_a_run();
    assert!(scene.say(&["audit", "verify"]).ended(0).out.contains("the chain holds"));
    let report: Value =
        serde_json::from_str(&scene.say(&["audit", "report", "--json", "--since", "1h"]).ended(0).out)
            .unwrap();
    assert_eq!(report["tasks_observed"], 1);
    assert!(scene.say(&["audit", "report"]).ended(0).out.contains("1 run from "));

    let log = scene.home().join(".artoo/audit.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"plan\"", "\"warning\"", 1)).unwrap();
    let said = scene.say(&["audit", "verify"]).ended(1);
    assert!(said.err.contains("error: "), "{}", said.err);
}

#[test]
fn what_is_missing_or_added_beside_the_audit_log_is_found() {
    let scene = after_a_run();
    let log = scene.home().join(".artoo/audit.jsonl");
    let head = log.with_extension("head");
    let (lines, end) = (fs::read(&log).unwrap(), fs::read(&head).unwrap());
    let found = |error: &str, hint: &str| {
        scene.say(&["audit", "verify"]).ended(1).explains(error, hint);
        assert!(scene.say(&["doctor"]).out.contains(error), "the doctor knows, too");
    };
    fs::remove_file(&log).unwrap();
    found("the log is missing; its head file is there", "keep a copy");
    fs::write(&log, &lines).unwrap();
    fs::remove_file(&head).unwrap();
    found("the head file is missing", "lines may be missing");
    // An older head: the lines since then come after it.
    fs::write(&head, &end).unwrap();
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    fs::write(&head, &end).unwrap();
    found("that the head file knows", "keep a copy");
    // The next run reports the problem it finds, and `audit verify` finds it from then on.
    let said = scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    assert!(said.err.contains("warning: the auditor: the audit log has a gap: "), "{}", said.err);
    let said = scene.say(&["audit", "verify"]).ended(1);
    assert!(said.out.contains("they were added"), "{}", said.out);
}

/// The runs on record say which lines a log must have, whatever became of it.
#[test]
fn a_run_that_is_missing_from_the_audit_log_is_found() {
    let scene = after_a_run();
    let log = scene.home().join(".artoo/audit.jsonl");
    let head = log.with_extension("head");
    let first = scene.runs()[0].file_name().unwrap().to_str().unwrap().to_owned();
    let (lines, end) = (fs::read(&log).unwrap(), fs::read(&head).unwrap());

    fs::remove_file(&log).unwrap();
    fs::remove_file(&head).unwrap();
    let said = scene.say(&["audit", "verify"]).ended(1);
    said.explains("the audit log and its head are gone, and 1 run is on record", "find out who");
    assert!(said.out.contains(&format!("run {first}: none of its ")), "{}", said.out);
    assert!(
        scene.say(&["doctor"]).out.contains("the audit log and its head are gone"),
        "the doctor knows, too"
    );

    // A log that was begun anew is a whole chain.
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    let said = scene.say(&["audit", "verify"]).ended(1);
    assert!(said.out.contains("the chain holds"), "{}", said.out);
    assert_eq!(said.out.matches("  run ").count(), 1, "{}", said.out);
    assert!(said.out.contains(&format!("run {first}: none of its ")), "{}", said.out);
    assert!(said.err.contains("warning: 1 run on record is missing from the log"), "{}", said.err);
    assert!(scene.say(&["doctor"]).out.contains("1 run on record is missing from it"));

    // So is one that was put back.
    fs::write(&log, &lines).unwrap();
    fs::write(&head, &end).unwrap();
    let said = scene.say(&["audit", "verify"]).ended(1);
    assert!(!said.out.contains(&first) && said.out.contains(": none of its "), "{}", said.out);

    // A run that was removed from the records is not missed.
    for run in scene.runs().iter().filter(|run| !run.ends_with(&first)) {
        fs::remove_dir_all(run).unwrap();
    }
    scene.say(&["audit", "verify"]).ended(0);
}

/// A log that could not be written on, or whose process was killed, is truncated: nothing in it was changed.
#[test]
fn a_cut_audit_log_is_truncated_and_not_changed() {
    let scene = after_a_run();
    let log = scene.home().join(".artoo/audit.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let (count, size) = (text.lines().count(), text.len());
    fs::write(&log, &text[..size - 40]).unwrap();
    let said = scene.say(&["audit", "verify"]).ended(3);
    said.explains(
        &format!("the log is truncated at line {count}: line {count} was written, and"),
        "a crash of the machine",
    );
    assert!(said.out.contains("not in the log: the log is cut there"), "{}", said.out);
    fs::write(&log, text[..size - 40].replacen("\"plan\"", "\"warning\"", 1)).unwrap();
    assert!(scene.say(&["audit", "verify"]).ended(1).err.contains("was changed"), "the change comes first");
}

#[test]
fn before_the_first_run_there_is_nothing_to_see() {
    let scene = Scene::new(counting());
    assert!(scene.say(&["runs", "list"]).ended(0).err.contains("no runs"));
    scene.say(&["runs", "show", "last"]).ended(2).explains("no runs", "artoo run");
    scene.say(&["runs", "explain", "last"]).ended(2).explains("no runs", "artoo run");
    scene.say(&["runs", "explain", "0197"]).ended(2).explains("0197", "artoo runs list");
    scene.say(&["audit", "verify"]).ended(0);
    scene.say(&["audit", "report"]).ended(0);
    assert!(!scene.home().join(".artoo").exists(), "looking makes nothing");
}

#[test]
fn the_doctor_knows_what_is_wrong() {
    let scene = Scene::new(counting());
    let well = scene.say(&["doctor"]).ended(0).out;
    for part in ["✓ ok", "mock at http://127.0.0.1", "nothing is learned yet", "artoo can work here"] {
        assert!(well.contains(part), "no `{part}` in\n{well}");
    }
    let ill = say(&mut scene.bare(&["doctor", "--json"])).ended(1).out;
    let ill: Value = serde_json::from_str(&ill).unwrap();
    let model = ill["checks"].as_array().unwrap().iter().find(|check| check["name"] == "model").unwrap();
    assert_eq!((&model["state"], &ill["usable"]), (&"bad".into(), &false.into()));
    assert!(model["remedy"].as_str().unwrap().contains("artoo setup"));

    let gone = say(scene.artoo(&["doctor"]).env("OPENAI_BASE_URL", "http://127.0.0.1:9")).ended(1).out;
    assert!(gone.contains("hint: check the address"), "{gone}");
    let other = say(scene.artoo(&["doctor"]).env("OPENAI_MODEL", "other")).ended(1).out;
    assert!(other.contains("does not list this model"), "{other}");
}

#[test]
fn the_log_is_watched() {
    let scene = Scene::new(counting());
    let said = scene.say(&["audit", "tail"]).ended(0);
    assert!(said.out.is_empty() && said.err.contains("no line yet"), "{}", said.err);
    let out = tempfile::NamedTempFile::new().unwrap();
    let mut command = scene.artoo(&["audit", "tail", "--follow", "--json"]);
    let mut watching = command.stdout(out.reopen().unwrap()).spawn().unwrap();
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    let seen = || fs::read_to_string(out.path()).unwrap();
    until("the end of the run is seen", || seen().contains("\"kind\":\"final_result\""));
    rustix::process::kill_process(rustix::process::Pid::from_child(&watching), rustix::process::Signal::INT)
        .unwrap();
    assert_eq!(ended(&mut watching).code(), Some(130));
    let log = fs::read_to_string(scene.home().join(".artoo/audit.jsonl")).unwrap();
    assert!(log.starts_with(&seen()), "every line as it is in the log");

    let newest = scene.say(&["audit", "tail", "-n", "2"]).ended(0).out;
    assert_eq!(newest.lines().count(), 2, "{newest}");
    let all = scene.say(&["audit", "tail", "-n", "1000"]).ended(0).out;
    let end = all.lines().find(|line| line.contains("final_result")).unwrap();
    assert!(end.contains("ggs") && end.contains("directive=accept"), "{end}");
    assert!(!all.contains("How many"), "facts, never text");
}

/// Nobody is shown the source of a manual page: either there is a reader, or the help texts are shown.
#[test]
fn the_manual_at_a_terminal_is_a_page() {
    let scene = Scene::new(counting());
    for path in ["/usr/local/bin:/usr/bin:/bin", "/nowhere"] {
        let mut command = scene.bare(&["man"]);
        command.env("PATH", path).env("MANPAGER", "cat").env("PAGER", "cat").env("LESS", "");
        let (code, screen, raw) = crate::screen::Screen::new(80).talk(command, &[]);
        assert_eq!(code, Some(0), "{screen}");
        assert!(raw.contains("what-if") && !raw.contains(".SH"), "{raw}");
    }
}

#[test]
fn the_manual_is_one_page() {
    let scene = Scene::new(counting());
    let page = scene.say(&["man"]).ended(0).out;
    for part in [".TH artoo 1", ".SH \"ARTOO RUNS UNDO\"", "\\-\\-dry\\-run"] {
        assert!(page.contains(part), "no `{part}`");
    }
}
