//! Durations as people write them: `90s`, `5m`, `1h30m`.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration in the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

/// Error: the text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no length of time; write for example 90s, 5m or 1h30m")]
pub(crate) struct NotASpan(String);

/// Units in milliseconds, longest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Parses a duration above 0. A number without a unit is refused, because its unit would be ambiguous.
pub(crate) fn parse_span(text: &str) -> Result<Duration, NotASpan> {
    let refuse = || NotASpan(text.chars().take(40).collect());
    let mut rest = text.trim();
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = rest.split_at_checked(digits).ok_or_else(refuse)?;
        let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, tail) = tail.split_at_checked(letters).ok_or_else(refuse)?;
        let (_, milliseconds) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(refuse)?;
        let part = number.parse::<u64>().ok().and_then(|number| number.checked_mul(*milliseconds));
        total = part.and_then(|part| total.checked_add(part)).ok_or_else(refuse)?;
        rest = tail.trim_start();
    }
    if total == 0 { Err(refuse()) } else { Ok(Duration::from_millis(total)) }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        for (name, milliseconds) in UNITS {
            let count = rest / milliseconds;
            if count > 0 {
                write!(f, "{count}{name}")?;
            }
            rest %= milliseconds;
        }
        Ok(())
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_span(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^\\s*([0-9]+(d|h|m|s|ms)\\s*)+$",
            "description": "A length of time: 90s, 5m, 1h30m",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_and_written() {
        let check = |text: &str, milliseconds: u64, shown: &str| {
            let span = Span(parse_span(text).unwrap());
            assert_eq!(
                (span.0.as_millis(), span.to_string().as_str()),
                (u128::from(milliseconds), shown),
                "{text}"
            );
        };
        check("90s", 90_000, "1m30s");
        check("5m", 300_000, "5m");
        check(" 1h 30m ", 5_400_000, "1h30m");
        check("500ms", 500, "500ms");
        check("2d", 172_800_000, "2d");
    }

    #[test]
    fn what_is_no_length_of_time_is_refused() {
        for bad in [
            "",
            "5",
            "m",
            "5 minutes",
            "-5m",
            "0s",
            "1e9s",
            "99999999999999999999s",
            "99999999999999d",
            "五m",
        ] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
    }
}
