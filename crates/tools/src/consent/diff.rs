//! Unified diff of two texts for a preview, with every line that differs.

use artoo_sandbox::preview::unified_diff;

use crate::text_form::TextForm;

/// Maximum bytes and lines of the compared part: the worst case is quadratic in the lines.
const LONGEST: usize = 64 * 1024;
const MOST_LINES: usize = 2_000;
/// Maximum bytes of a whole text.
const LONGEST_TEXT: usize = 4 * 1024 * 1024;

/// A unified diff. `None` if the texts are equal, if either is not text, or if the differing part is too
/// long.
pub(crate) fn diff(before: &[u8], after: &[u8]) -> Option<String> {
    let text = |bytes: &[u8]| if bytes.len() > LONGEST_TEXT { None } else { TextForm::read(bytes) };
    let ((_, before), (_, after)) = (text(before)?, text(after)?);
    let (before, after) = (before.as_str(), after.as_str());
    let alike = |one: &str, other: &str| {
        let pairs = one.split_inclusive('\n').zip(other.split_inclusive('\n'));
        pairs.take_while(|(one, other)| one == other).map(|(line, _)| line.len()).sum::<usize>()
    };
    let alike_at_end = |one: &str, other: &str| {
        let pairs = one.split_inclusive('\n').rev().zip(other.split_inclusive('\n').rev());
        pairs.take_while(|(one, other)| one == other).map(|(line, _)| line.len()).sum::<usize>()
    };
    // The common prefix and suffix cost nothing.
    let begin = alike(before, after);
    let (one, other) = (before.get(begin..)?, after.get(begin..)?);
    let end = alike_at_end(one, other);
    let is_short = |part: &str| {
        let part = part.get(..part.len().saturating_sub(end)).unwrap_or_default();
        part.len() <= LONGEST && part.lines().count() <= MOST_LINES
    };
    (before != after && is_short(one) && is_short(other)).then(|| unified_diff(Some(before), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_differs_is_in_it() {
        let of = |before: &str, after: &str| diff(before.as_bytes(), after.as_bytes()).unwrap_or_default();
        assert_eq!(of("a\nb\nc\n", "a\nB\nc\n"), "--- before\n+++ after\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(of("same\n", "same\n"), "");
        assert!(of("same\n", "same").contains("No newline at end"));
        assert!(of(" a\n", "\ta\n").ends_with("- a\n+\ta\n"));
        assert_eq!(of(&"l\n".repeat(1_000), &"x\n".repeat(1_000)).matches("\n+x").count(), 1_000);
        for (before, after) in
            [(&b"\xff\xfe\xfd"[..], &b"x"[..]), (b"\0", b"x"), (b"x", &[b'l'; LONGEST + 1])]
        {
            assert_eq!(diff(before, after), None);
        }
        assert_eq!(diff(b"x", "l\n".repeat(MOST_LINES + 1).as_bytes()), None);
        // One line of many.
        let long = "l\n".repeat(10 * MOST_LINES);
        let (before, after) = (format!("{long}x\n{long}"), format!("{long}y\n{long}"));
        assert!(of(&before, &after).ends_with("@@ -19999,5 +19999,5 @@\n l\n l\n-x\n+y\n l\n l\n"));
    }
}
