//! A writing process that is killed: its acknowledged events are there.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use artoo_memory_store::disk::RealDisk;
use artoo_memory_store::journal::{Entry, Position};
use artoo_memory_store::{Claim, Opened};
use artoo_mkct_memory::Event;

use crate::journal_fixtures::{at, written};

/// Number of kills. `ROUNDS=200` in the environment runs more.
const ROUNDS: u64 = 20;
/// Event numbers of a round start at this times its number.
const APART: u64 = 1_000_000;

/// Starts a test of this binary as another process, in a folder, with a number.
pub(crate) fn start(test: &str, folder: &Path, number: u64) -> Child {
    #[expect(clippy::disallowed_methods, reason = "another artoo")]
    Command::new(std::env::current_exe().unwrap())
        // A second filter, which no test matches, carries the number.
        .args(["--ignored", "--exact", test, &format!("number={number}")])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// The number that this process was started with.
pub(crate) fn own_number() -> u64 {
    let mut numbers = std::env::args().filter_map(|word| word.strip_prefix("number=")?.parse().ok());
    numbers.next().expect("this is started by other tests")
}

/// Prints a line to the parent process, bypassing the harness.
pub(crate) fn say(line: &str) {
    std::io::stdout().write_all(format!("\n{line}\n").as_bytes()).unwrap();
}

/// The numbers after a word in a child's output, as they arrive.
pub(crate) fn said(child: &mut Child, word: &'static str) -> impl Iterator<Item = u64> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(move |line| line.strip_prefix(word)?.trim().parse().ok())
}

/// How often each number was written.
pub(crate) fn tally(entries: &[(u64, Entry)]) -> BTreeMap<u64, u32> {
    let mut tally = BTreeMap::new();
    for (_, entry) in entries {
        if let Entry::Event(Event::Written(megram)) = entry {
            *tally.entry(megram.id.uuid().as_u128() as u64).or_default() += 1;
        }
    }
    tally
}

pub(crate) fn open(folder: &Path, from: Position) -> Opened {
    Claim::take(folder, Arc::new(RealDisk)).unwrap().open(from).unwrap()
}

#[test]
#[ignore = "a process that other tests kill"]
fn a_writer() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let Opened { log, .. } = open(&std::env::current_dir().unwrap(), Position::START);
    let first = own_number() * APART;
    let mut next = first;
    for batch in (1..40).cycle() {
        for number in next..next + batch {
            log.append(at(), written(number, "x".repeat(16 << 10))).unwrap();
        }
        next += batch;
        runtime.block_on(log.flush()).unwrap();
        // All up to it.
        say(&format!("acknowledged {next}"));
    }
}

#[test]
fn what_was_acknowledged_outlives_the_process() {
    let rounds =
        std::env::var_os("ROUNDS").map_or(ROUNDS, |rounds| rounds.to_str().unwrap().parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (mut from, mut torn, mut segments) = (Position::START, 0, BTreeSet::new());
    for round in 1..=rounds {
        let mut child = start("kill_one::a_writer", folder.path(), round);
        let mut said = said(&mut child, "acknowledged ");
        for _ in 0..round % 17 {
            said.next().unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = said.last();

        let Opened { log, entries, notices } = open(folder.path(), from);
        torn += notices.len();
        let tally = tally(&entries);
        assert!(tally.values().all(|count| *count == 1), "round {round}: {tally:?}");
        let missing: Vec<u64> =
            (round * APART..acknowledged.unwrap_or(0)).filter(|number| !tally.contains_key(number)).collect();
        assert_eq!(missing, Vec::<u64>::new(), "round {round}; {notices:?}");
        assert_eq!(log.verify().unwrap().wrong, None);
        from = log.head();
        log.drop_before(from.seq).unwrap();
        segments.insert(log.verify().unwrap().head.seq);
    }
    eprintln!("{rounds} rounds, {} events, {torn} torn writes, no loss", from.seq);
    assert!(from.seq > rounds && segments.len() > 1);
}
