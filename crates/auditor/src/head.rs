//! The head file: where the log ends, and where it will end once the batch in progress is written.
//!
//! A hash chain detects every edited, missing or moved line except at its end: a log without its last lines
//! is a shorter log with a valid chain. The head file closes that gap. It is not a signature: anyone who can
//! write both files can forge both.
//!
//! It has two records of one length. The second one announces a batch before its first byte is written, the
//! first one follows when the batch is complete. So a process that is killed, or that the disk or a limit
//! stops, leaves a log that ends between the two; no change of a log looks like that, unless it takes away
//! the end of an unfinished batch.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::line::{NO_LINE, line_hash};
use crate::own_file;

/// Length of a record in bytes: the largest numbers, a hash and a check fit.
const LENGTH: usize = 192;

/// Length of the file.
const FILE_LENGTH: u64 = 2 * LENGTH as u64;

/// Maximum number of bytes read from whatever file is in its place.
const LONGEST: u64 = 4096;

/// Characters of a hash that make a check.
const CHECK: usize = 16;

/// An end of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    /// Hash of the last line.
    pub(crate) hash: String,
}

/// What a head file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The end after the last complete batch.
    pub(crate) settled: Head,
    /// The end after the batch that was begun, if that one is not known to be complete.
    pub(crate) announced: Option<Head>,
}

/// The result of reading a head file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadFile {
    /// There is no file, or an empty one: a process was stopped before its first write to it.
    Missing,
    /// The file is not a head.
    Damaged,
    /// A valid head.
    Whole(Ends),
}

/// A record of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    lines: u64,
    bytes: u64,
    hash: String,
    /// Tells a record that was written in part, over an older one, from a whole one. Older heads have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check: Option<String>,
}

impl HeadFile {
    pub(crate) fn read(log: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let found = own_file::open(OpenOptions::new().read(true), &Head::path(log));
        match found.and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)) {
            Ok(_) if bytes.is_empty() => Ok(Self::Missing),
            Ok(_) => Ok(Self::parse(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Missing),
            Err(error) => Err(error),
        }
    }

    fn parse(bytes: &[u8]) -> Self {
        let (first, second) = bytes.split_at_checked(LENGTH).unwrap_or((bytes, b""));
        match (Head::parse(first), Head::parse(second)) {
            (Some(settled), announced) => {
                let announced = announced.filter(|announced| announced.lines > settled.lines);
                Self::Whole(Ends { settled, announced })
            }
            // Stopped while it recorded that the announced batch is complete.
            (None, Some(announced)) => Self::Whole(Ends { settled: announced, announced: None }),
            (None, None) => Self::Damaged,
        }
    }

    /// What the head says, if it is valid.
    pub(crate) fn whole(&self) -> Option<&Ends> {
        match self {
            Self::Missing | Self::Damaged => None,
            Self::Whole(ends) => Some(ends),
        }
    }
}

impl Ends {
    /// The number of lines that were written or begun.
    pub(crate) fn most_lines(&self) -> u64 {
        self.announced.as_ref().unwrap_or(&self.settled).lines
    }
}

impl Head {
    /// The end of an empty log.
    pub(crate) fn beginning() -> Self {
        Self { lines: 0, bytes: 0, hash: NO_LINE.to_owned() }
    }

    /// The head file beside a log: `audit.head` for `audit.jsonl`.
    pub(crate) fn path(log: &Path) -> PathBuf {
        log.with_extension("head")
    }

    /// Records that the log ends here. Called under the log's lock.
    pub(crate) fn settle(&self, log: &Path) -> io::Result<()> {
        self.write_at(log, 0)
    }

    /// Records that the log will end here. Called under the log's lock, before the first byte of a batch.
    pub(crate) fn announce(&self, log: &Path) -> io::Result<()> {
        self.write_at(log, LENGTH as u64)
    }

    /// Overwrites a record in a single write of constant length: a reader never sees the end of an older
    /// one, and no temporary file is needed for each batch.
    fn write_at(&self, log: &Path, place: u64) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = own_file::open(&mut options, &Self::path(log))?;
        file.seek(SeekFrom::Start(place))?;
        file.write_all(self.text()?.as_bytes())?;
        // Only a foreign file is longer.
        if file.metadata()?.len() > FILE_LENGTH {
            file.set_len(FILE_LENGTH)?;
        }
        Ok(())
    }

    fn text(&self) -> io::Result<String> {
        let Self { lines, bytes, hash } = self.clone();
        let mut text = serde_json::to_string(&Record { lines, bytes, hash, check: Some(self.check()) })?;
        text.extend(std::iter::repeat_n(' ', LENGTH.saturating_sub(text.len() + 1)));
        text.push('\n');
        Ok(text)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let Record { lines, bytes, hash, check } = serde_json::from_slice(bytes).ok()?;
        let head = Self { lines, bytes, hash };
        check.is_none_or(|check| check == head.check()).then_some(head)
    }

    fn check(&self) -> String {
        let mut check = line_hash(format!("{} {} {}", self.lines, self.bytes, self.hash).as_bytes());
        check.truncate(CHECK);
        check
    }
}
