//! Applies a unified diff by its context. Line numbers are hints and line counts are ignored: models get both
//! wrong.

use super::Misfit;
use super::closest::{closest, lines_in_words};
use super::text_file::TextFile;

/// A hunk: consecutive lines and their replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    old: Vec<String>,
    new: Vec<String>,
    /// The hunk's first line number in the original file, as the patch gives it.
    line: Option<usize>,
}

impl Hunk {
    pub(super) fn taken(&self, file: &TextFile) -> Self {
        let taken = |lines: &[String]| lines.iter().map(|line| file.taken_line(line)).collect();
        Self { old: taken(&self.old), new: taken(&self.new), line: self.line }
    }
}

/// Parses the patch of one file; the error describes the problem.
pub(super) fn parse(patch: &str) -> Result<Vec<Hunk>, String> {
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
        if let Some(header) = line.strip_prefix("@@") {
            hunks.push(Hunk { line: line_number(header), ..Hunk::default() });
            empty = 0;
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let (mark, text) = match line.split_at_checked(1) {
            None => {
                empty += 1;
                continue;
            }
            Some(("\r", "")) => {
                empty += 1;
                continue;
            }
            Some(parts) => parts,
        };
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
            _ => {
                return Err(format!(
                    "has a line that begins neither with a blank nor with - or +: its line {}",
                    number + 1
                ));
            }
        }
    }
    Ok(hunks)
}

/// The first number of ` -12,3 +12,4 @@`.
fn line_number(header: &str) -> Option<usize> {
    let digits = header.trim_start().strip_prefix('-')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

/// The text with all hunks applied, one after the other.
pub(super) fn patched(text: &str, hunks: impl Iterator<Item = Hunk>) -> Result<String, Misfit> {
    let ends_in_newline = text.is_empty() || text.ends_with('\n');
    let body = text.strip_suffix('\n').unwrap_or(text);
    let mut lines: Vec<String> =
        if text.is_empty() { Vec::new() } else { body.split('\n').map(str::to_owned).collect() };
    let (mut added, mut removed) = (0_usize, 0_usize);
    for (at, hunk) in hunks.enumerate() {
        let hint = hunk.line.map(|line| (line + added).saturating_sub(removed + 1));
        let start = place(&lines, &hunk, hint).map_err(|problem| Misfit {
            problem: format!("hunk {} {problem}", at + 1),
            closest: closest(&lines.join("\n"), &hunk.old.join("\n")),
        })?;
        added = added.saturating_add(hunk.new.len());
        removed = removed.saturating_add(hunk.old.len());
        lines.splice(start..start + hunk.old.len(), hunk.new);
    }
    let mut text = lines.join("\n");
    if ends_in_newline && !lines.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

/// The position of a hunk's old lines: the only match, or of several the one the patch's line number points
/// to.
fn place(lines: &[String], hunk: &Hunk, hint: Option<usize>) -> Result<usize, String> {
    if hunk.old.is_empty() {
        let is_empty = lines.is_empty();
        return if is_empty { Ok(0) } else { Err("has no line of context to be placed by".to_owned()) };
    }
    let windows = lines.windows(hunk.old.len()).enumerate();
    let places: Vec<usize> =
        windows.filter(|(_, window)| *window == hunk.old.as_slice()).map(|(start, _)| start).collect();
    match (places.as_slice(), hint.filter(|hint| places.contains(hint))) {
        (_, Some(hint)) => Ok(hint),
        ([only], None) => Ok(*only),
        ([], None) => Err("has lines that do not stand in it so".to_owned()),
        (several, None) => {
            let lines: Vec<usize> = several.iter().map(|start| start + 1).collect();
            Err(format!("fits in {} places{}; give more context", lines.len(), lines_in_words(&lines)))
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_sandbox::preview::unified_diff;
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, patch: &str) -> Result<String, String> {
        patched(text, parse(patch)?.into_iter()).map_err(|misfit| misfit.problem)
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
