//! The potentials of one tag pair in time independent of its history.
//!
//! Decay is exponential, so all entries of one rate k fade in step: one factor moves their whole sum forward
//! in time. Per distinct k the sums keep a positive and a negative mass at a reference time that moves
//! forward with the newest entry. (With a fixed reference time, `e^(k * dt)` leaves the range of f64 after
//! some years.)
//!
//! An entry of magnitude f and valence sigma adds `f * (1 + sigma) / 2` to the positive and
//! `f * (1 - sigma) / 2` to the negative side: attention is the sum of both sides, decision their difference.
//!
//! [`Slots`] are the sums alone, in a storable form; a removed term has to be passed in. [`Sums`] keep every
//! entry's term as well.
//!
//! Source: `docs/deviations.md`, "In-memory sums".

use std::collections::BTreeMap;

use artoo_types::{Megram, MegramId, Potentials};
use chrono::{DateTime, FixedOffset};

use crate::{decay, potentials};

/// A slot that has lost all but this share of its greatest mass is recomputed, so that rounding errors of
/// subtraction never matter beside the rest.
const REBUILD_BELOW: f64 = 0.01;
/// Sums that differ by at most this share of their mass are equal.
const TOLERANCE: f64 = 1e-9;

/// The contribution of one entry to the sums of its pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Its positive mass when new.
    pub positive: f64,
    /// Its negative mass when new.
    pub negative: f64,
    /// Its decay rate per day.
    pub k: f64,
    /// The start of its age, in milliseconds of the Unix clock.
    pub clock_ms: i64,
}

impl Term {
    /// The term of a Megram in its current form; `None` if its level does not [count](potentials::counts).
    pub fn of(megram: &Megram) -> Option<Self> {
        potentials::counts(megram.level).then(|| Self {
            positive: megram.f * (1.0 + megram.sigma) / 2.0,
            negative: megram.f * (1.0 - megram.sigma) / 2.0,
            k: megram.k,
            clock_ms: decay::clock_ms(megram),
        })
    }
}

/// The sum of all entries of one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// The rate per day.
    pub k: f64,
    /// The time of the masses, in milliseconds of the Unix clock.
    pub reference_ms: i64,
    /// The positive mass.
    pub positive: f64,
    /// The negative mass.
    pub negative: f64,
    /// The greatest mass since the slot was last recomputed, decayed to the reference time.
    pub peak: f64,
    /// The number of entries.
    pub entries: u64,
}

/// The accuracy of a slot after an entry was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Exactness {
    /// Exact, except for the usual rounding.
    Exact,
    /// So little is left that the rounding of the removed mass may matter: recompute the sum.
    SumAnew,
}

/// The sums of one tag pair, without their terms.
/// ```
/// # use artoo_mkct_memory::{matrix, sums::{Exactness, Slots, Term}};
/// # use artoo_types::{Entity, MegramState, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let megram = matrix::megram(id, MegramState::Abandon, now, Space::intent("a"), Entity::local(), String::new());
/// let term = Term::of(&megram).ok_or("level M counts")?;
/// let mut slots = Slots::default();
/// slots.add(term);
/// let stored = (slots.slots().to_vec(), slots.latest_ms());
/// let mut slots = Slots::from_parts(stored.0, stored.1);
/// assert_eq!(slots.potentials(now).map(|known| known.decision), Some(-0.95));
/// assert_eq!(slots.subtract(term), Exactness::Exact);
/// assert!(slots.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slots {
    /// One per distinct k, by the bits of k.
    slots: Vec<Slot>,
    /// An upper bound of the entries' clocks.
    latest_ms: i64,
}

impl Slots {
    /// Restores stored sums: the values of [`slots`](Self::slots) and [`latest_ms`](Self::latest_ms).
    pub fn from_parts(mut slots: Vec<Slot>, latest_ms: i64) -> Self {
        slots.sort_by_key(|slot| slot_of(slot.k));
        Self { slots, latest_ms }
    }

    /// The sums of these terms.
    pub fn of(terms: impl IntoIterator<Item = Term>) -> Self {
        let mut slots = Self::default();
        terms.into_iter().for_each(|term| slots.add(term));
        slots
    }

    /// One slot per distinct rate.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// An upper bound of the entries' clocks, in milliseconds of the Unix clock.
    pub fn latest_ms(&self) -> i64 {
        self.latest_ms
    }

    /// The number of entries.
    pub fn len(&self) -> u64 {
        self.slots.iter().map(|slot| slot.entries).sum()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds a term.
    pub fn add(&mut self, term: Term) {
        self.latest_ms = if self.is_empty() { term.clock_ms } else { self.latest_ms.max(term.clock_ms) };
        match self.find(term.k) {
            Ok(at) => self.slots.get_mut(at).into_iter().for_each(|slot| slot.add(term)),
            Err(at) => self.slots.insert(at, Slot::of(term)),
        }
    }

    /// Removes a term that was added.
    pub fn subtract(&mut self, term: Term) -> Exactness {
        let Ok(at) = self.find(term.k) else { return Exactness::SumAnew };
        let Some(slot) = self.slots.get_mut(at) else { return Exactness::SumAnew };
        slot.subtract(term);
        if slot.entries == 0 {
            self.slots.remove(at);
        } else if slot.positive + slot.negative < slot.peak * REBUILD_BELOW {
            return Exactness::SumAnew;
        }
        Exactness::Exact
    }

    /// The potentials at `now`; `None` if the clock was set back to before an entry: ages are never negative,
    /// which the closed form cannot express, so the entries have to be summed directly.
    pub fn potentials(&self, now: DateTime<FixedOffset>) -> Option<Potentials> {
        let now_ms = now.timestamp_millis();
        if now_ms < self.latest_ms {
            return None;
        }
        let (mut attention, mut decision) = (0.0, 0.0);
        for slot in &self.slots {
            let weight = decay::weight(slot.k, decay::days_between(slot.reference_ms, now_ms));
            attention += (slot.positive + slot.negative) * weight;
            decision += (slot.positive - slot.negative) * weight;
        }
        Some(potentials::advise(attention, decision))
    }

    /// Whether two sums are equal, except for rounding.
    pub fn agree_with(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Slot, &Slot)| {
            let at = a.reference_ms.max(b.reference_ms);
            let [a_weight, b_weight] =
                [a, b].map(|s| decay::weight(s.k, decay::days_between(s.reference_ms, at)));
            let size = (b.positive + b.negative) * b_weight * TOLERANCE;
            slot_of(a.k) == slot_of(b.k)
                && a.entries == b.entries
                && (a.positive * a_weight - b.positive * b_weight).abs() <= size
                && (a.negative * a_weight - b.negative * b_weight).abs() <= size
        };
        self.slots.len() == other.slots.len() && self.slots.iter().zip(&other.slots).all(alike)
    }

    fn find(&self, k: f64) -> Result<usize, usize> {
        self.slots.binary_search_by_key(&slot_of(k), |slot| slot_of(slot.k))
    }

    /// Recomputes the slot of a rate from all terms of the pair.
    fn sum_anew(&mut self, k: f64, terms: impl Iterator<Item = Term>) {
        let same = terms.filter(|term| slot_of(term.k) == slot_of(k));
        let (anew, at) = (Self::of(same), self.find(k));
        if let (Ok(at), Some(slot)) = (at, anew.slots.first()) {
            self.slots.get_mut(at).into_iter().for_each(|old| *old = *slot);
        }
    }
}

/// The sums of one tag pair, with the term of each entry.
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
    slots: Slots,
    /// Every entry's own term: needed to subtract it, and to recompute exact sums.
    terms: BTreeMap<MegramId, Term>,
}

impl Sums {
    /// Adds an entry, replacing an earlier one of the same id. Levels that do not [count](potentials::counts)
    /// add nothing.
    pub fn put(&mut self, megram: &Megram) {
        self.remove(megram.id);
        if let Some(term) = Term::of(megram) {
            self.terms.insert(megram.id, term);
            self.slots.add(term);
        }
    }

    /// Removes an entry. An unknown id changes nothing.
    pub fn remove(&mut self, id: MegramId) {
        let Some(term) = self.terms.remove(&id) else { return };
        match self.slots.subtract(term) {
            Exactness::Exact => {}
            Exactness::SumAnew => self.slots.sum_anew(term.k, self.terms.values().copied()),
        }
    }

    /// The potentials at `now`.
    pub fn potentials(&self, now: DateTime<FixedOffset>) -> Potentials {
        self.slots.potentials(now).unwrap_or_else(|| self.direct(now))
    }

    /// The same, term by term, as a check.
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

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// 0 and -0 are one rate with two bit patterns.
fn slot_of(k: f64) -> u64 {
    (k + 0.0).to_bits()
}

impl Slot {
    fn of(term: Term) -> Self {
        let Term { positive, negative, k, clock_ms } = term;
        Self { k, reference_ms: clock_ms, positive, negative, peak: positive + negative, entries: 1 }
    }

    fn add(&mut self, term: Term) {
        if term.clock_ms > self.reference_ms {
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

    /// The remaining weight of a term at the reference time, which is not before any term's clock.
    fn weight(&self, term: Term) -> f64 {
        decay::weight(self.k, decay::days_between(term.clock_ms, self.reference_ms))
    }
}
