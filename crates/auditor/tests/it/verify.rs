//! Tests that verification detects any change to a log.

use std::fs;
use std::path::Path;

use artoo_auditor::{AuditLog, Gap, LOG_NAME, Truncation, Verified, VerifyError, verify};
use proptest::prelude::*;

use crate::fixtures::{a_log, append, event, noon};

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

/// The line that is named as changed; `None` for defects of another kind.
fn changed_line(error: &VerifyError) -> Option<u64> {
    let (VerifyError::Unreadable { line }
    | VerifyError::OutOfPlace { line, .. }
    | VerifyError::Edited { line }) = error
    else {
        return None;
    };
    Some(*line)
}

/// A log whose last batch is being written: the head before the batch, with the batch announced.
struct Batch {
    folder: tempfile::TempDir,
    /// Number of lines before the batch, and of all lines.
    lines: (u64, u64),
    /// Length of the log before the batch.
    settled: usize,
    /// The log with the whole batch.
    log: Vec<u8>,
    /// The head while the batch is written.
    head: Vec<u8>,
    /// The head afterwards.
    head_after: Vec<u8>,
}

/// Length of a record of the head file.
const RECORD: usize = 192;

impl Batch {
    fn new(before: u64, batch: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        a_log(folder.path(), before);
        let path = folder.path().join(LOG_NAME);
        let (settled, head) =
            (fs::read(&path).unwrap().len(), fs::read(path.with_extension("head")).unwrap());
        let (mut log, _) = AuditLog::open(folder.path(), noon()).unwrap();
        append(&mut log, (before + 1..=before + batch).map(|seq| event(1, seq)));
        let head_after = fs::read(path.with_extension("head")).unwrap();
        let head = [&head[..RECORD], &head_after[RECORD..]].concat();
        let (lines, log) = ((before, before + batch), fs::read(&path).unwrap());
        Self { folder, lines, settled, log, head, head_after }
    }

    /// The result of verification with these files.
    fn verify(&self, log: &[u8], head: &[u8]) -> Result<Verified, VerifyError> {
        let path = self.folder.path().join(LOG_NAME);
        fs::write(&path, log).unwrap();
        fs::write(path.with_extension("head"), head).unwrap();
        verify(&path)
    }

    /// The gaps that the next process records, and the result of verification afterwards.
    fn next_process(&self) -> (Vec<Gap>, Verified) {
        let (mut log, found) = AuditLog::open(self.folder.path(), noon()).unwrap();
        append(&mut log, [event(1, 99)]);
        (found, verify(&self.folder.path().join(LOG_NAME)).unwrap())
    }
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
            assert_eq!(changed_line(&error), Some(line), "byte {at} xor {change}: {error}");
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
    for keep in 0..LINES {
        let first = keep + 1;
        let missing =
            if first == LINES { format!("line {first}") } else { format!("lines {first} to {LINES}") };
        let verb = if first == LINES { "was" } else { "were" };
        assert_eq!(
            after_lines(|lines| lines.truncate(keep as usize)),
            format!("the log is truncated at line {first}: {missing} {verb} written, and are missing")
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    /// A process is killed at any byte of a batch, or its disk is full there: the log is truncated, at the
    /// line where it was cut, and not changed; and the next process goes on.
    #[test]
    fn a_batch_that_is_cut_anywhere_is_a_truncation(before in 0_u64..4, batch in 1_u64..4) {
        let state = Batch::new(before, batch);
        for cut in state.settled..=state.log.len() {
            let left = &state.log[..cut];
            let whole = left.iter().filter(|byte| **byte == b'\n').count() as u64;
            let outcome = state.verify(left, &state.head);
            if cut == state.log.len() {
                prop_assert_eq!(outcome.unwrap().lines, state.lines.1);
            } else {
                let error = outcome.unwrap_err();
                let VerifyError::Truncated { line, expected, cause } = &error else { panic!("byte {cut}: {error}") };
                prop_assert_eq!((*line, *expected, *cause), (whole + 1, state.lines.1, Truncation::InFlight));
                let said = format!("the log is truncated at line {line}: ");
                prop_assert!(error.to_string().starts_with(&said), "{}", error);
            }
            // Around each line end, elsewhere in steps: each position costs a log.
            if cut % 32 == 0 || state.log[cut.saturating_sub(2)..].iter().take(4).any(|byte| *byte == b'\n') {
                let (found, verified) = state.next_process();
                prop_assert_eq!(found.is_empty(), cut == state.log.len(), "{:?}", found);
                prop_assert_eq!(verified.tampered().count(), 0, "{:?}", verified);
                prop_assert_eq!(verified.gaps.len(), found.len());
            }

            // The head knows the batch: what is missing had been written.
            let outcome = state.verify(left, &state.head_after);
            if cut < state.log.len() {
                let error = outcome.unwrap_err();
                let VerifyError::Truncated { line, expected, cause } = &error else { panic!("byte {cut}: {error}") };
                prop_assert_eq!((*line, *expected, *cause), (whole + 1, state.lines.1, Truncation::AfterWriting));
            }
        }
    }

    /// A byte that was changed before the cut is a change, and its line is named.
    #[test]
    fn a_byte_that_was_changed_before_a_cut_is_a_change(
        before in 1_u64..5,
        at in 0.0..1.0,
        change in 1_u8..=255,
        cut in 0.0..1.0,
    ) {
        let state = Batch::new(before, 3);
        let at = (at * state.settled as f64) as usize;
        let cut = state.settled + (cut * (state.log.len() - state.settled) as f64) as usize;
        let mut log = state.log[..cut].to_vec();
        let line = 1 + log[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        log[at] ^= change;
        for head in [&state.head, &state.head_after] {
            let error = state.verify(&log, head).unwrap_err();
            prop_assert_eq!(changed_line(&error), Some(line), "byte {}: {}", at, error);
        }
    }
}

/// Behind all that was begun nothing of artoo's can stand.
#[test]
fn lines_behind_an_announced_batch_were_added() {
    let state = Batch::new(2, 3);
    let longer = Batch::new(2, 4);
    assert!(longer.log.starts_with(&state.log));
    let error = state.verify(&longer.log, &state.head).unwrap_err();
    assert!(matches!(error, VerifyError::Added { added: 1, expected: 5 }), "{error}");
    assert_eq!(state.next_process().1.tampered().count(), 1);
}

/// A limit of the size of files may cut the head as well: each record is whole or is not read.
#[test]
fn a_record_of_the_head_that_was_written_in_part_is_not_read() {
    let state = Batch::new(12, 3);
    let (before, after) = (&state.log[..state.settled], &state.head_after);
    for cut in 1..RECORD {
        // The announcement was cut: nothing of the batch was written.
        let mut head = state.head.clone();
        head[RECORD..].copy_from_slice(&[&after[RECORD..RECORD + cut], &state.head[cut..RECORD]].concat());
        let is_whole = head == state.head;
        assert_eq!(state.verify(before, &head).is_ok(), !is_whole, "{cut} bytes of the announcement");
        // The record that the batch is complete was cut.
        let mut head = state.head.clone();
        head[..cut].copy_from_slice(&after[..cut]);
        assert_eq!(state.verify(&state.log, &head).unwrap().lines, 15, "{cut} bytes of the end");
    }
}

/// A process is killed as it makes the files.
#[test]
fn an_empty_log_without_a_head_has_no_defect() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LOG_NAME);
    fs::write(&path, "").unwrap();
    assert_eq!(verify(&path).unwrap().lines, 0);
    fs::write(path.with_extension("head"), "").unwrap();
    assert_eq!(verify(&path).unwrap().lines, 0);
    assert_eq!(AuditLog::open(folder.path(), noon()).unwrap().1, []);
    assert_eq!(verify(&path).unwrap().gaps, []);
}

#[test]
fn a_log_that_is_not_there_is_an_error() {
    let error = verify(Path::new("/nowhere/audit.jsonl")).unwrap_err();
    assert!(matches!(error, VerifyError::Read { .. }));
    assert!(error.hint().is_some());
}
