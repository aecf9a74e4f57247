//! Splits a file into lines, with bounded memory and for any content.

use std::io::{self, BufRead};

use sha2::{Digest, Sha256};

/// Our lines are far shorter; of a longer one only the beginning is kept.
const LONGEST: usize = 1 << 20;

/// A line as stored in the file.
#[derive(Debug)]
pub(crate) struct RawLine {
    /// Its bytes without the line break, truncated at one mebibyte.
    pub(crate) bytes: Vec<u8>,
    /// Its full length without the line break.
    pub(crate) length: u64,
    /// The hash of the full line; empty if no hashes were asked for.
    pub(crate) hash: String,
    /// Whether it ends with a line break.
    pub(crate) whole: bool,
}

/// Reads in pieces, so that an endless line takes no memory.
pub(crate) struct RawLines<R> {
    reader: R,
    hashes: bool,
}

impl<R: BufRead> RawLines<R> {
    /// The lines with their hashes.
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, hashes: true }
    }

    /// The lines alone, for who only reads them.
    pub(crate) fn without_hashes(reader: R) -> Self {
        Self { reader, hashes: false }
    }
}

impl<R: BufRead> Iterator for RawLines<R> {
    type Item = io::Result<RawLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut hasher = self.hashes.then(Sha256::new);
        let mut line = RawLine { bytes: Vec::new(), length: 0, hash: String::new(), whole: false };
        while !line.whole {
            let piece = match self.reader.fill_buf() {
                Ok([]) if line.length == 0 => return None,
                Ok([]) => break,
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Some(Err(error)),
            };
            let text = piece.split(|byte| *byte == b'\n').next().unwrap_or(piece);
            line.whole = text.len() < piece.len();
            if let Some(hasher) = &mut hasher {
                hasher.update(text);
            }
            line.length += text.len() as u64;
            let room = LONGEST.saturating_sub(line.bytes.len());
            line.bytes.extend(text.iter().take(room));
            let used = text.len() + usize::from(line.whole);
            self.reader.consume(used);
        }
        line.hash = hasher.map_or_else(String::new, |hasher| hex::encode(hasher.finalize()));
        Some(Ok(line))
    }
}
