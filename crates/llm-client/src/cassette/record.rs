//! Records real model calls to files.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::io::AsyncWriteExt;

use crate::cassette::Redaction;
use crate::cassette::recording::{FORMAT, Outcome, Recording, file_name, redacted_request};
use crate::{Completion, LlmClient, LlmError, ModelProfile, Request};

/// A client that writes each finished call to its own file, redacted, for a [`Replayer`](super::Replayer).
///
/// Calls are filed under a hash of the redacted request and the number of equal requests before. A cancelled
/// call leaves no file.
///
/// Recording never changes what the caller gets: a call whose file cannot be written still answers, and the
/// problem is kept in [`problems`](Self::problems).
pub struct Recorder {
    inner: Arc<dyn LlmClient>,
    folder: PathBuf,
    redaction: Redaction,
    counts: Mutex<HashMap<String, usize>>,
    problems: Mutex<Vec<String>>,
}

impl Recorder {
    /// Records calls to `inner` into `folder`, which is created if missing. Blocks for a few system calls.
    ///
    /// # Errors
    ///
    /// The folder cannot be created or read, or already holds recordings: two sessions in one folder could
    /// not be told apart.
    pub fn create(
        inner: Arc<dyn LlmClient>,
        folder: impl Into<PathBuf>,
        redaction: Redaction,
    ) -> io::Result<Self> {
        let folder = folder.into();
        private_folder(&folder)?;
        for entry in std::fs::read_dir(&folder)? {
            if entry?.path().extension().is_some_and(|extension| extension == "json") {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    format!("{} already holds recordings", folder.display()),
                ));
            }
        }
        Ok(Self { inner, folder, redaction, counts: Mutex::default(), problems: Mutex::default() })
    }

    /// Why calls could not be recorded, in words. Empty if all were.
    pub fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn record(&self, request: &Request, result: &Result<Completion, LlmError>) -> io::Result<()> {
        let (request, key) = redacted_request(request, &self.redaction)?;
        let recording = Recording {
            format: FORMAT,
            model: self.redaction.apply(self.inner.model()),
            structured: self.inner.structured(),
            profile: self.inner.profile(),
            request,
            outcome: Outcome::of(result, &self.redaction)?,
        };
        let mut text = serde_json::to_string_pretty(&recording)?;
        text.push('\n');
        let ordinal = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(key.clone()).or_default();
            *count += 1;
            *count - 1
        };
        write_whole(&self.folder, &file_name(&key, ordinal), &text).await
    }
}

/// Creates a folder that only its owner may enter, or accepts an existing one unchanged; a link does not
/// count.
fn private_folder(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link, which is not followed"));
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file atomically, readable only by its owner.
async fn write_whole(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let unfinished = folder.join(format!(".{name}.part"));
    // A left-over or planted file is removed, not followed.
    match tokio::fs::remove_file(&unfinished).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(&unfinished).await?;
    file.write_all(text.as_bytes()).await?;
    file.flush().await?;
    tokio::fs::rename(&unfinished, folder.join(name)).await
}

#[async_trait]
impl LlmClient for Recorder {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn server(&self) -> Option<&str> {
        self.inner.server()
    }

    fn structured(&self) -> bool {
        self.inner.structured()
    }

    fn profile(&self) -> ModelProfile {
        self.inner.profile()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let result = self.inner.complete(request).await;
        if let Err(error) = self.record(request, &result).await {
            tracing::warn!(%error, purpose = %request.purpose, "a model call could not be recorded");
            let problem = format!("{}: {error}", request.purpose);
            self.problems.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
        }
        result
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("folder", &self.folder).finish_non_exhaustive()
    }
}
