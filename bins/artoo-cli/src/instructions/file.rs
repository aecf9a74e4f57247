//! Reading of one `AGENTS.md` file, and the facts that make its origin doubtful.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use artoo_tools::{ProtectedPlaces, ToolError};
use rustix::process::geteuid;

use super::discovery::Place;
use super::trust_store::Answers;

/// Size limit: instructions are not longer.
const MAX_BYTES: u64 = 1024 * 1024;

/// Why a file is not read that a tool would be refused.
const PROTECTED: &str =
    "it is a private key, or another name of a file in a protected place, which no prompt may hold";

/// A non-blank file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its path.
    pub(super) path: PathBuf,
    /// Its content.
    pub(super) text: String,
    /// Why it may not be the user's.
    pub(super) doubt: Option<Doubt>,
}

/// Fact that suggests that a file was not written by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Another owner.
    Owner(u32),
    /// Writable by other users.
    Writable,
    /// A symbolic link that leads out of the folder.
    Elsewhere(PathBuf),
    /// A run of artoo wrote it.
    OfARun,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(uid) => write!(f, "it belongs to somebody else (user id {uid})"),
            Self::Writable => f.write_str("others may write it"),
            Self::Elsewhere(target) => write!(f, "it is a link to {}", target.display()),
            Self::OfARun => f.write_str("a run of artoo wrote it"),
        }
    }
}

/// What decides which files are read, and which of them are the user's.
pub(super) struct Checks<'a> {
    /// Places whose files no tool of a run may read either, under whatever name.
    pub(super) protected: ProtectedPlaces,
    pub(super) home: &'a Path,
    pub(super) answers: Answers,
}

/// Reads a file; `None` if it does not exist or is blank. The error says why it cannot be read.
pub(super) fn read(place: &Place, checks: &Checks<'_>) -> Result<Option<Found>, String> {
    let path = &place.path;
    // The text goes into a prompt, as a tool's output does.
    let file = match checks.protected.open(path, checks.home) {
        Ok(file) => file,
        Err(ToolError::Io { source, .. }) => {
            let is_missing = source.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err();
            let is_nowhere = is_missing || source.kind() == ErrorKind::NotADirectory;
            return if is_nowhere { Ok(None) } else { Err(source.to_string()) };
        }
        Err(ToolError::Protected { .. }) => return Err(PROTECTED.to_owned()),
        Err(_) => return Err("it is no regular file".to_owned()),
    };
    let found = file.metadata().map_err(|error| error.to_string())?;
    let text = text(file)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(Found { path: path.clone(), text, doubt: doubt(place, &found, &checks.answers) }))
}

fn text(file: File) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("it is longer than 1 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn doubt(place: &Place, found: &Metadata, answers: &Answers) -> Option<Doubt> {
    if found.uid() != geteuid().as_raw() {
        return Some(Doubt::Owner(found.uid()));
    }
    if is_writable_by_others(found) {
        return Some(Doubt::Writable);
    }
    let real = place.path.canonicalize().unwrap_or_else(|_| place.path.clone());
    if answers.was_written(&place.path) || answers.was_written(&real) {
        return Some(Doubt::OfARun);
    }
    let within = place.within.as_deref()?;
    leads_out(&place.path, &real, within).then_some(Doubt::Elsewhere(real))
}

/// Whether other users may write the file. A group with the same number as the
/// user is the user's own, as on most systems.
fn is_writable_by_others(found: &Metadata) -> bool {
    let is_own_group = found.gid() == found.uid();
    found.mode() & 0o002 != 0 || (found.mode() & 0o020 != 0 && !is_own_group)
}

fn leads_out(path: &Path, real: &Path, within: &Path) -> bool {
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let within = within.canonicalize().unwrap_or_else(|_| within.to_owned());
    is_link && !real.starts_with(within)
}
