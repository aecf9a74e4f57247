//! The head file: how long the log is and how it ends, beside the log.
//!
//! A chain of hashes shows every edited, missing or moved line except at its end: a log without its last lines is a
//! shorter log with a good chain. The head file closes that end. It is no signature: who can write both files can
//! forge both.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::own_file;

/// Bytes of the file: the largest numbers and a hash fit.
const LENGTH: usize = 160;

/// Bytes that are read of what stands in its place.
const LONGEST: u64 = 4096;

/// The end of the log when it was last written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    /// Of the last line.
    pub(crate) hash: String,
}

/// What is found in the place of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadFile {
    /// Nothing.
    Missing,
    /// Something that is not a head.
    Damaged,
    /// A head.
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

    /// The head, where it is one.
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

    /// Overwrites the file in one write of always the same length: no reader finds the end of an older head in it, and no
    /// file is made and removed for each batch. Called under the log's lock.
    pub(crate) fn write(&self, log: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = own_file::open(&mut options, &Self::path(log))?;
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
