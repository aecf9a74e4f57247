//! What the fuzz targets share.
//!
//! *Architecture invariant*: knows crates from outside alone, and no clock, file or chance: one input gives one run.

/// Small numbers from the end of an input, the last byte first, so that a seed can be the plain text that it looks like.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    rest: &'a [u8],
}

impl<'a> Choices<'a> {
    /// The choices that an input makes.
    pub fn of(input: &'a [u8]) -> Self {
        Self { rest: input }
    }

    /// The next number, below 256; 0 where the input has no more.
    pub fn number(&mut self) -> usize {
        let Some((last, rest)) = self.rest.split_last() else { return 0 };
        self.rest = rest;
        usize::from(*last)
    }

    /// A place in a text of this length, its end included, or in its first 64 KiB.
    pub fn place(&mut self, length: usize) -> usize {
        (self.number() * 256 + self.number()) % (length + 1)
    }
}
