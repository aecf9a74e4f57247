//! Benchmarks the store's parts against plain engines:
//! `cargo run --release -p artoo-memory-store --example engines [MEGRAMS [ROUNDS [FOLDER]]]`.
//!
//! Every write is synced, in batches like those of a group commit. Engines take turns within a round, and a
//! ratio is the median of the ratios within the rounds, since the cost of a sync changes within minutes.
//! Everything happens in a temporary folder, below FOLDER if given.

#![expect(clippy::print_stdout, reason = "printing figures is what this program is for")]

use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use artoo_memory_store::disk::RealDisk;
use artoo_memory_store::index::{Change, Entry, Index, Page, Position, changes};
use artoo_memory_store::journal;
use artoo_mkct_memory::{Event, key, matrix};
use artoo_types::{Entity, Megram, MegramId, MegramState, Space, TagPair};
use chrono::{DateTime, FixedOffset};
use rusty_leveldb::env::{Env, FileLock, Logger, RandomAccess};
use rusty_leveldb::{DB, LdbIterator as _, Options, PosixDiskEnv, WriteBatch};
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Megrams in a group commit.
const BATCHES: [usize; 2] = [64, 256];
/// One in this many Megrams is in the pair that is read.
const SHARE: usize = 20;
const READS: usize = 20;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(20_000), |count| count.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(5), |rounds| rounds.parse())?;
    let below = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let temporary = tempfile::tempdir_in(below)?;
    let megrams: Vec<Megram> = (0..count).map(megram).collect::<Outcome<_>>()?;
    let megrams = megrams.as_slice();

    let writers: [(&str, Writer); 5] = [
        ("fjall", fjall_write),
        ("rusty-leveldb, plain, synced", plain_write),
        ("the index: project", index_write),
        ("the index: rebuild", |place, megrams, _| index_rebuild(place, megrams)),
        ("the journal", journal_write),
    ];
    for batch in BATCHES {
        println!("\n{count} Megrams, {batch} in each synced batch; rounds: {rounds}");
        table(
            rounds,
            &writers.map(|(name, write)| (name, move |place: &Path| write(place, megrams, batch))),
            &temporary,
        )?;
    }
    println!("\nA pair of {} Megrams of {count}, read {READS} times", count / SHARE);
    let readers: [(&str, Reader); 3] = [
        ("fjall: prefix, then get", fjall_read),
        ("rusty-leveldb, plain: scan, then seek", plain_read),
        ("the index: of_pair, parsed", index_read),
    ];
    table(rounds, &readers.map(|(name, read)| (name, move |place: &Path| read(place, megrams))), &temporary)
}

/// Fills a new store and returns the seconds that took.
type Writer = fn(&Path, &[Megram], usize) -> Outcome<f64>;
/// Fills a new store and returns the seconds that the reads took.
type Reader = fn(&Path, &[Megram]) -> Outcome<f64>;

/// Prints the median of each row in seconds, and of its ratio to the first.
fn table(
    rounds: usize,
    rows: &[(&str, impl Fn(&Path) -> Outcome<f64>)],
    temporary: &tempfile::TempDir,
) -> Outcome<()> {
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); rows.len()];
    for _ in 0..rounds {
        for ((_, run), took) in rows.iter().zip(&mut seconds) {
            let place = tempfile::tempdir_in(temporary.path())?;
            took.push(run(&place.path().join("store"))?);
        }
    }
    let first = seconds.first().cloned().unwrap_or_default();
    println!("| {:38} | seconds | of the first |\n|---|---|---|", "");
    for ((name, _), took) in rows.iter().zip(seconds) {
        let ratios = took.iter().zip(&first).map(|(took, first)| took / first).collect();
        println!("| {name:38} | {:.3} | {:.2} |", median(took), median(ratios));
    }
    Ok(())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

fn megram(number: usize) -> Outcome<Megram> {
    let at: DateTime<FixedOffset> = DateTime::parse_from_rfc3339("2026-11-23T09:00:00+02:00")?;
    let id = MegramId::new(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 + number as u128));
    let space = Space::intent(&format!("count files {}", number % SHARE));
    let noise = (number as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let content =
        format!("round {number}: find -iname '*.txt' found them where ls had missed some; {noise:032x}");
    Ok(matrix::megram(id, MegramState::Accept, at, space, Entity::path("/home/mika/notes"), content))
}

fn pair(megrams: &[Megram]) -> TagPair {
    let any = TagPair::new(Space::from_raw(""), Entity::local());
    megrams.first().map_or(any, Megram::pair)
}

fn position(seq: usize) -> Position {
    Position { seq: seq as u64, chain: [7; 32], count: seq as u64 }
}

fn alone<T>(work: impl Future<Output = T>) -> Outcome<T> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(work))
}

fn index_write(place: &Path, megrams: &[Megram], batch: usize) -> Outcome<f64> {
    alone(async {
        let index = Index::open(place, Arc::new(RealDisk)).await?;
        let began = Instant::now();
        for (number, some) in megrams.chunks(batch).enumerate() {
            index.project(some.iter().cloned().map(Entry::Live).collect(), position(number)).await?;
        }
        let took = began.elapsed().as_secs_f64();
        index.close().await;
        Ok(took)
    })?
}

fn index_rebuild(place: &Path, megrams: &[Megram]) -> Outcome<f64> {
    alone(async {
        let began = Instant::now();
        let entries = megrams.iter().cloned().map(|megram| Ok::<_, std::io::Error>(Entry::Live(megram)));
        let index = Index::rebuild(place, Arc::new(RealDisk), entries, position(megrams.len())).await?;
        let took = began.elapsed().as_secs_f64();
        index.close().await;
        Ok(took)
    })?
}

fn index_read(place: &Path, megrams: &[Megram]) -> Outcome<f64> {
    alone(async {
        let entries = megrams.iter().cloned().map(|megram| Ok::<_, std::io::Error>(Entry::Live(megram)));
        let index = Index::rebuild(place, Arc::new(RealDisk), entries, position(megrams.len())).await?;
        let began = Instant::now();
        for _ in 0..READS {
            let page = Page { after: None, limit: usize::MAX };
            assert_eq!(index.of_pair(pair(megrams), page).await?.len(), megrams.len() / SHARE);
        }
        let took = began.elapsed().as_secs_f64();
        index.close().await;
        Ok(took)
    })?
}

fn journal_write(place: &Path, megrams: &[Megram], batch: usize) -> Outcome<f64> {
    std::fs::create_dir(place)?;
    let start = journal::Position::START;
    let (mut journal, _, _) = journal::Journal::open(place, Arc::new(RealDisk), start)?;
    let began = Instant::now();
    for some in megrams.chunks(batch) {
        let events = some.iter().map(|megram| {
            (megram.created_at, journal::Entry::Event(Event::Written(Arc::new(megram.clone()))))
        });
        journal.append(&events.collect::<Vec<_>>())?;
    }
    Ok(began.elapsed().as_secs_f64())
}

/// The keys of a Megram as in the index, so that each engine writes the same.
fn keys(megram: &Megram) -> impl Iterator<Item = (String, Vec<u8>)> {
    changes(None, &Entry::Live(megram.clone())).into_iter().filter_map(|change| match change {
        Change::Put { key, value } => Some((key, value)),
        Change::Delete { .. } => None,
    })
}

fn plain(place: &Path) -> Outcome<DB> {
    let env: Box<dyn Env> = Box::new(Synced(PosixDiskEnv::new()));
    let options = Options {
        env: Rc::new(env),
        compressor: 1,
        reuse_logs: false,
        reuse_manifest: false,
        ..Options::default()
    };
    Ok(DB::open(place, options)?)
}

fn plain_fill(db: &mut DB, megrams: &[Megram], batch: usize) -> Outcome<()> {
    for some in megrams.chunks(batch) {
        let mut write = WriteBatch::default();
        some.iter().flat_map(keys).for_each(|(key, value)| write.put(key.as_bytes(), &value));
        let synced = true;
        db.write(write, synced)?;
    }
    Ok(())
}

fn plain_write(place: &Path, megrams: &[Megram], batch: usize) -> Outcome<f64> {
    let mut db = plain(place)?;
    let began = Instant::now();
    plain_fill(&mut db, megrams, batch)?;
    Ok(began.elapsed().as_secs_f64())
}

fn plain_read(place: &Path, megrams: &[Megram]) -> Outcome<f64> {
    let mut db = plain(place)?;
    plain_fill(&mut db, megrams, 1_000)?;
    let prefix = prefix(megrams);
    let began = Instant::now();
    for _ in 0..READS {
        let mut entries = db.new_iter()?;
        entries.seek(prefix.as_bytes());
        let mut keys = Vec::new();
        while let Some((key, _)) = entries.current().filter(|(key, _)| key.starts_with(prefix.as_bytes())) {
            keys.push(format!("m|{}", String::from_utf8_lossy(&key).trim_start_matches(prefix.as_str())));
            entries.advance();
        }
        let mut bytes = 0;
        for key in &keys {
            entries.seek(key.as_bytes());
            bytes += entries.current().map_or(0, |(_, value)| value.len());
        }
        assert!(keys.len() == megrams.len() / SHARE && bytes > 0);
    }
    Ok(began.elapsed().as_secs_f64())
}

fn prefix(megrams: &[Megram]) -> String {
    let TagPair { space, entity } = pair(megrams);
    key::pair_prefix(&space, &entity)
}

fn fjall_fill(db: &fjall::Database, megrams: &[Megram], batch: usize) -> Outcome<fjall::Keyspace> {
    let keyspace = db.keyspace("memory", fjall::KeyspaceCreateOptions::default)?;
    for some in megrams.chunks(batch) {
        let mut write = db.batch().durability(Some(fjall::PersistMode::SyncAll));
        some.iter().flat_map(keys).for_each(|(key, value)| write.insert(&keyspace, key, value));
        write.commit()?;
    }
    Ok(keyspace)
}

fn fjall_write(place: &Path, megrams: &[Megram], batch: usize) -> Outcome<f64> {
    let db = fjall::Database::builder(place).open()?;
    let began = Instant::now();
    fjall_fill(&db, megrams, batch)?;
    Ok(began.elapsed().as_secs_f64())
}

fn fjall_read(place: &Path, megrams: &[Megram]) -> Outcome<f64> {
    let db = fjall::Database::builder(place).open()?;
    let keyspace = fjall_fill(&db, megrams, 1_000)?;
    let prefix = prefix(megrams);
    let began = Instant::now();
    for _ in 0..READS {
        let mut found = 0;
        for guard in keyspace.prefix(prefix.as_bytes()) {
            let key = guard.key()?;
            let id = String::from_utf8_lossy(&key);
            found +=
                usize::from(keyspace.get(format!("m|{}", id.trim_start_matches(prefix.as_str())))?.is_some());
        }
        assert_eq!(found, megrams.len() / SHARE);
    }
    Ok(began.elapsed().as_secs_f64())
}

/// The engine's own environment, with a sync for each flush and nothing else.
struct Synced(PosixDiskEnv);

struct SyncedFile(File);

impl Write for SyncedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.sync_all()
    }
}

impl Env for Synced {
    fn open_sequential_file(&self, path: &Path) -> rusty_leveldb::Result<Box<dyn Read>> {
        self.0.open_sequential_file(path)
    }
    fn open_random_access_file(&self, path: &Path) -> rusty_leveldb::Result<Box<dyn RandomAccess>> {
        self.0.open_random_access_file(path)
    }
    fn open_writable_file(&self, path: &Path) -> rusty_leveldb::Result<Box<dyn Write>> {
        Ok(Box::new(SyncedFile(File::create(path)?)))
    }
    fn open_appendable_file(&self, path: &Path) -> rusty_leveldb::Result<Box<dyn Write>> {
        Ok(Box::new(SyncedFile(File::options().append(true).create(true).open(path)?)))
    }
    fn exists(&self, path: &Path) -> rusty_leveldb::Result<bool> {
        self.0.exists(path)
    }
    fn children(&self, path: &Path) -> rusty_leveldb::Result<Vec<PathBuf>> {
        self.0.children(path)
    }
    fn size_of(&self, path: &Path) -> rusty_leveldb::Result<usize> {
        self.0.size_of(path)
    }
    fn delete(&self, path: &Path) -> rusty_leveldb::Result<()> {
        self.0.delete(path)
    }
    fn mkdir(&self, path: &Path) -> rusty_leveldb::Result<()> {
        self.0.mkdir(path)
    }
    fn rmdir(&self, path: &Path) -> rusty_leveldb::Result<()> {
        self.0.rmdir(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> rusty_leveldb::Result<()> {
        self.0.rename(from, to)
    }
    fn lock(&self, path: &Path) -> rusty_leveldb::Result<FileLock> {
        self.0.lock(path)
    }
    fn unlock(&self, lock: FileLock) -> rusty_leveldb::Result<()> {
        self.0.unlock(lock)
    }
    fn new_logger(&self, path: &Path) -> rusty_leveldb::Result<Logger> {
        self.0.new_logger(path)
    }
    fn micros(&self) -> u64 {
        self.0.micros()
    }
    fn sleep_for(&self, micros: u32) {
        self.0.sleep_for(micros);
    }
}
