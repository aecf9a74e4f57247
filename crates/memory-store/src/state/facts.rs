//! `Known`: all facts about one id.

use std::sync::Arc;

use artoo_mkct_memory::sums::Term;
use artoo_types::{Level, Megram, MegramId};
use chrono::{DateTime, FixedOffset};

/// All facts about one id. Facts about a Megram may arrive before the Megram itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// As it was written.
    pub(super) megram: Option<Arc<Megram>>,
    /// Its sources.
    pub(super) provenance: Option<Arc<[MegramId]>>,
    pub(super) is_consolidated: bool,
    pub(super) demoted_k: Option<f64>,
    pub(super) recalled_at: Option<DateTime<FixedOffset>>,
    pub(super) is_forgotten: bool,
}

/// A Megram's status in its pair. The numbers are those of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Class {
    /// Live, of level C.
    Rule = 0,
    /// Live, of level T.
    Law = 1,
    /// Live, of level M or K.
    Experience = 2,
    /// Consolidated into a rule: still there, but not live.
    Consolidated = 3,
}

impl Class {
    pub(super) fn from_number(number: u8) -> Option<Self> {
        [Self::Rule, Self::Law, Self::Experience, Self::Consolidated].get(usize::from(number)).copied()
    }
}

impl Known {
    /// A forgotten Megram.
    pub(super) fn forgotten() -> Self {
        Self { is_forgotten: true, ..Self::default() }
    }

    /// The Megram's current form.
    pub(super) fn current(&self) -> Option<Megram> {
        let mut megram = self.megram.as_deref()?.clone();
        if let Some(k) = self.demoted_k {
            megram.level = Level::K;
            megram.k = k;
        }
        megram.last_recalled_at = megram.last_recalled_at.max(self.recalled_at);
        Some(megram)
    }

    /// Its current level.
    pub(super) fn level(&self) -> Option<Level> {
        let written = self.megram.as_ref()?.level;
        Some(if self.demoted_k.is_some() { Level::K } else { written })
    }

    /// Its status in its pair; `None` without a Megram.
    pub(super) fn class(&self) -> Option<Class> {
        let level = self.level()?;
        Some(match level {
            _ if self.is_consolidated => Class::Consolidated,
            Level::C => Class::Rule,
            Level::T => Class::Law,
            Level::M | Level::K => Class::Experience,
        })
    }

    /// Its contribution to the sums of its pair.
    pub(super) fn term(&self) -> Option<Term> {
        if self.is_consolidated {
            return None;
        }
        match &self.megram {
            // Avoids a copy of the words.
            Some(megram) if self.demoted_k.is_none() && self.recalled_at.is_none() => Term::of(megram),
            Some(_) | None => self.current().as_ref().and_then(Term::of),
        }
    }

    /// The time of its last event, by the event's own timestamp.
    pub(super) fn touched_ms(&self) -> Option<i64> {
        let megram = self.megram.as_ref()?;
        let recalled = megram.last_recalled_at.max(self.recalled_at);
        Some(recalled.map_or(i64::MIN, |at| at.timestamp_millis()).max(megram.created_at.timestamp_millis()))
    }
}
