//! Selects lines of a file and decodes them.

use std::io::{self, BufRead};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::text_form::of_windows_1252;

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Selected lines of a file, as bytes.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    pub(crate) bytes: Vec<u8>,
    /// The number of the last line that is at least partly in `bytes`; for an empty selection, of the last
    /// line read.
    pub(crate) last: u64,
    /// The cap was reached before the end of the selection.
    pub(crate) cut: bool,
    /// How many bytes of the last line are before or in `bytes`, if it was cut.
    pub(crate) reached: u64,
    /// The number of lines in the file, if counted.
    pub(crate) total: Option<u64>,
}

/// Bytes after the selection in which lines are counted.
const COUNTED: u64 = 64 * 1024 * 1024;

/// Lines of a file, the first of them from a byte on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) lines: RangeInclusive<u64>,
    /// From 1.
    pub(crate) column: u64,
}

/// The requested part, at most `cap` bytes of it. Lines are counted from 1. Memory does not grow with the
/// file or with a line.
pub(crate) fn select(
    mut from: impl BufRead,
    Part { lines, column }: &Part,
    cap: usize,
    time: Duration,
    cancel: &CancellationToken,
) -> io::Result<Selected> {
    let begin = Instant::now();
    let is_over = || cancel.is_cancelled() || begin.elapsed() > time;
    let mut selected = Selected::default();
    // The next line, whether any of it was read, and the bytes read after the selection.
    let (mut line, mut is_open, mut behind) = (1, false, 0);
    // How many bytes of the line were read.
    let mut at = 0_u64;
    loop {
        let is_done = selected.cut || line > *lines.end();
        if is_over() && !is_done {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let chunk = from.fill_buf()?;
        if chunk.is_empty() {
            selected.total = Some(line - u64::from(!is_open));
            return Ok(selected);
        }
        if is_done && (behind >= COUNTED || is_over()) {
            return Ok(selected);
        }
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            if selected.cut || line > *lines.end() {
                behind += piece.len() as u64;
            } else {
                selected.last = line;
                if line >= *lines.start() {
                    let before =
                        if line == *lines.start() { column.saturating_sub(1).saturating_sub(at) } else { 0 };
                    let skipped = usize::try_from(before).unwrap_or(usize::MAX).min(piece.len());
                    let wanted = piece.get(skipped..).unwrap_or_default();
                    let room = cap - selected.bytes.len();
                    let kept = wanted.get(..room.min(wanted.len())).unwrap_or_default();
                    selected.bytes.extend_from_slice(kept);
                    selected.cut = kept.len() < wanted.len();
                    selected.reached = at + (skipped + kept.len()) as u64;
                }
            }
            is_open = !piece.ends_with(b"\n");
            at = if is_open { at + piece.len() as u64 } else { 0 };
            line += u64::from(!is_open);
        }
        let used = chunk.len();
        from.consume(used);
    }
}

/// Whether a file begins with a UTF-16 byte order mark.
pub(crate) fn is_utf16(beginning: &[u8]) -> bool {
    UTF16_MARKS.iter().any(|mark| beginning.starts_with(mark))
}

/// Whether the beginning of a file is not text in any supported encoding.
pub(crate) fn is_binary(beginning: &[u8]) -> bool {
    !is_utf16(beginning) && beginning.contains(&0)
}

/// Decodes a whole UTF-16 file; invalid units become U+FFFD.
pub(crate) fn from_utf16(bytes: &[u8]) -> String {
    let little = bytes.starts_with(b"\xff\xfe");
    let (units, _) = bytes.get(2..).unwrap_or_default().as_chunks::<2>();
    let units =
        units.iter().map(|unit| if little { u16::from_le_bytes(*unit) } else { u16::from_be_bytes(*unit) });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Decodes UTF-8, or else Windows-1252, and says whether it was the latter. A character split by the cap is
/// dropped.
pub(crate) fn decode(mut bytes: Vec<u8>, cut: bool) -> (String, bool) {
    if bytes.starts_with(UTF8_MARK) {
        bytes.drain(..UTF8_MARK.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => {
            let broken = error.utf8_error();
            let mut bytes = error.into_bytes();
            if cut && broken.error_len().is_none() {
                bytes.truncate(broken.valid_up_to());
                return (String::from_utf8_lossy(&bytes).into_owned(), false);
            }
            (of_windows_1252(&bytes), true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(text: &str, lines: RangeInclusive<u64>, cap: usize) -> (String, u64, bool, Option<u64>) {
        // A tiny buffer, so that lines cross buffer boundaries.
        let from = io::BufReader::with_capacity(3, text.as_bytes());
        let part = Part { lines, column: 1 };
        let got = select(from, &part, cap, Duration::from_secs(60), &CancellationToken::new()).unwrap();
        (String::from_utf8(got.bytes).unwrap(), got.last, got.cut, got.total)
    }

    #[test]
    fn lines_are_selected() {
        let text = "one\ntwo\nthree\nfour";
        let table = [
            (1..=u64::MAX, 100, "one\ntwo\nthree\nfour", 4, false),
            (2..=3, 100, "two\nthree\n", 3, false),
            (4..=9, 100, "four", 4, false),
            (5..=9, 100, "", 4, false),
            (1..=u64::MAX, 6, "one\ntw", 2, true),
            (3..=3, 3, "thr", 3, true),
        ];
        for (lines, cap, expected, last, cut) in table {
            let all = (expected.to_owned(), last, cut, Some(4));
            assert_eq!(selected(text, lines.clone(), cap), all, "{lines:?}");
        }
    }

    #[test]
    fn a_line_is_read_on_from_a_byte() {
        let got = |lines, column, cap| {
            let from = io::BufReader::with_capacity(3, "one\nlong line\nend".as_bytes());
            let got = select(
                from,
                &Part { lines, column },
                cap,
                Duration::from_secs(60),
                &CancellationToken::new(),
            );
            let got = got.unwrap();
            (String::from_utf8(got.bytes).unwrap(), got.cut, got.reached)
        };
        assert_eq!(got(2..=2, 6, 100), ("line\n".into(), false, 10));
        assert_eq!(got(2..=u64::MAX, 6, 3), ("lin".into(), true, 8));
        assert_eq!(got(2..=3, 9, 100), ("e\nend".into(), false, 3));
        assert_eq!(got(2..=2, 99, 100).0, "");
    }

    #[test]
    fn lines_are_counted() {
        for (text, total) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\nb", 2)] {
            assert_eq!(selected(text, 1..=1, 100).3, Some(total), "{text:?}");
        }
    }

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(decode(b"\xef\xbb\xbfhi".to_vec(), false), ("hi".into(), false));
        assert_eq!(decode("中文".as_bytes()[..4].to_vec(), true), ("中".into(), false));
        assert_eq!(decode(b"caf\xe9".to_vec(), false), ("café".into(), true));
        assert_eq!(from_utf16(b"\xff\xfeh\0i\0"), "hi");
        assert_eq!(from_utf16(b"\xfe\xff\0h\0i\0"), "hi");
        assert_eq!(from_utf16(b"\xff\xfe\0\xd8"), "\u{FFFD}");
        assert!(is_binary(b"\x7fELF\0") && !is_binary(b"\xff\xfeh\0") && !is_binary(b"text"));
    }
}
