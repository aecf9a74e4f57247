//! Log of the Dreamer's changes, cycle by cycle, for people. The truth is in the journal.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use artoo_types::DreamReport;
use chrono::{DateTime, FixedOffset};

use super::Store;
use crate::StoreError;
use crate::disk::regular;
use crate::operator::Dreamt;

/// The file, with one JSON object per line.
const FILE: &str = "dreams.jsonl";
/// Beyond this size the older half is dropped.
const MOST_BYTES: u64 = 1 << 20;

/// The log's text.
fn text_of(path: &Path) -> io::Result<String> {
    io::read_to_string(regular(OpenOptions::new().read(true), path)?)
}

impl Store {
    /// Records a cycle. A failure is logged: nothing in memory depends on it.
    pub(super) fn note_dream(&self, at: DateTime<FixedOffset>, report: &DreamReport) {
        let dreamt = Dreamt { at, report: report.clone() };
        let noted = serde_json::to_string(&dreamt).map_err(std::io::Error::from).and_then(|line| {
            self.shorten_dreams()?;
            let mut options = OpenOptions::new();
            let mut file = regular(options.create(true).append(true).mode(0o600), &self.dreams())?;
            file.write_all(format!("{line}\n").as_bytes())
        });
        if let Err(error) = noted {
            tracing::debug!(%error, "the Dreamer's report was not noted");
        }
    }

    /// The newest cycles, newest first. Incomplete lines are skipped.
    pub(super) fn dreamt(&self, limit: usize) -> Result<Vec<Dreamt>, StoreError> {
        let path = self.dreams();
        let text = match text_of(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::File { path, doing: "read", source }),
        };
        Ok(text.lines().rev().filter_map(|line| serde_json::from_str(line).ok()).take(limit).collect())
    }

    fn shorten_dreams(&self) -> std::io::Result<()> {
        let path = self.dreams();
        match std::fs::metadata(&path) {
            Ok(found) if found.len() > MOST_BYTES => {
                let text = text_of(&path)?;
                let lines: Vec<&str> = text.lines().collect();
                let kept = lines.get(lines.len() / 2..).unwrap_or_default().join("\n");
                std::fs::write(&path, format!("{kept}\n"))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn dreams(&self) -> PathBuf {
        self.folder().join(FILE)
    }
}
