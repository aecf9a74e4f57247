//! Keeps the full outputs of a run.

mod archive;
mod truths;
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

use self::{archive::Archive, truths::Truths, writer::EvidenceWriter};

/// The file of the small outputs.
const ARCHIVE: &str = "outputs.tar";

/// The most bytes of a small output: as many are held in memory before a file is begun. Most outputs are
/// smaller.
const SMALL: usize = 64 * 1024;

/// Put behind what is on the disk, where two outputs differ in their secrets alone: each has a name of its
/// own.
const ANOTHER: &[u8] = b"\n[redacted: another output with these words]";

/// A folder of outputs, each named by the SHA-256 of its bytes: equal outputs are kept once, and a kept
/// output that was altered no longer fits its name. Outputs of up to 64 KiB lie together in `outputs.tar`,
/// larger ones are files. The folder is open to its owner alone (0700, files 0600). An output appears whole
/// or not at all; it is not forced to the disk, which is the journal's business. One store at a time writes
/// to a folder; any number may read.
///
/// Secrets do not reach the disk: there, `[redacted: KIND]` stands in their place, and the name is that of
/// what is there. As long as the store is open, an output is given back as it was, up to 32 MiB of such
/// outputs; what is decided by it is decided by the truth.
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
    redactor: Redactor,
    truths: Arc<Mutex<Truths>>,
    archive: Arc<Mutex<Archive>>,
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
        Ok(Self::unmade(folder))
    }

    /// A store whose folder is not made, for a context in which nothing is run.
    pub fn unmade(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let archive = Arc::new(Mutex::new(Archive::at(folder.join(ARCHIVE))));
        Self { folder, redactor: Redactor::new(), truths: Arc::default(), archive }
    }

    /// The same, with these secrets.
    #[must_use]
    pub fn redacting(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// What takes secrets out of what is kept.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
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
        let redacted = self.redactor.apply_to_bytes(bytes);
        let id = address(&hash(&redacted))?;
        if *redacted == *bytes && !self.truths().has(&id) {
            self.write(&id, bytes)?;
            return Ok(id);
        }
        self.put_redacted(redacted.into_owned(), bytes)
    }

    /// Keeps an output of which this is what may reach the disk.
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
        // Never left half changed.
        self.truths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn archive(&self) -> MutexGuard<'_, Archive> {
        // An entry is counted when it is whole.
        self.archive.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// A kept output, as it was.
    ///
    /// # Errors
    ///
    /// When it is not there, cannot be read, or does not fit its name any more.
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

    /// Where a large output lies, without its secrets.
    fn path(&self, id: &EvidenceId) -> PathBuf {
        self.folder.join(id.as_str())
    }

    /// The kept output whose id begins with these digits, if there is exactly one.
    pub(crate) fn find(&self, beginning: &str) -> io::Result<Option<EvidenceId>> {
        let mut ids: HashSet<_> = self.archive().ids()?.cloned().collect();
        for entry in fs::read_dir(&self.folder)? {
            ids.extend(entry?.file_name().to_str().and_then(EvidenceId::parse));
        }
        let mut found = ids.into_iter().filter(|id| id.as_str().starts_with(beginning));
        Ok(found.next().filter(|_| found.next().is_none()))
    }

    fn temporary(&self) -> io::Result<NamedTempFile> {
        // Created anew with mode 0600.
        tempfile::Builder::new().prefix(".part-").tempfile_in(&self.folder)
    }

    /// Gives a finished file its name.
    fn keep(&self, file: NamedTempFile, id: &EvidenceId) -> io::Result<File> {
        // Replacing is harmless: under this name lie the same bytes, or damaged ones.
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
