//! Forecast of a pair's potentials without new experience.

use artoo_types::{Megram, MemoryAction, Potentials};
use chrono::{DateTime, Duration, FixedOffset};
use serde::Serialize;

use crate::sums::Sums;

/// Maximum forecast: ten years.
pub const MAX_DAYS: u32 = 3_650;
/// Number of samples per day. No rate of the matrix lets an advice appear and disappear between two samples.
const LOOKS_A_DAY: i64 = 4;
const LOOK_MS: i64 = 86_400_000 / LOOKS_A_DAY;

/// The future potentials of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The potentials of each day at this hour, starting today.
    pub days: Vec<Potentials>,
    /// Changes of the advice, in order of time.
    pub changes: Vec<Change>,
}

/// A change of the advice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The time, to the second.
    pub at: DateTime<FixedOffset>,
    /// The advice from then on.
    pub action: MemoryAction,
}

/// Forecasts this many days, at most [`MAX_DAYS`]. `members` are the pair's live entries.
/// ```
/// # use artoo_mkct_memory::{forecast, matrix};
/// # use artoo_types::{Entity, MegramState, MemoryAction, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let megram = matrix::megram(id, MegramState::Accept, now, Space::intent("a"), Entity::local(), String::new());
/// let ahead = forecast::of_pair([&megram], now, 60);
/// assert_eq!((ahead.days.len(), ahead.changes.len()), (61, 1));
/// assert_eq!(ahead.changes[0].action, MemoryAction::Ignore); // 0.9 e^(-0.05 t) = 0.5 after 11.76 days
/// assert!(ahead.changes[0].at.to_rfc3339().starts_with("2026-03-21T03:08"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_pair<'a>(
    members: impl IntoIterator<Item = &'a Megram>,
    now: DateTime<FixedOffset>,
    days: u32,
) -> Forecast {
    let mut sums = Sums::default();
    for megram in members {
        sums.put(megram);
    }
    let days = i64::from(days.min(MAX_DAYS));
    let after = |ms: i64| now.checked_add_signed(Duration::milliseconds(ms)).unwrap_or(now);
    let at = |ms: i64| sums.potentials(after(ms));
    let mut changes = Vec::new();
    for look in 0..days * LOOKS_A_DAY {
        let (mut before, mut behind) = (look * LOOK_MS, (look + 1) * LOOK_MS);
        let (old, new) = (at(before).action, at(behind).action);
        if old == new {
            continue;
        }
        while behind - before > 1_000 {
            let middle = before + (behind - before) / 2;
            if at(middle).action == old { before = middle } else { behind = middle }
        }
        changes.push(Change { at: after(behind), action: at(behind).action });
    }
    Forecast { days: (0..=days).map(|day| at(day * LOOK_MS * LOOKS_A_DAY)).collect(), changes }
}
