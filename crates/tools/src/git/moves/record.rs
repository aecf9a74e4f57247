//! The moves of a run, kept beside its other changes so that they can be taken back.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use artoo_anchored_files::read_regular;
use serde::{Deserialize, Serialize};

use super::observation::Moves;
use super::parts::{Part, is_id, part};
use crate::git::record::{Entry, MOST_BYTES, Places, add_line, lines_of, places_of};
use crate::git::scratch::copy_if_there;

/// The moves, one a line, in the order in which they were made.
const MOVES: &str = "moves.jsonl";

/// What one command of a run did to a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveLine {
    /// The places of the repository, each in hexadecimal: the working tree, its data, what it shares, the index.
    places: [String; 4],
    /// How many commits the run had recorded before.
    pub(crate) commits_before: usize,
    pub(crate) references: Vec<MovedReference>,
    /// What `HEAD` held before and after.
    pub(crate) head: (String, String),
    /// The name under which the index file from before is kept; `None` where there was none.
    pub(crate) index: Option<String>,
    /// The digests of what was staged, before and after.
    pub(crate) staged: (String, String),
    /// Notes of operations, and logs.
    pub(crate) files: Vec<KeptFile>,
    /// The new commits that follow no other new one.
    pub(crate) made: Vec<String>,
    /// What it was, in words.
    pub(crate) words: String,
}

/// A reference that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MovedReference {
    pub(crate) name: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// A file of the repository that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptFile {
    /// Its path below the data of the repository.
    pub(crate) below: String,
    /// The name under which it is kept as it was; `None` where there was none.
    pub(crate) kept: Option<String>,
    /// The digests before and after, in hexadecimal.
    pub(crate) digests: (Option<String>, Option<String>),
}

/// Records what is about to be done, with everything that an undo puts back. Blocks.
pub(super) fn record(folder: &Path, moves: &Moves) -> io::Result<Entry> {
    let record = folder.join(MOVES);
    let places = moves.places();
    // No two lines begin at the same place, so no two have the same names.
    let number = fs::metadata(&record).map_or(0, |found| found.len());
    let keep = |from: &Path, name: String| -> io::Result<Option<String>> {
        let to = folder.join(&name);
        let is_kept = copy_if_there(from, &to)?;
        if is_kept {
            fs::File::open(&to)?.sync_all()?;
        }
        Ok(is_kept.then_some(name))
    };
    let index = keep(&places.index, format!("move-{number}.index"))?;
    let mut files = Vec::new();
    for (place, file) in moves.changes.files.iter().enumerate() {
        let kept = keep(&moves.changes.git.join(&file.below), format!("move-{number}-{place}"))?;
        let digest = |digest: Option<[u8; 32]>| digest.map(hex::encode);
        files.push(KeptFile {
            below: file.below.clone(),
            kept,
            digests: (digest(file.before), digest(file.after)),
        });
    }
    let line = MoveLine {
        places: [&places.top, &places.own, &places.common, &places.index]
            .map(|path| hex::encode(path.as_os_str().as_bytes())),
        commits_before: crate::git::record::read(folder)?.len(),
        references: moves.changes.references.iter().map(Into::into).collect(),
        head: moves.changes.head.clone(),
        index,
        staged: moves.staged.clone(),
        files,
        made: moves.made.clone(),
        words: moves.effect().why,
    };
    add_line(&record, &line)
}

impl From<&super::changes::RefChange> for MovedReference {
    fn from(moved: &super::changes::RefChange) -> Self {
        let super::changes::RefChange { name, before, after } = moved.clone();
        Self { name, before, after }
    }
}

/// The moves that were recorded in this folder. A last line that was cut off by a crash was not made. Blocks.
///
/// # Errors
///
/// The record cannot be read, or was altered.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<MoveLine>> {
    let bytes = match read_regular(&folder.join(MOVES), MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines: Vec<MoveLine> = lines_of(bytes)?;
    if lines.iter().all(MoveLine::is_sound) {
        Ok(lines)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "a move in it is not what artoo writes"))
    }
}

impl MoveLine {
    /// Where it was made.
    pub(crate) fn places(&self) -> io::Result<Places> {
        places_of(&self.places)
    }

    /// A record that was altered names nothing that git, or a path, could take for something else.
    fn is_sound(&self) -> bool {
        let is_reference = |moved: &MovedReference| {
            matches!(part(&moved.name, false), Part::Reference(_))
                && moved.before.iter().chain(&moved.after).all(|id| is_id(id))
        };
        let is_head = |head: &String| match head.strip_prefix("ref: ") {
            Some(name) => matches!(part(name, false), Part::Reference(_)),
            None => is_id(head),
        };
        let is_file = |file: &KeptFile| matches!(part(&file.below, false), Part::Note | Part::Log(_));
        let is_kept = |name: &String| name.starts_with("move-") && !name.contains('/');
        let kept = self.files.iter().filter_map(|file| file.kept.as_ref());
        let paths_are_absolute = self.places().is_ok_and(|places| {
            [&places.top, &places.own, &places.common, &places.index]
                .into_iter()
                .all(|path| path.is_absolute())
        });
        paths_are_absolute
            && self.references.iter().all(is_reference)
            && [&self.head.0, &self.head.1].into_iter().all(is_head)
            && self.files.iter().all(is_file)
            && kept.chain(&self.index).all(is_kept)
            && self.made.iter().all(|id| is_id(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_altered_is_refused() {
        let path = |path: &str| hex::encode(path);
        let id = "a".repeat(40);
        let line = MoveLine {
            places: [path("/r"), path("/r/.git"), path("/r/.git"), path("/r/.git/index")],
            commits_before: 0,
            references: vec![MovedReference {
                name: "refs/heads/main".to_owned(),
                before: Some(id.clone()),
                after: None,
            }],
            head: ("ref: refs/heads/main".to_owned(), id.clone()),
            index: Some("move-0.index".to_owned()),
            staged: (String::new(), String::new()),
            files: vec![KeptFile {
                below: "MERGE_HEAD".to_owned(),
                kept: Some("move-0-0".to_owned()),
                digests: (None, None),
            }],
            made: vec![id.clone()],
            words: "one".to_owned(),
        };
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join(MOVES);
        add_line(&record, &line).unwrap();
        assert_eq!(read(folder.path()).unwrap(), [line]);
        let text = fs::read_to_string(&record).unwrap();
        for (from, to) in [
            (id.as_str(), "--stdin"),
            ("refs/heads/main\",\"before", "refs/heads/main 0\\ndelete refs/heads/x\",\"before"),
            ("ref: refs/heads/main", "ref: refs/heads/../../config"),
            ("MERGE_HEAD", "config"),
            ("MERGE_HEAD", "hooks/post-checkout"),
            ("move-0-0", "../../x"),
            ("move-0.index", "move-/../x"),
            (&*path("/r/.git"), &*path("r")),
        ] {
            let altered = text.replace(from, to);
            assert_ne!(altered, text, "{to}");
            fs::write(&record, altered).unwrap();
            assert!(read(folder.path()).is_err(), "{to}");
        }
    }
}
