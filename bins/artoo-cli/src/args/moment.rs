//! Points in time as people write them: `30m`, `17:00`, `2026-03-14`, `2026-03-14T17:00:00+08:00`.

use std::time::Duration;

use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

use crate::config::parse_span;

/// A point in time, which depends on now unless it has a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// So long from now, or before now.
    Span(Duration),
    /// A time of the day.
    Clock(NaiveTime),
    /// A date with its time, in the zone of now.
    Local(NaiveDateTime),
    /// A date with its time and offset.
    At(DateTime<FixedOffset>),
}

/// Error: the text is not a point in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no point in time; write for example 30m, 17:00, 2026-03-14 or 2026-03-14T17:00:00+08:00")]
pub(crate) struct NotAMoment(String);

impl Moment {
    /// Parses one.
    pub(crate) fn parse(text: &str) -> Result<Self, NotAMoment> {
        let text = text.trim();
        let clock = |text: &str| {
            ["%H:%M", "%H:%M:%S"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok())
        };
        let date = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        let local = || match text.split_once(['T', ' ']) {
            Some((day, time)) => Some(date(day)?.and_time(clock(time)?)),
            None => Some(date(text)?.and_time(NaiveTime::MIN)),
        };
        let span = || parse_span(text).ok().map(Self::Span);
        let at = || DateTime::parse_from_rfc3339(text).ok().map(Self::At);
        let found = span().or_else(|| clock(text).map(Self::Clock)).or_else(at);
        let found = found.or_else(|| local().map(Self::Local));
        found.ok_or_else(|| NotAMoment(text.chars().take(40).collect()))
    }

    /// The moment that is meant by somebody who looks ahead: a time of the day is the next one. A date may lie
    /// in the past.
    pub(crate) fn ahead(self, now: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
        let today = self.without_direction(now, 1)?;
        let is_past = matches!(self, Self::Clock(_)) && today <= now;
        if is_past { today.checked_add_days(Days::new(1)) } else { Some(today) }
    }

    /// The moment that is meant by somebody who looks back: a time of the day is the last one.
    pub(crate) fn back(self, now: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
        let today = self.without_direction(now, -1)?;
        let is_ahead = matches!(self, Self::Clock(_)) && today > now;
        if is_ahead { today.checked_sub_days(Days::new(1)) } else { Some(today) }
    }

    fn without_direction(self, now: DateTime<FixedOffset>, sign: i32) -> Option<DateTime<FixedOffset>> {
        match self {
            Self::Span(span) => now.checked_add_signed(TimeDelta::from_std(span).ok()?.checked_mul(sign)?),
            Self::Clock(time) => now.date_naive().and_time(time).and_local_timezone(*now.offset()).single(),
            Self::Local(local) => local.and_local_timezone(*now.offset()).single(),
            Self::At(at) => Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_is_written() {
        let now = "2026-03-14T12:00:00+08:00".parse().unwrap();
        let told = |text: &str| {
            let moment = Moment::parse(text).unwrap();
            let told = |at: Option<DateTime<FixedOffset>>| at.unwrap().format("%d %H:%M %:z").to_string();
            (told(moment.back(now)), told(moment.ahead(now)))
        };
        let both = |back: &str, ahead: &str| (format!("{back} +08:00"), format!("{ahead} +08:00"));
        assert_eq!(told("30m"), both("14 11:30", "14 12:30"));
        assert_eq!(told("17:00"), both("13 17:00", "14 17:00"));
        assert_eq!(told("09:15:00"), both("14 09:15", "15 09:15"));
        assert_eq!(told("12:00"), both("14 12:00", "15 12:00"));
        assert_eq!(told("2026-03-12"), both("12 00:00", "12 00:00"));
        assert_eq!(told("2026-03-15 08:30"), both("15 08:30", "15 08:30"));
        assert_eq!(
            told("2026-03-15T08:30:00Z"),
            ("15 08:30 +00:00".to_owned(), "15 08:30 +00:00".to_owned())
        );
        for text in ["", "soon", "5", "25:00", "2026-13-01", "14.3.2026"] {
            assert!(Moment::parse(text).unwrap_err().to_string().contains("17:00"), "{text}");
        }
    }
}
