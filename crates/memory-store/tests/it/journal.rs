//! An undamaged journal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_memory_store::disk::RealDisk;
use artoo_memory_store::journal::{Entry, Journal, JournalError, Position, Verified};
use proptest::prelude::*;

use crate::journal_fixtures::{FOLDER, at, batch, disk, event, open, open_from, segment, written};

#[test]
fn what_was_appended_is_read_in_order() {
    let disk = disk();
    let mut opened = open(&disk);
    assert_eq!((opened.entries.len(), opened.journal.head()), (0, Position::START));
    let head = opened.journal.append(&batch((1..=3).map(event))).unwrap();
    let snapshot = Entry::Snapshot { seq: 3, hash: [7; 32] };
    opened.journal.append(&[(at(), snapshot.clone())]).unwrap();
    let words = written(5, "find -iname missed it \0 \n ä 漢");
    opened.journal.append(&batch([words.clone()])).unwrap();

    let again = open_from(&disk, head);
    assert_eq!(again.entries, [(4, snapshot), (5, Entry::Event(words))]);
    assert_eq!((again.notices, again.journal.head()), (Vec::new(), opened.journal.head()));
}

#[test]
fn an_empty_memory_is_not_written_to() {
    let disk = disk();
    open(&disk);
    assert_eq!(disk.files(Path::new("/")), Vec::<PathBuf>::new());
}

#[test]
fn a_full_segment_is_followed_by_another() {
    let disk = disk();
    let mut opened = open(&disk);
    let long = "x".repeat(3 << 20);
    let mut entries = Vec::new();
    for number in 1..=5 {
        let event = written(number, long.clone());
        opened.journal.append(&batch([event.clone()])).unwrap();
        entries.push((number, Entry::Event(event)));
    }
    assert_eq!(disk.files(Path::new(FOLDER)), [segment(1), segment(3), segment(5)]);
    let again = open(&disk);
    assert!(again.entries == entries && again.notices.is_empty());
    let verified = again.journal.verify().unwrap();
    let head = opened.journal.head();
    assert_eq!(
        verified,
        Verified { segments: 3, events: 5, erased: 0, head, breaks: Vec::new(), wrong: None }
    );
}

#[test]
fn what_a_snapshot_has_is_dropped_by_segments() {
    let disk = disk();
    let mut opened = open(&disk);
    let long = "x".repeat(3 << 20);
    let heads: Vec<_> = (1..=5)
        .map(|number| opened.journal.append(&batch([written(number, long.clone())])).unwrap())
        .collect();
    assert_eq!(opened.journal.drop_before(3).unwrap(), 1);
    assert_eq!(opened.journal.drop_before(5).unwrap(), 1);
    assert_eq!(opened.journal.drop_before(99).unwrap(), 0);
    assert_eq!(disk.files(Path::new(FOLDER)), [segment(5)]);
    let again = open_from(&disk, heads[3]);
    assert_eq!((again.entries.len(), again.notices.len()), (1, 0));
    assert_eq!(again.journal.head(), heads[4]);
}

#[test]
fn what_is_erased_is_gone_and_the_chain_holds() {
    let disk = disk();
    let mut opened = open(&disk);
    let secret = "a secret that was not one";
    opened.journal.append(&batch([event(1), written(2, secret), event(3)])).unwrap();
    let has_secret = || {
        let mut files = disk.files(Path::new(FOLDER)).into_iter();
        files.any(|path| disk.content(&path).windows(secret.len()).any(|bytes| bytes == secret.as_bytes()))
    };
    assert!(has_secret());
    assert_eq!(opened.journal.erase(&BTreeSet::from([2, 9])).unwrap(), 1);
    assert_eq!(opened.journal.erase(&BTreeSet::from([2])).unwrap(), 0);
    assert!(!has_secret());

    // Further events go into the new file.
    opened.journal.append(&batch([event(4)])).unwrap();
    let again = open(&disk);
    again.assert_has([1, 3, 4]);
    let verified = again.journal.verify().unwrap();
    assert_eq!((verified.events, verified.erased, verified.wrong), (4, 1, None));
    assert_eq!(verified.head, opened.journal.head());
}

#[test]
fn an_event_that_is_too_long_is_refused() {
    let mut opened = open(&disk());
    let refused = opened.journal.append(&batch([written(1, "x".repeat(9 << 20))]));
    assert!(matches!(refused, Err(JournalError::TooLong { .. })), "{refused:?}");
    assert_eq!(opened.journal.head(), Position::START);
}

#[test]
fn a_full_disk_is_not_written_to() {
    let disk = disk();
    let mut opened = open(&disk);
    opened.journal.append(&batch([event(1)])).unwrap();
    disk.set_free(1 << 20);
    let refused = opened.journal.append(&batch([event(2)]));
    assert!(matches!(refused, Err(JournalError::DiskFull { free: 1_048_576, .. })), "{refused:?}");
    disk.set_free(u64::MAX);
    opened.journal.append(&batch([event(2)])).unwrap();
    open(&disk).assert_has([1, 2]);
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let disk = disk();
    open(&disk).journal.append(&batch([event(1)])).unwrap();
    let mut bytes = disk.content(&segment(1));
    bytes[8..12].copy_from_slice(&2_u32.to_le_bytes());
    let crc = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&crc.to_le_bytes());
    disk.set_content(&segment(1), bytes.clone());
    let refused = Journal::open(Path::new(FOLDER), Arc::new(disk.clone()), Position::START).err().unwrap();
    assert!(matches!(refused, JournalError::Newer { found: 2, newest: 1, .. }), "{refused}");
    assert!(refused.hint().is_some());
    assert_eq!((disk.files(Path::new(FOLDER)), disk.content(&segment(1))), (vec![segment(1)], bytes));
}

/// The first release's files are readable by every later one.
#[test]
fn the_fixture_of_format_1_is_read() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal-1.log");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("journal")).unwrap();
    std::fs::copy(fixture, folder.path().join("journal/00000000000000000001.log")).unwrap();
    let opened = Journal::open(folder.path(), Arc::new(RealDisk), Position::START).unwrap();
    let (journal, entries, notices) = opened;
    assert_eq!((notices, journal.verify().unwrap().wrong), (Vec::new(), None));
    insta::assert_debug_snapshot!(entries);
}

/// Writes the fixture of the format that this release writes.
#[test]
#[ignore = "writes a fixture: run once for each new format"]
fn write_the_fixture() {
    let disk = disk();
    let mut opened = open(&disk);
    opened
        .journal
        .append(&batch([written(1, "find -iname missed it"), written(2, "a secret"), event(2)]))
        .unwrap();
    opened.journal.append(&[(at(), Entry::Snapshot { seq: 3, hash: [7; 32] })]).unwrap();
    opened.journal.erase(&BTreeSet::from([2])).unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal-1.log");
    std::fs::write(fixture, disk.content(&segment(1))).unwrap();
}

proptest! {
    /// For any batches, and from any position, a reader gets the same entries.
    #[test]
    fn batches_and_positions_do_not_matter(sizes in proptest::collection::vec(1_u64..9, 1..8), from in any::<proptest::sample::Index>()) {
        let disk = disk();
        let mut opened = open(&disk);
        let mut heads = vec![Position::START];
        for size in sizes {
            let first = opened.journal.head().seq + 1;
            heads.push(opened.journal.append(&batch((first..first + size).map(event))).unwrap());
        }
        let from = *from.get(&heads);
        let again = open_from(&disk, from);
        again.assert_has(from.seq + 1..=opened.journal.head().seq);
        prop_assert_eq!((again.journal.head(), again.notices), (opened.journal.head(), Vec::new()));
    }
}
