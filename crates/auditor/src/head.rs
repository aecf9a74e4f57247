//! The head file: how long the log is and how it ends, beside the log.
//!
//! A chain of hashes shows every edited, missing or moved line except at its end: a log without its last lines is a
//! shorter log with a good chain. The head file closes that end. It is no signature: who can write both files can
//! forge both.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

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

    /// Replaces the file as a whole. Called under the log's lock, so two writers never share the temporary file.
    pub(crate) fn write(&self, log: &Path) -> io::Result<()> {
        let path = Self::path(log);
        let temporary = path.with_extension("head.new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        crate::log::private(&mut options);
        let mut file = options.open(&temporary)?;
        serde_json::to_writer(&mut file, self)?;
        file.write_all(b"\n")?;
        drop(file);
        fs::rename(temporary, path)
    }
}
