//! The difference of two texts, short enough for a question.

use std::fmt::Write as _;

/// The most lines of each side, and characters of each line.
const MAX_LINES: usize = 12;
const MAX_LINE: usize = 160;

/// The lines between the common beginning and the common end: `-` before, `+` after. `None` where one is not text, or nothing differs.
pub(crate) fn diff(before: &[u8], after: &[u8]) -> Option<String> {
    let (before, after) = (std::str::from_utf8(before).ok()?, std::str::from_utf8(after).ok()?);
    if before.contains('\0') || after.contains('\0') || before == after {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old, new) = (old.get(same_start..)?, new.get(same_start..)?);
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let mut text = String::new();
    for (sign, lines) in [('-', old), ('+', new)] {
        let lines = lines.get(..lines.len() - same_end)?;
        for line in lines.iter().take(MAX_LINES) {
            let cut: String = line.chars().take(MAX_LINE).collect();
            let more = if cut.len() < line.len() { "…" } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{sign}{cut}{more}");
        }
        if lines.len() > MAX_LINES {
            let _ = writeln!(text, "{sign}… {} lines more", lines.len() - MAX_LINES);
        }
    }
    // Only the end of the last line differs.
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_is_left_out() {
        let of = |before: &str, after: &str| diff(before.as_bytes(), after.as_bytes()).unwrap_or_default();
        assert_eq!(of("a\nb\nc\n", "a\nB\nc\n"), "-b\n+B\n");
        assert_eq!(of("a\n", "a\nb\n"), "+b\n");
        assert_eq!(of("a\na\n", "a\n"), "-a\n");
        assert_eq!(of("", "x"), "+x\n");
        assert_eq!(of("same\n", "same\n"), "");
        assert_eq!(of("same\n", "same"), "");
        assert_eq!(diff(b"\xff", b"x"), None);
        assert_eq!(diff(b"\0", b"x"), None);
        let long = of(&"l\n".repeat(100), &"x".repeat(1_000));
        assert_eq!(long.lines().count(), 14);
        assert!(long.contains("-… 88 lines more\n") && long.ends_with("…\n"), "{long}");
    }
}
