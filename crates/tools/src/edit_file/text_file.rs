//! A text file as models see it: lines that end in `\n`, without a byte order mark.

const MARK: &str = "\u{feff}";

/// The text of a file, with the byte order mark and line endings to restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextFile {
    /// Lines end in `\n` if the file's line endings are uniform. Mixed endings are kept as they are.
    pub(super) text: String,
    has_mark: bool,
    endings: Endings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endings {
    Newline,
    /// CRLF: a carriage return before each newline.
    Both,
    Mixed,
}

impl TextFile {
    /// `None` if the bytes are not UTF-8 text.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
        let (has_mark, text) = match text.strip_prefix(MARK) {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (newlines, pairs) = (text.matches('\n').count(), text.matches("\r\n").count());
        let endings = match pairs {
            0 => Endings::Newline,
            _ if pairs == newlines => Endings::Both,
            _ => Endings::Mixed,
        };
        let text = match endings {
            Endings::Both => text.replace("\r\n", "\n"),
            Endings::Newline | Endings::Mixed => text.to_owned(),
        };
        Some(Self { text, has_mark, endings })
    }

    /// A text from a model, converted to the line endings of [`text`](Self::text).
    pub(super) fn taken(&self, given: &str) -> String {
        match self.endings {
            Endings::Newline | Endings::Both => given.replace("\r\n", "\n"),
            Endings::Mixed => given.to_owned(),
        }
    }

    /// A line from a model, without its ending.
    pub(super) fn taken_line(&self, given: &str) -> String {
        match self.endings {
            Endings::Newline | Endings::Both => given.strip_suffix('\r').unwrap_or(given).to_owned(),
            Endings::Mixed => given.to_owned(),
        }
    }

    /// The bytes of the file with this text in place of the old one.
    pub(super) fn with(&self, text: &str) -> Vec<u8> {
        let mark = if self.has_mark { MARK } else { "" };
        match self.endings {
            Endings::Both => format!("{mark}{}", text.replace('\n', "\r\n")),
            Endings::Newline | Endings::Mixed => format!("{mark}{text}"),
        }
        .into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn endings_and_marks_are_kept() {
        let table: [(&str, &str, &str, &str); 5] = [
            ("a\nb\n", "a\nb\n", "a\nc\nd\n", "a\nc\nd\n"),
            ("a\r\nb\r\n", "a\nb\n", "a\nc\nd", "a\r\nc\r\nd"),
            ("\u{feff}a\r\nb", "a\nb", "x", "\u{feff}x"),
            ("a\r\nb\n", "a\r\nb\n", "a\r\nc\n", "a\r\nc\n"),
            ("a\r\r\nb\r\n", "a\r\nb\n", "a\r\nc\n", "a\r\r\nc\r\n"),
        ];
        for (bytes, text, edited, after) in table {
            let file = TextFile::of(bytes.as_bytes()).unwrap();
            assert_eq!(file.text, text);
            assert_eq!(String::from_utf8(file.with(edited)).unwrap(), after, "{bytes:?}");
        }
        let [of_pairs, mixed] = ["a\r\n", "a\r\nb\n"].map(|text| TextFile::of(text.as_bytes()).unwrap());
        assert_eq!((of_pairs.taken("x\r\ny\n"), mixed.taken("x\r\n")), ("x\ny\n".into(), "x\r\n".into()));
        assert_eq!((TextFile::of(b"caf\xe9"), TextFile::of(b"a\0b")), (None, None));
    }

    proptest! {
        #[test]
        fn what_is_not_edited_stays_to_the_byte(text in "[ab\r\n\u{feff}]{0,20}") {
            let file = TextFile::of(text.as_bytes()).unwrap();
            prop_assert_eq!(file.with(&file.text), text.into_bytes());
        }
    }
}
