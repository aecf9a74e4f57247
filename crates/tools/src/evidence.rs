//! Keeps the full outputs of a run.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use artoo_types::{EvidenceId, OutputRecord};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::EvidenceWriter;

/// A folder of outputs, each named by the SHA-256 of its bytes: equal outputs are kept once, and a kept output that
/// was altered no longer fits its name. The folder is open to its owner alone (0700, files 0600). An output appears
/// whole or not at all; it is not forced to the disk, which is the journal's business.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let store = artoo_tools::EvidenceStore::open(folder.path().join("evidence"))?;
/// let id = store.put(b"hello")?;
/// assert_eq!(store.get(&id)?, b"hello");
/// assert_eq!(store.put(b"hello")?, id);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EvidenceStore {
    folder: PathBuf,
}

impl EvidenceStore {
    /// Takes a folder, and creates it where it is missing.
    ///
    /// # Errors
    ///
    /// When the folder cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self { folder })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps an output.
    ///
    /// # Errors
    ///
    /// When the disk is full or the folder cannot be written; nothing is left behind then.
    pub fn put(&self, bytes: &[u8]) -> io::Result<EvidenceId> {
        let id = address(&hash(bytes))?;
        if self.has(&id, bytes.len() as u64) {
            return Ok(id);
        }
        let mut file = self.temporary()?;
        file.write_all(bytes)?;
        self.keep(file, &id)?;
        Ok(id)
    }

    /// Where a large output can be written piece by piece.
    pub fn writer(&self) -> EvidenceWriter {
        EvidenceWriter::new(self.clone())
    }

    /// Keeps an output and describes it, showing at most `limit` bytes.
    pub(crate) fn record(&self, bytes: &[u8], limit: usize) -> io::Result<OutputRecord> {
        let mut writer = self.writer();
        writer.write_all(bytes)?;
        writer.finish(limit, bytes.len() as u64)
    }

    /// A kept output.
    ///
    /// # Errors
    ///
    /// When it is not there, cannot be read, or does not fit its name any more.
    pub fn get(&self, id: &EvidenceId) -> io::Result<Vec<u8>> {
        let bytes = fs::read(self.path(id))?;
        if address(&hash(&bytes))? == *id {
            Ok(bytes)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("evidence {id} was altered")))
        }
    }

    /// Where a kept output lies.
    pub fn path(&self, id: &EvidenceId) -> PathBuf {
        self.folder.join(id.as_str())
    }

    /// The kept output whose id begins with these digits, if there is exactly one.
    pub(crate) fn find(&self, beginning: &str) -> io::Result<Option<EvidenceId>> {
        let mut found = None;
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let Some(id) = name.to_str().filter(|n| n.starts_with(beginning)).and_then(EvidenceId::parse)
            else {
                continue;
            };
            if found.replace(id).is_some() {
                return Ok(None);
            }
        }
        Ok(found)
    }

    pub(crate) fn temporary(&self) -> io::Result<NamedTempFile> {
        // Created anew with mode 0600.
        tempfile::Builder::new().prefix(".part-").tempfile_in(&self.folder)
    }

    /// Gives a finished file its name.
    pub(crate) fn keep(&self, file: NamedTempFile, id: &EvidenceId) -> io::Result<File> {
        // Replacing is harmless: under this name lie the same bytes, or damaged ones.
        file.persist(self.path(id)).map_err(|error| error.error)
    }

    pub(crate) fn has(&self, id: &EvidenceId, bytes: u64) -> bool {
        fs::symlink_metadata(self.path(id)).is_ok_and(|found| found.is_file() && found.len() == bytes)
    }
}

pub(crate) fn address(digest: &[u8]) -> io::Result<EvidenceId> {
    EvidenceId::parse(&hex::encode(digest)).ok_or_else(|| io::Error::other("a digest has 32 bytes"))
}

fn hash(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}
