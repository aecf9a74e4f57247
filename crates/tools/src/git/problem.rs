//! Why no commit was made.

use std::path::PathBuf;

use artoo_types::{CallEnding, FailureClass};

/// What stands in the way of a commit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CommitProblem {
    /// The working folder is in no repository.
    #[error("{} is in no git repository", folder.display())]
    NoRepository {
        /// The working folder.
        folder: PathBuf,
    },
    /// The repository is not the one of the folder that it lies in.
    #[error("the repository of {} is not committed to: {why}", top.display())]
    NotVouchedFor {
        /// The working tree.
        top: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No branch is checked out.
    #[error("no branch is checked out (HEAD is detached), so that a commit would belong to none")]
    Detached,
    /// Something else is under way in the repository.
    #[error("{what} is in progress in this repository")]
    InProgress {
        /// What.
        what: &'static str,
    },
    /// Paths with conflicts.
    #[error("there are conflicts that nobody has resolved: {paths}")]
    Unmerged {
        /// The first of them.
        paths: String,
    },
    /// Another process of git works, or was killed.
    #[error("{} is there: another git works in this repository, or was killed", lock.display())]
    Locked {
        /// The lock.
        lock: PathBuf,
    },
    /// Nothing differs from the last commit.
    #[error("there is nothing to commit: {what}")]
    Nothing {
        /// Where nothing differs.
        what: String,
    },
    /// Nobody has told git who the user is.
    #[error("git does not know who the user is: the name or the address is not set")]
    NoIdentity,
    /// A path is not in the repository.
    #[error("{path} is outside of the repository {}", top.display())]
    Outside {
        /// The path.
        path: String,
        /// The working tree.
        top: PathBuf,
    },
    /// A path that git does not take.
    #[error("git does not take the paths: {said}")]
    Paths {
        /// What it said.
        said: String,
    },
    /// The content of a file is made by a program that the repository names.
    #[error(
        "{path} goes through the filter `{filter}` of this repository, and artoo does not run its program: {program}"
    )]
    Filtered {
        /// The first such file.
        path: String,
        /// The name of the filter.
        filter: String,
        /// The program.
        program: String,
    },
    /// The branch or the index is another one than when the question was put.
    #[error("the {what} of the repository was changed meanwhile, so nothing was committed")]
    Meanwhile {
        /// What.
        what: &'static str,
    },
}

impl CommitProblem {
    /// The failure class.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::NoRepository { .. }
            | Self::Unmerged { .. }
            | Self::Nothing { .. }
            | Self::Outside { .. }
            | Self::Paths { .. } => FailureClass::Logical,
            Self::Detached
            | Self::InProgress { .. }
            | Self::Locked { .. }
            | Self::NoIdentity
            | Self::Meanwhile { .. } => FailureClass::Environmental,
            Self::NotVouchedFor { .. } | Self::Filtered { .. } => FailureClass::Forbidden,
        }
    }

    /// How the call ended.
    pub fn ending(&self) -> CallEnding {
        match self {
            Self::NotVouchedFor { .. } | Self::Filtered { .. } => CallEnding::Refused,
            Self::NoRepository { .. }
            | Self::Detached
            | Self::InProgress { .. }
            | Self::Unmerged { .. }
            | Self::Locked { .. }
            | Self::Nothing { .. }
            | Self::NoIdentity
            | Self::Outside { .. }
            | Self::Paths { .. }
            | Self::Meanwhile { .. } => CallEnding::Returned,
        }
    }

    /// A next step that helps.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoRepository { .. } => "only the user starts artoo in another folder",
            Self::NotVouchedFor { .. } => "leave the files as they should be; the user commits them",
            Self::Detached => "the user checks out a branch; leave the files as they should be",
            Self::InProgress { .. } => "the user finishes or ends it; leave the files as they should be",
            Self::Unmerged { .. } => "resolve them in the files, and name these paths",
            Self::Locked { .. } => "try once more later; the user removes it where no git is at work",
            Self::Nothing { .. } => "look with `git status`; name the paths to commit",
            Self::NoIdentity => {
                "the user sets user.name and user.email with `git config`; do not make them up"
            }
            Self::Outside { .. } => "name paths in this repository",
            Self::Paths { .. } => "look with `git status --ignored`",
            Self::Filtered { .. } => {
                "the user commits this file, with `git add` and `git commit` of their own; commit the others by naming them"
            }
            Self::Meanwhile { .. } => "look at it again, then commit again",
        }
    }
}
