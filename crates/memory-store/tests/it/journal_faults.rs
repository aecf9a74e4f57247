//! A disk that fails at any call in any way, and power cuts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use artoo_memory_store::journal::{Entry, Journal, JournalError, Position};
use artoo_mkct_memory::Event;
use proptest::prelude::*;

use crate::faulty_disk::{Fault, FaultyDisk};
use crate::journal_fixtures::{FOLDER, batch, disk, event, open, segment, written};

#[derive(Clone, Debug)]
enum Step {
    Append(u8),
    /// An event that fills a segment.
    AppendLong,
    Erase(usize),
    DropBefore(usize),
    Reopen,
    PowerCut(u64),
    FailAfter(u8, Fault),
}

fn any_step() -> impl Strategy<Value = Step> {
    let fault =
        prop_oneof![Just(Fault::Nothing), (0_u8..100).prop_map(Fault::Short), Just(Fault::DoneAllTheSame)];
    prop_oneof![
        8 => (1_u8..6).prop_map(Step::Append),
        1 => Just(Step::AppendLong),
        1 => (0_usize..9).prop_map(Step::Erase),
        1 => (0_usize..9).prop_map(Step::DropBefore),
        1 => Just(Step::Reopen),
        2 => any::<u64>().prop_map(Step::PowerCut),
        4 => (0_u8..24, fault).prop_map(|(calls, fault)| Step::FailAfter(calls, fault)),
    ]
}

/// What must be in the journal, and what may be.
struct Model {
    disk: FaultyDisk,
    journal: Option<Journal>,
    /// Each number is given to one event, ever.
    next: u64,
    acknowledged: BTreeMap<u64, Event>,
    erased: BTreeSet<u64>,
    attempted: Vec<Event>,
    /// Unacknowledged events that the last opening found. They may be unsynced until the next batch is.
    unsynced: BTreeMap<u64, Event>,
    heads: Vec<Position>,
    from: Position,
}

impl Model {
    fn new() -> Self {
        let disk = disk();
        let heads = vec![Position::START];
        let (acknowledged, erased) = (BTreeMap::new(), BTreeSet::new());
        let (attempted, unsynced) = (Vec::new(), BTreeMap::new());
        let from = Position::START;
        Self { disk, journal: None, next: 1, acknowledged, erased, attempted, unsynced, heads, from }
    }

    /// The same on a copy of the disk, closed.
    fn copied(&self) -> Self {
        Self {
            disk: self.disk.copied(),
            journal: None,
            next: self.next,
            acknowledged: self.acknowledged.clone(),
            erased: self.erased.clone(),
            attempted: self.attempted.clone(),
            unsynced: self.unsynced.clone(),
            heads: self.heads.clone(),
            from: self.from,
        }
    }

    /// Opens the journal, if the disk lets it, and compares its entries with the acknowledged ones.
    fn open(&mut self) -> Result<(), JournalError> {
        self.journal = None;
        let (journal, entries, notices) =
            Journal::open(Path::new(FOLDER), Arc::new(self.disk.clone()), self.from)?;
        let found: BTreeMap<u64, Event> = entries
            .iter()
            .map(|(seq, entry)| match entry {
                Entry::Event(event) => (*seq, event.clone()),
                Entry::Snapshot { .. } => panic!("nobody took one"),
            })
            .collect();
        for (seq, event) in self.acknowledged.range(self.from.seq + 1..) {
            let expected = (!self.erased.contains(seq)).then_some(event);
            assert!(found.get(seq) == expected, "event {seq}; {notices:?}");
        }
        for (seq, event) in &found {
            let known = self.acknowledged.get(seq) == Some(event) || self.attempted.contains(event);
            assert!(known, "event {seq} came from nowhere");
            let twice = self.acknowledged.iter().any(|(other, one)| one == event && other != seq);
            assert!(!twice, "event {seq} is there twice");
        }
        assert_eq!(entries.len(), found.len());
        self.unsynced = found.into_iter().filter(|(seq, _)| !self.acknowledged.contains_key(seq)).collect();
        self.journal = Some(journal);
        Ok(())
    }

    fn append(&mut self, events: Vec<Event>) {
        if self.journal.is_none() && self.open().is_err() {
            return;
        }
        let journal = self.journal.as_mut().unwrap();
        let first = journal.head().seq + 1;
        match journal.append(&batch(events.clone())) {
            Ok(head) => {
                self.acknowledged.append(&mut self.unsynced);
                self.acknowledged.extend((first..).zip(events));
                self.heads.push(head);
            }
            Err(_) => self.attempted.extend(events),
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Append(count) => {
                let numbers = self.next..self.next + u64::from(*count);
                self.next = numbers.end;
                self.append(numbers.map(event).collect());
            }
            Step::AppendLong => {
                self.next += 1;
                self.append(vec![written(self.next - 1, "x".repeat(4 << 20))]);
            }
            Step::Erase(which) => {
                let seqs: Vec<u64> =
                    self.acknowledged.range(self.from.seq + 1..).map(|(seq, _)| *seq).collect();
                let Some(journal) = self.journal.as_mut().filter(|_| !seqs.is_empty()) else { return };
                let seq = seqs[which % seqs.len()];
                if journal.erase(&BTreeSet::from([seq])).is_ok() {
                    self.erased.insert(seq);
                } else {
                    // It may be gone or not: both are right, and also after a retry.
                    let event = self.acknowledged.remove(&seq).unwrap();
                    self.attempted.push(event);
                }
            }
            Step::DropBefore(which) => {
                let Some(journal) = self.journal.as_mut() else { return };
                let upto = self.heads[which % self.heads.len()];
                if upto.seq > self.from.seq {
                    self.from = upto;
                    drop(journal.drop_before(upto.seq + 1));
                }
            }
            Step::Reopen => drop(self.open()),
            Step::PowerCut(seed) => {
                self.journal = None;
                let mut state = *seed | 1;
                self.disk.power_cut(move || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state & 4 != 0
                });
                drop(self.open());
            }
            Step::FailAfter(calls, fault) => self.disk.fail_after(u64::from(*calls), *fault),
        }
    }
}

proptest! {
    /// For any failures and power cuts: an acknowledged event is there, once, under its number, and an erased
    /// one is not.
    #[test]
    fn acknowledged_events_are_there_once(steps in proptest::collection::vec(any_step(), 1..30)) {
        let mut model = Model::new();
        for step in &steps {
            model.step(step);
        }
        model.disk.heal();
        model.open().unwrap();
        let journal = model.journal.as_ref().unwrap();
        prop_assert_eq!(journal.verify().unwrap().wrong, None);
    }
}

/// The same with every single call of a script failing in each way in turn, followed by a power cut: in a new
/// memory, and with a full last segment.
#[test]
fn each_call_may_fail_once() {
    let script =
        [Step::Append(3), Step::Append(2), Step::Reopen, Step::Append(1), Step::Erase(1), Step::Append(1)];
    let run = |model: &mut Model| script.iter().for_each(|step| model.step(step));
    let mut full = Model::new();
    full.step(&Step::AppendLong);
    full.from = *full.heads.last().unwrap();
    for base in [Model::new(), full] {
        let calls = {
            let mut model = base.copied();
            run(&mut model);
            model.disk.calls()
        };
        assert!(calls > 40, "the script makes {calls} calls");
        for call in 0..calls {
            for fault in [Fault::Nothing, Fault::Short(50), Fault::DoneAllTheSame] {
                for chances in [[true, false], [false, true]] {
                    let mut model = base.copied();
                    model.disk.fail_after(call, fault);
                    run(&mut model);
                    model.journal = None;
                    let mut chances = chances.into_iter().cycle();
                    model.disk.power_cut(|| chances.next().unwrap());
                    model.open().unwrap();
                    assert_eq!(model.journal.as_ref().unwrap().verify().unwrap().wrong, None);
                }
            }
        }
    }
}

#[test]
fn a_short_write_is_taken_back_and_the_next_batch_goes_on() {
    let disk = disk();
    let mut opened = open(&disk);
    opened.journal.append(&batch([event(1)])).unwrap();
    let before = disk.content(&segment(1));
    // The free space is queried first.
    disk.fail_after(1, Fault::Short(50));
    let refused = opened.journal.append(&batch([event(2)]));
    assert!(matches!(refused, Err(JournalError::Io { action: "write", .. })), "{refused:?}");
    assert_eq!((disk.content(&segment(1)), opened.journal.has_failed()), (before, false));
    opened.journal.append(&batch([event(3)])).unwrap();
    let again = open(&disk);
    assert_eq!(again.entries, [(1, Entry::Event(event(1))), (2, Entry::Event(event(3)))]);
}

#[test]
fn a_failed_sync_ends_the_writing() {
    let disk = disk();
    let mut opened = open(&disk);
    opened.journal.append(&batch([event(1)])).unwrap();
    disk.fail_after(2, Fault::Nothing);
    for number in [2, 3] {
        let refused = opened.journal.append(&batch([event(number)]));
        assert!(matches!(refused, Err(JournalError::Failed { .. })), "{refused:?}");
    }
    open(&disk).assert_has([1]);
}
