//! The potentials of one tag pair in time that does not grow with its history.
//!
//! Decay is exponential, so all entries of one rate k fade in step: one factor moves their whole sum forward in time. Per
//! distinct k the sums keep a positive and a negative mass at a reference time that rolls forward with the newest
//! entry. (With a fixed reference time, `e^(k * dt)` leaves the range of f64 after some years.)
//!
//! An entry of magnitude f and valence sigma puts `f * (1 + sigma) / 2` on the positive and `f * (1 - sigma) / 2` on the
//! negative side: attention is the sum of both sides, decision their difference.
//!
//! Source: `docs/deviations.md`, "In-memory sums".

use std::collections::BTreeMap;

use artoo_types::{Megram, MegramId, Potentials};
use chrono::{DateTime, FixedOffset};

use crate::{decay, potentials};

/// A slot that has lost all but this share of its greatest mass is summed anew, so that what subtraction rounded away
/// never shows beside what is left.
const REBUILD_BELOW: f64 = 0.01;

/// The sums of one tag pair.
///
/// ```
/// # use artoo_mkct_memory::{matrix, sums::Sums};
/// # use artoo_types::{Entity, MegramState, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let mut sums = Sums::default();
/// sums.put(&matrix::megram(id, MegramState::Abandon, now, Space::intent("a"), Entity::local(), String::new()));
/// assert_eq!(sums.potentials(now).decision, -0.95);
/// sums.remove(id);
/// assert_eq!(sums.potentials(now).attention, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// One slot per distinct k, by the bits of k.
    slots: BTreeMap<u64, Slot>,
    /// Every entry's own term: what to subtract when it goes, and the way back to an exact sum.
    terms: BTreeMap<MegramId, Term>,
    /// No entry's clock is later than this.
    latest_ms: i64,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    positive: f64,
    negative: f64,
    k: f64,
    clock_ms: i64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    k: f64,
    reference_ms: i64,
    positive: f64,
    negative: f64,
    /// The greatest mass since the slot was last summed anew, faded to the reference time.
    peak: f64,
    entries: usize,
}

impl Sums {
    /// Takes an entry in, in place of what the same id put in before. Levels that do not
    /// [count](potentials::counts) put in nothing.
    pub fn put(&mut self, megram: &Megram) {
        self.remove(megram.id);
        if !potentials::counts(megram.level) {
            return;
        }
        let term = Term {
            positive: megram.f * (1.0 + megram.sigma) / 2.0,
            negative: megram.f * (1.0 - megram.sigma) / 2.0,
            k: megram.k,
            clock_ms: decay::clock_ms(megram),
        };
        self.latest_ms =
            if self.terms.is_empty() { term.clock_ms } else { self.latest_ms.max(term.clock_ms) };
        self.terms.insert(megram.id, term);
        self.slots.entry(slot_of(term.k)).or_insert_with(|| Slot::new(term.k)).add(term);
    }

    /// Takes an entry out. An id that is not there changes nothing.
    pub fn remove(&mut self, id: MegramId) {
        let Some(term) = self.terms.remove(&id) else { return };
        let at = slot_of(term.k);
        let Some(slot) = self.slots.get_mut(&at) else { return };
        slot.subtract(term);
        if slot.entries == 0 {
            self.slots.remove(&at);
        } else if slot.positive + slot.negative < slot.peak * REBUILD_BELOW {
            *slot = Slot::new(term.k);
            self.terms.values().filter(|other| slot_of(other.k) == at).for_each(|other| slot.add(*other));
        }
    }

    /// The potentials at `now`.
    pub fn potentials(&self, now: DateTime<FixedOffset>) -> Potentials {
        let now_ms = now.timestamp_millis();
        if now_ms < self.latest_ms {
            // The clock was set back. Ages are never negative, which the closed form cannot know.
            return self.direct(now);
        }
        let (mut attention, mut decision) = (0.0, 0.0);
        for slot in self.slots.values() {
            let weight = decay::weight(slot.k, decay::days_between(slot.reference_ms, now_ms));
            attention += (slot.positive + slot.negative) * weight;
            decision += (slot.positive - slot.negative) * weight;
        }
        potentials::advise(attention, decision)
    }

    /// The same, term by term: the checking path.
    pub fn direct(&self, now: DateTime<FixedOffset>) -> Potentials {
        let now_ms = now.timestamp_millis();
        let (mut attention, mut decision) = (0.0, 0.0);
        for term in self.terms.values() {
            let weight = decay::weight(term.k, decay::days_between(term.clock_ms, now_ms));
            attention += (term.positive + term.negative) * weight;
            decision += (term.positive - term.negative) * weight;
        }
        potentials::advise(attention, decision)
    }

    /// How many entries the sums hold.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether they hold none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// 0 and -0 are one rate with two bit patterns.
fn slot_of(k: f64) -> u64 {
    (k + 0.0).to_bits()
}

impl Slot {
    fn new(k: f64) -> Self {
        Self { k, reference_ms: i64::MIN, positive: 0.0, negative: 0.0, peak: 0.0, entries: 0 }
    }

    fn add(&mut self, term: Term) {
        if self.entries == 0 {
            self.reference_ms = term.clock_ms;
        } else if term.clock_ms > self.reference_ms {
            let fade = decay::weight(self.k, decay::days_between(self.reference_ms, term.clock_ms));
            self.positive *= fade;
            self.negative *= fade;
            self.peak *= fade;
            self.reference_ms = term.clock_ms;
        }
        let weight = self.weight(term);
        self.positive += term.positive * weight;
        self.negative += term.negative * weight;
        self.peak = self.peak.max(self.positive + self.negative);
        self.entries += 1;
    }

    fn subtract(&mut self, term: Term) {
        let weight = self.weight(term);
        self.positive = (self.positive - term.positive * weight).max(0.0);
        self.negative = (self.negative - term.negative * weight).max(0.0);
        self.entries = self.entries.saturating_sub(1);
    }

    /// What is left of a term at the reference time, which no term's clock is later than.
    fn weight(&self, term: Term) -> f64 {
        decay::weight(self.k, decay::days_between(term.clock_ms, self.reference_ms))
    }
}
