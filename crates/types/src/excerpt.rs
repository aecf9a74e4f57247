//! Truncates outputs for prompts.

use std::fmt::Write as _;

use unicode_segmentation::GraphemeCursor;

use crate::EvidenceId;

/// Which part of an output that is too long a prompt shows.
///
/// ```
/// use artoo_types::Excerpt;
///
/// let listing = format!("900 matches\n{}", "docs/a.txt\n".repeat(900));
/// assert!(Excerpt::Head.of(&listing, 600, "not shown").starts_with("900 matches\n"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Excerpt {
    /// Both ends, more of the end: that is where a command prints results, errors and totals.
    #[default]
    HeadTail,
    /// The beginning, where a listing has its totals and best matches and a text its topic; and a little of
    /// the end, where a listing says what it omits.
    Head,
}

impl Excerpt {
    /// The bytes for the head out of `limit`.
    fn head(self, limit: usize) -> usize {
        match self {
            Self::HeadTail => limit / 3,
            Self::Head => limit - limit / 6,
        }
    }

    /// Like [`head_tail`], for this part of the text.
    pub fn of(self, text: &str, limit: usize, place: &str) -> String {
        if text.len() <= limit {
            return text.to_owned();
        }
        let head_length = self.head(limit);
        let (head, tail) = text.split_at(cut_down(text, head_length));
        let start = cut_up(tail, tail.len().saturating_sub(limit - head_length));
        let (left_out, tail) = tail.split_at(start);
        join(head, left_out.len() as u64, place, tail)
    }
}

/// How far a cut may move to keep a character together with its accents and joiners.
const LONGEST_CLUSTER: usize = 64;

/// The head and the tail of a text, at most `limit` bytes of it, cut between characters as people see them; between
/// them a line says how many bytes are left out and `place` where they are. A text that fits is given back unchanged.
///
/// ```
/// use artoo_types::head_tail;
///
/// assert_eq!(head_tail("short", 100, "in the evidence"), "short");
/// let cut = head_tail(&"x".repeat(1000), 30, "in the evidence");
/// assert!(cut.starts_with("xxxxxxxxxx\n[... 970 bytes left out here, in the evidence ...]\nxxx"));
/// ```
pub fn head_tail(text: &str, limit: usize, place: &str) -> String {
    Excerpt::HeadTail.of(text, limit, place)
}

/// Where a stored output can be found, in the words of a prompt. Twelve digits of an id are unique within a
/// run.
pub fn place_of(id: &EvidenceId) -> String {
    format!("read_evidence id `{}`", id.as_str().get(..12).unwrap_or_default())
}

/// Like [`head_tail`], for an output of `total` bytes of which only the two ends are available. They may be
/// arbitrary bytes and may begin or end in the middle of a character.
pub fn head_tail_of_ends(head: &[u8], tail: &[u8], total: u64, limit: usize, place: &str) -> String {
    let head = printable(&String::from_utf8_lossy(without_broken_end(head)));
    let tail = printable(&String::from_utf8_lossy(without_broken_start(tail)));
    let head_length = Excerpt::HeadTail.head(limit);
    let head = head.get(..cut_down(&head, head_length)).unwrap_or_default();
    let tail = tail.get(cut_up(&tail, tail.len().saturating_sub(limit - head_length))..).unwrap_or_default();
    let left_out = total.saturating_sub((head.len() + tail.len()) as u64);
    join(head, left_out, place, tail)
}

/// Replaces characters that could control a terminal or end a string early. Newlines and tabs stay; the
/// evidence keeps everything.
pub fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{FFFD}' } else { c }).collect()
}

fn join(head: &str, left_out: u64, place: &str, tail: &str) -> String {
    let mut text = head.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[... {left_out} bytes left out here, {place} ...]");
    text + tail
}

/// The last grapheme boundary at or before `at`.
fn cut_down(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    (at.saturating_sub(LONGEST_CLUSTER)..=at).rev().find(|place| is_boundary(text, *place)).unwrap_or(at)
}

/// The first grapheme boundary at or after `at`.
fn cut_up(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    (at..=text.len().min(at + LONGEST_CLUSTER)).find(|place| is_boundary(text, *place)).unwrap_or(at)
}

fn is_boundary(text: &str, at: usize) -> bool {
    // The cursor needs the surrounding text; the whole text is one chunk, so it never asks for more.
    text.is_char_boundary(at)
        && GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

fn without_broken_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        // An incomplete end can also follow invalid bytes.
        Err(_) => bytes.utf8_chunks().last().map_or(bytes, |last| match last.invalid() {
            [] => bytes,
            cut if is_unfinished(cut) => bytes.get(..bytes.len() - cut.len()).unwrap_or(bytes),
            _ => bytes,
        }),
        Ok(_) => bytes,
    }
}

/// Whether the bytes are the beginning of a character that more bytes could complete.
fn is_unfinished(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Drops leading continuation bytes, of which a character has at most three.
fn without_broken_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
    bytes.get(rest..).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clusters_stay_whole() {
        let family = "👨‍👩‍👧‍👦";
        let text = family.repeat(40);
        let cut = head_tail(&text, 200, "here");
        let (head, tail) = cut.split_once("\n[").unwrap();
        let tail = tail.split_once("]\n").unwrap().1;
        assert_eq!(head, family.repeat(head.len() / family.len()));
        assert_eq!(tail, family.repeat(tail.len() / family.len()));
        assert!(!head.is_empty() && !tail.is_empty());
    }

    #[test]
    fn ends_in_the_middle_of_a_character_are_mended() {
        let text = "中文".as_bytes();
        assert_eq!(without_broken_end(&text[..4]), "中".as_bytes());
        assert_eq!(without_broken_end(b"\xff\xe4\xb8"), b"\xff");
        assert_eq!(without_broken_end(b"\xff"), b"\xff");
        assert_eq!(without_broken_start(&text[1..]), "文".as_bytes());
    }

    #[test]
    fn a_listing_is_shown_from_its_beginning_with_its_notes() {
        let listing =
            format!("matches: 900\n{}[not listed: 700 more matches]\n", "docs/a.txt | 3 bytes\n".repeat(200));
        let cut = Excerpt::Head.of(&listing, 600, "p");
        let (head, tail) = cut.split_once("[... ").unwrap();
        assert!(head.starts_with("matches: 900\n") && head.len() > 490, "{cut}");
        assert!(tail.ends_with("[not listed: 700 more matches]\n"), "{cut}");
        assert_eq!(Excerpt::Head.of("short", 600, "p"), "short");
    }

    proptest! {
        #[test]
        fn cuts_keep_the_ends_and_the_count(
            text in "\\PC{0,400}",
            limit in 0usize..300,
            excerpt in prop::sample::select(vec![Excerpt::HeadTail, Excerpt::Head]),
        ) {
            let cut = excerpt.of(&text, limit, "p");
            if text.len() <= limit {
                prop_assert_eq!(cut, text);
            } else {
                let (head, rest) = cut.split_once("[... ").unwrap();
                let (count, rest) = rest.split_once(" bytes left out here, p ...]\n").unwrap();
                let head = head.strip_suffix('\n').unwrap_or(head);
                prop_assert!(text.starts_with(head) && text.ends_with(rest));
                prop_assert!(head.len() + rest.len() <= limit);
                prop_assert_eq!(head.len() + rest.len() + count.parse::<usize>().unwrap(), text.len());
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(head in any::<Vec<u8>>(), tail in any::<Vec<u8>>(), limit in 0usize..300) {
            let shown = head_tail_of_ends(&head, &tail, 10_000, limit, "p");
            prop_assert!(shown.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        }
    }
}
