//! The folder of the models: what is there, and whether it is right.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::catalogue::CatalogueEntry;
use super::error::StoreError;

/// Bytes hashed between two looks at whether to stop.
const CHUNK: usize = 1 << 20;

/// The folder in which model files lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStore {
    folder: PathBuf,
}

/// What is there of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelState {
    /// Nothing.
    Absent,
    /// A part of it, which the next pull goes on from.
    Partial {
        /// Bytes that are there.
        bytes: u64,
    },
    /// All of it, with the right hash.
    Installed {
        /// The file.
        path: PathBuf,
    },
    /// A file of its name that is something else.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Length or hash, expected and found.
        problem: String,
    },
}

/// What was verified, written beside the file so that a start does not have to read a gigabyte.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verified {
    sha256: String,
    size: u64,
    modified_ns: String,
}

impl ModelStore {
    /// The store in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the model's file lies, or would lie.
    pub fn path(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(entry.file)
    }

    /// Where the states after constant texts are kept that this model has read:
    /// [`LocalOptions::prefix_folder`](crate::LocalOptions::prefix_folder).
    pub fn prefixes(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.prefixes", entry.file))
    }

    /// What is there of a model.
    ///
    /// The file is hashed only when it is new or was changed since: seconds the first time, microseconds
    /// later.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`] when the folder cannot be read.
    pub fn state(&self, entry: &CatalogueEntry) -> Result<ModelState, StoreError> {
        self.check(entry, &CancellationToken::new(), &mut |_| {})
    }

    /// Removes a model, what was fetched of it and what is kept of what it read; returns the bytes freed.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] while it is being fetched, [`StoreError::Io`] when a file cannot be removed.
    pub fn remove(&self, entry: &CatalogueEntry) -> Result<u64, StoreError> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let _lock = self.lock(entry)?;
        let prefixes = self.prefixes(entry);
        let kept: Vec<PathBuf> = fs::read_dir(&prefixes)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        let mut freed = 0;
        for path in kept.into_iter().chain([self.path(entry), self.partial(entry), self.marker(entry)]) {
            let length = fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
            match fs::remove_file(&path) {
                Ok(()) => freed += length,
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(StoreError::io("remove", path)(e)),
            }
        }
        // Empty now, or somebody else's: then it stays.
        let _ = fs::remove_dir(prefixes);
        Ok(freed)
    }

    /// Like [`state`](Self::state), with the bytes hashed so far told to `progress`.
    pub(crate) fn check(
        &self,
        entry: &CatalogueEntry,
        cancel: &CancellationToken,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ModelState, StoreError> {
        let path = self.path(entry);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(self.partial_state(entry)),
            Err(e) => return Err(StoreError::io("look at", path)(e)),
        };
        if metadata.len() != entry.size {
            let problem = format!("it has {} bytes instead of {}", metadata.len(), entry.size);
            return Ok(ModelState::Corrupt { path, problem });
        }
        let verified = Verified {
            sha256: entry.sha256.to_owned(),
            size: metadata.len(),
            modified_ns: modified(&metadata),
        };
        let marker = self.marker(entry);
        let known = fs::read(&marker).ok().and_then(|bytes| serde_json::from_slice::<Verified>(&bytes).ok());
        if known.as_ref() == Some(&verified) {
            return Ok(ModelState::Installed { path });
        }
        let found = hash(&path, cancel, progress)?;
        if found != entry.sha256 {
            let problem = format!("its SHA-256 is {found} instead of {}", entry.sha256);
            return Ok(ModelState::Corrupt { path, problem });
        }
        // Without the marker the file is hashed again the next time; nothing else is lost.
        if let Ok(bytes) = serde_json::to_vec(&verified) {
            let _ = fs::write(marker, bytes);
        }
        Ok(ModelState::Installed { path })
    }

    /// Where a model is gathered until it is complete.
    pub(crate) fn partial(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.partial", entry.file))
    }

    /// Keeps others from fetching or removing the same model, until the returned file is dropped.
    pub(crate) fn lock(&self, entry: &CatalogueEntry) -> Result<File, StoreError> {
        let lock = self.folder.join(format!("{}.lock", entry.file));
        let file = File::create(&lock).map_err(StoreError::io("create", &lock))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(StoreError::Busy { lock }),
            Err(fs::TryLockError::Error(e)) => Err(StoreError::io("lock", lock)(e)),
        }
    }

    fn marker(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.verified", entry.file))
    }

    fn partial_state(&self, entry: &CatalogueEntry) -> ModelState {
        match fs::metadata(self.partial(entry)) {
            Ok(metadata) if metadata.len() > 0 => ModelState::Partial { bytes: metadata.len() },
            Ok(_) | Err(_) => ModelState::Absent,
        }
    }
}

/// The SHA-256 of a file.
pub(crate) fn hash(
    path: &Path,
    cancel: &CancellationToken,
    progress: &mut dyn FnMut(u64),
) -> Result<String, StoreError> {
    let mut file = File::open(path).map_err(StoreError::io("open", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; CHUNK];
    let mut done = 0u64;
    loop {
        let count = file.read(&mut buffer).map_err(StoreError::io("read", path))?;
        if count == 0 {
            return Ok(hex::encode(hasher.finalize()));
        }
        if cancel.is_cancelled() {
            return Err(StoreError::Cancelled { bytes: done });
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
        done += count as u64;
        progress(done);
    }
}

/// When a file was changed, as text: nanoseconds do not fit the numbers of JSON.
fn modified(metadata: &fs::Metadata) -> String {
    let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or_else(String::new, |since| since.as_nanos().to_string())
}
