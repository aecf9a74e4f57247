//! Writes a table, row by row.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::TableError;
use super::format::{
    BLOCK_BYTES, Body, HEADER, MAX_KEY_BYTES, MAX_VALUE_BYTES, Reference, block_crc, encode_tail, push_row,
};
use crate::disk::{Disk, DiskFile};
use crate::journal::Position;

/// Size of the writes to the disk.
const WRITE_BYTES: usize = 256 << 10;

/// An unfinished table. It has a temporary name until it is [finished](Self::finish); an unfinished one is
/// removed on drop.
pub struct Writer<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    unfinished: PathBuf,
    file: Option<Box<dyn DiskFile>>,
    waiting: Vec<u8>,
    /// The length of the file, including buffered bytes.
    length: u64,
    hash: Sha256,
    block: Vec<u8>,
    index: Vec<u8>,
    top: Vec<u8>,
    last_key: Vec<u8>,
    rows: u64,
}

impl<'a> Writer<'a> {
    /// Starts a table that will be at `path`.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn create(disk: &'a dyn Disk, path: &Path) -> Result<Self, TableError> {
        let unfinished = path.with_extension("unfinished");
        let io = |source| TableError::Io { path: path.to_owned(), doing: "begin", source };
        match disk.remove(&unfinished) {
            // Left by a process that died.
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(error)),
        }
        let file = Some(disk.create(&unfinished).map_err(io)?);
        let mut writer = Self {
            disk,
            path: path.to_owned(),
            unfinished,
            file,
            waiting: Vec::with_capacity(WRITE_BYTES),
            length: 0,
            hash: Sha256::new(),
            block: Vec::new(),
            index: Vec::new(),
            top: Vec::new(),
            last_key: Vec::new(),
            rows: 0,
        };
        writer.write(&HEADER)?;
        Ok(writer)
    }

    /// Adds a row. Keys come in ascending order.
    ///
    /// # Errors
    ///
    /// [`TableError::OutOfOrder`], [`TableError::TooLarge`], [`TableError::Io`].
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), TableError> {
        for (what, bytes, limit) in
            [("key", key.len(), MAX_KEY_BYTES), ("value", value.len(), MAX_VALUE_BYTES)]
        {
            if bytes > limit {
                return Err(TableError::TooLarge { path: self.path.clone(), what, bytes, limit });
            }
        }
        if self.rows > 0 && key <= self.last_key.as_slice() {
            return Err(TableError::OutOfOrder { path: self.path.clone() });
        }
        if value.len() > BLOCK_BYTES {
            self.close_block()?;
        }
        push_row(&mut self.block, key, value);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        self.rows += 1;
        if self.block.len() >= BLOCK_BYTES { self.close_block() } else { Ok(()) }
    }

    /// Syncs the table to the disk and renames it, replacing an existing one. Returns its hash.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`]: the name refers to the same file as before; but if only the sync of the folder
    /// failed, to the new table.
    pub fn finish(mut self, covers: Position) -> Result<[u8; 32], TableError> {
        self.close_block()?;
        self.close_index()?;
        let top = std::mem::take(&mut self.top);
        let top = self.write_block(&top)?;
        let body = Body { rows: self.rows, covers, top }.encode();
        self.write(&body)?;
        let hash: [u8; 32] = self.hash.finalize_reset().into();
        self.write(&encode_tail(&body, hash))?;
        self.flush()?;
        if let Some(file) = &self.file {
            file.sync().map_err(|source| self.io("sync", source))?;
        }
        self.disk.rename(&self.unfinished, &self.path).map_err(|source| self.io("name", source))?;
        self.file = None;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        self.disk.sync_folder(folder).map_err(|source| self.io("sync the folder of", source))?;
        Ok(hash)
    }

    fn close_block(&mut self) -> Result<(), TableError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        let reference = self.write_block(&block)?;
        push_row(&mut self.index, &self.last_key, &reference.encode());
        if self.index.len() >= BLOCK_BYTES { self.close_index() } else { Ok(()) }
    }

    fn close_index(&mut self) -> Result<(), TableError> {
        if self.index.is_empty() {
            return Ok(());
        }
        let index = std::mem::take(&mut self.index);
        let reference = self.write_block(&index)?;
        push_row(&mut self.top, &self.last_key, &reference.encode());
        Ok(())
    }

    fn write_block(&mut self, rows: &[u8]) -> Result<Reference, TableError> {
        let offset = self.length;
        self.write(rows)?;
        self.write(&block_crc(offset, rows).to_le_bytes())?;
        let bytes = u32::try_from(self.length - offset).map_err(|_| TableError::TooLarge {
            path: self.path.clone(),
            what: "block",
            bytes: rows.len(),
            limit: u32::MAX as usize,
        })?;
        Ok(Reference { offset, bytes })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.hash.update(bytes);
        self.waiting.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        if self.waiting.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), TableError> {
        if let Some(file) = &self.file {
            file.append(&self.waiting).map_err(|source| self.io("write", source))?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn io(&self, doing: &'static str, source: io::Error) -> TableError {
        TableError::Io { path: self.path.clone(), doing, source }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // Any remains are removed when the next table is started.
            drop(self.disk.remove(&self.unfinished));
        }
    }
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).field("rows", &self.rows).finish_non_exhaustive()
    }
}
