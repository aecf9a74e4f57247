//! Tests that a log is compared with the runs on record.

use std::fs;
use std::path::Path;

use artoo_auditor::{
    AuditLog, Entry, Gap, LOG_NAME, MissingCause, MissingMessages, RunOnRecord, What, account, verify,
};
use chrono::TimeDelta;

use crate::fixtures::{append, event, noon, run_id};

/// A message of a run at so many seconds after noon.
fn at(run: u128, seq: u64, seconds: i64) -> Entry {
    Entry { at: noon() + TimeDelta::seconds(seconds), ..event(run, seq) }
}

/// A run of ten messages, one each ten seconds.
fn run(run: u128, ended: bool) -> RunOnRecord {
    let message = |seq: u64| (seq, noon() + TimeDelta::seconds(10 * seq.cast_signed()));
    RunOnRecord { run_id: run_id(run), messages: (1..=10).map(message).collect(), ended }
}

fn logged(folder: &Path, run: u128, seqs: impl IntoIterator<Item = u64>) {
    let (mut log, _) = AuditLog::open(folder, noon()).unwrap();
    append(&mut log, seqs.into_iter().map(|seq| at(run, seq, 10 * seq.cast_signed())));
}

fn unlogged(folder: &Path, run: &RunOnRecord) -> Option<MissingMessages> {
    account(&folder.join(LOG_NAME)).unwrap().missing(run)
}

fn missing(run: u128, first_seq: u64, last_seq: u64, count: usize, cause: MissingCause) -> MissingMessages {
    MissingMessages { run_id: run_id(run), first_seq, last_seq, count, of: 10, cause }
}

#[test]
fn a_run_whose_messages_are_all_in_the_log_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 1, 1..=4);
    logged(folder.path(), 2, 1..=10);
    logged(folder.path(), 1, 6..=10);
    let lagged = Gap::Lagged { run_id: run_id(1), first_seq: 5, last_seq: 5 };
    let (mut log, _) = AuditLog::open(folder.path(), noon()).unwrap();
    append(&mut log, [Entry { at: noon(), what: What::Gap(lagged) }]);
    for number in [1, 2] {
        assert_eq!(unlogged(folder.path(), &run(number, true)), None, "what the log calls lost is no secret");
        assert!(account(&folder.path().join(LOG_NAME)).unwrap().has_first(run_id(number), 10));
    }
    assert!(!account(&folder.path().join(LOG_NAME)).unwrap().has_first(run_id(1), 11));
}

/// The files were removed together, or replaced by those of another log.
#[test]
fn a_run_of_which_the_log_knows_nothing_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let expected = |number| Some(missing(number, 1, 10, 10, MissingCause::Unexplained));
    logged(folder.path(), 1, 1..=10);
    for name in [LOG_NAME, "audit.head"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(unlogged(folder.path(), &run(1, true)), expected(1));
    logged(folder.path(), 2, 1..=10);
    assert!(verify(&folder.path().join(LOG_NAME)).unwrap().gaps.is_empty(), "a whole chain");
    assert_eq!(unlogged(folder.path(), &run(1, true)), expected(1));
    assert_eq!(unlogged(folder.path(), &run(2, true)), None);
}

#[test]
fn messages_that_are_missing_in_a_run_are_named() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 1, [1, 2, 5, 6, 7, 9, 10]);
    let expected = missing(1, 3, 8, 3, MissingCause::Unexplained);
    assert_eq!(unlogged(folder.path(), &run(1, true)), Some(expected.clone()));
    assert_eq!(unlogged(folder.path(), &run(1, false)), Some(expected), "a kill takes the end alone");
}

/// What a process had published in its last moment may not have reached the log.
#[test]
fn a_kill_explains_the_last_messages_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 1, 1..=9);
    let last = |cause| Some(missing(1, 10, 10, 1, cause));
    assert_eq!(unlogged(folder.path(), &run(1, false)), last(MissingCause::InFlight));
    assert_eq!(unlogged(folder.path(), &run(1, true)), last(MissingCause::Unexplained));
    logged(folder.path(), 2, 1..=8);
    assert_eq!(
        unlogged(folder.path(), &run(2, false)),
        Some(missing(2, 9, 10, 2, MissingCause::Unexplained)),
        "ten seconds are more than a moment"
    );
    let just_begun = RunOnRecord { run_id: run_id(3), messages: vec![(1, noon())], ended: false };
    let all = MissingMessages {
        run_id: run_id(3),
        first_seq: 1,
        last_seq: 1,
        count: 1,
        of: 1,
        cause: MissingCause::InFlight,
    };
    assert_eq!(unlogged(folder.path(), &just_begun), Some(all.clone()));
    for name in [LOG_NAME, "audit.head"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(
        unlogged(folder.path(), &just_begun),
        Some(MissingMessages { cause: MissingCause::Unexplained, ..all }),
        "the log is made before the first run"
    );
}

/// A log that could not be written on explains what is missing since, now and when the next process goes on.
#[test]
fn a_cut_explains_what_is_missing_after_it() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 1, 1..=5);
    let path = folder.path().join(LOG_NAME);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"line\":6,\"at\"")).unwrap();
    let expected = |cause| Some(missing(1, 6, 10, 5, cause));
    assert_eq!(unlogged(folder.path(), &run(1, true)), expected(MissingCause::Truncated));

    let later = noon() + TimeDelta::seconds(1_000);
    let (mut log, found) = AuditLog::open(folder.path(), later).unwrap();
    assert!(matches!(found[..], [Gap::TornLine { .. }]));
    append(&mut log, [at(2, 1, 1_000), at(2, 2, 1_010)]);
    assert_eq!(unlogged(folder.path(), &run(1, true)), expected(MissingCause::Truncated));

    // It explains no run of another time.
    let message = |seq: u64| (seq, later + TimeDelta::seconds(10 * seq.cast_signed()));
    let run = RunOnRecord { run_id: run_id(3), messages: (1..=10).map(message).collect(), ended: true };
    assert_eq!(unlogged(folder.path(), &run), Some(missing(3, 1, 10, 10, MissingCause::Unexplained)));
}
