//! Incremental UTF-8 decoding of bytes that arrive in pieces.

/// Holds back the beginning of a character until the rest of it arrives.
#[derive(Debug, Default)]
pub(crate) struct LiveText {
    held: Vec<u8>,
}

impl LiveText {
    /// The text completed by this piece; invalid bytes become U+FFFD.
    pub(crate) fn push(&mut self, piece: &[u8]) -> String {
        self.held.extend_from_slice(piece);
        let mut text = String::with_capacity(self.held.len());
        let mut rest = Vec::new();
        let mut chunks = self.held.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let broken = chunk.invalid();
            let unfinished = std::str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && unfinished {
                rest = broken.to_vec();
            } else if !broken.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.held = rest;
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_give_the_same_text_as_the_whole(text in "\\PC{0,60}", cuts in prop::collection::vec(0usize..200, 0..8)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut live = LiveText::default();
            let joined: String = cuts.windows(2).map(|pair| live.push(&bytes[pair[0]..pair[1]])).collect();
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn arbitrary_bytes_never_panic(pieces in prop::collection::vec(any::<Vec<u8>>(), 0..6)) {
            let mut live = LiveText::default();
            for piece in pieces {
                live.push(&piece);
                prop_assert!(live.held.len() < 4);
            }
        }
    }
}
