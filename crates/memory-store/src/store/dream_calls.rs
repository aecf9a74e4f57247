//! The count of the Dreamer's model calls of a day, in a file beside the memory. Only the owner dreams, so nobody
//! else writes it.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;

use artoo_mkct_memory::DailyCalls;
use chrono::{DateTime, FixedOffset};

use super::Store;
use crate::disk::{read_regular, regular};

/// The file: one JSON object.
const FILE: &str = "dream-calls.json";

impl Store {
    /// Counts a model call; `false` if there are no more today, or if the count cannot be kept. An unreadable count
    /// begins anew.
    pub(super) fn may_ask(&self, now: DateTime<FixedOffset>) -> bool {
        let path = self.folder().join(FILE);
        let made =
            read_regular(&path).ok().and_then(|bytes| serde_json::from_slice::<DailyCalls>(&bytes).ok());
        let Some(another) = made.unwrap_or_default().another(now.date_naive()) else { return false };
        let new = path.with_extension("new");
        let written = serde_json::to_vec(&another).map_err(std::io::Error::from).and_then(|bytes| {
            let mut options = std::fs::OpenOptions::new();
            let mut file = regular(options.create(true).write(true).truncate(true).mode(0o600), &new)?;
            file.write_all(&bytes)?;
            std::fs::rename(&new, &path)
        });
        if let Err(error) = &written {
            tracing::debug!(%error, "the Dreamer's model calls cannot be counted, so it makes none");
        }
        written.is_ok()
    }
}
