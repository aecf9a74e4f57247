//! Iterates over the rows of a table, in order.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::format::{Reference, row_at};
use super::reader::{Keep, Table};
use super::{Part, TableError};

/// A row. It shares the block that it was read from.
#[derive(Clone)]
pub struct Row {
    block: Arc<[u8]>,
    offset: u64,
    key: Range<usize>,
    value: Range<usize>,
}

impl Row {
    /// Its key.
    pub fn key(&self) -> &[u8] {
        self.block.get(self.key.clone()).unwrap_or_default()
    }

    /// Its value.
    pub fn value(&self) -> &[u8] {
        self.block.get(self.value.clone()).unwrap_or_default()
    }

    /// The offset of its block.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("key", &self.key()).field("value", &self.value()).finish_non_exhaustive()
    }
}

/// The rows of a table from a key on. Created by [`Table::scan`].
#[derive(Debug)]
pub struct Scan<'a> {
    table: &'a Table,
    prefix: Vec<u8>,
    from: Vec<u8>,
    next_index: usize,
    index: Option<Cursor>,
    block: Option<Cursor>,
    /// The first block of a scan is likely to be requested again; a long scan would only evict others.
    keep: Keep,
    done: bool,
}

/// A position in a block.
#[derive(Debug)]
struct Cursor {
    block: Arc<[u8]>,
    offset: u64,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(table: &'a Table, prefix: &[u8], from: &[u8], first_index: usize) -> Self {
        Self {
            table,
            prefix: prefix.to_vec(),
            from: from.to_vec(),
            next_index: first_index,
            index: None,
            block: None,
            keep: Keep::Yes,
            done: false,
        }
    }

    fn step(&mut self) -> Result<Option<Row>, TableError> {
        loop {
            while let Some(row) = next_row(self.table, &mut self.block, Part::Block)? {
                if !row.key().starts_with(&self.prefix) && row.key() > self.prefix.as_slice() {
                    return Ok(None);
                }
                if row.key() >= self.from.as_slice() {
                    return Ok(Some(row));
                }
            }
            if !self.open_block()? {
                return Ok(None);
            }
        }
    }

    /// Moves to the next block that may contain a matching row; false at the end.
    fn open_block(&mut self) -> Result<bool, TableError> {
        loop {
            while let Some(row) = next_row(self.table, &mut self.index, Part::Index)? {
                if row.key() < self.from.as_slice() {
                    continue;
                }
                let reference = Reference::decode(row.value());
                let reference = reference
                    .ok_or_else(|| self.table.damaged(Part::Index, row.offset(), "it points nowhere"))?;
                let block = self.table.block(reference, Part::Block, self.keep)?;
                self.keep = Keep::No;
                self.block = Some(Cursor { block, offset: reference.offset, at: 0 });
                return Ok(true);
            }
            let Some(reference) = self.table.top(self.next_index) else { return Ok(false) };
            self.next_index += 1;
            let block = self.table.block(reference, Part::Index, Keep::Yes)?;
            self.index = Some(Cursor { block, offset: reference.offset, at: 0 });
        }
    }
}

impl Iterator for Scan<'_> {
    type Item = Result<Row, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let row = self.step().transpose();
        self.done = !matches!(row, Some(Ok(_)));
        row
    }
}

/// The next row of a block; `None` at its end.
fn next_row(table: &Table, cursor: &mut Option<Cursor>, part: Part) -> Result<Option<Row>, TableError> {
    let Some(Cursor { block, offset, at }) = cursor else { return Ok(None) };
    if *at >= block.len() {
        *cursor = None;
        return Ok(None);
    }
    let (key, value) = row_at(block, *at).ok_or_else(|| table.damaged(part, *offset, "it has half a row"))?;
    *at = value.end;
    Ok(Some(Row { block: Arc::clone(block), offset: *offset, key, value }))
}
