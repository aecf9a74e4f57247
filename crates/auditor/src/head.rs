//! The head file: how long the log is and how it ends, beside the log.
//!
//! A chain of hashes shows every edited, missing or moved line except at its end: a log without its last lines is a
//! shorter log with a good chain. The head file closes that end. It is no signature: who can write both files can
//! forge both.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Bytes of the file: the largest numbers and a hash fit.
const LENGTH: usize = 160;

/// The end of the log when it was last written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    /// Of the last line.
    pub(crate) hash: String,
}

impl Head {
    /// The head file beside a log: `audit.head` for `audit.jsonl`.
    pub(crate) fn path(log: &Path) -> PathBuf {
        log.with_extension("head")
    }

    /// `None` where there is no file, or something that is not a head: that is as good as none.
    pub(crate) fn read(log: &Path) -> io::Result<Option<Self>> {
        match fs::read(Self::path(log)) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Overwrites the file in one write of always the same length: no reader finds the end of an older head in it, and no
    /// file is made and removed for each batch. Called under the log's lock.
    pub(crate) fn write(&self, log: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        crate::log::private(&mut options);
        let mut file = options.open(Self::path(log))?;
        let mut text = serde_json::to_string(self)?;
        text.extend(std::iter::repeat_n(' ', LENGTH.saturating_sub(text.len() + 1)));
        text.push('\n');
        file.write_all(text.as_bytes())?;
        // Only a file that is not ours is longer.
        if file.metadata()?.len() > text.len() as u64 {
            file.set_len(text.len() as u64)?;
        }
        Ok(())
    }
}
