//! Numbers for people.

use std::time::Duration;

/// A length of time: `340 ms`, `4.2 s`, `3 min 05 s`, `1 h 02 min`.
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

/// A number of bytes: `812 B`, `4.1 kB`, `1.1 GB`.
pub(crate) fn bytes(count: u64) -> String {
    short(count, &["B", "kB", "MB", "GB", "TB"], true)
}

/// A number of tokens: `812`, `4.1k`.
pub(super) fn tokens(count: u64) -> String {
    short(count, &["", "k", "M", "G"], false)
}

/// `1 call`, `2 calls`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
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
