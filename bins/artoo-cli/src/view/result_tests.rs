//! Snapshots of the result of a run, and of what is told behind it.

use std::path::Path;

use artoo_snapshot::Undoable;
use serde_json::json;

use super::sample_run::{finished, line};
use super::tests::{assert_neutral, frame};
use super::*;

/// The warning stands before the answer. How often such answers are right is told where somebody has measured it.
#[test]
fn an_answer_that_is_not_confirmed() {
    let mut text = String::new();
    for is_measured in [true, false] {
        let mut event = finished("success", None);
        event["confidence"] = json!({"value": 0.31, "least": 0.7, "why": "it was found out in one way alone: Count", "is_measured": is_measured});
        let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
        text.push_str(&result(&outcome, &Story::default(), frame(80, false), is_measured));
        text.push_str("--\n");
    }
    insta::assert_snapshot!(text);
}

/// A run that fell short first says what it left behind.
#[test]
fn what_a_run_that_fell_short_has_changed() {
    let said = |files: serde_json::Value, undo| {
        let mut event = finished("abandon", None);
        event["files"] = files;
        let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
        left_behind(&outcome, &Story::default(), undo, frame(80, false))
    };
    let one = json!([{"path": "/a\u{1b}[2J", "change": "created"}]);
    assert_eq!(
        said(one.clone(), Undoable::Yes).unwrap(),
        "1 file was changed: /a␛[2J; artoo undo 000000000001 takes it back."
    );
    assert_eq!(
        said(one, Undoable::Unkept).unwrap(),
        "1 file was changed: /a␛[2J; cannot be undone: too large to keep."
    );
    let many: Vec<_> = (0..12).map(|n| json!({"path": format!("/{n}"), "change": "changed"})).collect();
    assert_eq!(
        said(json!(many), Undoable::Yes).unwrap(),
        "12 files were changed: /0, /1, /2, /3, /4, /5, /6, /7, and 4 more; artoo undo 000000000001 takes them back."
    );
    assert_eq!(said(json!([]), Undoable::Nothing), None);
}

pub(super) fn end(directive: &str, fault: Option<serde_json::Value>) -> Outcome {
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
            let shown = result(outcome, &Story::default(), frame(80, false), bare);
            assert_neutral(&shown);
            assert_eq!(shown.contains('✓'), *name == "accept" && !bare, "only an accepted run has a tick");
            text.push_str(&format!("=== {name}{}\n{shown}", if bare { ", in a pipe" } else { "" }));
        }
        text.push_str("--- standard error\n");
        for row in footer(
            outcome,
            &Story::default(),
            Path::new("/home/ada/.artoo/runs/x"),
            frame(80, *name == "accept"),
        ) {
            text.push_str(&format!("{row}\n"));
        }
    }
    insta::assert_snapshot!(text);
}

/// The result of a run that fell short begins with what is wrong and repeats
/// nothing. The words are R7's; the outputs follow.
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
            "Not finished: nobody consented to delete a.txt.\nIt needs an action that was not allowed, and a refusal is not worked around.\nMissing: a.txt is gone.\nNext: consent to it, or ask for something that does not need it.",
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
        text.push_str(&format!(
            "=== {name}\n{}",
            result(&outcome, &Story::default(), frame(80, false), false)
        ));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_output_that_is_no_text_is_shown_as_json() {
    let mut event = finished("accept", None);
    event["output"] = json!({"files": 7, "largest": "报告.txt"});
    let outcome = Outcome::of(&line(1, event.clone(), None, None)).unwrap();
    insta::assert_snapshot!(result(&outcome, &Story::default(), frame(80, false), true));
    event["output"] = json!(null);
    let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
    insta::assert_snapshot!(result(&outcome, &Story::default(), frame(80, false), true));
}

#[test]
fn outputs_are_not_told_twice() {
    let mut event = finished("success", None);
    event["output"] = json!([{"intent": "count the .txt files", "status": "matched", "output": "7"}]);
    let outcome = Outcome::of(&line(1, event, None, None)).unwrap();
    assert!(!result(&outcome, &Story::default(), frame(80, false), true).contains("output, with"));
}
