//! Export and import of a memory as lines of JSON.
//!
//! The first line holds the version and counts. An import is foreign and trusted only as an experience: its
//! strength is that of the matrix, not the one that the line claims; a rule or a law is imported as an
//! experience of level K, because validation elsewhere does not count here; and its origin is
//! [`Origin::Import`].

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;

use artoo_mkct_memory::{MemoryError, matrix, validate};
use artoo_types::{Level, Megram, Origin, Remedy};
use chrono::{DateTime, Datelike as _, FixedOffset};
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::operator::{Levels, Operator, Provenance};

/// The format version.
const VERSION: u32 = 1;
/// Maximum bytes of a line.
pub const MAX_LINE: u64 = 1024 * 1024;
/// Maximum number of refused lines reported with their reason; the others are counted.
pub const TOLD: usize = 20;

/// The first line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The format version.
    pub artoo_memory: u32,
    /// The time of the export.
    pub made_at: DateTime<FixedOffset>,
    /// The number of live Megrams that follow.
    pub megrams: Levels,
    /// The number of consolidated Megrams that follow.
    pub consolidated: u64,
}

/// Each further line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    megram: Megram,
    provenance: Provenance,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Imported.
    pub taken: u64,
    /// Of these, rules and laws imported as experiences of level K.
    pub lowered: u64,
    /// Already known.
    pub duplicates: u64,
    /// Consolidated into a rule at their origin: they no longer counted there, and would count twice here.
    pub consolidated: u64,
    /// Announced by the header but missing: the file was truncated, or memory changed during the export.
    pub missing: u64,
    /// Refused.
    pub refused: u64,
    /// The first refused lines, with their reasons.
    pub told: Vec<Refused>,
}

/// A refused line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The line number, from 1.
    pub line: u64,
    /// The reason, in a sentence.
    pub why: String,
}

/// Why an export or import failed or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The file cannot be read.
    #[error("the export cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The export cannot be written.
    #[error("the export cannot be written: {0}")]
    Write(#[source] io::Error),
    /// The first line is not an export header.
    #[error("this is no export of a memory: {0}")]
    Header(String),
    /// The format version is unknown.
    #[error("the export is of version {0}, and this artoo reads version {VERSION}")]
    Version(u32),
    /// The memory failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ExchangeError {
    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Header(_) => Some(Remedy::ExportMemory),
            Self::Store(error) => error.remedy(),
            Self::Read(_) | Self::Write(_) | Self::Version(_) => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read(_) => "check the file and its permissions",
            Self::Write(_) => "check the disk and the folder's permissions",
            Self::Header(_) => "export a memory",
            Self::Version(_) => "use the artoo that made it, or a newer one",
            Self::Store(error) => error.hint(),
        }
    }
}

/// Writes everything that is not forgotten, in the order of ids, and returns the number of Megrams.
/// Concurrent writes may be included or not.
///
/// # Errors
///
/// [`ExchangeError::Write`], [`ExchangeError::Store`].
pub fn export(
    memory: &dyn Operator,
    made_at: DateTime<FixedOffset>,
    to: &mut dyn Write,
) -> Result<u64, ExchangeError> {
    let stats = memory.stats()?;
    let header =
        Header { artoo_memory: VERSION, made_at, megrams: stats.levels, consolidated: stats.consolidated };
    json_line(&header, to).map_err(ExchangeError::Write)?;
    let (mut count, mut failed) = (0, None);
    memory.all(&mut |megram, provenance| {
        let line = Line { megram: megram.clone(), provenance: provenance.clone() };
        match json_line(&line, to) {
            Ok(()) => {
                count += 1;
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    match failed {
        Some(error) => Err(ExchangeError::Write(error)),
        None => to.flush().map(|()| count).map_err(ExchangeError::Write),
    }
}

fn json_line(value: &impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Reads an export and imports what is new. `redact` removes secrets from a text; times after `now` are in
/// the future. If the first line is wrong, nothing is imported.
///
/// # Errors
///
/// [`ExchangeError`]; what was imported before a failure stays.
pub async fn import(
    memory: &dyn Operator,
    now: DateTime<FixedOffset>,
    redact: &(dyn Fn(&str) -> String + Sync),
    from: &mut (dyn BufRead + Send),
) -> Result<Imported, ExchangeError> {
    let header = match next_line(from).map_err(ExchangeError::Read)? {
        Next::Line(line) => header(&line)?,
        Next::TooLong => return Err(ExchangeError::Header("its first line is longer than any".to_owned())),
        Next::End => return Err(ExchangeError::Header("it is empty".to_owned())),
    };
    let mut imported = Imported::default();
    let mut number = 1;
    let mut seen: u64 = 0;
    loop {
        number += 1;
        let line = match next_line(from).map_err(ExchangeError::Read)? {
            Next::End => break,
            Next::TooLong => {
                seen += 1;
                imported.refuse(number, format!("it is longer than {MAX_LINE} bytes"));
                continue;
            }
            Next::Line(line) => line,
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        seen += 1;
        let line: Line = match serde_json::from_slice(&line) {
            Ok(line) => line,
            Err(error) => {
                imported.refuse(number, format!("it is no Megram: {error}"));
                continue;
            }
        };
        take(memory, now, redact, line, number, &mut imported).await?;
    }
    memory.flush().await.map_err(StoreError::from)?;
    imported.missing = header.megrams.total().saturating_add(header.consolidated).saturating_sub(seen);
    Ok(imported)
}

fn header(line: &[u8]) -> Result<Header, ExchangeError> {
    /// The field common to all versions.
    #[derive(Deserialize)]
    struct Any {
        artoo_memory: u32,
    }
    let wrong = |error: serde_json::Error| ExchangeError::Header(error.to_string());
    let Any { artoo_memory } = serde_json::from_slice(line).map_err(wrong)?;
    if artoo_memory != VERSION {
        return Err(ExchangeError::Version(artoo_memory));
    }
    serde_json::from_slice(line).map_err(wrong)
}

/// Imports one Megram, or returns why not.
async fn take(
    memory: &dyn Operator,
    now: DateTime<FixedOffset>,
    redact: &(dyn Fn(&str) -> String + Sync),
    line: Line,
    number: u64,
    imported: &mut Imported,
) -> Result<(), ExchangeError> {
    // Its numbers and tags are validated; the claimed origin makes no difference.
    if let Err(error) = validate(&Megram { origin: Some(Origin::Person), ..line.megram.clone() }) {
        imported.refuse(number, error.to_string());
        return Ok(());
    }
    if let Some((field, time)) = strange_time(&line.megram) {
        let id = line.megram.id;
        imported.refuse(number, format!("Megram {id}: {field} is {time}, not of the years 1970 to 9999"));
        return Ok(());
    }
    if line.provenance.consolidated_into.is_some() {
        imported.consolidated += 1;
        return Ok(());
    }
    let (megram, lowered) = as_experience(line.megram, now, redact);
    if let Some(known) = memory.show(megram.id)? {
        let known = known.listed.megram;
        if (&known.space, &known.entity, &known.content) == (&megram.space, &megram.entity, &megram.content) {
            imported.duplicates += 1;
        } else {
            imported.refuse(number, format!("{} is in memory already, with other content", megram.id));
        }
        return Ok(());
    }
    let id = megram.id;
    match write(memory, megram).await {
        Ok(()) => {
            imported.taken += 1;
            imported.lowered += u64::from(lowered);
        }
        Err(MemoryError::Conflict(_)) => {
            imported.refuse(number, format!("{id} was forgotten here, and is not brought back"));
        }
        Err(error) => return Err(StoreError::from(error).into()),
    }
    Ok(())
}

/// The first field whose time no artoo can have written, with that time.
fn strange_time(megram: &Megram) -> Option<(&'static str, DateTime<FixedOffset>)> {
    let times = [("created_at", Some(megram.created_at)), ("last_recalled_at", megram.last_recalled_at)];
    let given = times.into_iter().filter_map(|(field, time)| Some((field, time?)));
    given.into_iter().find(|(_, time)| !(1970..=9999).contains(&time.year()))
}

/// Writes a Megram, and waits once if too much is pending.
async fn write(memory: &dyn Operator, megram: Megram) -> Result<(), MemoryError> {
    match memory.write(megram.clone()) {
        Err(MemoryError::Full { .. }) => {
            memory.flush().await?;
            memory.write(megram)
        }
        written => written,
    }
}

/// The Megram as a foreign experience, and whether it claimed a higher level.
fn as_experience(
    megram: Megram,
    now: DateTime<FixedOffset>,
    redact: &(dyn Fn(&str) -> String + Sync),
) -> (Megram, bool) {
    let (level, lowered) = match megram.level {
        Level::M => (Level::M, false),
        Level::K => (Level::K, false),
        Level::C | Level::T => (Level::K, true),
    };
    let content = redact(&megram.content);
    let created_at = megram.created_at.min(now);
    let taken = Megram {
        level,
        last_recalled_at: megram.last_recalled_at.map(|at| at.min(now)),
        origin: Some(Origin::Import),
        ..matrix::megram(megram.id, megram.state, created_at, megram.space, megram.entity, content)
    };
    (taken, lowered)
}

impl Imported {
    fn refuse(&mut self, line: u64, why: String) {
        self.refused += 1;
        if self.told.len() < TOLD {
            self.told.push(Refused { line, why });
        }
    }
}

enum Next {
    Line(Vec<u8>),
    TooLong,
    End,
}

/// The next line, of which at most [`MAX_LINE`] bytes are held.
fn next_line(from: &mut dyn BufRead) -> io::Result<Next> {
    let mut line = Vec::new();
    io::Read::take(&mut *from, MAX_LINE + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(Next::End);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 > MAX_LINE {
        from.skip_until(b'\n')?;
        return Ok(Next::TooLong);
    }
    Ok(Next::Line(line))
}
