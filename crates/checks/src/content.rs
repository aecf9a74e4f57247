//! Content of a file for a reader: text, or the kind of binary.

/// The beginning of a file for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The file is text.
    Text {
        /// Its beginning.
        head: String,
        /// The number of bytes after that.
        more: u64,
    },
    /// The file is not text.
    Other {
        /// The detected kind.
        kind: &'static str,
        /// Its size.
        bytes: u64,
    },
}

/// Signatures at the beginning of binary files.
const MAGIC: [(&[u8], &str); 13] = [
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"RIFF", "sound, a film or a WebP picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "a program"),
    (b"\0asm", "a WebAssembly program"),
    (b"\xca\xfe\xba\xbe", "a Java class or a program"),
    (b"SQLite format 3", "an SQLite database"),
];

impl Content {
    /// Classifies a file by its beginning and its size. Text is UTF-8 without control characters other than
    /// tabs, line ends and terminal colours. A character split by the cut is dropped.
    pub(crate) fn of(head: &[u8], bytes: u64) -> Self {
        let other = |kind| Self::Other { kind, bytes };
        if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
            return other(kind);
        }
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(cut) if cut.error_len().is_none() && bytes > head.len() as u64 => head
                .get(..cut.valid_up_to())
                .and_then(|whole| std::str::from_utf8(whole).ok())
                .unwrap_or_default(),
            Err(_) => return other("no UTF-8 text"),
        };
        if text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}')) {
            return other("binary data");
        }
        Self::Text { head: text.to_owned(), more: bytes.saturating_sub(text.len() as u64) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_text_and_what_is_not() {
        let of = |bytes: &[u8]| match Content::of(bytes, bytes.len() as u64) {
            Content::Text { .. } => "text",
            Content::Other { kind, .. } => kind,
        };
        assert_eq!(of("名前,值\r\n\x1b[1mfett\x1b[0m\n".as_bytes()), "text");
        assert_eq!(of(b""), "text");
        assert_eq!(of(b"\x89PNG\r\n\x1a\n"), "a PNG picture");
        assert_eq!(of(b"\xcb\r\r\n\0\0\0\0"), "no UTF-8 text");
        assert_eq!(of(b"a\0b"), "binary data");
        let cut = Content::of(&"é".as_bytes()[..1], 2);
        assert_eq!(cut, Content::Text { head: String::new(), more: 2 });
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_kind(head in prop::collection::vec(any::<u8>(), 0..40), more in 0u64..9) {
            let bytes = head.len() as u64 + more;
            match Content::of(&head, bytes) {
                Content::Text { head, more } => prop_assert_eq!(head.len() as u64 + more, bytes),
                Content::Other { bytes: size, .. } => prop_assert_eq!(size, bytes),
            }
        }
    }
}
