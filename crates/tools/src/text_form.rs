//! The form in which a file holds its text: the encoding, and the byte order mark.

use std::fmt;

use crate::line_endings::{Ending, Lines};

/// The characters that Windows-1252 has at 0x80 to 0x9f. The five bytes it leaves open stand for themselves, as in
/// web browsers, so that each byte is one character and comes back as it was.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];
const MARK: char = '\u{feff}';
/// The most letters beyond ASCII that follow each other in a Western text: a longer run points to another encoding.
const LONGEST_RUN: usize = 2;

/// How the characters of a text file are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// The usual one.
    Utf8,
    /// Two bytes or four for a character.
    Utf16 {
        /// Whether the low byte comes first.
        little: bool,
    },
    /// The superset of Latin-1.
    Windows1252,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16 { .. } => "UTF-16",
            Self::Windows1252 => "Windows-1252",
        })
    }
}

/// The form of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextForm {
    pub(crate) encoding: Encoding,
    pub(crate) has_mark: bool,
}

impl TextForm {
    /// The form of a new file.
    pub(crate) const PLAIN: Self = Self { encoding: Encoding::Utf8, has_mark: false };

    /// The form of a file, and its text without the mark. `None` if it is no text, or in an encoding that cannot be told.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, String)> {
        let (encoding, text) = match bytes {
            [0xff, 0xfe, rest @ ..] => {
                (Encoding::Utf16 { little: true }, of_utf16(rest, u16::from_le_bytes)?)
            }
            [0xfe, 0xff, rest @ ..] => {
                (Encoding::Utf16 { little: false }, of_utf16(rest, u16::from_be_bytes)?)
            }
            [0xef, 0xbb, 0xbf, rest @ ..] => (Encoding::Utf8, String::from_utf8(rest.to_vec()).ok()?),
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => return Self::PLAIN.with_text(text.to_owned()),
                Err(_) if is_western(bytes) => {
                    let form = Self { encoding: Encoding::Windows1252, has_mark: false };
                    return form.with_text(of_windows_1252(bytes));
                }
                Err(_) => return None,
            },
        };
        Self { encoding, has_mark: true }.with_text(text)
    }

    fn with_text(self, text: String) -> Option<(Self, String)> {
        if text.contains('\0') { None } else { Some((self, text)) }
    }

    /// The bytes of a text in this form.
    ///
    /// # Errors
    ///
    /// The first character that the encoding lacks.
    pub(crate) fn written(self, text: &str) -> Result<Vec<u8>, char> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let marked = std::iter::once(MARK).filter(|_| self.has_mark).chain(text.chars());
        match self.encoding {
            Encoding::Utf8 => Ok(marked.collect::<String>().into_bytes()),
            Encoding::Utf16 { little } => {
                let bytes = if little { u16::to_le_bytes } else { u16::to_be_bytes };
                let units = |c: char| c.encode_utf16(&mut [0; 2]).to_vec();
                Ok(marked.flat_map(units).flat_map(bytes).collect())
            }
            Encoding::Windows1252 => text.chars().map(|c| windows_1252_byte(c).ok_or(c)).collect(),
        }
    }
}

/// A new content of a file that holds text, in the form of the old one: encoding, mark and usual line ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewContent {
    pub(crate) bytes: Vec<u8>,
    /// What was kept, in words; empty if the content was written as it was given.
    pub(crate) what: String,
}

impl NewContent {
    /// The content as it is given.
    pub(crate) fn as_given(content: &str) -> Self {
        Self { bytes: content.as_bytes().to_vec(), what: String::new() }
    }

    /// The content in the form of what is there.
    ///
    /// # Errors
    ///
    /// The encoding, and the first character that it lacks.
    pub(crate) fn of(before: &[u8], content: &str) -> Result<Self, (Encoding, char)> {
        let Some((form, text)) = TextForm::read(before) else { return Ok(Self::as_given(content)) };
        let ending = Lines::of(&text).usual();
        let bytes = form.written(&Lines::anew(content, ending)).map_err(|lacks| (form.encoding, lacks))?;
        if bytes == content.as_bytes() {
            return Ok(Self::as_given(content));
        }
        let mut what = Vec::new();
        match form {
            TextForm { encoding: Encoding::Utf8, has_mark: false } => {}
            TextForm { encoding, has_mark: false } => what.push(encoding.to_string()),
            TextForm { encoding, has_mark: true } => {
                what.push(format!("{encoding} with its byte order mark"))
            }
        }
        match ending {
            Ending::Newline => {}
            Ending::Both => what.push("CRLF line endings".to_owned()),
            Ending::Return => what.push("CR line endings".to_owned()),
        }
        Ok(Self { bytes, what: what.join(", ") })
    }
}

/// The text of bytes that are not UTF-8: each byte is a character.
pub(crate) fn of_windows_1252(bytes: &[u8]) -> String {
    let character = |byte: &u8| match byte.checked_sub(0x80).and_then(|at| WINDOWS.get(usize::from(at))) {
        Some(character) => *character,
        None => char::from(*byte),
    };
    bytes.iter().map(character).collect()
}

fn windows_1252_byte(character: char) -> Option<u8> {
    match u8::try_from(character) {
        Ok(byte) if !(0x80..0xa0).contains(&byte) => Some(byte),
        _ => {
            let at = WINDOWS.iter().position(|known| *known == character)?;
            u8::try_from(at).ok().map(|at| at + 0x80)
        }
    }
}

fn of_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    char::decode_utf16(units.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok()
}

/// Whether bytes that are not UTF-8 look like a Western text: no control characters, and letters beyond ASCII
/// between others. In Cyrillic, Greek or East Asian encodings they follow each other.
fn is_western(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c);
    let (mut all, mut in_runs) = (0, 0);
    for run in bytes.split(u8::is_ascii) {
        all += run.len();
        in_runs += if run.len() > LONGEST_RUN { run.len() } else { 0 };
    }
    !bytes.iter().any(is_control) && in_runs * 2 < all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_form_of_a_text_is_told() {
        let form = |encoding, has_mark| TextForm { encoding, has_mark };
        let (little, big) = (Encoding::Utf16 { little: true }, Encoding::Utf16 { little: false });
        type Row = (&'static [u8], Option<(TextForm, &'static str)>);
        let table: [Row; 14] = [
            (b"", Some((TextForm::PLAIN, ""))),
            ("é\n".as_bytes(), Some((TextForm::PLAIN, "é\n"))),
            (b"\xef\xbb\xbfa", Some((form(Encoding::Utf8, true), "a"))),
            (b"\xff\xfea\0\xac\x20", Some((form(little, true), "a€"))),
            (b"\xfe\xff\0a\xd8\x3d\xde\x00", Some((form(big, true), "a😀"))),
            (b"caf\xe9 \x80 \x93so\x94", Some((form(Encoding::Windows1252, false), "café € “so”"))),
            (b"Gr\xf6\xdfe", Some((form(Encoding::Windows1252, false), "Größe"))),
            // A half character, a lone surrogate, UTF-32, zero bytes, a packed file.
            (b"\xff\xfea", None),
            (b"\xff\xfe\0\xd8", None),
            (b"\xff\xfe\0\0a\0\0\0", None),
            (b"a\0b", None),
            (b"\x1f\x8b\x08\x01\xe9", None),
            // Russian in KOI8-R, Chinese in GBK.
            (b"\xd0\xd2\xc9\xd7\xc5\xd4", None),
            (b"x = 1  # \xd6\xd0\xce\xc4\xb2\xe2\xca\xd4", None),
        ];
        for (bytes, expected) in table {
            let read = TextForm::read(bytes);
            assert_eq!(read.as_ref().map(|(form, text)| (*form, text.as_str())), expected, "{bytes:?}");
        }
        let western = form(Encoding::Windows1252, false);
        assert_eq!(western.written("é€中"), Err('中'));
        assert_eq!(form(little, true).written("\u{feff}a"), Ok(b"\xff\xfea\0".to_vec()), "one mark");
    }

    #[test]
    fn a_new_content_takes_the_form_of_the_old_one() {
        let table: [(&[u8], &str, &[u8], &str); 8] = [
            (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n", "CRLF line endings"),
            (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n", ""),
            (b"a\nb\r\n", "x\n", b"x\n", ""),
            (b"\xef\xbb\xbfa", "x", b"\xef\xbb\xbfx", "UTF-8 with its byte order mark"),
            (
                b"\xff\xfea\0\r\0\n\0",
                "x\n",
                b"\xff\xfex\0\r\0\n\0",
                "UTF-16 with its byte order mark, CRLF line endings",
            ),
            (b"caf\xe9\n", "th\u{e9}\n", b"th\xe9\n", "Windows-1252"),
            (b"a\0b", "x\n", b"x\n", ""),
            (b"", "x\n", b"x\n", ""),
        ];
        for (before, content, bytes, what) in table {
            let kept = NewContent::of(before, content);
            assert_eq!(kept, Ok(NewContent { bytes: bytes.to_vec(), what: what.to_owned() }), "{before:?}");
        }
        assert_eq!(NewContent::of(b"caf\xe9\n", "中"), Err((Encoding::Windows1252, '中')));
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_to_the_byte(bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            "[a-z\u{e9}\u{feff}中\r\n]{0,20}".prop_map(String::into_bytes),
            prop::collection::vec(prop_oneof![Just(b'a'), Just(b' '), 0x80u8..], 0..20),
            prop::collection::vec(any::<u16>(), 0..20)
                .prop_map(|units| [0xfeffu16].into_iter().chain(units).flat_map(u16::to_be_bytes).collect()),
        ]) {
            if let Some((form, text)) = TextForm::read(&bytes) {
                // A second mark is a character of the text.
                prop_assume!(!text.starts_with(MARK));
                prop_assert_eq!(form.written(&text), Ok(bytes));
            }
        }
    }
}
