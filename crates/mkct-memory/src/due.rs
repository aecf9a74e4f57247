//! Computes when the Dreamer has to process a pair again.
//!
//! Between two events only the time changes, and every sum of a pair is a sum of exponentials. So the first
//! moment at which [`plan`](crate::dreamer::plan) would do anything can be found: a stretch of time is
//! skipped if a sum cannot reach its threshold even with its rising terms at the end and its falling terms at
//! the beginning; any other one is halved.
//!
//! Pure. The result may be early, by rounding or where sums come very near to a threshold, and is never late.

use artoo_types::{Level, Megram, Polarity};

use crate::decay::{self, MILLISECONDS_PER_DAY};
use crate::dreamer::Entry;
use crate::potentials::DECISION_MIN;
use crate::sums::{Slot, Slots, Term};
use crate::{Bankruptcy, Rules, dreamer, polarity, rule_text};

/// When the Dreamer has to process a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Due {
    /// Immediately.
    Now,
    /// At this time, in milliseconds of the Unix clock.
    At(i64),
    /// Not before the pair changes.
    Never,
}

impl Due {
    /// Whether the time has come.
    pub fn by(self, now_ms: i64) -> bool {
        match self {
            Self::Now => true,
            Self::At(at) => at <= now_ms,
            Self::Never => false,
        }
    }
}

/// The first time from `from_ms` on at which a pair's plan is not empty, if the pair does not change.
///
/// `entries` are the pair's live entries: neither forgotten nor consolidated.
/// ```
/// # use artoo_mkct_memory::{Rules, dreamer::Entry, due::{Due, next}, matrix};
/// # use artoo_types::{Entity, MegramState, Space};
/// # let made_at = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let megram = matrix::megram(id, MegramState::Accept, made_at, Space::intent("a"), Entity::local(), String::new());
/// let entry = Entry { megram, sources: Vec::new() };
/// let Due::At(at) = next(&[entry], &Rules::default(), made_at.timestamp_millis()) else { return Err("no time".into()) };
/// let days = (at - made_at.timestamp_millis()) as f64 / 86_400_000.0;
/// assert!((days - (0.9_f64 / 0.1).ln() / 0.05).abs() < 1e-6); // an attention of 0.1
/// assert_eq!(next(&[], &Rules::default(), 0), Due::Never);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn next(entries: &[Entry], rules: &Rules, from_ms: i64) -> Due {
    let outline = Outline::of(entries, rules);
    let masses = masses(entries.iter(), from_ms);
    let own = self::masses(dreamer::behind_rules(entries).into_iter(), from_ms);
    let first = [
        outline.forget_from_ms.and_then(|old_ms| {
            let faded = Curve::new(&masses, rules.forget_below * (1.0 + SLACK), |mass| -attention(mass));
            first(&[faded], old_ms.max(from_ms))
        }),
        outline
            .falls_below_zero
            .then(|| first(&[toward(&masses, Polarity::Constraint, 0.0)], from_ms))
            .flatten(),
        outline.practice_falls_until_ms.and_then(|until_ms| {
            let at_ms = first(&[toward(&masses, Polarity::Constraint, 0.0)], from_ms)?;
            (at_ms <= until_ms).then_some(at_ms)
        }),
        outline
            .falls_above_zero
            .then(|| first(&[toward(&masses, Polarity::Practice, 0.0)], from_ms))
            .flatten(),
        outline.practice.then(|| arises(&own, rules, Polarity::Practice, from_ms)).flatten(),
        outline.constraint.then(|| arises(&own, rules, Polarity::Constraint, from_ms)).flatten(),
    ];
    match first.into_iter().flatten().min() {
        Some(at_ms) if at_ms <= from_ms => Due::Now,
        Some(at_ms) => Due::At(at_ms),
        None => Due::Never,
    }
}

/// The masses of entries, one per rate where the closed form allows it: no entry's clock may be in the future.
fn masses<'a>(entries: impl Iterator<Item = &'a Entry>, from_ms: i64) -> Vec<Term> {
    let terms: Vec<Term> = entries.filter_map(|entry| Term::of(&entry.megram)).collect();
    let slots = Slots::of(terms.iter().copied());
    if from_ms >= slots.latest_ms() { slots.slots().iter().map(Term::from).collect() } else { terms }
}

/// Rounding may change a sum by less than this share of its mass.
const SLACK: f64 = 1e-9;
/// The last instant that the calendar type supports.
const LAST_MS: i64 = 8_210_000_000_000_000;
/// Maximum number of stretches of time examined before the search ends, with what is not ruled out by then.
const STRETCHES: usize = 1024;

/// The properties of a pair that determine its due time.
#[derive(Default)]
struct Outline {
    /// When the oldest experience may be forgotten.
    forget_from_ms: Option<i64>,
    /// Whether a rule is demoted when the decision is below 0.
    falls_below_zero: bool,
    /// Until when a practice is demoted when the decision is below 0.
    practice_falls_until_ms: Option<i64>,
    /// Whether a rule is demoted when the decision is above 0.
    falls_above_zero: bool,
    /// Whether an experience supports a new practice.
    practice: bool,
    /// Whether an experience supports a new constraint.
    constraint: bool,
}

impl Outline {
    fn of(entries: &[Entry], rules: &Rules) -> Self {
        let mut outline = Self::default();
        // Without a minimum age everything is old enough at any time; a fraction of a millisecond makes it
        // early, not late.
        let least_age = (rules.forget_min_age_days * MILLISECONDS_PER_DAY) as i64;
        let least_age = (rules.forget_min_age_days > 0.0).then_some(least_age);
        for Entry { megram, sources } in entries {
            match megram.level {
                Level::M | Level::K => {
                    let old = least_age.map_or(i64::MIN, |age| decay::clock_ms(megram).saturating_add(age));
                    outline.forget_from_ms = Some(outline.forget_from_ms.map_or(old, |other| other.min(old)));
                    outline.practice |=
                        sources.is_empty() && rule_text::speaks_for(megram, Polarity::Practice);
                    outline.constraint |=
                        sources.is_empty() && rule_text::speaks_for(megram, Polarity::Constraint);
                }
                Level::C => match (rules.bankruptcy, polarity(megram.sigma)) {
                    (Bankruptcy::Contradicted, Polarity::Constraint) => outline.falls_above_zero = true,
                    (Bankruptcy::Contradicted, Polarity::Practice) => {
                        outline.practice_falls_until_ms = two_speak_until_ms(entries);
                    }
                    (Bankruptcy::Negative, _) => outline.falls_below_zero = true,
                },
                Level::T => {}
            }
        }
        outline
    }
}

impl From<&Slot> for Term {
    fn from(slot: &Slot) -> Self {
        Self { positive: slot.positive, negative: slot.negative, k: slot.k, clock_ms: slot.reference_ms }
    }
}

fn attention(mass: &Term) -> f64 {
    mass.positive + mass.negative
}

/// How far the decision exceeds a threshold in one direction.
fn toward(masses: &[Term], polarity: Polarity, threshold: f64) -> Curve {
    Curve::new(masses, -threshold * (1.0 - SLACK), |mass| {
        let decision = mass.positive - mass.negative;
        SLACK * attention(mass)
            + match polarity {
                Polarity::Practice => decision,
                Polarity::Constraint => -decision,
            }
    })
}

/// Until when two experiences still contradict the practices of a pair: the second last time at which one
/// becomes too faint.
fn two_speak_until_ms(entries: &[Entry]) -> Option<i64> {
    let speaks_until_ms = |megram: &Megram| {
        let days = (-megram.sigma * megram.f / DECISION_MIN).ln() / megram.k;
        // Rounding makes it early, not late.
        (days >= 0.0)
            .then(|| decay::clock_ms(megram).saturating_add((days * MILLISECONDS_PER_DAY + 1.0) as i64))
    };
    let mut until: Vec<i64> = dreamer::against(entries).filter_map(speaks_until_ms).collect();
    until.sort_unstable_by_key(|until_ms| std::cmp::Reverse(*until_ms));
    until.get(1).copied()
}

/// When both thresholds of a new rule are met.
fn arises(masses: &[Term], rules: &Rules, polarity: Polarity, from_ms: i64) -> Option<i64> {
    let drawn = Curve::new(masses, -rules.promote_attention * (1.0 - SLACK), attention);
    first(&[drawn, toward(masses, polarity, rules.promote_decision)], from_ms)
}

/// A sum of decaying masses, and a constant.
struct Curve {
    constant: f64,
    masses: Vec<Term>,
    sizes: Vec<f64>,
}

impl Curve {
    fn new(masses: &[Term], constant: f64, size: impl Fn(&Term) -> f64) -> Self {
        Self { constant, masses: masses.to_vec(), sizes: masses.iter().map(size).collect() }
    }

    /// An upper bound of its value from one time to another.
    fn most(&self, from_ms: i64, to_ms: i64) -> f64 {
        let sizes = self.masses.iter().zip(&self.sizes);
        self.constant
            + sizes
                .map(|(mass, size)| {
                    let at_ms = if *size > 0.0 { from_ms } else { to_ms };
                    size * decay::weight(mass.k, decay::days_between(mass.clock_ms, at_ms))
                })
                .sum::<f64>()
    }
}

/// The first time from `from_ms` on at which no curve is below 0, or a time before it.
fn first(curves: &[Curve], from_ms: i64) -> Option<i64> {
    let mut stretches = vec![(from_ms, LAST_MS.max(from_ms))];
    let mut looked_at = 0;
    while let Some((from_ms, to_ms)) = stretches.pop() {
        looked_at += 1;
        if curves.iter().any(|curve| curve.most(from_ms, to_ms) < 0.0) {
            continue;
        }
        if from_ms == to_ms || looked_at > STRETCHES {
            return Some(from_ms);
        }
        let middle = from_ms.midpoint(to_ms);
        stretches.push((middle + 1, to_ms));
        stretches.push((from_ms, middle));
    }
    None
}
