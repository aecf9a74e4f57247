//! How many calls of a model the Dreamer may make in a day. Pure: the day is handed in, the memory keeps the count.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// The maximum number of model calls of the Dreamer in a day of one memory.
pub const MAX_DAILY_CALLS: u32 = 20;

/// The calls made on the day of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DailyCalls {
    /// The day.
    pub day: NaiveDate,
    /// The calls made on it, from 0 to [`MAX_DAILY_CALLS`].
    pub calls: u32,
}

impl DailyCalls {
    /// The count with one more call on this day; `None` if the day has none left.
    /// ```
    /// use artoo_mkct_memory::{DailyCalls, MAX_DAILY_CALLS};
    /// # let monday = chrono::NaiveDate::from_ymd_opt(2026, 3, 9).ok_or("no day")?;
    /// # let tuesday = chrono::NaiveDate::from_ymd_opt(2026, 3, 10).ok_or("no day")?;
    /// let mut calls = DailyCalls::default();
    /// for _ in 0..MAX_DAILY_CALLS {
    ///     calls = calls.another(monday).ok_or("too few")?;
    /// }
    /// assert_eq!(calls.another(monday), None);
    /// assert_eq!(calls.another(tuesday), Some(DailyCalls { day: tuesday, calls: 1 }));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn another(self, day: NaiveDate) -> Option<Self> {
        let made = if day == self.day { self.calls } else { 0 };
        (made < MAX_DAILY_CALLS).then(|| Self { day, calls: made.saturating_add(1) })
    }
}
