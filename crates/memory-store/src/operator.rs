//! `Operator`: inspection and maintenance of a memory by a person, as values. `artoo memory` uses nothing
//! else.

use std::ops::ControlFlow;

use artoo_mkct_memory::MemoryService;
use artoo_mkct_memory::dreamer::Entry;
use artoo_types::{
    DreamReport, Level, Megram, MegramId, MemoryQuery, MemoryReply, Potentials, Remedy, TagPair,
};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// A memory's interface for its owner.
///
/// # Contract
///
/// - Nothing here counts as a recall: inspecting a Megram does not refresh it.
/// - Memory usage is bounded by what is requested, and [`all`](Self::all) holds one Megram at a time.
/// - A forgotten Megram is in no answer, and its content in no file of the memory when
///   [`forget`](Self::forget) returns.
///
/// # Who calls
///
/// A person's commands, and views for a person. No role.
pub trait Operator: MemoryService {
    /// Statistics of the memory.
    ///
    /// # Errors
    ///
    /// [`StoreError`], as everywhere here: it is closed, or cannot be read.
    fn stats(&self) -> Result<Stats, StoreError>;

    /// The Megrams that match the filter, newest first; with words, the most similar first.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn list(&self, filter: &Filter) -> Result<Vec<Listed>, StoreError>;

    /// All details of one Megram; `None` if it is unknown or forgotten.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn show(&self, id: MegramId) -> Result<Option<Shown>, StoreError>;

    /// The Megrams whose id begins with these hexadecimal digits, in order; at most `limit`. Hyphens and case
    /// do not matter.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn find_prefix(&self, hex: &str, limit: usize) -> Result<Vec<MegramId>, StoreError>;

    /// The answer of [`recall`](MemoryService::recall), without recording a recall.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn recall_look(&self, query: &MemoryQuery) -> Result<MemoryReply, StoreError>;

    /// The live entries of a pair, each with its sources.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn entries(&self, pair: &TagPair) -> Result<Vec<Entry>, StoreError>;

    /// Visits every Megram that is not forgotten, in its current form, in the order of ids, until the
    /// callback stops.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn all(&self, each: &mut dyn FnMut(&Megram, &Provenance) -> ControlFlow<()>) -> Result<(), StoreError>;

    /// Permanently removes these Megrams with their content. A tombstone of each stays, so that no import
    /// brings it back.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats); what was not yet forgotten is still there.
    fn forget(&self, ids: &[MegramId]) -> Result<Forgotten, StoreError>;

    /// Rebuilds the index from the truth, and returns the number of Megrams in it.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn rebuild_index(&self) -> Result<u64, StoreError>;

    /// Reads and compares everything on disk. Changes nothing.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats); damage is a finding, not an error.
    fn verify(&self) -> Result<Verification, StoreError>;

    /// The Dreamer's changes, newest first; at most `limit` cycles.
    ///
    /// # Errors
    ///
    /// As [`stats`](Self::stats).
    fn dream_log(&self, limit: usize) -> Result<Vec<Dreamt>, StoreError>;
}

/// Statistics of a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Live Megrams, by level.
    pub levels: Levels,
    /// Consolidated Megrams, kept behind a rule.
    pub consolidated: u64,
    /// Tombstones.
    pub forgotten: u64,
    /// Tag pairs with a live Megram.
    pub pairs: u64,
    /// Creation time of the oldest Megram kept.
    pub oldest: Option<DateTime<FixedOffset>>,
    /// Creation time of the newest.
    pub newest: Option<DateTime<FixedOffset>>,
    /// Its storage and size.
    pub keeping: Keeping,
    /// When the Dreamer last changed something.
    pub last_dream: Option<DateTime<FixedOffset>>,
    /// Problems.
    pub findings: Vec<Finding>,
}

/// The number of live Megrams of each level.
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

    /// The sum of all levels.
    pub fn total(&self) -> u64 {
        [self.m, self.k, self.c, self.t].into_iter().fold(0, u64::saturating_add)
    }
}

/// The storage of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "where")]
pub enum Keeping {
    /// In this process only.
    Process,
    /// On disk.
    Disk {
        /// The folder.
        folder: std::path::PathBuf,
        /// The writing process.
        owner: Owner,
        /// Bytes of the journal.
        journal_bytes: u64,
        /// Bytes of the snapshot.
        snapshot_bytes: u64,
        /// Bytes of the index.
        index_bytes: u64,
        /// Events on disk.
        durable: u64,
        /// Events of this process that are not yet on disk.
        pending: u64,
    },
}

/// The process that writes to a memory on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "who")]
pub enum Owner {
    /// This process.
    This,
    /// Another one, which accepts the events of this one.
    Other {
        /// Its process id, if known.
        pid: Option<u32>,
    },
    /// No process can write, so the memory is read-only.
    Nobody {
        /// The reason.
        why: String,
    },
}

/// Which Megrams to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Only this level.
    pub level: Option<Level>,
    /// Only spaces with this prefix.
    pub space: Option<String>,
    /// Only Megrams similar to these words.
    pub like: Option<String>,
    /// Maximum number.
    pub limit: usize,
}

/// A Megram in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// Its current form.
    pub megram: Megram,
    /// Its current contribution to its pair's attention. 0 if it is not live, or is a law.
    pub live: f64,
    /// The rule that it was consolidated into.
    pub consolidated_into: Option<MegramId>,
}

/// All details of one Megram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The Megram.
    pub listed: Listed,
    /// The experiences behind it, if it is or was a rule, oldest first. At most 1,000.
    pub sources: Vec<Megram>,
    /// The number of further ones, forgotten or beyond that limit.
    pub sources_not_shown: u64,
    /// The current potentials of its pair.
    pub potentials: Potentials,
}

/// A Megram's sources, and the rule that it was consolidated into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The experiences behind a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<MegramId>,
    /// The rule that it was consolidated into; it is no longer live then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consolidated_into: Option<MegramId>,
}

/// The result of forgetting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Permanently removed.
    pub forgotten: Vec<MegramId>,
    /// Unknown ids.
    pub unknown: Vec<MegramId>,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// The number of events read.
    pub events: u64,
    /// The number of Megrams that result from them.
    pub megrams: u64,
    /// Problems.
    pub findings: Vec<Finding>,
}

/// A problem of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The part concerned.
    pub part: Part,
    /// The problem, in a sentence.
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
    /// The rebuildable index.
    Index,
    /// The sharing between processes.
    Sharing,
}

/// A cycle of the Dreamer that changed something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dreamt {
    /// Its time.
    pub at: DateTime<FixedOffset>,
    /// Its report.
    pub report: DreamReport,
}
