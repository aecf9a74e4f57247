//! Known secret values, redacted wherever they occur, plain or in a common encoding.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};

use crate::kind::Kind;

/// The shortest known value that is redacted wherever it occurs, in characters. Shorter values are ordinary
/// words: a local server accepts any word as a key, and a key `x` would remove every x from a record.
pub const SHORTEST_SECRET: usize = 8;

/// The known values.
#[derive(Clone, Default)]
pub(crate) struct Values {
    /// All encodings of each value, sorted.
    patterns: Vec<Vec<u8>>,
    /// How many values there are.
    known: usize,
    /// Finds all patterns in one pass. Built on first use, after the last value was added.
    searcher: OnceLock<Option<AhoCorasick>>,
}

impl Values {
    /// Adds a value. One that is too short, or part of a mark, is an ordinary word and is ignored.
    pub(crate) fn add(&mut self, value: &str) {
        let is_word = Kind::ALL.iter().any(|kind| kind.mark().contains(value));
        let bytes = value.as_bytes();
        if is_word
            || value.chars().count() < SHORTEST_SECRET
            || self.patterns.iter().any(|known| known == bytes)
        {
            return;
        }
        self.known += 1;
        self.patterns.extend(encodings(value));
        self.patterns.sort_unstable();
        self.patterns.dedup();
        self.searcher = OnceLock::new();
    }

    pub(crate) fn len(&self) -> usize {
        self.known
    }

    /// Whether the text contains a known value.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        self.find(text, 0).is_some()
    }

    /// Copies `text` to `out` without known values. Returns how many bytes were processed: fewer than all of
    /// them only if the end may be the beginning of a value and more text follows. Sets `changed` if a value
    /// was found.
    pub(crate) fn mask(&self, text: &[u8], more: bool, out: &mut Vec<u8>, changed: &mut bool) -> usize {
        let mut at = 0;
        loop {
            let found = self.find(text, at);
            let before = found.map_or(text.len(), |(start, _)| start + 1);
            let begun = if more { self.beginning(text, at, before) } else { None };
            let until = begun.or(found.map(|(start, _)| start)).unwrap_or(text.len());
            out.extend_from_slice(text.get(at..until).unwrap_or_default());
            match found {
                Some((_, end)) if begun.is_none() => {
                    out.extend_from_slice(Kind::Secret.mark().as_bytes());
                    *changed = true;
                    at = end;
                }
                Some(_) | None => return until,
            }
        }
    }

    /// The first match from `at` on; the longest one at that position.
    fn find(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        if self.patterns.is_empty() {
            return None;
        }
        let searcher = self.searcher.get_or_init(|| {
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&self.patterns).ok()
        });
        let rest = text.get(at..)?;
        match searcher {
            Some(searcher) => searcher.find(rest).map(|found| (at + found.start(), at + found.end())),
            // More values than one automaton can hold.
            None => {
                let places = self.patterns.iter().filter_map(|value| {
                    let start = memchr::memmem::find(rest, value)?;
                    Some((at + start, at + start + value.len()))
                });
                places.min_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)))
            }
        }
    }

    /// The first offset in `from..to` at which the rest of the text is a proper prefix of a value.
    fn beginning(&self, text: &[u8], from: usize, to: usize) -> Option<usize> {
        let longest = self.patterns.iter().map(Vec::len).max()?;
        let from = from.max((text.len() + 1).saturating_sub(longest));
        (from..to).find(|at| {
            let rest = text.get(*at..).unwrap_or_default();
            let next = self.patterns.partition_point(|value| value.as_slice() <= rest);
            !rest.is_empty() && self.patterns.get(next).is_some_and(|value| value.starts_with(rest))
        })
    }
}

/// The value itself, in base64 at each alignment, percent-encoded as in URLs and forms, and JSON-escaped.
fn encodings(value: &str) -> Vec<Vec<u8>> {
    let mut all = vec![value.as_bytes().to_vec()];
    for before in 0..3 {
        let text = [vec![0; before], value.as_bytes().to_vec()].concat();
        // Six bits per character. Characters at the ends share bits with other bytes and are unknown.
        let known = (8 * before).div_ceil(6)..8 * text.len() / 6;
        for encoded in [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
            all.extend(encoded.as_bytes().get(known.clone()).map(<[u8]>::to_vec));
        }
    }
    let percents = |upper: bool, blank: &str| -> Vec<u8> {
        value
            .bytes()
            .flat_map(|byte| match byte {
                b' ' => blank.as_bytes().to_vec(),
                b'-' | b'.' | b'_' | b'~' => vec![byte],
                byte if byte.is_ascii_alphanumeric() => vec![byte],
                byte if upper => format!("%{byte:02X}").into_bytes(),
                byte => format!("%{byte:02x}").into_bytes(),
            })
            .collect()
    };
    all.extend([percents(true, "%20"), percents(false, "%20"), percents(true, "+"), percents(false, "+")]);
    if let Ok(quoted) = serde_json::to_string(value) {
        let within = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&quoted);
        all.push(within.as_bytes().to_vec());
    }
    all
}
