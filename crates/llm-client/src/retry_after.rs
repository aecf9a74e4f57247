//! Parses a server's `Retry-After`.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

/// The wait requested by a `Retry-After` header: seconds, or the distance from `now` to an HTTP date.
///
/// `now` should be the `Date` header of the same response if it has one ([`parse_http_date`]): then a wrong
/// clock on either side does no harm. A date in the past means no wait; an unreadable value gives `None`.
/// ```
/// use std::time::{Duration, SystemTime};
/// use artoo_llm_client::parse_retry_after;
///
/// let now = SystemTime::UNIX_EPOCH;
/// assert_eq!(parse_retry_after("3", now), Some(Duration::from_secs(3)));
/// assert_eq!(parse_retry_after("Thu, 01 Jan 1970 00:00:07 GMT", now), Some(Duration::from_secs(7)));
/// assert_eq!(parse_retry_after("soon", now), None);
/// ```
pub fn parse_retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    // Some gateways send fractions.
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = parse_http_date(header)?;
    Some(at.duration_since(now).unwrap_or_default())
}

/// The time of an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub fn parse_http_date(header: &str) -> Option<SystemTime> {
    DateTime::parse_from_rfc2822(header.trim()).ok().map(|at| at.with_timezone(&Utc).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        let now = parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let check = |header: &str, expected: Option<f64>| {
            assert_eq!(parse_retry_after(header, now), expected.map(Duration::from_secs_f64), "{header:?}");
        };
        check("0", Some(0.0));
        check(" 120 ", Some(120.0));
        check("1.5", Some(1.5));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10.0));
        check("Sun, 06 Nov 1994 08:49:27 GMT", Some(0.0));
        check("Sun, 06 Nov 1994 10:49:37 +0200", Some(0.0));
        check("-3", None);
        check("NaN", None);
        check("1e300", None);
        check("", None);
        check("Sun, 36 Nov 1994 08:49:47 GMT", None);
    }

    proptest! {
        #[test]
        fn never_panics(header in ".*") {
            let _ = parse_retry_after(&header, SystemTime::UNIX_EPOCH);
        }
    }
}
