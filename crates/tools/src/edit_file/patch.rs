//! Applies a unified diff by its context. Line numbers are hints and line counts are ignored: models get both
//! wrong.

mod plain;

use super::Misfit;
use super::closest::{closest, lines_in_words};
use crate::line_endings::Lines;

/// A hunk: consecutive lines and their replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    old: Vec<String>,
    new: Vec<String>,
    /// The hunk's first line number in the original file, as the patch gives it.
    line: Option<usize>,
    /// A line above it, without its indentation.
    below: Option<String>,
}

/// Parses the patch of one file; the error describes the problem. `is_named` says whether a path, as a patch has it, is
/// that of the file.
pub(super) fn parse(patch: &str, is_named: impl Fn(&str) -> bool) -> Result<Vec<Hunk>, String> {
    let patch = plain::without_fence(patch);
    let patch = match plain::without_envelope(patch, is_named)? {
        Some(hunks) => hunks,
        None => patch.to_owned(),
    };
    let lines: Vec<&str> = patch.split('\n').collect();
    let line_at = |at: usize| lines.get(at).copied().unwrap_or_default();
    // A file header has two lines; one alone may be a text line that begins with dashes or pluses.
    let is_file = |at: usize| line_at(at).starts_with("--- ") && line_at(at + 1).starts_with("+++ ");
    if (0..lines.len()).filter(|at| is_file(*at)).count() > 1 {
        return Err("is about several files; one call changes one".to_owned());
    }
    let begin = lines.iter().position(|line| line.starts_with("@@"));
    let begin = begin.ok_or("has no hunk: `@@`, and then lines that begin with a blank, - or +")?;
    let mut hunks: Vec<Hunk> = Vec::new();
    // Empty lines are context lines that lost their leading space, if more of the hunk follows.
    let mut empty = 0;
    for (number, line) in lines.iter().enumerate().skip(begin) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(header) = line.strip_prefix("@@") {
            hunks.push(Hunk { line: line_number(header), below: heading(header), ..Hunk::default() });
            empty = 0;
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        if line.is_empty() {
            empty += 1;
            continue;
        }
        let Some((mark, text)) = line.split_at_checked(1) else { return Err(misplaced(number)) };
        for lines in [&mut hunk.old, &mut hunk.new] {
            lines.extend(std::iter::repeat_n(String::new(), empty));
        }
        empty = 0;
        match mark {
            " " => {
                hunk.old.push(text.to_owned());
                hunk.new.push(text.to_owned());
            }
            "-" => hunk.old.push(text.to_owned()),
            "+" => hunk.new.push(text.to_owned()),
            // `\ No newline at end of file`: the file's ending is kept.
            "\\" => {}
            _ => return Err(misplaced(number)),
        }
    }
    Ok(hunks)
}

fn misplaced(number: usize) -> String {
    format!("has a line that begins neither with a blank nor with - or +: its line {}", number + 1)
}

/// The line above the hunk that stands behind its marks, as in `@@ -1,2 +1,3 @@ fn main() {` and `@@ fn main() {`.
fn heading(header: &str) -> Option<String> {
    let text = header.rsplit_once("@@").map_or(header, |(_, text)| text).trim();
    let is_numbers = text.starts_with(['-', '+']) && text.contains(|c: char| c.is_ascii_digit());
    Some(text.to_owned()).filter(|text| !text.is_empty() && !is_numbers)
}

/// The first number of ` -12,3 +12,4 @@`.
fn line_number(header: &str) -> Option<usize> {
    let digits = header.trim_start().strip_prefix('-')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

/// Applies all hunks, one after the other.
pub(super) fn patch(text: &mut Lines, hunks: impl Iterator<Item = Hunk>) -> Result<(), Misfit> {
    let (mut added, mut removed) = (0_usize, 0_usize);
    for (at, hunk) in hunks.enumerate() {
        let spans = spans(text.text());
        let lines: Vec<&str> =
            spans.iter().map(|(start, end)| text.text().get(*start..*end).unwrap_or_default()).collect();
        let hint = hunk.line.map(|line| line.saturating_add(added).saturating_sub(removed + 1));
        let start = place(&lines, &hunk, hint).map_err(|problem| Misfit {
            problem: format!("hunk {} {problem}", at + 1),
            closest: closest(&lines.join("\n"), &hunk.old.join("\n")),
        })?;
        added = added.saturating_add(hunk.new.len());
        removed = removed.saturating_add(hunk.old.len());
        splice(text, spans.get(start..start + hunk.old.len()).unwrap_or_default(), &hunk.new);
    }
    Ok(())
}

/// Where the lines of a text begin and end, without their newlines.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut next = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let start = next;
        next += line.len();
        (start, start + line.strip_suffix('\n').unwrap_or(line).len())
    });
    lines.collect()
}

/// Puts these lines in the place of others, which follow each other. Whether the text ends in a newline stays.
fn splice(text: &mut Lines, old: &[(usize, usize)], new: &[String]) {
    let length = text.text().len();
    let (start, end) = match (old.first(), old.last()) {
        (Some((start, _)), Some((_, end))) => (*start, *end),
        _ => (length, length),
    };
    let new_text = new.join("\n");
    match (old, new) {
        ([], _) => text.replace(start, end, &format!("{new_text}\n")),
        (_, []) if end < length => text.replace(start, end + 1, ""),
        (_, []) => text.replace(start.saturating_sub(1), end, ""),
        (_, _) => text.replace(start, end, &new_text),
    }
}

/// The position of a hunk's old lines: the only match, or of several the one the patch's line number points
/// to.
fn place(lines: &[&str], hunk: &Hunk, hint: Option<usize>) -> Result<usize, String> {
    if hunk.old.is_empty() {
        let is_empty = lines.is_empty();
        return if is_empty { Ok(0) } else { Err("has no line of context to be placed by".to_owned()) };
    }
    let windows = lines.windows(hunk.old.len()).enumerate();
    let places: Vec<usize> =
        windows.filter(|(_, window)| window.iter().eq(hunk.old.iter())).map(|(start, _)| start).collect();
    match (places.as_slice(), hint.filter(|hint| places.contains(hint))) {
        (_, Some(hint)) => Ok(hint),
        ([only], None) => Ok(*only),
        ([], None) => Err("has lines that do not stand in it so".to_owned()),
        (several, None) => {
            if let Some(place) = below_its_heading(lines, hunk, several) {
                return Ok(place);
            }
            let lines: Vec<usize> = several.iter().map(|start| start + 1).collect();
            Err(format!("fits in {} places{}; give more context", lines.len(), lines_in_words(&lines)))
        }
    }
}

/// The first of these places below the line that the hunk names, if there is one such line.
fn below_its_heading(lines: &[&str], hunk: &Hunk, places: &[usize]) -> Option<usize> {
    let heading = hunk.below.as_deref()?;
    let mut found = lines.iter().enumerate().filter(|(_, line)| line.trim() == heading).map(|(at, _)| at);
    let (Some(at), None) = (found.next(), found.next()) else { return None };
    places.iter().find(|place| **place >= at).copied()
}

#[cfg(test)]
mod tests {
    use artoo_sandbox::preview::unified_diff;
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, patch: &str) -> Result<String, String> {
        let mut lines = Lines::of(text);
        super::patch(&mut lines, parse(patch, |path| path == "x")?.into_iter())
            .map_err(|misfit| misfit.problem)?;
        Ok(lines.written())
    }

    #[test]
    fn the_whole_table() {
        let text = "a\nb\nc\nd\n\ne\nb\nc\n";
        let changed = [
            ("@@\n a\n-b\n+B\n", "a\nB\nc\nd\n\ne\nb\nc\n"),
            // Wrong line number and counts, with file headers.
            ("--- a/x\n+++ b/x\n@@ -90,1 +7,9 @@ fn d\n c\n-d\n+D\n+E", "a\nb\nc\nD\nE\n\ne\nb\nc\n"),
            // The line number selects one of two matches.
            ("@@ -7 +7 @@\n-b\n+B\n", "a\nb\nc\nd\n\ne\nB\nc\n"),
            ("@@ -2,1 +2,0 @@\n-b\n@@ -7,2 +6,2 @@\n b\n-c\n+C\n", "a\nc\nd\n\ne\nb\nC\n"),
            // A lost leading space, and empty lines after the end.
            ("@@\n d\n\n-e\n+E\n\n\n@@\n-a\n+A\n\n", "A\nb\nc\nd\n\nE\nb\nc\n"),
            ("@@\n e\n b\n c\n+f\n\\ No newline at end of file\n", "a\nb\nc\nd\n\ne\nb\nc\nf\n"),
            ("```diff\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n```\n", "a\nB\nc\nd\n\ne\nb\nc\n"),
            ("@@\r\n a\r\n-b\r\n+B\r\n", "a\nB\nc\nd\n\ne\nb\nc\n"),
            // The line behind the marks selects one of two matches.
            ("@@ e\n-b\n+B\n", "a\nb\nc\nd\n\ne\nB\nc\n"),
            ("@@ -90 +90 @@ a\n-b\n+B\n", "a\nB\nc\nd\n\ne\nb\nc\n"),
            // As another program's tool takes them.
            ("*** Begin Patch\n*** Update File: x\n@@\n a\n-b\n+B\n*** End Patch", "a\nB\nc\nd\n\ne\nb\nc\n"),
            (
                "```\n*** Begin Patch\n*** Update File: x\n a\n-b\n+B\n@@\n b\n-c\n*** End of File\n*** End Patch\n```",
                "a\nB\nc\nd\n\ne\nb\n",
            ),
            ("<<<<<<< SEARCH\nd\n\ne\n=======\nD\n>>>>>>> REPLACE\n", "a\nb\nc\nD\nb\nc\n"),
        ];
        for (patch, after) in changed {
            assert_eq!(of(text, patch).as_deref(), Ok(after), "{patch}");
        }
        let refused = [
            ("", "has no hunk"),
            ("@@\n-x\n+y", "hunk 1 has lines that do not stand in it so"),
            ("@@\n-a\n+y\n@@\n-a\n+z", "hunk 2 has lines"),
            ("@@\n-b\n+y", "hunk 1 fits in 2 places, on lines 2 and 7"),
            ("@@ -3 +3 @@\n-b\n+y", "fits in 2 places"),
            ("@@\n+y", "has no line of context"),
            ("@@\na\n", "its line 2"),
            ("@@\n*x\n", "its line 2"),
            ("--- a\n+++ a\n@@\n-a\n+b\n--- c\n+++ c\n@@\n-d\n+e", "several files"),
            ("*** Begin Patch\n*** Update File: y\n@@\n-a\n+b\n*** End Patch", "is about y"),
            ("*** Update File: x\n@@\n-a\n+b\n*** Update File: x\n@@\n-d\n+b", "several files"),
            ("*** Begin Patch\n*** Delete File: x\n*** End Patch", "edit_file changes parts of a file"),
            ("*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@\n-a\n+b\n", "edit_file changes parts"),
            ("@@ -90 +90 @@ b\n-c\n+C\n", "fits in 2 places"),
            ("<<<<<<< SEARCH\nd\n", "has a block without its end"),
        ];
        for (patch, problem) in refused {
            let refusal = of(text, patch).unwrap_err();
            assert!(refusal.contains(problem), "{patch}: {refusal}");
        }
        assert_eq!(of("", "@@\n+a\n+b").as_deref(), Ok("a\nb\n"));
        assert_eq!(of("a", "@@\n-a\n+b").as_deref(), Ok("b"));
        assert_eq!(of("-- a\n", "@@\n--- a\n+++ b\n").as_deref(), Ok("++ b\n"));
        assert_eq!(of("a\n", "@@\n-a\n").as_deref(), Ok(""));
    }

    proptest! {
        /// A diff made by another implementation applies even if every line number is wrong.
        #[test]
        fn a_diff_leads_from_one_text_to_the_other(
            one in prop::collection::vec(0u8..4, 0..14),
            two in prop::collection::vec(0u8..4, 1..14),
        ) {
            let text = |lines: &[u8]| lines.iter().map(|n| format!("line {n}\n")).collect::<String>();
            let (one, two) = (text(&one), text(&two));
            prop_assume!(one != two);
            prop_assert_eq!(of(&one, &unified_diff(Some(&one), &two)), Ok(two));
        }

        #[test]
        fn no_patch_breaks_it(text in "[ab\n]{0,12}", patch in "[-+@ ab1,\\\\\r\n]{0,40}") {
            let _ = of(&text, &format!("@@{patch}"));
        }
    }
}
