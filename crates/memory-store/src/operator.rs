//! What a person may look at and do with a memory, as values: the pages of `artoo memory` are made of nothing else.

use std::ops::ControlFlow;

use artoo_mkct_memory::MemoryService;
use artoo_mkct_memory::dreamer::Entry;
use artoo_types::{
    DreamReport, Level, Megram, MegramId, MemoryQuery, MemoryReply, Potentials, Remedy, TagPair,
};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// A memory as its owner looks after it.
///
/// # Contract
///
/// - Nothing here counts as a recall: looking makes nothing younger.
/// - Everything is bounded by what is asked for, but [`all`](Self::all), which holds one Megram at a time.
/// - What is forgotten is in no answer, and its content in no file of the memory when [`forget`](Self::forget) returns.
///
/// # Who calls
///
/// A person's commands, and views for a person. No role.
pub trait Operator: MemoryService {
    /// The memory in numbers.
    ///
    /// # Errors
    ///
    /// [`StoreError`], as everywhere here: it is closed, or cannot be read.
    fn stats(&self) -> Result<Stats, StoreError>;

    /// What fits the filter, newest first; where it has words, the most similar first.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn list(&self, filter: &Filter) -> Result<Vec<Listed>, StoreError>;

    /// Everything of one Megram; `None` where it is unknown or forgotten.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn show(&self, id: MegramId) -> Result<Option<Shown>, StoreError>;

    /// The Megrams whose id begins with these hexadecimal digits, in their order; no more than `limit`. Hyphens and case do not matter.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn find_prefix(&self, hex: &str, limit: usize) -> Result<Vec<MegramId>, StoreError>;

    /// What [`recall`](MemoryService::recall) would answer, without noting a recall.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn recall_look(&self, query: &MemoryQuery) -> Result<MemoryReply, StoreError>;

    /// The live entries of a pair, each with what it was distilled from.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn entries(&self, pair: &TagPair) -> Result<Vec<Entry>, StoreError>;

    /// Hands over every Megram that is not forgotten, as it stands now, in the order of ids, until it is told to stop.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn all(&self, each: &mut dyn FnMut(&Megram, &Provenance) -> ControlFlow<()>) -> Result<(), StoreError>;

    /// Takes these out with their content, for good. Of each a tombstone stays, so that no import brings it back.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats); what was not forgotten by then is still there.
    fn forget(&self, ids: &[MegramId]) -> Result<Forgotten, StoreError>;

    /// Builds the index anew from the truth, and says how many Megrams are in it.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn rebuild_index(&self) -> Result<u64, StoreError>;

    /// Reads everything that is on disk and compares it. Changes nothing.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats); what is damaged is a finding, no error.
    fn verify(&self) -> Result<Verification, StoreError>;

    /// What the Dreamer changed, newest first; no more than `limit` cycles.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn dream_log(&self, limit: usize) -> Result<Vec<Dreamt>, StoreError>;
}

/// A memory in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Megrams that count, by level.
    pub levels: Levels,
    /// Megrams that are kept behind a rule and count no more.
    pub consolidated: u64,
    /// Tombstones.
    pub forgotten: u64,
    /// Tag pairs with a Megram that counts.
    pub pairs: u64,
    /// When the oldest Megram was made that is kept.
    pub oldest: Option<DateTime<FixedOffset>>,
    /// When the newest was.
    pub newest: Option<DateTime<FixedOffset>>,
    /// Where it is kept, and how much that takes.
    pub keeping: Keeping,
    /// When the Dreamer last changed something.
    pub last_dream: Option<DateTime<FixedOffset>>,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
}

/// How many Megrams of each level count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct Levels {
    /// Raw experiences.
    pub m: u64,
    /// Knowledge.
    pub k: u64,
    /// Rules.
    pub c: u64,
    /// Laws.
    pub t: u64,
}

impl Levels {
    /// Counts one more.
    pub fn add(&mut self, level: Level) {
        let count = match level {
            Level::M => &mut self.m,
            Level::K => &mut self.k,
            Level::C => &mut self.c,
            Level::T => &mut self.t,
        };
        *count = count.saturating_add(1);
    }

    /// Of all levels together.
    pub fn total(&self) -> u64 {
        [self.m, self.k, self.c, self.t].into_iter().fold(0, u64::saturating_add)
    }
}

/// Where a memory is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "where")]
pub enum Keeping {
    /// In this process, and gone with it.
    Process,
    /// On disk.
    Disk {
        /// The folder.
        folder: std::path::PathBuf,
        /// Who writes.
        owner: Owner,
        /// Bytes of the journal.
        journal_bytes: u64,
        /// Bytes of the snapshot.
        snapshot_bytes: u64,
        /// Bytes of the index.
        index_bytes: u64,
        /// Events on disk, where nothing but the disk itself can lose them.
        durable: u64,
        /// Events of this process on their way there.
        pending: u64,
    },
}

/// Who writes to a memory on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "who")]
pub enum Owner {
    /// This process.
    This,
    /// Another one, which takes the events of this one.
    Other {
        /// Its number, where it tells.
        pid: Option<u32>,
    },
    /// Nobody can, so it is read only.
    Nobody {
        /// Why.
        why: String,
    },
}

/// Which Megrams to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Of this level alone.
    pub level: Option<Level>,
    /// Whose space begins like this.
    pub space: Option<String>,
    /// That are like these words.
    pub like: Option<String>,
    /// No more than this many.
    pub limit: usize,
}

/// A Megram in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// As it stands now.
    pub megram: Megram,
    /// What it adds to the attention of its pair now. Nothing where it counts no more, or is a law.
    pub live: f64,
    /// The rule that it became part of.
    pub consolidated_into: Option<MegramId>,
}

/// Everything of one Megram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The Megram.
    pub listed: Listed,
    /// The experiences behind it, where it is or was a rule, oldest first. No more than 1,000.
    pub sources: Vec<Megram>,
    /// How many more there were, which are forgotten or beyond that number.
    pub sources_not_shown: u64,
    /// What its pair adds up to now.
    pub potentials: Potentials,
}

/// Where a Megram comes from, and what it became part of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The experiences behind a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<MegramId>,
    /// The rule that it became part of; it counts no more then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consolidated_into: Option<MegramId>,
}

/// What was forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Gone for good.
    pub forgotten: Vec<MegramId>,
    /// Not there.
    pub unknown: Vec<MegramId>,
}

/// What was found when everything was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Events that were read.
    pub events: u64,
    /// Megrams that they add up to.
    pub megrams: u64,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
}

/// Something of a memory that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Where.
    pub part: Part,
    /// What, in a sentence.
    pub finding: String,
    /// What a person can do.
    pub hint: Option<String>,
    /// What a front end has for it.
    pub remedy: Option<Remedy>,
}

/// A part of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The truth.
    Journal,
    /// The truth up to some event.
    Snapshot,
    /// What can be built anew.
    Index,
    /// How processes share it.
    Sharing,
}

/// A cycle of the Dreamer that changed something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dreamt {
    /// When.
    pub at: DateTime<FixedOffset>,
    /// What.
    pub report: DreamReport,
}
