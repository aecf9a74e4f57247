//! Reads a table.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::format::{
    Body, CRC_BYTES, FOOTER_BYTES, Footer, HEADER, MAGIC, Reference, VERSION, block_crc, decode_footer,
    row_at,
};
use super::{Part, Row, Scan, TableError};
use crate::disk::{Disk, DiskFile};
use crate::journal::Position;

/// Number of cached blocks.
const CACHED_BLOCKS: usize = 256;
/// Larger blocks are not cached.
const CACHED_BYTES: usize = 16 << 10;

/// An open table.
pub struct Table {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    bytes: u64,
    body: Body,
    hash: [u8; 32],
    /// The last key of each index block, and its position.
    top: Vec<Last>,
    /// Verified blocks, by position.
    cache: Mutex<HashMap<u64, Arc<[u8]>>>,
}

/// The last key of a block, and the block's position.
type Last = (Box<[u8]>, Reference);

/// Whether a block is likely to be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

impl Table {
    /// Opens a table: reads its header, its footer and its top index.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Newer`], [`TableError::Damaged`].
    pub fn open(disk: &dyn Disk, path: &Path) -> Result<Self, TableError> {
        let io = |source| TableError::Io { path: path.to_owned(), doing: "open", source };
        let damaged = |part, offset, flaw| TableError::Damaged { path: path.to_owned(), part, offset, flaw };
        let file = disk.open_to_read(path).map_err(io)?;
        let bytes = file.len().map_err(io)?;
        let header = read(file.as_ref(), 0, HEADER.len()).map_err(io)?;
        let footer_at = bytes.saturating_sub(FOOTER_BYTES as u64);
        let footer = read(file.as_ref(), footer_at, FOOTER_BYTES).map_err(io)?;
        let (body, hash) = match decode_footer(&footer) {
            Footer::Good { body, hash } => (body, hash),
            // A version on which both ends agree is no damage.
            Footer::Version(version) if header == newer_header(version) && version > VERSION => {
                return Err(TableError::Newer { path: path.to_owned(), version, known: VERSION });
            }
            Footer::Version(_) => return Err(damaged(Part::Footer, footer_at, "its version is wrong")),
            Footer::Damaged(flaw) => return Err(damaged(Part::Footer, footer_at, flaw)),
        };
        if header != HEADER {
            return Err(damaged(Part::Header, 0, "it does not begin as a snapshot begins"));
        }
        if body.top.offset.checked_add(body.top.bytes.into()) != Some(footer_at) {
            return Err(damaged(Part::Footer, footer_at, "the file is longer or shorter than it says"));
        }
        let cache = Mutex::default();
        let mut table = Self { path: path.to_owned(), file, bytes, body, hash, top: Vec::new(), cache };
        table.top = table.references(body.top)?;
        Ok(table)
    }

    /// The value of a key.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn get(&self, key: &[u8]) -> Result<Option<Row>, TableError> {
        let found = self.scan(key, key).next().transpose()?;
        Ok(found.filter(|row| row.key() == key))
    }

    /// The rows whose keys begin with `prefix` and are not less than `from`, in order. It ends with the first
    /// error.
    pub fn scan(&self, prefix: &[u8], from: &[u8]) -> Scan<'_> {
        let from = if from < prefix { prefix } else { from };
        let first = self.top.partition_point(|(last_key, _)| last_key.as_ref() < from);
        Scan::new(self, prefix, from, first)
    }

    /// The journal position that it covers.
    pub fn covers(&self) -> Position {
        self.body.covers
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.body.rows
    }

    /// The length of its file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The hash of its content, as returned by [`Writer::finish`](super::Writer::finish).
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole file and verifies its hash, and the checksum of every block.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn verify(&self) -> Result<(), TableError> {
        let mut rows = 0_u64;
        for row in self.scan(&[], &[]) {
            row?;
            rows += 1;
        }
        let mut hash = Sha256::new();
        let mut offset = 0_u64;
        let hashed = self.bytes.saturating_sub((FOOTER_BYTES - super::format::BODY_BYTES) as u64);
        while offset < hashed {
            let wanted = usize::try_from((hashed - offset).min(1 << 20)).unwrap_or(1 << 20);
            let piece = read(self.file.as_ref(), offset, wanted).map_err(|source| self.io(source))?;
            if piece.is_empty() {
                return Err(self.damaged(Part::File, offset, "it is cut short"));
            }
            offset += piece.len() as u64;
            hash.update(&piece);
        }
        let found: [u8; 32] = hash.finalize().into();
        if found != self.hash || rows != self.body.rows {
            return Err(self.damaged(Part::File, 0, "its hash is wrong"));
        }
        Ok(())
    }

    pub(super) fn top(&self, at: usize) -> Option<Reference> {
        self.top.get(at).map(|(_, reference)| *reference)
    }

    /// The rows of a block, without its checksum.
    pub(super) fn block(
        &self,
        reference: Reference,
        part: Part,
        keep: Keep,
    ) -> Result<Arc<[u8]>, TableError> {
        let Reference { offset, bytes } = reference;
        if let Some(block) = self.cached().get(&offset) {
            return Ok(Arc::clone(block));
        }
        if offset.saturating_add(bytes.into()) > self.bytes {
            return Err(self.damaged(part, offset, "it is beyond the end of the file"));
        }
        let wanted = usize::try_from(bytes).unwrap_or(usize::MAX);
        let mut block = read(self.file.as_ref(), offset, wanted).map_err(|source| self.io(source))?;
        let sum = block.split_last_chunk::<CRC_BYTES>().map(|(rows, crc)| (block_crc(offset, rows), *crc));
        match sum {
            Some((found, crc)) if block.len() == wanted && found == u32::from_le_bytes(crc) => {}
            Some(_) | None => return Err(self.damaged(part, offset, "its checksum is wrong")),
        }
        block.truncate(wanted.saturating_sub(CRC_BYTES));
        let block: Arc<[u8]> = block.into();
        if keep == Keep::Yes && block.len() <= CACHED_BYTES {
            let mut cache = self.cached();
            if cache.len() >= CACHED_BLOCKS {
                cache.clear();
            }
            cache.insert(offset, Arc::clone(&block));
        }
        Ok(block)
    }

    pub(super) fn damaged(&self, part: Part, offset: u64, flaw: &'static str) -> TableError {
        TableError::Damaged { path: self.path.clone(), part, offset, flaw }
    }

    fn references(&self, of: Reference) -> Result<Vec<Last>, TableError> {
        let block = self.block(of, Part::Index, Keep::No)?;
        let mut found = Vec::new();
        let mut at = 0;
        while at < block.len() {
            let row = row_at(&block, at);
            let (key, value) =
                row.ok_or_else(|| self.damaged(Part::Index, of.offset, "it has half a row"))?;
            at = value.end;
            let reference = block.get(value).and_then(Reference::decode);
            let reference =
                reference.ok_or_else(|| self.damaged(Part::Index, of.offset, "it points nowhere"))?;
            found.push((block.get(key).unwrap_or_default().into(), reference));
        }
        Ok(found)
    }

    fn cached(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<[u8]>>> {
        // Each entry is complete by itself, whatever panicked meanwhile.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn io(&self, source: io::Error) -> TableError {
        TableError::Io { path: self.path.clone(), doing: "read", source }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path)
            .field("rows", &self.body.rows)
            .field("covers", &self.body.covers.seq)
            .finish_non_exhaustive()
    }
}

fn newer_header(version: u32) -> Vec<u8> {
    [MAGIC.as_slice(), &version.to_le_bytes()].concat()
}

/// Reads this many bytes, fewer only at the end of the file.
fn read(file: &dyn DiskFile, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
    let mut into = vec![0; bytes];
    let mut done = 0;
    while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + done as u64) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    into.truncate(done);
    Ok(into)
}
