//! The commits of a run, kept beside its other changes so that they can be taken back.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use artoo_anchored_files::read_regular;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::scratch::copy_if_there;

/// The commits, one a line, in the order in which they were made.
const COMMITS: &str = "commits.jsonl";
/// The longest record that is read.
pub(super) const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// One commit of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommitLine {
    /// The working tree, in hexadecimal.
    top: String,
    /// Its own data, in hexadecimal.
    own: String,
    /// What it shares with other working trees, in hexadecimal.
    common: String,
    /// The index file, in hexadecimal.
    index: String,
    /// The branch, as `refs/heads/...`.
    pub(crate) branch: String,
    /// Its last commit before; `None` where there was none.
    pub(crate) before: Option<String>,
    /// The commit.
    pub(crate) after: String,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The name under which the index file from before is kept; `None` where there was none.
    pub(crate) kept: Option<String>,
    /// The digests of what was staged, before and after.
    pub(crate) staged: (String, String),
}

/// The places of a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Places {
    pub(crate) top: PathBuf,
    pub(crate) own: PathBuf,
    pub(crate) common: PathBuf,
    pub(crate) index: PathBuf,
}

/// A commit that is about to be made.
pub(crate) struct NewCommit<'a> {
    pub(crate) places: &'a Places,
    pub(crate) branch: &'a str,
    pub(crate) before: Option<&'a str>,
    pub(crate) after: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) staged: (&'a str, &'a str),
}

/// A line that was added to the record.
#[derive(Debug)]
pub(crate) struct Entry {
    record: PathBuf,
    /// The length of the record before it.
    before: u64,
}

impl Entry {
    /// Takes the line out of the record again: its commit was not made. Blocks.
    pub(crate) fn remove(self) -> io::Result<()> {
        fs::File::options().write(true).open(&self.record)?.set_len(self.before)
    }
}

/// Records a commit that is about to be made, with the index as it is. Blocks.
pub(crate) fn record(folder: &Path, commit: &NewCommit<'_>) -> io::Result<Entry> {
    let name = format!("{}.index", commit.after);
    let copy = folder.join(&name);
    let kept = if copy_if_there(&commit.places.index, &copy)? {
        fs::File::open(&copy)?.sync_all()?;
        Some(name)
    } else {
        None
    };
    let text = |path: &Path| hex::encode(path.as_os_str().as_bytes());
    let line = CommitLine {
        top: text(&commit.places.top),
        own: text(&commit.places.own),
        common: text(&commit.places.common),
        index: text(&commit.places.index),
        branch: commit.branch.to_owned(),
        before: commit.before.map(str::to_owned),
        after: commit.after.to_owned(),
        subject: commit.subject.to_owned(),
        kept,
        staged: (commit.staged.0.to_owned(), commit.staged.1.to_owned()),
    };
    add_line(&folder.join(COMMITS), &line)
}

/// Adds a line to a record, which is on the disk when this returns. Blocks.
pub(super) fn add_line(record: &Path, line: &impl Serialize) -> io::Result<Entry> {
    let mut written = serde_json::to_vec(line)?;
    written.push(b'\n');
    let mut file = fs::File::options().append(true).create(true).open(record)?;
    let before = file.metadata()?.len();
    file.write_all(&written)?;
    file.sync_all()?;
    Ok(Entry { record: record.to_owned(), before })
}

/// The commits that were recorded in this folder. A last line that was cut off by a crash was not made. Blocks.
///
/// # Errors
///
/// The record cannot be read, or was altered.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<CommitLine>> {
    let bytes = match read_regular(&folder.join(COMMITS), MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    lines_of::<CommitLine>(bytes)?.into_iter().map(CommitLine::check).collect()
}

/// The whole lines of a record.
pub(super) fn lines_of<T: DeserializeOwned>(mut bytes: Vec<u8>) -> io::Result<Vec<T>> {
    // The cut may be within a character.
    bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0));
    let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The places whose paths stand in a record in hexadecimal: the working tree, its data, what it shares, the index.
pub(super) fn places_of([top, own, common, index]: &[String; 4]) -> io::Result<Places> {
    let path = |text: &str| -> io::Result<PathBuf> {
        let bytes = hex::decode(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(std::ffi::OsString::from_vec(bytes).into())
    };
    Ok(Places { top: path(top)?, own: path(own)?, common: path(common)?, index: path(index)? })
}

impl CommitLine {
    /// A record that was altered names nothing that git, or a path, could take for something else.
    fn check(self) -> io::Result<Self> {
        let is_id =
            |id: &str| [40, 64].contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ids = self.before.iter().chain([&self.after]);
        let is_branch = self.branch.starts_with("refs/heads/") && !self.branch.contains("..");
        let is_kept = self.kept.as_ref().is_none_or(|kept| *kept == format!("{}.index", self.after));
        let places = self.places()?;
        let all = [&places.top, &places.own, &places.common, &places.index];
        if ids.into_iter().all(|id| is_id(id))
            && is_branch
            && is_kept
            && all.iter().all(|path| path.is_absolute())
        {
            Ok(self)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, "a commit in it is not what artoo writes"))
        }
    }

    /// Where it was made.
    pub(crate) fn places(&self) -> io::Result<Places> {
        places_of(&[self.top.clone(), self.own.clone(), self.common.clone(), self.index.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            top: "/r".into(),
            own: "/r/.git".into(),
            common: "/r/.git".into(),
            index: "/nowhere/index".into(),
        }
    }

    #[test]
    fn what_is_recorded_is_read_and_what_was_altered_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (after, before) = ("a".repeat(40), "b".repeat(40));
        let commit = NewCommit {
            places: &places(),
            branch: "refs/heads/main",
            before: Some(&before),
            after: &after,
            subject: "one",
            staged: ("s", "t"),
        };
        record(folder.path(), &commit).unwrap();
        let lines = read(folder.path()).unwrap();
        let again = record(folder.path(), &commit).unwrap();
        assert_eq!(read(folder.path()).unwrap().len(), 2);
        again.remove().unwrap();
        assert_eq!(read(folder.path()).unwrap(), lines);
        assert_eq!((lines[0].places().unwrap(), lines[0].after.clone()), (places(), after.clone()));
        let path = folder.path().join(COMMITS);
        let text = fs::read_to_string(&path).unwrap();
        // What a crash has cut off was not made, even where the cut is within a character.
        fs::write(&path, [text.as_bytes(), &text.as_bytes()[..20], b"\xc3"].concat()).unwrap();
        assert_eq!(read(folder.path()).unwrap(), lines);
        for (from, to) in [
            (after.as_str(), "--upload-pack=x"),
            ("refs/heads/main", "refs/heads/../../x"),
            ("\"kept\":null", "\"kept\":\"../../etc/passwd\""),
            (&*hex::encode("/r/.git"), &*hex::encode("r")),
        ] {
            fs::write(&path, text.replace(from, to)).unwrap();
            assert!(read(folder.path()).is_err(), "{to}");
        }
    }
}
