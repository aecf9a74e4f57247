//! Tests of tailing a log.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use artoo_auditor::{AuditError, Following, Line, Seen};
use artoo_types::{MessageKind, Role};
use proptest::prelude::*;
use serde_json::json;

use crate::scene::line;

fn text(number: u64) -> String {
    let line = line(number, Role::Planner, MessageKind::Warning, json!({"words": "数".repeat(40)}));
    serde_json::to_string(&line).unwrap()
}

fn write(log: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(log).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The line numbers of the items; 0 for an unreadable line.
fn numbers(seen: &[Seen]) -> Vec<u64> {
    let number = |seen: &Seen| match seen {
        Seen::Line(line) => line.number(),
        Seen::Unreadable => 0,
        Seen::Shrunk => u64::MAX,
    };
    seen.iter().map(number).collect()
}

#[test]
fn whole_lines_come_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let (mut following, seen) = Following::newest(&log, 3).unwrap();
    assert_eq!(numbers(&seen), [0; 0], "a log that is not there is an empty one");
    write(&log, &format!("{}\n{}", text(1), text(2)));
    assert_eq!(numbers(&following.added().unwrap()), [1]);
    assert_eq!(numbers(&following.added().unwrap()), [0; 0], "half a line is none");
    write(&log, "\nno line\n");
    assert_eq!(numbers(&following.added().unwrap()), [2, 0]);
    let (_, newest) = Following::newest(&log, 2).unwrap();
    assert_eq!(numbers(&newest), [2, 0]);

    fs::write(&log, format!("{}\n", text(7))).unwrap();
    assert_eq!(numbers(&following.added().unwrap()), [u64::MAX], "it was cut");
    assert_eq!(numbers(&following.added().unwrap()), [7]);
    fs::remove_file(&log).unwrap();
    assert_eq!(numbers(&following.added().unwrap()), [u64::MAX]);
    assert_eq!(numbers(&following.added().unwrap()), [0; 0], "told once");
    fs::create_dir(&log).unwrap();
    assert!(matches!(Following::newest(&log, 2), Err(AuditError::Read { .. })));
}

/// An endless line takes little memory, and hides no later line.
#[test]
fn an_endless_line_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let (mut following, _) = Following::newest(&log, 3).unwrap();
    for _ in 0..5 {
        write(&log, &"x".repeat(1 << 20));
        assert_eq!(numbers(&following.added().unwrap()), [0; 0]);
    }
    write(&log, &format!("\n{}\n", text(2)));
    assert_eq!(numbers(&following.added().unwrap()), [0, 2]);
    let seen = Following::newest(&log, 1).unwrap().1;
    assert!(matches!(seen.as_slice(), [Seen::Line(line)] if matches!(**line, Line::Event(_))));
}

proptest! {
    /// For any number of lines, and any split of the file into pieces.
    #[test]
    fn the_newest_lines_are_the_last_ones(lines in 0_u64..900, count in 0_usize..1_000, torn in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("audit.jsonl");
        let mut all: String = (1..=lines).map(|number| text(number) + "\n").collect();
        if torn {
            all.push_str("{\"line\":");
        }
        fs::write(&log, all).unwrap();
        let (mut following, seen) = Following::newest(&log, count).unwrap();
        let first = lines.saturating_sub(count as u64) + 1;
        prop_assert_eq!(numbers(&seen), (first..=lines).collect::<Vec<_>>());
        prop_assert_eq!(following.added().unwrap(), vec![]);
    }
}
