//! Snapshots of the views.

use std::path::Path;
use std::time::Duration;

use artoo_snapshot::Undoable;
use serde_json::json;

use super::result_tests::end;
use super::sample_run::{finished, line, run};
use super::*;
use crate::terminal::{Look, width};

pub(super) fn frame(columns: usize, verbose: bool) -> Frame {
    Frame::new(Look { columns, colour: false, live: true, words: false }, verbose)
}

/// A moment at which nothing is known besides the events.
fn moment(milliseconds: u64) -> Moment<'static> {
    Moment { elapsed: Duration::from_millis(milliseconds), activities: &[] }
}

/// The view of the whole run, with the status line after each event.
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
        let status = live.status(beat, moment(900 * beat as u64), columns);
        assert!(!status.contains('\n'));
    }
    assert_neutral(&text);
    text
}

pub(super) fn assert_neutral(text: &str) {
    let bad: Vec<char> = text.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(bad.is_empty(), "{bad:?} in {text}");
}

#[test]
fn a_run_at_20_columns() {
    insta::assert_snapshot!(screen(20, false));
}

#[test]
fn a_run_at_40_columns() {
    insta::assert_snapshot!(screen(40, false));
}

/// In screen reader mode, signs are replaced by words or left out, because the text carries the meaning.
#[test]
fn a_run_that_is_spoken() {
    let frame =
        Frame::new(Look { columns: 80, colour: true, live: true, words: false }.spoken(), false).plain();
    let mut live = Live::default();
    let mut text = String::new();
    for line in run() {
        for row in live.on(&line, frame) {
            text.push_str(&format!("{row}\n"));
        }
    }
    let outcome = end("accept", None);
    text.push_str(&result(&outcome, live.story(), frame, false));
    for row in footer(&outcome, live.story(), Path::new("/home/ada/.artoo/runs/x"), frame) {
        text.push_str(&format!("{row}\n"));
    }
    for directive in ["success", "abandon"] {
        text.push_str(result(&end(directive, None), live.story(), frame, false).lines().next().unwrap());
        text.push('\n');
    }
    let signs = ['✓', '✗', '↻', '→', '»', '·', '▄', '▁', '~'];
    assert!(!text.contains(signs), "{text}");
    insta::assert_snapshot!(text);
}

/// Lines about met criteria would hide the one that is not met. What is not met is told once: with what comes next, or as
/// the result.
#[test]
fn criteria_that_are_met_are_counted_and_one_that_is_not_is_told_once() {
    let subtask = Some("01970000-0000-7000-8000-0000000000a1");
    let verdict = |criterion: &str, pass: bool| {
        json!({"type": "verdict", "criterion": criterion, "mode": "verifiable", "pass": pass, "judge": "check",
            "class": null, "reason": if pass { json!(null) } else { json!("it is not there") }, "evidence": null})
    };
    let failed = json!({"type": "subtask.finished", "status": "failed", "output": "7", "failure_reason": "it is not there"});
    let shown = |events: &[serde_json::Value], verbose: bool| {
        let mut live = Live::default();
        let on = |event: &serde_json::Value| {
            live.on(&line(1, event.clone(), Some("agent_validator"), subtask), frame(80, verbose))
        };
        events.iter().flat_map(on).collect::<Vec<_>>()
    };
    let all = [verdict("a", true), verdict("b", false), verdict("c", true), failed];
    assert_eq!(shown(&all, false), Vec::<String>::new(), "it waits for what comes next");
    assert_eq!(shown(&all, true).len(), 4);
    let again = json!({"type": "plan.proposed", "task_criteria": [], "subtasks": [
        {"sequence": 1, "intent": "Look again", "context": "", "success_criteria": []}], "kept": []});
    let replanned = [&all[..], std::slice::from_ref(&again)].concat();
    assert_eq!(shown(&replanned, false), ["  ✗ not met: b: it is not there", "plan: Look again"]);
    let told_by_the_end = [&all[..], &[finished("abandon", None)]].concat();
    assert_eq!(shown(&told_by_the_end, false), Vec::<String>::new());
    let fault = json!({"role": "planner", "kind": "provider", "message": "no server"});
    let not_told_by_the_end = [&all[..], &[finished("abandon", Some(fault))]].concat();
    assert_eq!(shown(&not_told_by_the_end, false), ["  ✗ not met: b: it is not there"]);
    let twice = [&replanned[..], &[verdict("b", false), again]].concat();
    assert_eq!(shown(&twice, false)[2..], ["  ✗ not met: b", "new plan: the same step"]);
}

/// Lesson: the verdicts of the judge of the whole stood below the code of the steps' judge.
#[test]
fn lesson_each_judge_speaks_for_itself() {
    let verdict = json!({"type": "verdict", "criterion": "all of it", "mode": "plausible", "pass": false, "judge": "model",
        "class": "logical", "reason": "half is missing", "evidence": null});
    let shown = |role: &str, verbose: bool| {
        let mut live = Live::default();
        let mut rows = live.on(&line(1, verdict.clone(), Some(role), None), frame(80, verbose));
        let next = json!({"type": "warning", "message": "w"});
        rows.extend(live.on(&line(2, next, Some("supervisor"), None), frame(80, verbose)));
        rows.swap_remove(0)
    };
    assert!(shown("agent_validator", true).starts_with("R4a "));
    assert!(shown("meta_validator", true).starts_with("R4b "));
    assert_eq!(shown("agent_validator", false), "  ✗ not met: all of it: half is missing");
    assert_eq!(shown("meta_validator", false), "  ✗ not done as asked: all of it: half is missing");
}

/// What was agreed to before is not asked about, and its lines are not shown again.
#[test]
fn a_change_that_was_agreed_to_before_is_one_line() {
    let id = "01970000-0000-7000-8000-0000000000c1";
    let path = "/home/ada/项目/tally/money.py";
    let started = json!({"type": "run.started", "request": "Fix it", "working_folder": "/home/ada/项目", "workspace": "/w",
        "limits": {"max_replans": 3, "max_retries": 2, "time_budget_ms": 300000, "max_tokens": null}});
    let asked = |person: bool| {
        json!({"type": "approval.requested", "call_id": id, "tool": "edit_file", "command": format!("edit_file {path}"),
            "effects": [{"kind": "overwrites", "what": path, "word": "", "why": "it is there"}],
            "changes": [{"path": path, "change": "changed", "bytes_before": 10, "bytes_after": 12,
                "diff": "--- before\n+++ after\n@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n+e\n"}],
            "rule": "consent-to-change", "person": person,
            "reason": "what was there before the run, and what is outside the machine, changes only with consent"})
    };
    let decided = |granted: bool, reason: &str| json!({"type": "approval.decided", "call_id": id, "granted": granted, "scope": "once", "reason": reason});
    let called = json!({"type": "tool.finished", "call_id": id, "tool": "edit_file", "ending": {"kind": "returned"}, "failure": null,
        "duration_ms": 3, "shown": "edited", "bytes": 6, "dropped_bytes": 0, "files": [{"path": path, "change": "changed"}]});
    let refused = json!({"type": "tool.finished", "call_id": id, "tool": "edit_file", "ending": {"kind": "refused"},
        "failure": {"class": "denied", "reason": "it was not allowed"},
        "duration_ms": 3, "shown": "", "bytes": 0, "dropped_bytes": 0, "files": []});
    let before = "the person agreed to it before in this run";
    let mut live = Live::default();
    let mut text = String::new();
    for (event, role) in [
        (started, None),
        (asked(true), Some("executor")),
        (decided(true, "the person agreed"), Some("user")),
        (called.clone(), Some("executor")),
        (asked(false), Some("executor")),
        (decided(true, before), Some("executor")),
        (called.clone(), Some("executor")),
        (asked(false), Some("executor")),
        (decided(true, before), Some("executor")),
        (called, Some("executor")),
        (asked(false), Some("executor")),
        (decided(false, "nobody is there to be asked"), Some("executor")),
        (refused, Some("executor")),
    ] {
        for row in live.on(&line(1, event, role, None), frame(80, false)) {
            text.push_str(&format!("{row}\n"));
        }
    }
    insta::assert_snapshot!(text);
}

/// A command and what came of it: on two lines where one is too short for both, so that the result is never cut away.
#[test]
fn a_long_command_does_not_push_its_result_off_the_screen() {
    let id = "01970000-0000-7000-8000-0000000000c1";
    let command = "find . -name '*.rs' -newer Cargo.toml -exec grep -l 'unsafe' {} + | sort | uniq -c";
    let started =
        json!({"type": "tool.started", "call_id": id, "tool": "shell", "arguments": {"command": command}});
    let ended = json!({"type": "tool.finished", "call_id": id, "tool": "shell", "ending": {"kind": "exited", "status": 1},
        "failure": {"class": "logical", "reason": "grep: no match"}, "duration_ms": 35_100, "shown": "", "bytes": 0, "dropped_bytes": 0, "files": []});
    let mut live = Live::default();
    live.on(&line(1, started, Some("executor"), None), frame(80, false));
    let rows = live.on(&line(2, ended, Some("executor"), None), frame(80, false));
    assert_eq!(
        rows,
        [
            "  $ find . -name '*.rs' -newer Cargo.toml -exec grep -l 'unsafe' {} + | sort |…",
            "    → failed: exit status 1, grep: no match (35 s)"
        ]
    );
}

/// The content of files and the output of commands are shown as they are, stars included.
#[test]
fn what_a_call_put_out_is_no_markdown() {
    let put_out = "**NOTE** [x](y)\n- a";
    let call = json!({"type": "tool.finished", "call_id": "01970000-0000-7000-8000-0000000000c1", "tool": "shell",
        "ending": {"kind": "exited", "status": 0}, "failure": null, "duration_ms": 1, "shown": format!("{put_out}\n"),
        "bytes": 18, "dropped_bytes": 0, "files": []});
    let mut live = Live::default();
    live.on(&line(1, call, Some("executor"), None), frame(80, false));
    let ended = |output: &str| {
        let mut event = finished("accept", None);
        event["output"] = json!(output);
        Outcome::of(&line(2, event, None, None)).unwrap()
    };
    assert!(live.is_quoted(&ended(put_out)));
    let own = ended("**Two** files");
    assert!(!live.is_quoted(&own));
    assert!(
        result(&own, &Story::default(), frame(80, false).rendering(), false)
            .starts_with("Two files\n\n✓ Done")
    );
    assert!(
        result(&own, &Story::default(), frame(80, false), true).contains("**Two** files"),
        "a pipe gets it as it is"
    );
}

/// Observed in the README's own example: two commands on two lines read like one other command.
#[test]
fn lesson_a_command_of_two_lines_is_not_shown_as_another_one() {
    let id = "01970000-0000-7000-8000-0000000000c1";
    let started = json!({"type": "tool.started", "call_id": id, "tool": "shell", "attempt": 1,
        "arguments": {"command": "rm old.txt\nls docs\n"}, "because": null});
    let ended = json!({"type": "tool.finished", "call_id": id, "tool": "shell",
        "ending": {"kind": "exited", "status": 0}, "failure": null, "duration_ms": 1, "shown": "a\n",
        "bytes": 2, "dropped_bytes": 0, "files": []});
    let mut live = Live::default();
    live.on(&line(1, started, Some("executor"), None), frame(80, false));
    let rows = live.on(&line(2, ended, Some("executor"), None), frame(80, false));
    assert_eq!(rows, ["  $ rm old.txt ⏎ ls docs → a"]);
}

#[test]
fn the_last_line_says_how_to_undo_where_something_changed() {
    let outcome = end("accept", None);
    let said = |state| undo_line(&outcome, state, frame(80, false));
    assert_eq!(said(Undoable::Yes), Some("undo: artoo undo 000000000001".to_owned()));
    assert_eq!(said(Undoable::Nothing), None);
    assert_eq!(said(Undoable::Unkept), Some("undo: cannot be undone: too large to keep".to_owned()));
    let mut nothing = finished("accept", None);
    nothing["files"] = json!([]);
    let nothing = Outcome::of(&line(1, nothing, None, None)).unwrap();
    assert_eq!(undo_line(&nothing, Undoable::Yes, frame(80, false)), None);
}

/// The words are artoo's own: a model's summary could contain anything.
#[test]
fn a_person_is_called_after_a_long_run_in_our_words() {
    let mut event = finished("accept", None);
    let mut called = |milliseconds: u64| {
        event["elapsed_ms"] = json!(milliseconds);
        event["summary"] = json!("\u{7}\u{1b}]9;x");
        call(&Outcome::of(&line(1, event.clone(), None, None)).unwrap())
    };
    assert_eq!(called(29_999), None);
    assert_eq!(called(185_000), Some("artoo: done, 3 min 05 s".to_owned()));
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
fn the_status_line_says_what_is_waited_for() {
    let mut live = Live::default();
    let mut text = String::new();
    for (beat, line) in run().iter().enumerate() {
        live.on(line, frame(80, false));
        text.push_str(&live.status(beat, moment(900 * beat as u64), 100));
        text.push('\n');
    }
    insta::assert_snapshot!(text);
}

/// A hostile command and hostile names that try to disrupt the question.
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

/// A plan that needs consent is shown whole, however narrow the terminal is.
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
            text.push_str(&format!("{}\n", live.status(0, moment(0), 100)));
        }
    }
    assert_neutral(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn colours_carry_no_meaning_of_their_own() {
    let coloured = Frame::new(Look { columns: 80, colour: true, live: true, words: false }, false);
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

/// In a pipe and for a screen reader nothing is redrawn: a row comes when nothing else came for ten seconds.
#[test]
fn a_view_that_is_not_redrawn_says_what_is_waited_for() {
    let look = Look { columns: 200, colour: false, live: false, words: false };
    for frame in [Frame::new(look, false), Frame::new(look.spoken(), false)] {
        let mut live = Live::default();
        let started = &run()[0];
        let mut rows = Vec::new();
        for second in 0..=45 {
            if second == 12 {
                assert!(!live.on(started, frame).is_empty());
            }
            let row = live.waiting_row(moment(second * 1000), frame);
            rows.extend(row.map(|row| (second, row)));
        }
        let at: Vec<u64> = rows.iter().map(|(second, _)| *second).collect();
        assert_eq!(at, [10, 22, 32, 42]);
        assert_eq!(
            rows[3].1,
            "still at work: reading the request, 20 s; 42 s in all, 0 model calls, 0 tokens"
        );
    }
}
