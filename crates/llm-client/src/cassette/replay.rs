//! Replays recorded model calls.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::cassette::Redaction;
use crate::cassette::recording::{FORMAT, Outcome, Recording, file_name, redacted_request};
use crate::{Completion, LlmClient, LlmError, ModelProfile, Request};

/// A client that answers from the files of a [`Recorder`](super::Recorder).
///
/// A request gets the recorded outcome of the equal request, the second one that of the second, and so on;
/// errors are replayed too. A request that was not recorded, or fewer times, gets [`LlmError::Unscripted`].
/// Replies take no time.
#[derive(Debug)]
pub struct Replayer {
    folder: PathBuf,
    redaction: Redaction,
    model: String,
    structured: bool,
    profile: ModelProfile,
    counts: Mutex<HashMap<String, usize>>,
}

impl Replayer {
    /// Replays the session in `folder`. `redaction` must be that of the recording. Blocks while it reads one
    /// file.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, holds no recording, or one of another format.
    pub fn open(folder: impl Into<PathBuf>, redaction: Redaction) -> io::Result<Self> {
        let folder = folder.into();
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        let first = files.first().ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("{} holds no recordings", folder.display()))
        })?;
        let recording = parse(&std::fs::read_to_string(first)?)?;
        let counts = Mutex::default();
        let Recording { model, structured, profile, .. } = recording;
        Ok(Self { folder, redaction, model, structured, profile, counts })
    }
}

fn parse(text: &str) -> io::Result<Recording> {
    let recording: Recording = serde_json::from_str(text)?;
    if recording.format == FORMAT {
        return Ok(recording);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the recording has format {}; this program reads {FORMAT}", recording.format),
    ))
}

#[async_trait]
impl LlmClient for Replayer {
    fn model(&self) -> &str {
        &self.model
    }

    fn structured(&self) -> bool {
        self.structured
    }

    fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let unscripted = |reason: String| LlmError::Unscripted { reason };
        let (_, key) =
            redacted_request(request, &self.redaction).map_err(|error| unscripted(error.to_string()))?;
        let ordinal = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(key.clone()).or_default();
            *count += 1;
            *count - 1
        };
        let name = file_name(&key, ordinal);
        let path = self.folder.join(&name);
        let described = || format!("request {} of {} ({})", ordinal + 1, request.purpose, path.display());
        let text = tokio::fs::read_to_string(&path).await.map_err(|error| {
            let missing = error.kind() == io::ErrorKind::NotFound;
            let what = if missing { "was not recorded".to_owned() } else { error.to_string() };
            unscripted(format!("{}: {what}", described()))
        })?;
        match parse(&text).map_err(|error| unscripted(format!("{}: {error}", described())))?.outcome {
            Outcome::Completion(completion) => serde_json::from_value(completion)
                .map_err(|error| unscripted(format!("{}: {error}", described()))),
            Outcome::Error(error) => Err(error.into_error()),
        }
    }
}
