//! Evidence store: keeps the full outputs of a run, addressed by their SHA-256.

mod archive;
mod unredacted;
pub(crate) mod writer;

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_redaction::Redactor;
use artoo_types::{EvidenceId, OutputRecord};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use self::{archive::Archive, unredacted::Truths, writer::EvidenceWriter};

/// The archive file of small outputs.
const ARCHIVE: &str = "outputs.tar";

/// Maximum bytes of a small output, which is held in memory before a file is created. Most outputs are
/// smaller.
const SMALL: usize = 64 * 1024;

/// Appended to the redacted output if two outputs differ only in their secrets, so that each gets its own
/// name.
const ANOTHER: &[u8] = b"\n[redacted: another output with these words]";

/// A folder of outputs, each named by the SHA-256 of its bytes: equal outputs are stored once, and an altered
/// output no longer matches its name. Outputs of up to 64 KiB share `outputs.tar`, larger ones are files.
/// Only the owner can access the folder (0700, files 0600). An output is stored whole or not at all; it is
/// not synced to the disk, which is the journal's job. One store at a time writes to a folder; any number may
/// read.
///
/// Secrets do not reach the disk: `[redacted: KIND]` replaces them, and the name is the hash of the redacted
/// bytes. While the store is open, it returns the original output, up to 32 MiB of such outputs, so decisions
/// are based on the original.
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
    redactor: Redactor,
    truths: Arc<Mutex<Truths>>,
    archive: Arc<Mutex<Archive>>,
}

impl EvidenceStore {
    /// Opens a folder, and creates it if missing.
    ///
    /// # Errors
    ///
    /// The folder cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self::unmade(folder))
    }

    /// A store whose folder is not created, for a context that runs nothing.
    pub fn unmade(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let archive = Arc::new(Mutex::new(Archive::at(folder.join(ARCHIVE))));
        Self { folder, redactor: Redactor::new(), truths: Arc::default(), archive }
    }

    /// The store with this redactor.
    #[must_use]
    pub fn redacting(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// The redactor applied to stored outputs.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores an output.
    ///
    /// # Errors
    ///
    /// The disk is full or the folder is not writable; nothing is left behind.
    pub fn put(&self, bytes: &[u8]) -> io::Result<EvidenceId> {
        let redacted = self.redactor.apply_to_bytes(bytes);
        let id = address(&hash(&redacted))?;
        if *redacted == *bytes && !self.truths().has(&id) {
            self.write(&id, bytes)?;
            return Ok(id);
        }
        self.put_redacted(redacted.into_owned(), bytes)
    }

    /// Stores an output whose redacted form is given.
    fn put_redacted(&self, mut redacted: Vec<u8>, truth: &[u8]) -> io::Result<EvidenceId> {
        let id = loop {
            let id = address(&hash(&redacted))?;
            let is_taken = self.has(&id, redacted.len() as u64) || self.archive().get(&id)?.is_some();
            if self.truths().take(&id, truth, is_taken) {
                break id;
            }
            redacted.extend_from_slice(ANOTHER);
        };
        self.write(&id, &redacted)?;
        Ok(id)
    }

    fn write(&self, id: &EvidenceId, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() <= SMALL {
            return self.archive().keep(id, bytes);
        }
        if self.has(id, bytes.len() as u64) {
            return Ok(());
        }
        let mut file = self.temporary()?;
        file.write_all(bytes)?;
        self.keep(file, id)?;
        Ok(())
    }

    fn truths(&self) -> MutexGuard<'_, Truths> {
        // A panic cannot leave it half changed.
        self.truths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn archive(&self) -> MutexGuard<'_, Archive> {
        // An entry counts only when complete.
        self.archive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A writer for a large output, piece by piece.
    pub fn writer(&self) -> EvidenceWriter {
        EvidenceWriter::new(self.clone())
    }

    /// Stores an output and describes it, showing at most `limit` bytes of it as they are.
    pub(crate) fn record(&self, bytes: &[u8], limit: usize) -> io::Result<OutputRecord> {
        let mut writer = self.writer().verbatim();
        writer.write_all(bytes)?;
        writer.finish(limit, bytes.len() as u64)
    }

    /// A stored output in its original form.
    ///
    /// # Errors
    ///
    /// The output is missing, unreadable, or no longer matches its name.
    pub fn get(&self, id: &EvidenceId) -> io::Result<Vec<u8>> {
        if let Some(truth) = self.truths().of(id) {
            return Ok(truth.to_vec());
        }
        let small = self.archive().get(id)?;
        let bytes = small.map_or_else(|| fs::read(self.path(id)), Ok)?;
        if address(&hash(&bytes))? == *id {
            Ok(bytes)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("evidence {id} was altered")))
        }
    }

    /// The path of a large output, stored redacted.
    fn path(&self, id: &EvidenceId) -> PathBuf {
        self.folder.join(id.as_str())
    }

    /// The stored output whose id has this prefix, if exactly one does.
    pub(crate) fn find(&self, beginning: &str) -> io::Result<Option<EvidenceId>> {
        let mut ids: HashSet<_> = self.archive().ids()?.cloned().collect();
        for entry in fs::read_dir(&self.folder)? {
            ids.extend(entry?.file_name().to_str().and_then(EvidenceId::parse));
        }
        let mut found = ids.into_iter().filter(|id| id.as_str().starts_with(beginning));
        Ok(found.next().filter(|_| found.next().is_none()))
    }

    fn temporary(&self) -> io::Result<NamedTempFile> {
        // Created with mode 0600.
        tempfile::Builder::new().prefix(".part-").tempfile_in(&self.folder)
    }

    /// Renames a finished file to its id.
    fn keep(&self, file: NamedTempFile, id: &EvidenceId) -> io::Result<File> {
        // Replacing is harmless: a file of this name holds the same bytes, or damaged ones.
        file.persist(self.path(id)).map_err(|error| error.error)
    }

    fn has(&self, id: &EvidenceId, bytes: u64) -> bool {
        fs::symlink_metadata(self.path(id)).is_ok_and(|found| found.is_file() && found.len() == bytes)
    }
}

fn address(digest: &[u8]) -> io::Result<EvidenceId> {
    EvidenceId::parse(&hex::encode(digest)).ok_or_else(|| io::Error::other("a digest has 32 bytes"))
}

fn hash(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}
