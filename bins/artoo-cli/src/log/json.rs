//! Log layer that writes one JSON object per event, for programs and for bug reports.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use artoo_bus::{Clock, SystemClock};
use artoo_redaction::JsonWriter;
use serde_json::{Map, Value, json};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::Secrets;
use super::entry::{Entry, remember};
use crate::terminal::{StderrWriter, neutral_json};

/// Writes lines such as
/// `{"ts":"...","level":"warn","target":"artoo_runtime::supervisor","message":"...",
/// "fields":{"error":"..."},"spans":{"run":"...","role":"planner"}}`.
pub(super) struct Json {
    sink: Sink,
    clock: SystemClock,
    secrets: Secrets,
}

/// Destination of the lines.
pub(super) enum Sink {
    /// A file.
    File {
        path: PathBuf,
        /// `None` after a line could not be written.
        file: Mutex<Option<File>>,
        errors: Arc<StderrWriter>,
    },
    /// Standard error.
    Errors(Arc<StderrWriter>),
}

impl Json {
    pub(super) fn new(sink: Sink, secrets: Secrets) -> Self {
        Self { sink, clock: SystemClock::new(), secrets }
    }

    fn line(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        let object = |fields: &[(&str, String)]| -> Map<String, Value> {
            fields.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect()
        };
        let line = json!({
            "ts": self.clock.now(),
            "level": entry.level.to_string().to_lowercase(),
            "target": entry.target,
            "message": entry.message,
            "fields": object(&entry.fields),
            "spans": object(&entry.spans),
        });
        let mut bytes = Vec::new();
        JsonWriter::new(self.secrets.redactor()).write(&line, &mut bytes)?;
        Ok(bytes)
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Json {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        remember(attributes, id, &context);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        // Serialization fails only for invalid UTF-8, which cannot occur here.
        let Ok(line) = self.line(&Entry::of(event, &context)) else { return };
        self.sink.write(&line);
    }
}

impl Sink {
    pub(super) fn file(path: PathBuf, file: File, errors: Arc<StderrWriter>) -> Self {
        Self::File { path, file: Mutex::new(Some(file)), errors }
    }

    /// The first failed write ends the log and prints a warning.
    fn write(&self, line: &[u8]) {
        match self {
            Self::Errors(errors) => errors.log(neutral_json(&String::from_utf8_lossy(line)).into_owned()),
            Self::File { path, file, errors } => {
                let mut slot = file.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(file) = slot.as_mut() else { return };
                // A single write call, so that two programs can log to the same file.
                if let Err(error) = file.write_all(&[line, b"\n"].concat()) {
                    *slot = None;
                    errors.log(format!("warning: the log {} ends here: {error}", path.display()));
                }
            }
        }
    }
}
