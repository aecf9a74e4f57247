//! Very long lines, for a search that holds whole lines in memory: a reader that ends them early, and the way back to the
//! lines of the file.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// How far back from the end of a piece a place is looked for where no word is cut.
const LOOKED_BACK: usize = 4 * 1024;
const CHUNK: usize = 64 * 1024;

/// Where lines were ended early.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cuts(Rc<RefCell<Vec<Cut>>>);

#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The number of the piece among the lines that the reader gives.
    line: u64,
    /// How many bytes of the line in the file come before the end of the piece.
    end: u64,
}

impl Cuts {
    /// The number in the file of a line that the reader gave, and how many bytes of it come before this piece.
    pub(crate) fn in_file(&self, line: u64) -> (u64, u64) {
        let cuts = self.0.borrow();
        let before = cuts.partition_point(|cut| cut.line < line);
        let last = before.checked_sub(1).and_then(|at| cuts.get(at));
        let offset = last.filter(|cut| cut.line + 1 == line).map_or(0, |cut| cut.end);
        (line - before as u64, offset)
    }

    pub(crate) fn are_any(&self) -> bool {
        !self.0.borrow().is_empty()
    }
}

/// A reader that ends a line after so many bytes.
pub(crate) struct Pieces<R> {
    from: R,
    most: usize,
    cuts: Cuts,
    chunk: Vec<u8>,
    /// What is read and not given yet, from this place on.
    ready: Vec<u8>,
    given: usize,
    /// The number of the line or piece that is open, from 1, and its length so far.
    line: u64,
    length: usize,
    /// How many bytes of the line in the file come before the open piece.
    offset: u64,
}

impl<R: Read> Pieces<R> {
    pub(crate) fn new(from: R, most: usize, cuts: Cuts) -> Self {
        let chunk = vec![0; CHUNK.min(most)];
        Self { from, most, cuts, chunk, ready: Vec::new(), given: 0, line: 1, length: 0, offset: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        let read = self.from.read(&mut self.chunk)?;
        let chunk = self.chunk.get(..read).unwrap_or_default();
        self.ready.clear();
        self.given = 0;
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            if piece.ends_with(b"\n") {
                self.ready.extend_from_slice(piece);
                (self.line, self.length, self.offset) = (self.line + 1, 0, 0);
                continue;
            }
            if self.length + piece.len() < self.most {
                self.ready.extend_from_slice(piece);
                self.length += piece.len();
                continue;
            }
            let (end, rest) = piece.split_at(cut_at(piece));
            self.ready.extend_from_slice(end);
            self.ready.push(b'\n');
            self.offset += (self.length + end.len()) as u64;
            self.cuts.0.borrow_mut().push(Cut { line: self.line, end: self.offset });
            self.ready.extend_from_slice(rest);
            (self.line, self.length) = (self.line + 1, rest.len());
        }
        Ok(())
    }
}

/// Where a part of a line is cut: behind the last ASCII character that belongs to no word, else between characters.
fn cut_at(piece: &[u8]) -> usize {
    let from = piece.len().saturating_sub(LOOKED_BACK);
    let tail = piece.get(from..).unwrap_or_default();
    let is_apart = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_';
    let apart = tail.iter().rposition(is_apart).map(|at| from + at + 1);
    let is_begin = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let between = || tail.iter().rposition(is_begin).map(|at| from + at);
    apart.or_else(between).filter(|at| *at > 0).unwrap_or(piece.len())
}

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill()?;
        }
        let left = self.ready.get(self.given..).unwrap_or_default();
        let count = left.len().min(into.len());
        if let (Some(into), Some(left)) = (into.get_mut(..count), left.get(..count)) {
            into.copy_from_slice(left);
        }
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The pieces of the lines are the lines, and each piece knows its place.
        #[test]
        fn pieces_are_in_their_places(text in "([a-c ]{0,30}\n?){0,6}", most in 4usize..12) {
            let cuts = Cuts::default();
            let mut read = String::new();
            Pieces::new(text.as_bytes(), most, cuts.clone()).read_to_string(&mut read).unwrap();
            let lines: Vec<&str> = text.split('\n').collect();
            for (number, piece) in (1..).zip(read.split('\n')) {
                prop_assert!(piece.len() <= 2 * most, "{piece:?}");
                let (line, offset) = cuts.in_file(number);
                let line = lines[usize::try_from(line).unwrap() - 1];
                prop_assert!(line[usize::try_from(offset).unwrap()..].starts_with(piece));
            }
            let is_whole = cuts.are_any() || read == text;
            prop_assert!(is_whole && read.replace('\n', "") == text.replace('\n', ""));
        }
    }
}
