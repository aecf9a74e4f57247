//! Many concurrent processes, of which some are killed.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use artoo_memory_store::journal::Position;
use artoo_memory_store::{Opened, Role};

use crate::journal_fixtures::{at, written};
use crate::kill_one::{open, own_number, said, say, start, tally};

const PROCESSES: u64 = 20;
const EVENTS: u64 = 50;
/// Event numbers of a process start at this times its number.
const APART: u64 = 1_000_000;

/// What all processes know to be on disk, one number per line.
const COMMITTED: &str = "committed";

fn committed(folder: &Path) -> BTreeSet<u64> {
    let lines = std::fs::read_to_string(folder.join(COMMITTED)).unwrap_or_default();
    // The last line may be incomplete, from a killed process.
    let whole = lines.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| line.parse().unwrap()).collect()
}

/// Writes this many events, and announces each committed batch, to the other processes first.
fn write(events: u64, all_of_it: impl Fn(u64)) {
    let folder = std::env::current_dir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let before = committed(&folder);
    let Opened { log, entries, .. } = open(&folder, Position::START);
    let there = tally(&entries);
    let unseen: Vec<&u64> = before.iter().filter(|number| !there.contains_key(number)).collect();
    assert!(unseen.is_empty(), "committed before this process began, and not seen: {unseen:?}");

    let first = own_number() * APART;
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join(COMMITTED)).unwrap();
    let mut next = first;
    for batch in (1..8).cycle() {
        let end = (next + batch).min(first + events);
        for number in next..end {
            log.append(at(), written(number, "words")).unwrap();
        }
        runtime.block_on(log.flush()).unwrap();
        let lines: String = (next..end).map(|number| format!("{number}\n")).collect();
        file.write_all(lines.as_bytes()).unwrap();
        next = end;
        all_of_it(next);
        if next == first + events {
            break;
        }
    }
    let seen = log.follow().unwrap();
    assert!(log.role() == Role::Owner || tally(&seen).len() as u64 >= events);
    log.close(Duration::from_secs(60)).unwrap();
}

#[test]
#[ignore = "one of the many processes of other tests"]
fn one_of_many() {
    write(EVENTS, |_| {});
}

#[test]
#[ignore = "a process that other tests kill"]
fn a_victim() {
    write(APART, |next| say(&format!("acknowledged {next}")));
}

fn run_many(folder: &Path) {
    let children: Vec<_> =
        (1..=PROCESSES).map(|number| start("kill_many::one_of_many", folder, number)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Everything that was to be written is there, once.
fn assert_whole(folder: &Path) {
    let Opened { log, entries, notices } = open(folder, Position::START);
    let tally = tally(&entries);
    let twice: Vec<_> = tally.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "{twice:?}; {notices:?}");
    let expected = (1..=PROCESSES).flat_map(|process| process * APART..process * APART + EVENTS);
    let missing: Vec<u64> =
        expected.chain(committed(folder)).filter(|number| !tally.contains_key(number)).collect();
    assert!(missing.is_empty(), "{missing:?}; {notices:?}");
    let verified = log.verify().unwrap();
    assert_eq!((verified.wrong, verified.breaks.len()), (None, 0));
}

#[test]
fn twenty_processes_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    run_many(folder.path());
    assert_whole(folder.path());
    assert_eq!(committed(folder.path()).len() as u64, PROCESSES * EVENTS);
}

#[test]
fn owners_are_killed_while_twenty_write() {
    let folder = tempfile::tempdir().unwrap();
    let killer = {
        let folder = folder.path().to_owned();
        std::thread::spawn(move || {
            // The first is certainly the owner; the others may be.
            for victim in 0..8 {
                let mut child = start("kill_many::a_victim", &folder, 100 + victim);
                let acknowledged = said(&mut child, "acknowledged ").take(3 + victim as usize).count();
                child.kill().unwrap();
                child.wait().unwrap();
                assert_eq!(acknowledged, 3 + victim as usize);
            }
        })
    };
    run_many(folder.path());
    killer.join().unwrap();
    assert_whole(folder.path());
}
