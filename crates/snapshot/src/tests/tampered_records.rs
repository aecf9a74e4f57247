//! Tampered and damaged records.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use artoo_anchored_files::changed_trees::{deeds, half_as_often, picture};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{Present, Undo, UndoError, Undoable, undoable};
use super::tree::Place;

/// A place where a run removed `old`, with the two files of its record.
fn removed() -> (Place, Vec<Value>, Vec<Value>) {
    let place = Place::new();
    fs::write(place.path("old"), "1").unwrap();
    place.run(|root| fs::remove_file(root.join("old")).unwrap());
    let (before, changes) =
        (lines(&place.record.join("before.jsonl")), lines(&place.record.join("changes.jsonl")));
    (place, before, changes)
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(path: &Path, lines: &[Value]) {
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// Replaces the path `old` in all lines.
fn renamed(lines: &[Value], path: &Value) -> Vec<Value> {
    let mut lines = lines.to_vec();
    for line in &mut lines {
        if line["path"] == "old" {
            line["path"] = path.clone();
        }
    }
    lines
}

#[test]
fn a_path_that_leaves_its_root_is_refused() {
    for path in
        [json!("../old"), json!("/etc/old"), json!("a/../../old"), json!({"hex": "2e2e2f6f6c64"}), json!("")]
    {
        let (place, before, changes) = removed();
        write(&place.record.join("before.jsonl"), &renamed(&before, &path));
        write(&place.record.join("changes.jsonl"), &renamed(&changes, &path));
        let outside = picture(place.root.parent().unwrap());
        let error = place.undo().unwrap_err();
        assert!(matches!(error, UndoError::Damaged { .. } | UndoError::Refused { .. }), "{path}: {error:?}");
        assert_eq!(picture(place.root.parent().unwrap()), outside, "{path}");
    }
}

#[test]
fn a_path_through_a_link_is_refused() {
    let (place, before, changes) = removed();
    let outside = place.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, place.path("link")).unwrap();
    let path = json!("link/old");
    write(&place.record.join("before.jsonl"), &renamed(&before, &path));
    write(&place.record.join("changes.jsonl"), &renamed(&changes, &path));
    assert!(matches!(place.undo(), Err(UndoError::Refused { .. })));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_root_that_was_not_the_runs_is_refused() {
    let (place, _, _) = removed();
    let other = [place.root.parent().unwrap().to_owned()];
    assert!(matches!(
        Undo::prepare(&place.record, &other, Present::AsRecorded),
        Err(UndoError::ForeignRoot { path }) if path == place.root
    ));
    // The root was replaced with a link since.
    fs::rename(&place.root, place.root.with_file_name("elsewhere")).unwrap();
    symlink(place.root.with_file_name("elsewhere"), &place.root).unwrap();
    assert!(matches!(place.undo(), Err(UndoError::Refused { .. })));
}

#[test]
fn a_content_is_a_hash_and_nothing_else() {
    let (place, mut before, _) = removed();
    for line in &mut before {
        if line["kept"].is_string() {
            line["kept"] = json!("../../../../etc/passwd");
        }
    }
    write(&place.record.join("before.jsonl"), &before);
    assert!(matches!(place.undo(), Err(UndoError::Damaged { .. })));
}

#[test]
fn a_line_that_was_cut_by_a_crash_counts_as_not_written() {
    let (place, _, _) = removed();
    let path = place.record.join("changes.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"entry\":\"aft")).unwrap();
    assert_eq!(undoable(&place.record), Undoable::Yes);
    fs::write(&path, format!("{{\"entry\":\"aft\n{text}")).unwrap();
    assert_eq!(undoable(&place.record), Undoable::Damaged);
    assert!(matches!(place.undo(), Err(UndoError::Damaged { line: 1, .. })));
}

proptest! {
    #![proptest_config(half_as_often())]

    /// Whatever the record contains: no panic, and nothing outside the root changes.
    #[test]
    fn altered_records_harm_nothing_outside(
        found in deeds(10), done in deeds(10), name in prop::sample::select(vec!["before.jsonl", "changes.jsonl"]),
        at in any::<prop::sample::Index>(), with in prop::sample::select(vec![
            "..", "/", "0", "9", "null", "\"", "}", "\n", "file", "folder", "undone", "-1", "link", "true", "\u{0}",
        ]), cut in 0..8_usize,
    ) {
        let place = Place::new();
        found.iter().for_each(|deed| deed.done_in(&place.root));
        place.run(|root| done.iter().for_each(|deed| deed.done_in(root)));
        let beside = place.root.parent().unwrap().join("beside");
        fs::create_dir(&beside).unwrap();
        fs::write(beside.join("a"), "1").unwrap();
        let before = picture(&beside);
        let path = place.record.join(name);
        let mut text = fs::read(&path).unwrap();
        if text.is_empty() {
            return Ok(());
        }
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, with.bytes());
        fs::write(&path, text).unwrap();
        // Refused, or done as far as it made sense.
        let _ = place.prepare().and_then(super::super::Undo::apply);
        prop_assert_eq!(picture(&beside), before);
    }

    #[test]
    fn any_bytes_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let place = Place::new();
        fs::create_dir_all(&place.record).unwrap();
        fs::write(place.record.join("before.jsonl"), &bytes).unwrap();
        fs::write(place.record.join("changes.jsonl"), &bytes).unwrap();
        let _ = place.prepare().and_then(super::super::Undo::apply);
    }
}
