//! Finds the lines of a file closest to a text that was not found in it.

use std::fmt::Write as _;

/// Maximum number of lines shown, and of characters of each.
const MOST_LINES: usize = 12;
const MOST_CHARS: usize = 240;
/// Maximum number of lines compared character by character.
const COMPARED: usize = 20_000;
/// Minimum similarity; below it a line is no help.
const ALIKE: f64 = 0.6;

/// The lines that differ from the wanted text only in whitespace; else the window that contains most of its
/// lines; else the line most similar to its longest line. Verbatim with line numbers, one per line; empty if
/// nothing is close.
pub(super) fn closest(text: &str, wanted: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<String> = wanted.trim_matches('\n').lines().map(folded).collect();
    let Some(start) = alike(&lines, &wanted).or_else(|| most_like(&lines, &wanted)) else {
        return String::new();
    };
    let mut shown = "the closest lines:\n".to_owned();
    let count = wanted.len().clamp(1, MOST_LINES);
    for (number, line) in (start + 1..).zip(lines.iter().skip(start).take(count)) {
        let line: String = line.chars().take(MOST_CHARS).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "{number}: {line}");
    }
    shown
}

fn folded(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The window that contains most lines of the wanted text in order, ignoring whitespace.
fn alike(lines: &[&str], wanted: &[String]) -> Option<usize> {
    let folded: Vec<String> = lines.iter().map(|line| folded(line)).collect();
    let equal = |start: usize| {
        let pairs = folded.iter().skip(start).zip(wanted);
        pairs.filter(|(line, wanted)| line == wanted && !wanted.is_empty()).count()
    };
    // Only windows around a matching line: comparing every window would be quadratic.
    let place =
        |at: usize| wanted.iter().position(|wanted| !wanted.is_empty() && folded.get(at) == Some(wanted));
    let starts = (0..lines.len()).filter_map(|at| at.checked_sub(place(at)?)).take(COMPARED);
    // The first of the best.
    starts.max_by_key(|start| (equal(*start), std::cmp::Reverse(*start)))
}

fn most_like(lines: &[&str], wanted: &[String]) -> Option<usize> {
    let (at, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.len())?;
    let longest: String = longest.chars().take(MOST_CHARS).collect();
    let scores = lines.iter().take(COMPARED).enumerate().map(|(number, line)| {
        let line: String = folded(line).chars().take(MOST_CHARS).collect();
        (number, strsim::jaro_winkler(&line, &longest))
    });
    let (number, score) = scores.max_by(|one, other| one.1.total_cmp(&other.1))?;
    (score > ALIKE && !longest.is_empty()).then(|| number.saturating_sub(at))
}

/// The number of the line that contains a byte offset.
pub(super) fn line_of(text: &str, place: usize) -> usize {
    text.as_bytes().iter().take(place).filter(|byte| **byte == b'\n').count() + 1
}

/// Line numbers in words, truncated if there are many.
pub(super) fn lines_in_words(lines: &[usize]) -> String {
    const NAMED: usize = 8;
    let named: Vec<String> = lines.iter().take(NAMED).map(usize::to_string).collect();
    match (named.as_slice(), lines.len() > NAMED) {
        ([], _) => String::new(),
        ([only], _) => format!(", on line {only}"),
        (_, true) => format!(", on lines {} and others", named.join(", ")),
        ([begin @ .., last], false) => format!(", on lines {} and {last}", begin.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_closest_lines_are_shown_as_they_are() {
        let text = "fn a() {\n\tlet x = 1;\n\tlet y = 2;\n}\n\nfn b() {\n    let x = 1;\n    let y = 3;\n}\n";
        for (wanted, expected) in [
            ("    let x = 1;\n    let y = 2;\n", "2: \tlet x = 1;\n3: \tlet y = 2;\n"),
            ("let x = 1;\nlet y = 3;", "7:     let x = 1;\n8:     let y = 3;\n"),
            ("let z = 9;\n\tlet y = 2;", "2: \tlet x = 1;\n3: \tlet y = 2;\n"),
            ("func b() {", "6: fn b() {\n"),
            ("中文", ""),
            ("\n\n", ""),
        ] {
            let shown = closest(text, wanted);
            assert_eq!(shown.strip_prefix("the closest lines:\n").unwrap_or(&shown), expected, "{wanted:?}");
        }
    }

    #[test]
    fn lines_are_counted() {
        assert_eq!([0, 1, 2, 3, 9].map(|place| line_of("a\nb\n", place)), [1, 1, 2, 2, 3]);
        let words = |count: usize| lines_in_words(&(1..=count).collect::<Vec<_>>());
        assert_eq!(
            [words(1), words(2), words(3)],
            [", on line 1", ", on lines 1 and 2", ", on lines 1, 2 and 3"]
        );
        assert!(words(9).ends_with("8 and others"));
    }

    proptest! {
        #[test]
        fn it_is_bounded(text in "[ab é\n\t]{0,80}", wanted in "[ab é\n\t]{0,40}") {
            let shown = closest(&text, &wanted);
            prop_assert!(shown.lines().count() <= MOST_LINES + 1);
        }
    }
}
