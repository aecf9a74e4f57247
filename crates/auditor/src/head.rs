//! The head file: the length of the log and the hash of its last line, stored beside the log.
//!
//! A hash chain detects every edited, missing or moved line except at its end: a log without its last lines
//! is a shorter log with a valid chain. The head file closes that gap. It is not a signature: anyone who can
//! write both files can forge both.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::own_file;

/// Length of the file in bytes: the largest numbers and a hash fit.
const LENGTH: usize = 160;

/// Maximum number of bytes read from whatever file is in its place.
const LONGEST: u64 = 4096;

/// The end of the log when it was last written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    /// Hash of the last line.
    pub(crate) hash: String,
}

/// The result of reading a head file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadFile {
    /// There is no file.
    Missing,
    /// The file is not a head.
    Damaged,
    /// A valid head.
    Whole(Head),
}

impl HeadFile {
    pub(crate) fn read(log: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let found = own_file::open(OpenOptions::new().read(true), &Head::path(log));
        match found.and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)) {
            Ok(_) => Ok(serde_json::from_slice(&bytes).map_or(Self::Damaged, Self::Whole)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Missing),
            Err(error) => Err(error),
        }
    }

    /// The head, if it is valid.
    pub(crate) fn whole(&self) -> Option<&Head> {
        match self {
            Self::Missing | Self::Damaged => None,
            Self::Whole(head) => Some(head),
        }
    }
}

impl Head {
    /// The head file beside a log: `audit.head` for `audit.jsonl`.
    pub(crate) fn path(log: &Path) -> PathBuf {
        log.with_extension("head")
    }

    /// Overwrites the file in a single write of constant length: a reader never sees the end of an older
    /// head, and no temporary file is needed for each batch. Called under the log's lock.
    pub(crate) fn write(&self, log: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = own_file::open(&mut options, &Self::path(log))?;
        let mut text = serde_json::to_string(self)?;
        text.extend(std::iter::repeat_n(' ', LENGTH.saturating_sub(text.len() + 1)));
        text.push('\n');
        file.write_all(text.as_bytes())?;
        // Only a foreign file is longer.
        if file.metadata()?.len() > text.len() as u64 {
            file.set_len(text.len() as u64)?;
        }
        Ok(())
    }
}
