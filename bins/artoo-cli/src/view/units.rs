//! Formatting of numbers: durations, bytes, tokens, money, counts.

use std::time::Duration;

use artoo_runtime::events::{Cost, Cumulative};
use artoo_types::Amount;
use chrono::{DateTime, FixedOffset};

use crate::terminal::neutral_line;

/// A duration: `340 ms`, `4.2 s`, `3 min 05 s`, `1 h 02 min`.
pub(crate) fn seconds(time: Duration) -> String {
    let milliseconds = time.as_millis();
    let whole = time.as_secs();
    match whole {
        0 => format!("{milliseconds} ms"),
        1..=9 => format!("{whole}.{} s", (milliseconds % 1000) / 100),
        10..=59 => format!("{whole} s"),
        60..=3599 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, (whole / 60) % 60),
    }
}

/// Age of something: `3 min`, `5 h`, `12 d`. Never negative, even if the clock was set back.
pub(crate) fn age(at: DateTime<FixedOffset>, now: DateTime<FixedOffset>) -> String {
    let minutes = now.signed_duration_since(at).num_minutes().max(0);
    match minutes {
        0..60 => format!("{minutes} min"),
        60..1440 => format!("{} h", minutes / 60),
        _ => format!("{} d", minutes / 1440),
    }
}

/// A number of bytes: `812 B`, `4.1 kB`, `1.1 GB`.
pub(crate) fn bytes(count: u64) -> String {
    short(count, &["B", "kB", "MB", "GB", "TB"], true)
}

/// A number of tokens: `812`, `4.1k`.
pub(super) fn tokens(count: u64) -> String {
    short(count, &["", "k", "M", "G"], false)
}

/// Usage of calls: `4.1k tokens`, or `about 4.1k tokens` if part of it is estimated, and the cost.
pub(super) fn spent(usage: &Cumulative) -> String {
    let sum = usage.prompt_tokens.saturating_add(usage.completion_tokens);
    let about = if usage.estimated { "about " } else { "" };
    let cost = usage
        .cost
        .as_ref()
        .filter(|cost| cost.amount > Amount::ZERO)
        .map(|cost| format!(", {about}{}", money(cost)))
        .unwrap_or_default();
    format!("{about}{} tokens{cost}", tokens(sum))
}

/// An amount with its currency: `0.0123 USD`. Four decimals, because a call may cost less than a cent.
pub(super) fn money(cost: &Cost) -> String {
    let amount = format!("{:.4} {}", cost.amount.units(), neutral_line(&cost.currency));
    let least = cost.amount > Amount::ZERO && cost.amount.units() < 0.000_05;
    if least { format!("less than 0.0001 {}", neutral_line(&cost.currency)) } else { amount }
        .trim_end()
        .to_owned()
}

/// A count with its unit: `1 call`, `2 calls`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn short(count: u64, units: &[&str], blank: bool) -> String {
    let mut tenths = count.saturating_mul(10);
    let mut units = units.iter().peekable();
    let mut unit = "";
    while let Some(next) = units.next() {
        unit = next;
        if tenths < 10_000 || units.peek().is_none() {
            break;
        }
        tenths /= 1000;
    }
    let gap = if blank { " " } else { "" };
    if count < 1000 || tenths >= 1000 {
        format!("{}{gap}{unit}", tenths / 10)
    } else {
        format!("{}.{}{gap}{unit}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_said_with_what_is_known_of_it() {
        let usage = |cost: Option<f64>, currency: &str, estimated| {
            let cost =
                cost.map(|units| Cost { amount: Amount::new(units).unwrap(), currency: currency.to_owned() });
            spent(&Cumulative { calls: 2, prompt_tokens: 4000, completion_tokens: 100, estimated, cost })
        };
        assert_eq!(usage(None, "", false), "4.1k tokens");
        assert_eq!(usage(Some(0.0), "USD", false), "4.1k tokens", "nothing is not worth a word");
        assert_eq!(usage(None, "", true), "about 4.1k tokens");
        assert_eq!(usage(Some(0.01234), "USD", false), "4.1k tokens, 0.0123 USD");
        assert_eq!(usage(Some(12.5), "", true), "about 4.1k tokens, about 12.5000");
        assert_eq!(usage(Some(0.000_001), "€", false), "4.1k tokens, less than 0.0001 €");
        assert_eq!(usage(Some(0.0001), "USD\u{1b}[2J", false), "4.1k tokens, 0.0001 USD␛[2J");
    }

    #[test]
    fn numbers_are_short() {
        let times = [0, 340, 1_000, 4_250, 59_999, 185_000, 3_725_000];
        assert_eq!(
            times.map(|time| seconds(Duration::from_millis(time))),
            ["0 ms", "340 ms", "1.0 s", "4.2 s", "59 s", "3 min 05 s", "1 h 02 min"]
        );
        assert_eq!([0, 812, 4_100, 1_117_320_768].map(bytes), ["0 B", "812 B", "4.1 kB", "1.1 GB"]);
        assert_eq!(
            [0, 999, 1_000, 52_300, 1_234_567, 456_000].map(tokens),
            ["0", "999", "1.0k", "52.3k", "1.2M", "456k"]
        );
        assert_eq!(bytes(u64::MAX), "1844674 TB");
        assert_eq!(
            (counted(1, "call", "calls"), counted(0, "call", "calls")),
            ("1 call".into(), "0 calls".into())
        );
    }
}
