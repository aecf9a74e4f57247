//! Snapshots of lists of runs, of checks, and of what undo says.

use artoo_runtime::journal::RunState;
use artoo_snapshot::{Hindrance, Obstacle, TakenBack, UndoAction, Undoable};

use super::*;
use crate::doctor::Check;
use crate::terminal::width;
use crate::view::labels;
use crate::view::tests::{assert_neutral, frame};

#[test]
fn lists_of_runs_and_checks() {
    let summary = |directive: Option<&str>, exit: Option<u8>, damage: Option<&str>| {
        artoo_runtime::runs::Summary {
            asking: false,
        run_id: "01970000-0000-7000-8000-0000000000ff".parse().unwrap(),
        started: Some("2026-03-01T12:00:00+01:00".parse().unwrap()),
        request: "数一数 docs 里的 .txt 文件,\nthen tell me which of them is the largest one, please, and why it is so".to_owned(),
        errand: artoo_types::Errand::Task,
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
        artoo_runtime::runs::Summary { state: RunState::Running, asking: true, ..summary(None, None, None) },
        artoo_runtime::runs::Summary { state: RunState::Unrecorded, ..summary(None, None, None) },
    ];
    let checks = [
        Check::good("configuration", "/home/ada/.config/artoo/config.toml"),
        Check::note("memory", "not durable"),
        Check::bad("model", "no model is set up", "artoo setup"),
    ];
    let mut text = String::new();
    let now = "2026-03-04T12:00:00+01:00".parse().unwrap();
    for columns in [Some(20), Some(40), Some(80), Some(100), Some(140), None] {
        let frame = frame(columns.unwrap_or(200), false);
        let place = Place { columns, paint: frame.paint };
        let list = run_list(&runs, 6, now, place);
        assert!(columns.is_none_or(|columns| list.lines().all(|line| width(line) <= columns)), "{list}");
        text.push_str(&format!("{columns:?}\n{list}{}\n", check_lines(&checks, frame).join("\n")));
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
        text.push_str(&format!("{state:?}: {}\n", labels::undo(state).unwrap_or("-")));
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
