//! What is listed of a long line: the places that match, with a little around them.

use std::ops::Range;

use artoo_types::printable;

/// Bytes around a match, and around the only one.
const AROUND: usize = 120;
const AROUND_ONE: usize = 200;
/// Bytes of a match itself.
const MATCH: usize = 200;
/// The most places of one line.
const PLACES: usize = 5;

/// The excerpt of a line. `offset` is the number of bytes of the line before `line`, `matches` are ranges in it, in order.
pub(crate) fn excerpt(line: &[u8], offset: u64, matches: &[Range<usize>]) -> String {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut listed = 0;
    let around = if matches.len() == 1 { AROUND_ONE } else { AROUND };
    for found in matches {
        let start = found.start.saturating_sub(around);
        let end = (found.end.min(found.start + MATCH) + around).max(start + 2 * around).min(line.len());
        let is_full = windows.len() == PLACES;
        match windows.last_mut() {
            Some(last) if last.end >= start && last.end - last.start < PLACES * AROUND => {
                last.end = last.end.max(end)
            }
            _ if is_full => break,
            _ => windows.push(start..end),
        }
        listed += 1;
    }
    let (mut text, mut from) = (String::new(), 0);
    let skipped = |text: &mut String, to: usize, from: usize, offset: u64| {
        let bytes = (to - from) as u64 + offset;
        if bytes > 0 {
            text.push_str(&format!("[... {bytes} bytes ...] "));
        }
    };
    for (number, window) in windows.into_iter().enumerate() {
        let start = boundary(line, window.start.max(from));
        let end = boundary(line, window.end.max(start));
        skipped(&mut text, start, from, if number == 0 { offset } else { 0 });
        text.push_str(&printable(&String::from_utf8_lossy(line.get(start..end).unwrap_or_default())));
        text.push(' ');
        from = end;
    }
    let more = matches.len() - listed;
    if more > 0 {
        text.push_str(&format!("[... {} bytes more, with {more} more matches]", line.len() - from));
    } else if line.len() > from {
        text.push_str(&format!("[... {} bytes more]", line.len() - from));
    }
    text.trim_end().to_owned()
}

/// The first place from here on that begins a character.
fn boundary(line: &[u8], at: usize) -> usize {
    let is_within = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    at + line.get(at..).unwrap_or_default().iter().take(3).take_while(is_within).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_match_is_shown_with_what_is_around_it() {
        let line = format!("{}NEEDLE{}", "x".repeat(200_000), "y".repeat(1_000));
        let needle = 200_000..200_006;
        let shown = excerpt(line.as_bytes(), 50, std::slice::from_ref(&needle));
        assert!(shown.starts_with("[... 199850 bytes ...] xxx"), "{shown}");
        assert!(shown.contains("xNEEDLEy") && shown.ends_with("y [... 800 bytes more]"), "{shown}");
        let many: Vec<_> = (0..20).map(|n| n * 1_000..n * 1_000 + 3).collect();
        let shown = excerpt(line.as_bytes(), 0, &many);
        assert_eq!(shown.matches("bytes ...]").count(), PLACES - 1, "{shown}");
        assert!(shown.ends_with("with 15 more matches]"), "{shown}");
    }

    proptest! {
        #[test]
        fn any_matches_have_an_excerpt(line in "[a中]{0,600}", starts in prop::collection::vec(0usize..1_800, 0..9), length in 0usize..900) {
            let mut matches: Vec<_> = starts
                .iter()
                .map(|start| (*start).min(line.len())..(start + length).min(line.len()))
                .collect();
            matches.sort_by_key(|found| found.start);
            matches.retain(|found| found.start <= found.end);
            let shown = excerpt(line.as_bytes(), 3, &matches);
            prop_assert!(shown.len() < 8_000 && !shown.contains(char::REPLACEMENT_CHARACTER), "{shown}");
        }
    }
}
