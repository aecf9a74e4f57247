//! Tests that verification detects any change to a log.

use std::fs;
use std::path::Path;

use artoo_auditor::{LOG_NAME, VerifyError, verify};
use proptest::prelude::*;

use crate::fixtures::a_log;

const LINES: u64 = 6;

/// The result of verification after tampering with a good log.
fn after(tamper: impl FnOnce(&mut Vec<u8>)) -> Result<(), VerifyError> {
    let folder = tempfile::tempdir().unwrap();
    a_log(folder.path(), LINES);
    let path = folder.path().join(LOG_NAME);
    let mut bytes = fs::read(&path).unwrap();
    tamper(&mut bytes);
    fs::write(&path, bytes).unwrap();
    verify(&path).map(drop)
}

fn after_lines(tamper: impl FnOnce(&mut Vec<String>)) -> String {
    let outcome = after(|bytes| {
        let mut lines =
            String::from_utf8(bytes.clone()).unwrap().split_inclusive('\n').map(str::to_owned).collect();
        tamper(&mut lines);
        *bytes = lines.concat().into_bytes();
    });
    outcome.err().map_or_else(|| "whole".to_owned(), |error| error.to_string())
}

#[test]
fn a_good_log_is_good() {
    assert_eq!(after_lines(|_| {}), "whole");
}

/// Every byte of the log, replaced by the next value and by a line break.
#[test]
fn any_changed_byte_is_found_and_its_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    a_log(folder.path(), 3);
    let path = folder.path().join(LOG_NAME);
    let good = fs::read(&path).unwrap();
    let mut line = 1;
    for at in 0..good.len() {
        for change in [1, good[at] ^ b'\n'] {
            let mut bytes = good.clone();
            bytes[at] ^= change;
            if bytes == good {
                continue;
            }
            fs::write(&path, bytes).unwrap();
            let error = verify(&path).unwrap_err();
            let (VerifyError::Unreadable { line: named }
            | VerifyError::OutOfPlace { line: named, .. }
            | VerifyError::Edited { line: named }
            | VerifyError::Cut { line: named }) = error
            else {
                panic!("byte {at}: {error}")
            };
            assert_eq!(named, line, "byte {at} xor {change}");
        }
        line += u64::from(good[at] == b'\n');
    }
}

#[test]
fn missing_doubled_moved_and_added_lines_are_found() {
    let says = |place: u64, says: u64| {
        format!("line {place} says that it is line {says}: a line is missing, doubled or moved")
    };
    for at in 0..LINES as usize - 1 {
        let place = at as u64 + 1;
        assert_eq!(after_lines(|lines| drop(lines.remove(at))), says(place, place + 1));
        assert_eq!(after_lines(|lines| lines.swap(at, at + 1)), says(place, place + 1));
        assert_eq!(after_lines(|lines| lines.insert(at + 1, lines[at].clone())), says(place + 1, place));
        assert_eq!(
            after_lines(|lines| lines.insert(at, "\n".to_owned())),
            format!("line {place} is not a line of an audit log")
        );
    }
}

#[test]
fn missing_lines_at_the_end_are_found_by_the_head() {
    for keep in 0..LINES as usize {
        assert_eq!(
            after_lines(|lines| lines.truncate(keep)),
            format!("the log ends after line {keep}; {LINES} were written")
        );
    }
    // A line added without updating the head is only accepted as written by us if it continues the chain.
    let added = after_lines(|lines| lines.push(lines[LINES as usize - 1].clone()));
    assert_eq!(
        added,
        format!("line {} says that it is line {LINES}: a line is missing, doubled or moved", LINES + 1)
    );
}

proptest! {
    /// Any removed span, any inserted bytes.
    #[test]
    fn any_cut_and_any_insertion_is_found(from in 0.0..1.0, length in 0_usize..700, put in proptest::collection::vec(any::<u8>(), 0..40)) {
        let mut same = false;
        let outcome = after(|bytes| {
            let good = bytes.clone();
            let from = (from * bytes.len() as f64) as usize;
            let to = (from + length).min(bytes.len());
            bytes.splice(from..to, put);
            same = *bytes == good;
        });
        prop_assert_eq!(outcome.is_ok(), same);
    }
}

#[test]
fn a_log_that_is_not_there_is_an_error() {
    let error = verify(Path::new("/nowhere/audit.jsonl")).unwrap_err();
    assert!(matches!(error, VerifyError::Read { .. }));
    assert!(error.hint().is_some());
}
