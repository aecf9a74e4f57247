//! Why what a command did to a repository is not carried out.

use artoo_types::FailureClass;

/// What stands in the way of a move that a command made in a repository.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MoveProblem {
    /// More than one repository.
    #[error("the command changes the data of several git repositories; at most one is changed by a command")]
    Several,
    /// The system has no git that only root can replace.
    #[error(
        "this machine has no git of its system, so what the command did to the repository cannot be checked"
    )]
    NoGit,
    /// New objects are not what their names say, or refer to what is not there.
    #[error("the new objects of the repository are not sound: {said}")]
    Objects {
        /// What git says.
        said: String,
    },
    /// A reference, a log or a note would become what git does not write there.
    #[error("{path} would not be what git writes there: {why}")]
    Unsound {
        /// The path.
        path: String,
        /// What is wrong.
        why: &'static str,
    },
    /// An operation would be left under way with an option whose notes could start a program or move other references.
    #[error("git leaves {note} for an option of the command, and an operation with it is not left under way")]
    Option {
        /// The note, below `.git`.
        note: String,
    },
    /// Another working tree has the branch checked out.
    #[error("the branch {branch} is checked out in another working tree: {tree}")]
    CheckedOut {
        /// The branch.
        branch: String,
        /// The name of the working tree.
        tree: String,
    },
    /// The content of a file is made by a program that the configuration names.
    #[error("{path} has the attribute `{attribute}={name}`, whose program artoo does not run")]
    Program {
        /// The first such file.
        path: String,
        /// The attribute.
        attribute: String,
        /// Its value, by which the configuration names the program.
        name: String,
    },
    /// Something of the repository changed after the question was put.
    #[error("the {what} of the repository was changed meanwhile, so nothing was done")]
    Meanwhile {
        /// What.
        what: &'static str,
    },
}

impl MoveProblem {
    /// The failure class.
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Several => FailureClass::Logical,
            Self::NoGit | Self::Meanwhile { .. } => FailureClass::Environmental,
            Self::Objects { .. }
            | Self::Unsound { .. }
            | Self::Option { .. }
            | Self::CheckedOut { .. }
            | Self::Program { .. } => FailureClass::Forbidden,
        }
    }

    /// A next step that helps.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Several => "run a command for each repository",
            Self::NoGit => "leave the files as they should be; the user moves the branches",
            Self::Objects { .. } | Self::Unsound { .. } => {
                "let git itself do it: git merge, git rebase, git switch"
            }
            Self::Option { .. } => {
                "run it without options such as -X, --strategy, --exec, --rebase-merges or --update-refs; or end it within the same command"
            }
            Self::CheckedOut { .. } => {
                "leave that branch where it is; the user moves it in its own working tree"
            }
            Self::Program { .. } => "the user does this with their own git",
            Self::Meanwhile { .. } => "look at it with `git status`, then run the command again",
        }
    }
}
