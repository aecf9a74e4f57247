//! Exponential decay of experiences: one clock for potentials, promotion, demotion and forgetting.
//!
//! Source: specification v0.8, R5 "Dual-Channel Convolution Potentials"; the clock: `docs/deviations.md`,
//! "Decay clock".

use artoo_types::Megram;
use chrono::{DateTime, FixedOffset};

pub(crate) const MILLISECONDS_PER_DAY: f64 = 86_400_000.0;

/// The age of a Megram in days at `now`: the time since it was created or last recalled, whichever is later.
/// Never negative, so that setting the clock back makes nothing stronger than new.
/// ```
/// # use artoo_mkct_memory::{decay, matrix};
/// # use artoo_types::{Entity, MegramState, Space};
/// # use chrono::{DateTime, Days};
/// # let day_0 = DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let mut megram = matrix::megram(id, MegramState::Accept, day_0, Space::intent("a"), Entity::local(), String::new());
/// assert_eq!(decay::age_days(&megram, day_0 + Days::new(60)), 60.0);
/// megram.last_recalled_at = Some(day_0 + Days::new(60));
/// assert_eq!(decay::age_days(&megram, day_0 + Days::new(60)), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn age_days(megram: &Megram, now: DateTime<FixedOffset>) -> f64 {
    days_between(clock_ms(megram), now.timestamp_millis())
}

/// The remaining share of an experience: `e^(-k * age)`, from 1 (new, or timeless) towards 0.
///
/// `k` is a rate per day and `age_days` an age in days; both are finite and not negative.
/// ```
/// use artoo_mkct_memory::decay::weight;
/// assert_eq!(weight(0.05, 0.0), 1.0);
/// assert_eq!(weight(0.0, 36_500.0), 1.0);
/// assert!((weight(0.05, 14.0) - 0.4966).abs() < 1e-4); // a half-life of about two weeks
/// ```
pub fn weight(k: f64, age_days: f64) -> f64 {
    (-k * age_days).exp()
}

/// The start of a Megram's age, in milliseconds of the Unix clock.
pub(crate) fn clock_ms(megram: &Megram) -> i64 {
    let recalled = megram.last_recalled_at.map_or(i64::MIN, |at| at.timestamp_millis());
    megram.created_at.timestamp_millis().max(recalled)
}

/// The days from one instant to a later one; 0 if it is not later. Whole milliseconds are subtracted before
/// anything is rounded, so that sums with different reference times agree.
pub(crate) fn days_between(from_ms: i64, to_ms: i64) -> f64 {
    to_ms.saturating_sub(from_ms).max(0) as f64 / MILLISECONDS_PER_DAY
}
