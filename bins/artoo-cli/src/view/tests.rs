//! Every screen.

use std::path::Path;
use std::time::Duration;

use artoo_runtime::journal::RunState;
use artoo_sandbox::snapshot::{Hindrance, Obstacle, TakenBack, UndoAction, Undoable};
use serde_json::json;

use super::samples::{finished, line, run};
use super::*;
use crate::doctor::Check;
use crate::terminal::{Look, width};

fn frame(columns: usize, verbose: bool) -> Frame {
    Frame::new(Look { columns, colour: false, live: true }, verbose)
}

/// What the whole run adds to the view, with the status line after each event.
fn screen(columns: usize, verbose: bool) -> String {
    let mut live = Live::default();
    let mut text = String::new();
    for (beat, line) in run().iter().enumerate() {
        for row in live.on(line, frame(columns, verbose)) {
            let whole = verbose || row.contains("warning: ") || row.contains("model call failed: ");
            assert!(whole || width(&row) < columns, "{row:?} does not fit into {columns} columns");
            text.push_str(&row);
            text.push('\n');
        }
        let status = live.status(beat, Duration::from_millis(900 * beat as u64));
        assert!(!status.contains('\n'));
    }
    assert_neutral(&text);
    text
}

fn assert_neutral(text: &str) {
    let bad: Vec<char> = text.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(bad.is_empty(), "{bad:?} in {text}");
}

#[test]
fn a_run_at_20_columns() {
    insta::assert_snapshot!(screen(20, false));
}

#[test]
fn a_run_at_80_columns() {
    insta::assert_snapshot!(screen(80, false));
}

#[test]
fn a_run_at_200_columns() {
    insta::assert_snapshot!(screen(200, false));
}

#[test]
fn a_run_in_detail() {
    insta::assert_snapshot!(screen(80, true));
}

#[test]
fn the_status_line_says_who_is_at_work() {
    let mut live = Live::default();
    let mut text = String::new();
    for (beat, line) in run().iter().enumerate() {
        live.on(line, frame(80, false));
        text.push_str(&live.status(beat, Duration::from_millis(900 * beat as u64)));
        text.push('\n');
    }
    insta::assert_snapshot!(text);
}

/// A question that a hostile command and hostile names try to spoil.
#[test]
fn a_question_about_effects() {
    let long = "x".repeat(2_000);
    let effect = |kind: &str, what: &str, why: &str| json!({"kind": kind, "what": what, "word": "w\u{202e}", "why": why});
    let asked = |command: &str, effects: Vec<serde_json::Value>, changes: serde_json::Value| {
        json!({"type": "approval.requested", "call_id": "01970000-0000-7000-8000-0000000000c1", "tool": "shell",
            "command": command, "effects": effects, "changes": changes, "rule": "consent-to-change",
            "reason": "what was there before the run, and what is outside the machine, changes only with consent",
            "person": true})
    };
    let changes = json!([
        {"path": "/home/ada/项目/notes.txt", "change": "changed", "bytes_before": 1200, "bytes_after": 1180,
         "diff": "-old \u{1b}[2J line\n+new line\n"},
        {"path": "/home/ada/gone\u{202e}txt.exe", "change": "deleted", "bytes_before": 3}]);
    let questions = [
        asked(
            "rm 'notes.txt'\n\u{1b}[1A\u{1b}[2Kecho harmless",
            vec![effect("deletes", "/home/ada/notes.txt", "`rm` removes it")],
            json!([]),
        ),
        asked(
            &format!("echo {long}; rm -r /"),
            vec![effect("deletes", "/", "`rm` removes it"), effect("unknown", &long, "")],
            changes,
        ),
        asked("many", (0..30).map(|n| effect("overwrites", &format!("/f{n}"), "")).collect(), json!([])),
    ];
    for columns in [80, 20] {
        let mut text = String::new();
        for question in &questions {
            let mut live = Live::default();
            for row in live.on(&line(1, question.clone(), Some("executor"), None), frame(columns, false)) {
                text.push_str(&row);
                text.push('\n');
            }
            text.push_str("--\n");
        }
        assert_neutral(&text);
        insta::assert_snapshot!(format!("a_question_about_effects_at_{columns}_columns"), text);
    }
}

/// What a person agrees to is shown whole, however narrow the terminal is.
#[test]
fn a_plan_that_waits_for_consent() {
    let long = "count every .txt file in docs and in all the folders below it, hidden ones included";
    let subtasks = json!([
        {"sequence": 1, "intent": long, "context": "", "success_criteria": [
            {"text": "the output is one number", "mode": "verifiable"},
            {"text": "it counts 隐藏文件, too\u{1b}[2J", "mode": "plausible"}]},
        {"sequence": 2, "intent": "write it to count.txt", "context": "", "success_criteria": [
            {"text": "count.txt exists", "mode": "verifiable"}]}]);
    let decided =
        |granted, reason| json!({"type": "plan_approval.decided", "granted": granted, "reason": reason});
    let events = [
        (json!({"type": "plan.proposed", "task_criteria": [], "subtasks": subtasks, "kept": []}), "planner"),
        (json!({"type": "plan_approval.requested", "subtasks": subtasks}), "dispatcher"),
        (decided(true, "the person agreed"), "user"),
        (decided(false, "the person did not agree"), "user"),
    ];
    let mut text = String::new();
    for columns in [20, 80] {
        let mut live = Live::default();
        for (number, (event, role)) in (1..).zip(&events) {
            for row in live.on(&line(number, event.clone(), Some(role), None), frame(columns, false)) {
                text.push_str(&row);
                text.push('\n');
            }
            text.push_str(&format!("{}\n", live.status(0, Duration::ZERO)));
        }
    }
    assert_neutral(&text);
    insta::assert_snapshot!(text);
}

fn end(directive: &str, fault: Option<serde_json::Value>) -> Outcome {
    Outcome::of(&line(1, finished(directive, fault), Some("ggs"), None)).unwrap()
}

#[test]
fn every_end_of_a_run() {
    let fault = json!({"role": "planner", "kind": "provider", "message": "cannot reach the model server", "hint": "check the address"});
    let ends = [
        ("accept", end("accept", None)),
        ("success", end("success", None)),
        ("abandon", end("abandon", None)),
        ("a fault", end("abandon", Some(fault))),
    ];
    let mut text = String::new();
    for (name, outcome) in &ends {
        for bare in [false, true] {
            let shown = result(outcome, frame(80, false), bare);
            assert_neutral(&shown);
            assert_eq!(shown.contains('✓'), *name == "accept" && !bare, "only an accepted run has a tick");
            text.push_str(&format!("=== {name}{}\n{shown}", if bare { ", in a pipe" } else { "" }));
        }
        text.push_str("--- standard error\n");
        for row in footer(outcome, Path::new("/home/ada/.artoo/runs/x"), frame(80, *name == "accept")) {
            text.push_str(&format!("{row}\n"));
        }
    }
    insta::assert_snapshot!(text);
}

/// A run that fell short begins with what is wrong, and says nothing twice. The words are R7's; what follows them are the outputs.
#[test]
fn a_run_that_fell_short_says_what_is_wrong_first() {
    let done = json!([{"subtask_id": "01970000-0000-7000-8000-0000000000a1", "intent": "Count the pears", "status": "matched", "output": "17"},
        {"subtask_id": "01970000-0000-7000-8000-0000000000a1", "intent": "Count the ghosts", "status": "failed", "output": "there are no ghosts"}]);
    let ends = [
        (
            "a criterion is not met",
            "abandon",
            json!([]),
            "Not finished: the output has no number.\nThe replans allowed are used.\nMissing: the output is the number of ghosts.\nNext: allow more time or replans, or ask for a smaller step.",
        ),
        (
            "some of it is done",
            "abandon",
            done.clone(),
            "Not finished: there are no ghosts.\nEach of the last plans made the result worse.\nDone: step 1: Count the pears.\nMissing: the number of ghosts.\nNext: ask for a smaller step, or say which way to go.",
        ),
        (
            "nearly all of it is done",
            "success",
            done,
            "Not complete: no ghost was found.\nSo little is missing that another try is not worth its cost.\nDone: step 1: Count the pears.\nMissing: the number of ghosts.",
        ),
        (
            "a file is missing",
            "abandon",
            json!([]),
            "Not finished: data/a.csv is not there, and no file below the working folder that is not hidden has that name.\nMissing: the sum.\nNext: check the name, or say where the file is.",
        ),
        (
            "it was refused",
            "abandon",
            json!([]),
            "Not finished: nobody consented to delete a.txt.\nIt needs an action that was not allowed, and a refusal is not worked around.\nMissing: a.txt is gone.\nNext: allow the action, or ask for something that does not need it.",
        ),
        (
            "a question to the person",
            "abandon",
            json!([]),
            "Not finished: Two folders are called docs.\nNext: ask again, with the answer to this: Which of the two?",
        ),
    ];
    let mut text = String::new();
    for (name, directive, partial, summary) in ends {
        let mut event = finished(directive, None);
        event["summary"] = json!(summary);
        event["output"] = json!("17");
        event["partial"] = partial;
        let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
        text.push_str(&format!("=== {name}\n{}", result(&outcome, frame(80, false), false)));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_output_that_is_no_text_is_shown_as_json() {
    let mut event = finished("accept", None);
    event["output"] = json!({"files": 7, "largest": "报告.txt"});
    let outcome = Outcome::of(&line(1, event.clone(), None, None)).unwrap();
    insta::assert_snapshot!(result(&outcome, frame(80, false), true));
    event["output"] = json!(null);
    let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
    insta::assert_snapshot!(result(&outcome, frame(80, false), true));
}

#[test]
fn outputs_are_not_told_twice() {
    let mut event = finished("success", None);
    event["output"] = json!([{"intent": "count the .txt files", "status": "matched", "output": "7"}]);
    let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
    assert!(!result(&outcome, frame(80, false), true).contains("output, with"));
}

#[test]
fn colours_carry_no_meaning_of_their_own() {
    let coloured = Frame::new(Look { columns: 80, colour: true, live: true }, false);
    let plain = frame(80, false);
    let (mut one, mut other) = (Live::default(), Live::default());
    for line in run() {
        let strip = |rows: Vec<String>| rows.iter().map(|row| stripped(row)).collect::<Vec<_>>();
        assert_eq!(strip(one.on(&line, coloured)), other.on(&line, plain));
    }
}

fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    (out + rest).trim_end().to_owned()
}

#[test]
fn lists_of_runs_and_checks() {
    let summary = |directive: Option<&str>, exit: Option<u8>, damage: Option<&str>| {
        artoo_runtime::runs::Summary {
        run_id: "01970000-0000-7000-8000-0000000000ff".parse().unwrap(),
        started: Some("2026-03-01T12:00:00+01:00".parse().unwrap()),
        request: "数一数 docs 里的 .txt 文件,\nthen tell me which of them is the largest one, please, and why it is so".to_owned(),
        directive: directive.map(|word| serde_json::from_value(word.into()).unwrap()),
        finished: exit.is_some(),
        state: if exit.is_some() { RunState::Finished } else { RunState::Killed },
        exit_code: exit,
        elapsed_ms: 61_000,
        calls: 4,
        tokens: 2345,
        estimated: exit.is_none(),
        cost: None,
        replans: 0,
        undo: if damage.is_some() { Undoable::Nothing } else { Undoable::Yes },
        damage: damage.map(str::to_owned),
    }
    };
    let runs = [
        summary(Some("accept"), Some(0), None),
        summary(Some("abandon"), Some(4), None),
        summary(None, Some(130), None),
        summary(None, Some(129), None),
        summary(None, None, Some("line 3 cannot be read")),
        artoo_runtime::runs::Summary { state: RunState::Running, ..summary(None, None, None) },
        artoo_runtime::runs::Summary { state: RunState::Unrecorded, ..summary(None, None, None) },
    ];
    let checks = [
        Check::good("configuration", "/home/ada/.config/artoo/config.toml"),
        Check::note("memory", "not durable"),
        Check::bad("model", "no model is set up", "artoo setup"),
    ];
    let mut text = String::new();
    for columns in [20, 80, 200] {
        for run in &runs {
            text.push_str(&format!("{}\n", run_row(run, frame(columns, false))));
        }
        text.push_str(&format!("{}\n", check_lines(&checks, frame(columns, false)).join("\n")));
    }
    assert_neutral(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn what_undo_says() {
    let mut text = String::new();
    for state in [
        Undoable::Nothing,
        Undoable::Yes,
        Undoable::Unfinished,
        Undoable::Halfway,
        Undoable::Undone,
        Undoable::Unkept,
        Undoable::Expired,
        Undoable::Damaged,
    ] {
        text.push_str(&format!("{state:?}: {}\n", words::undo(state).unwrap_or("-")));
    }
    let path = std::path::PathBuf::from("/w/报告\u{1b}[31m.md");
    for dry_run in [true, false] {
        for action in [UndoAction::Remove, UndoAction::Restore, UndoAction::Recreate] {
            text.push_str(&taken_back_line(&TakenBack { path: path.clone(), action }, dry_run));
            text.push('\n');
        }
    }
    for why in [
        Hindrance::ChangedSince,
        Hindrance::ChangedMeanwhile,
        Hindrance::Holds { entry: "a person's\n".into() },
        Hindrance::NoFolder,
        Hindrance::NotKept { reason: "its 9 bytes did not fit into the snapshot".to_owned() },
        Hindrance::Unreadable { error: "permission denied".to_owned() },
    ] {
        text.push_str(&obstacle_line(&Obstacle { path: path.clone(), why }));
        text.push('\n');
    }
    assert_neutral(&text);
    insta::assert_snapshot!(text);
}
