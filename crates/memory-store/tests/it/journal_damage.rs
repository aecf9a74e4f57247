//! Damaged journal files.

use std::path::Path;

use artoo_memory_store::journal::{Entry, Notice, Position};
use proptest::prelude::*;

use crate::faulty_disk::FaultyDisk;
use crate::journal_fixtures::{FOLDER, Opened, batch, disk, event, open, segment};

/// A journal of this many events in one segment, and the offset of each frame.
fn journal(events: u64) -> (FaultyDisk, Vec<usize>) {
    let disk = disk();
    let mut opened = open(&disk);
    let mut starts = Vec::new();
    for number in 1..=events {
        starts.push(if number == 1 { 64 } else { disk.content(&segment(1)).len() });
        opened.journal.append(&batch([event(number)])).unwrap();
    }
    (disk, starts)
}

fn numbers(opened: &Opened) -> Vec<u64> {
    opened.entries.iter().map(|(number, _)| *number).collect()
}

/// After every damage: the memory can be read and written, the copy of the damaged file is what was found,
/// and it opens without a notice from then on.
fn assert_goes_on(disk: &FaultyDisk, mut opened: Opened, found: &[u8]) {
    for (number, entry) in &opened.entries {
        assert_eq!(*entry, Entry::Event(event(*number)));
    }
    for notice in &opened.notices {
        if let Notice::Damaged { copy, .. } | Notice::Unlinked { copy, .. } = notice {
            assert_eq!(disk.content(copy.as_ref().unwrap()), found);
        }
    }
    let mut kept = numbers(&opened);
    let next = opened.journal.head().seq + 1;
    opened.journal.append(&batch([event(next)])).unwrap();
    kept.push(next);
    let again = open(disk);
    assert_eq!((numbers(&again), &again.notices), (kept, &Vec::new()));
    let verified = again.journal.verify().unwrap();
    assert_eq!((verified.wrong, verified.head), (None, opened.journal.head()));
}

#[test]
fn a_torn_tail_is_cut_and_told() {
    let (disk, starts) = journal(3);
    let mut bytes = disk.content(&segment(1));
    let whole = bytes.len();
    bytes.truncate(starts[2] + 100);
    disk.set_content(&segment(1), bytes.clone());
    let opened = open(&disk);
    opened.assert_has([1, 2]);
    let offset = starts[2] as u64;
    assert_eq!(opened.notices, [Notice::Torn { path: segment(1), offset, bytes: 100 }]);
    assert!(whole > bytes.len() && disk.content(&segment(1)).len() == starts[2]);
    assert_goes_on(&disk, opened, &bytes);
}

#[test]
fn damage_in_the_middle_costs_what_it_hit() {
    let (disk, starts) = journal(5);
    let mut bytes = disk.content(&segment(1));
    bytes[starts[2] + 50] ^= 1;
    disk.set_content(&segment(1), bytes.clone());
    let opened = open(&disk);
    opened.assert_has([1, 2, 4, 5]);
    let copy = Path::new(FOLDER).join("damaged/00000000000000000001.log.1");
    let damaged = Notice::Damaged {
        path: segment(1),
        offset: starts[2] as u64,
        bytes: (starts[3] - starts[2]) as u64,
        lost: Some(3..=3),
        copy: Some(copy),
    };
    assert_eq!(opened.notices, [damaged]);
    insta::assert_snapshot!(opened.notices[0], @"/data/memory/journal/00000000000000000001.log: 122 bytes from byte 308 on are damaged, event 3 is lost; all that can be read is kept, the file as it was is /data/memory/damaged/00000000000000000001.log.1");
    assert_eq!(disk.files(&Path::new(FOLDER).join("journal")), [segment(1), segment(4)]);
    let verified = opened.journal.verify().unwrap();
    assert_eq!(verified.wrong, None);
    assert_eq!(verified.breaks.iter().map(|found| (found.after, found.before)).collect::<Vec<_>>(), [(2, 4)]);
    assert_goes_on(&disk, opened, &bytes);
}

#[test]
fn a_copy_that_is_there_is_not_written_over() {
    let (disk, starts) = journal(5);
    for damaged in [3, 1] {
        let mut bytes = disk.content(&segment(1));
        bytes[starts[damaged] + 50] ^= 1;
        disk.set_content(&segment(1), bytes);
        open(&disk);
    }
    let copies = disk.files(&Path::new(FOLDER).join("damaged"));
    assert_eq!(copies.len(), 2, "{copies:?}");
}

#[test]
fn frames_that_were_cut_out_are_missed() {
    let (disk, starts) = journal(5);
    let mut bytes = disk.content(&segment(1));
    bytes.drain(starts[1]..starts[3]);
    disk.set_content(&segment(1), bytes.clone());
    let opened = open(&disk);
    opened.assert_has([1, 4, 5]);
    assert_eq!(opened.notices, [Notice::Missing { path: segment(1), lost: 2..=3 }]);
    assert_goes_on(&disk, opened, &bytes);
}

#[test]
fn a_forged_event_is_found_by_the_chain() {
    let (disk, starts) = journal(4);
    let other = {
        let disk = self::disk();
        open(&disk).journal.append(&batch([event(1), event(77)])).unwrap();
        disk.content(&segment(1))
    };
    let mut bytes = disk.content(&segment(1));
    bytes.splice(starts[1]..starts[2], other[starts[1]..].iter().copied());
    disk.set_content(&segment(1), bytes);
    let opened = open(&disk);
    let seqs: Vec<u64> = opened
        .notices
        .iter()
        .filter_map(|notice| if let Notice::Unlinked { seq, .. } = notice { Some(*seq) } else { None })
        .collect();
    assert_eq!(opened.notices.len(), 2);
    assert_eq!((seqs, numbers(&opened)), (vec![2, 3], vec![1, 2, 3, 4]));
    assert_eq!(opened.journal.verify().unwrap().breaks.len(), 2);
}

#[test]
fn a_missing_segment_is_told_once() {
    let disk = disk();
    let mut opened = open(&disk);
    for number in 1..=3 {
        let long = "x".repeat(5 << 20);
        opened.journal.append(&batch([crate::journal_fixtures::written(number, long)])).unwrap();
    }
    std::iter::once(segment(2))
        .for_each(|path| artoo_memory_store::disk::Disk::remove(&disk, &path).unwrap());
    let again = open(&disk);
    assert_eq!(again.notices, [Notice::Missing { path: segment(3), lost: 2..=2 }]);
    assert_eq!(numbers(&again), [1, 3]);
    let third = open(&disk);
    assert_eq!((numbers(&third), third.notices), (vec![1, 3], Vec::new()));
}

#[test]
fn a_journal_that_ends_before_the_snapshot_goes_on_behind_it() {
    let (disk, _) = journal(3);
    let from = Position { seq: 9, chain: [9; 32] };
    let mut opened = crate::journal_fixtures::open_from(&disk, from);
    assert_eq!(opened.notices, [Notice::Behind { head: 3, from: 9 }]);
    opened.journal.append(&batch([event(10)])).unwrap();
    let again = crate::journal_fixtures::open_from(&disk, from);
    assert_eq!((numbers(&again), again.notices), (vec![10], Vec::new()));
}

#[test]
fn a_snapshot_of_another_journal_is_told() {
    let (disk, _) = journal(3);
    let opened = crate::journal_fixtures::open_from(&disk, Position { seq: 2, chain: [9; 32] });
    assert_eq!((numbers(&opened), opened.notices), (vec![3], vec![Notice::Diverged { seq: 2 }]));
}

/// Each byte flipped: everything outside of its frame is readable.
#[test]
fn each_byte_may_be_wrong() {
    let (disk, starts) = journal(4);
    let bytes = disk.content(&segment(1));
    for at in 0..bytes.len() {
        for flip in [1_u8, 0x80] {
            let disk = disk.copied();
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            disk.set_content(&segment(1), damaged.clone());
            let opened = open(&disk);
            let hit = starts.iter().filter(|start| **start <= at).count() as u64;
            let in_length = hit > 0 && at < starts[hit as usize - 1] + 4;
            let expected: Vec<u64> = (1..=4).filter(|number| *number != hit || in_length).collect();
            assert_eq!(numbers(&opened), expected, "byte {at}");
            assert!(!opened.notices.is_empty(), "byte {at}");
            assert_goes_on(&disk, opened, &damaged);
        }
    }
}

/// Each length: everything before the cut is readable.
#[test]
fn each_length_may_be_cut() {
    let (disk, starts) = journal(4);
    let bytes = disk.content(&segment(1));
    for length in 0..bytes.len() {
        let disk = disk.copied();
        disk.set_content(&segment(1), bytes[..length].to_vec());
        let opened = open(&disk);
        let whole = starts.iter().filter(|start| **start <= length).count().saturating_sub(1);
        let whole = whole + usize::from(length == bytes.len());
        assert_eq!(numbers(&opened), (1..=whole as u64).collect::<Vec<_>>(), "length {length}");
        let boundary = starts.contains(&length);
        assert_eq!(opened.notices.is_empty(), boundary, "length {length}: {:?}", opened.notices);
        assert_goes_on(&disk, opened, &bytes[..length]);
    }
}

proptest! {
    /// Any bytes in the middle: no panic, and everything before and after them is readable.
    #[test]
    fn any_bytes_may_be_in_between(hit in 0_usize..6, junk in proptest::collection::vec(any::<u8>(), 1..400), instead in any::<bool>()) {
        let (disk, starts) = journal(6);
        let mut bytes = disk.content(&segment(1));
        let end = starts.get(hit + 1).copied().unwrap_or(bytes.len());
        bytes.splice(starts[hit]..if instead { end } else { starts[hit] }, junk);
        disk.set_content(&segment(1), bytes.clone());
        let opened = open(&disk);
        let expected: Vec<u64> = (1..=6).filter(|number| !instead || *number != hit as u64 + 1).collect();
        prop_assert_eq!(numbers(&opened), expected);
        assert_goes_on(&disk, opened, &bytes);
    }

    /// Arbitrary bytes.
    #[test]
    fn a_segment_may_be_anything(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let (disk, _) = journal(1);
        disk.set_content(&segment(1), bytes.clone());
        let opened = open(&disk);
        prop_assert_eq!(numbers(&opened), Vec::<u64>::new());
        assert_goes_on(&disk, opened, &bytes);
    }

    /// Many hits at once, on a file that was damaged and repaired before.
    #[test]
    fn damage_upon_damage(hits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>(), 1_u8..), 1..6)) {
        let (disk, _) = journal(8);
        let mut kept: Vec<u64> = (1..=8).collect();
        for (file, byte, flip) in hits {
            let path = file.get(&disk.files(&Path::new(FOLDER).join("journal"))).clone();
            let mut bytes = disk.content(&path);
            let at = byte.index(bytes.len());
            bytes[at] ^= flip;
            disk.set_content(&path, bytes.clone());
            let opened = open(&disk);
            let now = numbers(&opened);
            prop_assert!(now.iter().all(|number| kept.contains(number)), "{:?} of {:?}", now, kept);
            prop_assert!(now.len() + 1 >= kept.len(), "{:?} of {:?}", now, kept);
            kept = now;
        }
        prop_assert_eq!(open(&disk).notices, Vec::new());
    }
}
