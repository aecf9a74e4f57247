//! Tests with a disk that fills up in the middle of a batch.

use std::collections::VecDeque;
use std::io::{self, Write as _};

use super::*;
use crate::{Line, Truncation, VerifyError, verify};

fn entries() -> VecDeque<Entry> {
    let at = "2026-03-01T12:00:00+01:00".parse().unwrap();
    let event = |seq| Entry {
        at,
        what: What::Event {
            run_id: artoo_types::RunId::OPERATOR,
            seq,
            from: artoo_types::Role::Planner,
            kind: artoo_types::MessageKind::Plan,
            facts: crate::Facts::new(),
        },
    };
    (1..=2).map(event).collect()
}

/// Wherever the disk fills up, in the end every message is in the log exactly once, and the cut is recorded.
#[test]
fn a_disk_that_fills_up_anywhere_loses_nothing_and_doubles_nothing() {
    let at = "2026-03-01T12:00:00+01:00".parse().unwrap();
    let bytes = Batch::new(&Tail::empty(), &entries(), at).bytes;
    let whole = bytes.len();
    let ends: Vec<_> = (0..whole).filter(|at| bytes[*at] == b'\n').collect();
    // Byte by byte around each line end, elsewhere in steps: each position costs a log.
    for room in (0..=whole).filter(|room| room % 16 == 0 || ends.iter().any(|end| end.abs_diff(*room) < 3)) {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, _) = AuditLog::open(folder.path(), at).unwrap();
        let mut pending = entries();
        let mut left = room;
        let full = log.write(&mut pending, at, |mut file, bytes| {
            let part = bytes.get(..bytes.len().min(left)).unwrap();
            if part.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            left -= part.len();
            file.write(part)
        });
        assert_eq!(full.is_err(), room < whole);
        if let Err(error) = full {
            assert!(error.hint().unwrap().contains("disk is full"));
            let VerifyError::Truncated { expected, cause, .. } = verify(log.path()).unwrap_err() else {
                panic!("after {room} bytes")
            };
            assert_eq!((expected, cause), (2, Truncation::InFlight), "after {room} bytes");
        }
        // The state that another process would see, now or after a crash.
        let seen = Tail::empty().read_on(&log.file).unwrap();
        assert_eq!(log.tail, seen, "after {room} bytes");

        log.append(&mut pending).unwrap();
        assert!(pending.is_empty());
        let verified = verify(log.path()).unwrap();
        let text = std::fs::read_to_string(log.path()).unwrap();
        let seqs =
            text.lines().filter_map(|line| Line::parse(line.as_bytes())).filter_map(|line| match line {
                Line::Event(event) => Some(event.seq),
                Line::Gap(_) | Line::Seal(_) => None,
            });
        assert_eq!(seqs.collect::<Vec<_>>(), [1, 2], "after {room} bytes");
        assert!(verified.gaps.len() <= 1);
    }
}
