//! Megrams to fill an index with, and the plain map that it is compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use artoo_memory_store::disk::RealDisk;
use artoo_memory_store::index::{
    Counts, Doubt, Entry, Index, IndexError, Page, Position, Record, RecordDigest, Verified,
};
use artoo_mkct_memory::matrix;
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Space, TagPair};
use chrono::{DateTime, Duration, FixedOffset};
use uuid::Uuid;

pub(crate) const LEVELS: [Level; 4] = [Level::M, Level::K, Level::C, Level::T];
const STATES: [MegramState; 4] =
    [MegramState::Accept, MegramState::Abandon, MegramState::Refine, MegramState::ChangePath];

pub(crate) async fn open(folder: &Path) -> Result<Index, IndexError> {
    Index::open(folder, Arc::new(RealDisk)).await
}

pub(crate) fn id(number: u64) -> MegramId {
    // Ids are ordered by time, as in practice.
    MegramId::new(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 + u128::from(number)))
}

pub(crate) fn day(days: f64) -> DateTime<FixedOffset> {
    let start = DateTime::parse_from_rfc3339("2026-01-01T00:00:00+08:00").unwrap();
    start + Duration::milliseconds((days * 86_400_000.0).round() as i64)
}

/// An experience in one of some forty pairs; each third has incompressible content.
pub(crate) fn megram(number: u64) -> Megram {
    let pick = |of: u64, salt: u64| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ salt) % of;
    let space = Space::from_raw(format!("intent:count {}", pick(8, 1)));
    let entity = Entity::path(&format!("/home/mika/a|b/{}%", pick(5, 2)));
    let state = STATES[pick(4, 3) as usize];
    let content = match number % 3 {
        0 => format!(
            "lesson {number}: {:032x}",
            u128::from(number).wrapping_mul(0x2545_f491_4f6c_dd1d_u128 << 31)
        ),
        1 => format!("lesson {number}: find -iname finds it, ls misses it"),
        _ => "tietue löytyi".repeat(1 + pick(12, 4) as usize),
    };
    let megram = matrix::megram(id(number), state, day(number as f64 / 10.0), space, entity, content);
    let level = LEVELS[[0, 0, 0, 0, 1, 1, 2, 3][pick(8, 5) as usize]];
    let recalled = number.is_multiple_of(5).then(|| day(number as f64 / 10.0 + 1.5));
    Megram { level, last_recalled_at: recalled, ..megram }
}

pub(crate) fn live(numbers: impl IntoIterator<Item = u64>) -> Vec<Entry> {
    numbers.into_iter().map(|number| Entry::Live(megram(number))).collect()
}

/// A position in a journal.
pub(crate) fn position(seq: u64) -> Position {
    let mut chain = [0; 32];
    chain[..8].copy_from_slice(&seq.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    Position { seq, chain, count: seq }
}

/// The truth: the expected answers of the index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth(BTreeMap<MegramId, Known>);

#[derive(Clone, Debug)]
struct Known {
    entry: Entry,
    live: bool,
    record: Record,
    digest: RecordDigest,
}

/// How an index differs from the truth.
#[derive(Debug)]
pub(crate) enum Wrong {
    Error(IndexError),
    Doubt(Doubt),
    Counts(Counts),
}

impl From<IndexError> for Wrong {
    fn from(error: IndexError) -> Self {
        Self::Error(error)
    }
}

impl From<Doubt> for Wrong {
    fn from(doubt: Doubt) -> Self {
        Self::Doubt(doubt)
    }
}

impl Truth {
    pub(crate) fn take(&mut self, entries: &[Entry]) {
        for entry in entries {
            let (live, megram) = match entry {
                Entry::Live(megram) => (true, megram),
                Entry::Consolidated(megram) => (false, megram),
                Entry::Forgotten(id) => {
                    self.0.remove(id);
                    continue;
                }
            };
            let (entry, record) = (entry.clone(), Record::of(megram));
            let digest = record.digest();
            self.0.insert(megram.id, Known { entry, live, record, digest });
        }
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Result<Entry, std::convert::Infallible>> + '_ {
        self.0.values().map(|known| Ok(known.entry.clone()))
    }

    pub(crate) fn entry(&self, id: MegramId) -> Entry {
        self.0.get(&id).map_or(Entry::Forgotten(id), |known| known.entry.clone())
    }

    /// Compares an answer with the truth: by digests first, like a store, then by every field.
    fn bears_out(&self, found: Vec<Record>, wanted: impl Fn(&Known) -> bool) -> Result<(), Doubt> {
        let expected: Vec<&Known> = self.0.values().filter(|known| wanted(known)).collect();
        let digests = expected.iter().map(|known| (known.record.megram.id, known.digest));
        let verified = Verified::check(found, digests)?;
        let expected: Vec<&Record> = expected.iter().map(|known| &known.record).collect();
        assert_eq!(verified.records().iter().collect::<Vec<_>>(), expected, "verified, and yet wrong");
        Ok(())
    }

    /// Queries the index for everything in every way. `Ok` only if every answer was right; panics if a wrong
    /// one was accepted.
    pub(crate) async fn is_told_by(&self, index: &Index) -> Result<(), Wrong> {
        let mut found = Vec::new();
        loop {
            let after = found.last().map(|record: &Record| record.megram.id);
            let page = index.all(Page { after, limit: 611 }).await?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        self.bears_out(found, |_| true)?;
        let mut ids: Vec<MegramId> = self.0.keys().copied().collect();
        ids.push(MegramId::new(Uuid::from_u128(7))); // nobody's
        self.bears_out(index.get(ids).await?, |_| true)?;
        let whole = Page { after: None, limit: usize::MAX };
        let live = |known: &&Known| known.live;
        let pairs = self.0.values().filter(live).map(|known| &known.record.megram);
        let pairs: BTreeSet<(&Space, &Entity)> =
            pairs.map(|megram| (&megram.space, &megram.entity)).collect();
        for (space, entity) in pairs {
            let found = index.of_pair(TagPair::new(space.clone(), entity.clone()), whole).await?;
            let here = |megram: &Megram| megram.space == *space && megram.entity == *entity;
            self.bears_out(found, |known| known.live && here(&known.record.megram))?;
        }
        for level in LEVELS {
            let found = index.of_level(level, whole).await?;
            self.bears_out(found, |known| known.live && known.record.megram.level == level)?;
        }
        let counted = |wanted: &dyn Fn(&&Known) -> bool| self.0.values().filter(wanted).count() as u64;
        let live = counted(&live);
        let recalled = counted(&|known| known.record.megram.last_recalled_at.is_some());
        let expected = Counts { megrams: self.0.len() as u64, in_pairs: live, in_layers: live, recalled };
        let counts = index.count().await?;
        if counts == expected { Ok(()) } else { Err(Wrong::Counts(counts)) }
    }
}

/// A folder for a test: in memory if there is enough, since the tests sync thousands of times.
pub(crate) fn place() -> tempfile::TempDir {
    let room = rustix::fs::statvfs("/dev/shm").map_or(0, |found| found.f_bavail * found.f_frsize);
    if room > 1 << 30 { tempfile::tempdir_in("/dev/shm").unwrap() } else { tempfile::tempdir().unwrap() }
}
