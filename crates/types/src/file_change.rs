//! Files that calls create, change and delete.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GitMoves;

/// A file that a call created, changed or deleted. A folder stands for itself only where nothing in it is listed, and its path
/// ends in a slash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Its absolute path, as far as it is text: what is not UTF-8 in it is replaced.
    pub path: PathBuf,
    /// What happened to it.
    pub change: FileChangeKind,
    /// Where it was before: a file that came to be is this one that went, with the same content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<PathBuf>,
    /// The lines that differ, as a unified diff without secrets, cut where it is long. Of what is no small text, its sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What moved in a repository, where this is the folder of its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Box<GitMoves>>,
}

impl FileChange {
    /// A change of which no more is known.
    ///
    /// ```
    /// use artoo_types::{FileChange, FileChangeKind};
    /// assert_eq!(FileChange::new("/home/ada/notes", FileChangeKind::Created).diff, None);
    /// ```
    pub fn new(path: impl Into<PathBuf>, change: FileChangeKind) -> Self {
        Self { path: path.into(), change, moved_from: None, diff: None, moves: None }
    }

    /// The data of a repository, in which this moved.
    pub fn in_repository(folder: impl Into<PathBuf>, moves: GitMoves) -> Self {
        Self { moves: Some(Box::new(moves)), ..Self::new(folder, FileChangeKind::Changed) }
    }

    /// What moved in the repository in one line, where this is the folder of its data.
    pub fn git_summary(&self) -> Option<String> {
        self.moves.as_ref()?.summary()
    }

    /// In one line: what moved in the repository, or what happened to the file at this path.
    ///
    /// ```
    /// use artoo_types::{FileChange, FileChangeKind};
    /// assert_eq!(FileChange::new("/home/ada/notes", FileChangeKind::Created).line(), "created: /home/ada/notes");
    /// ```
    pub fn line(&self) -> String {
        self.git_summary().unwrap_or_else(|| format!("{}: {}", self.change.name(), self.path.display()))
    }

    /// What comes of this change after an earlier one of the same file, without the lines that differ; nothing where the file
    /// came and went.
    #[must_use]
    pub fn after(&self, earlier: Option<Self>) -> Option<Self> {
        let change = self.change.after(earlier.as_ref().map(|earlier| earlier.change))?;
        let moves = match (earlier.and_then(|earlier| earlier.moves), self.moves.clone()) {
            (Some(earlier), Some(later)) => Some(Box::new(earlier.then(*later))),
            (earlier, later) => later.or(earlier),
        };
        Some(Self { moves, ..Self::new(&self.path, change) })
    }
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
    /// It was not there before.
    Created,
    /// It was there, and is different now.
    Changed,
    /// It is gone.
    Deleted,
}

impl FileChangeKind {
    /// Its name: what happened, as a word before the path.
    ///
    /// ```
    /// assert_eq!(artoo_types::FileChangeKind::Created.name(), "created");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }

    /// What this change comes to after another of the same file; nothing where it came and went.
    ///
    /// ```
    /// use artoo_types::FileChangeKind::{Changed, Created, Deleted};
    /// assert_eq!(Changed.after(Some(Created)), Some(Created));
    /// assert_eq!(Deleted.after(Some(Created)), None);
    /// ```
    pub fn after(self, before: Option<Self>) -> Option<Self> {
        match (before, self) {
            (None, then) => Some(then),
            (Some(Self::Created), Self::Created | Self::Changed) => Some(Self::Created),
            (Some(Self::Created), Self::Deleted) => None,
            (Some(Self::Changed | Self::Deleted), Self::Created | Self::Changed) => Some(Self::Changed),
            (Some(Self::Changed | Self::Deleted), Self::Deleted) => Some(Self::Deleted),
        }
    }
}
