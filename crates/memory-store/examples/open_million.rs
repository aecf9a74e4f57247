//! Measures the state of a memory with many Megrams:
//! `cargo run --release -p artoo-memory-store --example open_million -- [COUNT] [FOLDER]`.
//!
//! Builds a table of COUNT Megrams (1,000,000 by default) in FOLDER, or in a temporary folder, and prints the
//! cost of opening it, its memory usage, and the time of queries and of a pass of the Dreamer. An existing
//! table is reused.

#![expect(clippy::print_stdout, reason = "an example that is run to be read")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use artoo_memory_store::disk::{Disk as _, RealDisk};
use artoo_memory_store::journal::Position;
use artoo_memory_store::state::State;
use artoo_memory_store::table::Table;
use artoo_mkct_memory::{Event, Rules, matrix};
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Space, TagPair};
use chrono::{DateTime, Days, FixedOffset};
use uuid::Uuid;

/// The size of the queried pair: this many experiences, and a rule.
const LARGE_PAIR: u64 = 10_000;
const MEGRAMS_IN_A_PAIR: u64 = 100;
/// A journal tail of the maximum length before a snapshot.
const TAIL: u64 = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().map_or(Ok(1_000_000), |count| count.parse())?;
    let own = tempfile::tempdir()?;
    let folder = arguments.next().map_or_else(|| own.path().to_owned(), Into::into);
    let path = folder.join(format!("{count}.table"));
    let start = DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
    let now = start + Days::new(2);
    if !path.exists() {
        RealDisk.make_folder(&folder)?;
        let (built, state) = timed(|| build(count, start))?;
        let (written, table) = timed(|| Ok(state.compact(&RealDisk, &path, Position::START, now)?))?;
        println!("{count} Megrams: taken in {built:?}, written {written:?}, {} MB", table.bytes() >> 20);
    }
    ask(&path, count, start, now)
}

fn ask(
    path: &Path,
    count: u64,
    start: DateTime<FixedOffset>,
    now: DateTime<FixedOffset>,
) -> Result<(), Box<dyn Error>> {
    let rss = rss_mb();
    let open = || Ok(State::open(Table::open(&RealDisk, path)?, Rules::default(), grams)?);
    let (opened, mut state) = timed(open)?;
    println!("open {opened:?}, resident {:?} MB more", difference(rss_mb(), rss));

    let TagPair { space, entity } = pair(0);
    let (cold, known) = timed(|| Ok(state.potentials(&space, &entity, now)?))?;
    let warm = mean(100_000, || state.potentials(&space, &entity, now).is_ok());
    println!("QueryMK of {LARGE_PAIR}: cold {cold:?}, warm {warm:?} (attention {:.1})", known.attention);
    let (direct, _) = timed(|| Ok(state.entries(&space, &entity)?))?;
    println!("  its entries read one by one {direct:?}: {:.0} x warm", ratio(direct, warm));
    let others = (1..=1000).map(|n| pair(n % (count / MEGRAMS_IN_A_PAIR).max(1)));
    let (cold, _) =
        timed(|| Ok(others.map(|pair| state.potentials(&pair.space, &pair.entity, now)).all(|r| r.is_ok())))?;
    println!("QueryMK of other pairs, cold: {:?}", cold / 1000);

    let rules = || state.sops(&space, &entity).is_ok_and(|rules| rules.len() == 1);
    let (cold, _) = timed(|| Ok(rules()))?;
    println!("QueryC of {LARGE_PAIR}: cold {cold:?}, warm {:?}", mean(1000, rules));
    let recalled = Event::Recalled { id: id(0), at: now };
    let (first, _) = timed(|| Ok(state.apply(&recalled)?))?;
    let rules = || state.sops(&space, &entity).is_ok_and(|rules| rules.len() == 1);
    println!("  after a recall ({first:?}): {:?}", mean(1000, rules));

    let (scanned, words) = timed(|| Ok(state.words(16_384).collect::<Result<Vec<_>, _>>()?))?;
    println!("words of {} pairs {scanned:?}", words.len());

    let looked = |state: &mut State, now| -> Result<usize, Box<dyn Error>> {
        let due = state.due(now, usize::MAX)?;
        due.iter().try_for_each(|pair| state.looked_at(pair, now))?;
        Ok(due.len())
    };
    let (touched, due) = timed(|| looked(&mut state, now))?;
    println!("a pass with {due} pair that was touched {touched:?}");
    let (nothing, due) = timed(|| looked(&mut state, now))?;
    println!("a pass with nothing due ({due}) {nothing:?}");
    let (checked, _) = timed(|| Ok(state.check_one(7)?))?;
    println!("one pair's sums checked {checked:?}");

    let (tail, _) = timed(|| {
        (0..TAIL)
            .try_for_each(|n| state.apply(&Event::Written(Arc::new(megram(count + n, n % 500, start)))))?;
        Ok(())
    })?;
    println!("a tail of {TAIL} events {tail:?}, resident {:?} MB more", difference(rss_mb(), rss));
    Ok(())
}

fn build(count: u64, start: DateTime<FixedOffset>) -> Result<State, Box<dyn Error>> {
    let mut state = State::new(Rules::default(), grams);
    let rule = Megram { level: Level::C, k: 0.0, ..megram(0, 0, start) };
    state.apply(&Event::Written(Arc::new(rule)))?;
    for number in 1..count {
        let of = if number <= LARGE_PAIR { 0 } else { number / MEGRAMS_IN_A_PAIR };
        state.apply(&Event::Written(Arc::new(megram(number, of, start))))?;
    }
    Ok(state)
}

/// Dead ends and breakthroughs that do not become a rule: nothing about them is due for a day.
fn megram(number: u64, of: u64, start: DateTime<FixedOffset>) -> Megram {
    let state = if number.is_multiple_of(40) { MegramState::BreakSymmetry } else { MegramState::ChangePath };
    let TagPair { space, entity } = pair(of);
    let lesson = format!(
        "shell: find . -iname '*.txt' -newer {number} | wc -l missed what was asked for in round {of}"
    );
    let megram = matrix::megram(id(number), state, start, space, entity, lesson);
    // Far from every threshold, whatever their number.
    Megram { sigma: 0.0, ..megram }
}

fn pair(number: u64) -> TagPair {
    TagPair::new(Space::from_raw(format!("intent:count_the_files_{number}")), Entity::local())
}

fn id(number: u64) -> MegramId {
    MegramId::new(Uuid::from_u128(u128::from(number) + (1 << 100)))
}

fn grams(text: &str) -> Vec<u32> {
    text.split(|c: char| !c.is_alphanumeric()).map(|word| crc32fast::hash(word.as_bytes())).collect()
}

fn timed<T>(what: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(Duration, T), Box<dyn Error>> {
    let start = Instant::now();
    let done = what()?;
    Ok((start.elapsed(), done))
}

/// The mean time of many calls, all successful.
fn mean(calls: u32, what: impl Fn() -> bool) -> Duration {
    let start = Instant::now();
    let good = (0..calls).filter(|_| what()).count();
    assert_eq!(good, calls as usize);
    start.elapsed() / calls
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(f64::MIN_POSITIVE)
}

fn difference(now: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before?))
}

/// Resident memory of this process, if the system reports it.
fn rss_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes >> 10)
}
