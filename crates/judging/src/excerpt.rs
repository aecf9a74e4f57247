//! Excerpt of a long text for a judge.

use std::{borrow::Cow, cmp::Reverse, fmt::Write as _};

use artoo_types::head_tail;

use crate::words::{distinctive, shared, words};

/// Says where the omitted part is.
const PLACE: &str = "not shown";
/// Room in a line for its number and for the mark of omitted lines before it, in bytes.
const AROUND: usize = 48;

/// The part of a text that bears on `sought`, about `limit` characters of it. A text that fits is returned
/// unchanged.
///
/// For a longer text these are the lines that share most words with `sought`, in order and with their
/// numbers, plus the first and the last line, which name the columns and the sums. If no line shares a word,
/// or there are no lines, it is head and tail. Omissions are marked.
///
/// ```
/// use artoo_judging::excerpt;
///
/// let log: String = (1..=900).map(|n| if n == 400 { "needle\n".into() } else { format!("line {n}\n") }).collect();
/// let shown = excerpt(&log, 200, "Where is the needle?");
/// assert_eq!(
///     shown,
///     "1: line 1\n[... 398 lines left out here ...]\n400: needle\n[... 499 lines left out here ...]\n900: line 900\n"
/// );
/// assert_eq!(excerpt("short", 200, "Where is the needle?"), "short");
/// ```
pub fn excerpt<'a>(text: &'a str, limit: usize, sought: &str) -> Cow<'a, str> {
    let Some((limit, _)) = text.char_indices().nth(limit) else { return Cow::Borrowed(text) };
    let lines: Vec<&str> = text.lines().collect();
    match chosen(&lines, limit, &distinctive(sought)) {
        Some(numbers) => Cow::Owned(numbered(&lines, &numbers)),
        None => Cow::Owned(head_tail(text, limit, PLACE)),
    }
}

/// The positions of the shown lines, in order; `None` if no line has a sought word, or the first and last
/// line do not fit.
fn chosen(lines: &[&str], limit: usize, sought: &[String]) -> Option<Vec<usize>> {
    let mut having: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .map(|(position, line)| (position, shared(&words(line), sought)))
        .filter(|(_, count)| *count > 0)
        .collect();
    having.sort_by_key(|(position, count)| (Reverse(*count), *position));
    let best = having.first()?.0;
    let mut left = limit;
    let mut chosen = Vec::new();
    let ends = [best, 0, lines.len().checked_sub(1)?];
    let candidates = ends.into_iter().chain(having.into_iter().map(|(position, _)| position));
    for (number, position) in candidates.enumerate() {
        let room = lines.get(position).map(|line| line.len() + AROUND)?;
        if chosen.contains(&position) {
            continue;
        }
        match left.checked_sub(room) {
            Some(rest) => left = rest,
            None if number < ends.len() => return None,
            None => break,
        }
        chosen.push(position);
    }
    chosen.sort_unstable();
    Some(chosen)
}

fn numbered(lines: &[&str], positions: &[usize]) -> String {
    let (mut text, mut next) = (String::new(), 0);
    for position in positions {
        // Writing to a string cannot fail.
        if *position > next {
            let _ = writeln!(text, "[... {} lines left out here ...]", position - next);
        }
        let _ = writeln!(text, "{}: {}", position + 1, lines.get(*position).copied().unwrap_or_default());
        next = position + 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_that_bear_on_it_are_shown_and_the_rest_is_counted() {
        let listing: String = (1..=300).map(|n| format!("docs/file{n}.txt {n} bytes\n")).collect();
        let shown = excerpt(&listing, 300, "docs/file150.txt is the largest");
        assert!(shown.contains("\n150: docs/file150.txt 150 bytes\n"), "{shown}");
        assert!(shown.starts_with("1: docs/file1.txt 1 bytes\n"), "{shown}");
        assert!(shown.ends_with("\n300: docs/file300.txt 300 bytes\n"), "{shown}");
        assert!(shown.contains("lines left out here ...]"), "{shown}");
    }

    /// The sum at the end was cut off when only the first characters were shown.
    #[test]
    fn without_a_matching_line_both_ends_are_shown() {
        let text = format!("begin\n{}total 42", "x\n".repeat(900));
        let shown = excerpt(&text, 100, "It is polite");
        assert!(shown.starts_with("begin\n") && shown.ends_with("total 42"), "{shown}");
        assert!(shown.contains("bytes left out here, not shown"), "{shown}");
        let one_line = "needle ".repeat(300);
        assert!(excerpt(&one_line, 100, "needle").contains("bytes left out here"));
    }

    proptest! {
        #[test]
        fn it_is_bounded_and_what_fits_is_unchanged(text in "(\\PC{0,30}\n){0,40}", limit in 0usize..400, sought in "\\PC{0,20}") {
            let shown = excerpt(&text, limit, &sought);
            if text.chars().count() <= limit {
                prop_assert_eq!(&shown, &text);
            } else {
                prop_assert!(shown.len() <= 4 * limit + 80, "{} of {limit}: {shown}", shown.len());
            }
        }
    }
}
