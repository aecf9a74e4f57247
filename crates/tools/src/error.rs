//! `ToolError`: why a call failed.

mod io_error;

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use artoo_sandbox::SandboxError;
use artoo_snapshot::UndoError;
use artoo_types::{CallEnding, CallFailure, FailureClass, ToolName};
use io_error::{class_of, hint_of};

use crate::git::{CommitProblem, MoveProblem};
use crate::text_form::Encoding;
use crate::undo_run::obstacles;

/// What a model does whose command would write the data of a repository.
pub(crate) const USE_GIT_COMMIT: &str =
    "use git_commit to commit, if that tool is offered; only the user changes anything else in .git";
const MOVE_WITH_GIT: &str = "git_commit, and git merge, rebase, switch and the like, are asked about; \
                             only the user changes anything else in .git";

/// A call that failed. Its failure class is decided here and nowhere else.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// Unknown tool name.
    #[error("there is no tool `{name}`; the tools are {known}")]
    UnknownTool {
        /// The name.
        name: ToolName,
        /// The known names.
        known: String,
    },
    /// An argument is missing, unknown, or has a wrong type or value.
    #[error("argument `{name}` {problem}")]
    Argument {
        /// The argument's name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The path lies in a place that no tool may touch.
    #[error("{path} is protected")]
    Protected {
        /// The path.
        path: String,
    },
    /// Consent was denied, or no person was present to give it.
    #[error("not allowed: {reason}; it would {effects}")]
    NotAllowed {
        /// The denied effects.
        effects: String,
        /// Who denied it, and why.
        reason: String,
    },
    /// A rule of the user, or the mode of the run, forbids it regardless of consent.
    #[error("refused: {rule}")]
    Ruled {
        /// The rule.
        rule: String,
    },
    /// A protected place forbids it regardless of consent.
    #[error("refused: {rule}")]
    Closed {
        /// The rule, with the place.
        rule: String,
    },
    /// It would change the data of a git repository that was there before the run.
    #[error("{path} is part of a git repository's own data, which stays as it is")]
    InRepository {
        /// The path.
        path: String,
    },
    /// Consent was denied, with an instruction to do something else.
    #[error("the user did not allow it, and says: {words}")]
    Instead {
        /// The instruction, in the person's words.
        words: String,
    },
    /// The changes of a trial could not be made real.
    #[error("nothing was changed: {reason}")]
    NotMade {
        /// Why.
        reason: String,
    },
    /// Memory advises caution, and no person is present to confirm.
    #[error("{came}: memory advises caution about this call, and nobody is there to confirm it")]
    Unconfirmed {
        /// What happened instead.
        came: String,
    },
    /// The file changed since it was read.
    #[error("{path} was changed meanwhile; nothing was written")]
    ChangedMeanwhile {
        /// The path.
        path: String,
    },
    /// The path is outside the folders where files may be created.
    #[error("{path} is outside the working folder, the workspace and $TMPDIR")]
    Outside {
        /// The path.
        path: String,
    },
    /// The path is outside the folder that the request applies to.
    #[error("{path} is outside {scope}: the user said that nothing else may be changed")]
    OutsideScope {
        /// The path.
        path: String,
        /// The folder.
        scope: String,
    },
    /// A command would run, or write, in a place that it cannot see.
    #[error("{} lies in {}, which is protected", folder.display(), protected.display())]
    WithinProtected {
        /// The workspace or the working folder.
        folder: PathBuf,
        /// The protected place around the folder.
        protected: PathBuf,
    },
    /// The user wants the place to stay as it is.
    #[error("{path} was not changed: {place} stays as it is, as the user said")]
    Kept {
        /// The path that would have changed.
        path: String,
        /// The user's place.
        place: String,
    },
    /// The sandbox mode is read-only.
    #[error("{path} was not written: the sandbox mode is read-only")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// The path is a folder where a file is needed.
    #[error("{path} is a folder")]
    Folder {
        /// The path.
        path: String,
    },
    /// The path is neither a file nor a folder.
    #[error("{path} is {kind}, not a file")]
    NotAFile {
        /// The path.
        path: String,
        /// The kind of the entry.
        kind: &'static str,
    },
    /// The content is not text.
    #[error("{path} is a binary file of {bytes} bytes")]
    Binary {
        /// The path.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// The encoding of the file cannot be told, so it would be written in another one.
    #[error("{path} is not text in UTF-8, UTF-16 with a mark or Windows-1252")]
    NotUtf8 {
        /// The path.
        path: String,
    },
    /// The encoding of the file lacks a character.
    #[error("{path} is in {encoding}, which has no `{}`", character.escape_debug())]
    NotInEncoding {
        /// The path.
        path: String,
        /// The encoding, which the file keeps.
        encoding: Encoding,
        /// The first character that it lacks.
        character: char,
    },
    /// The file changed since the run saw its content.
    #[error("{path} changed since this run read it; it was left as it is")]
    ChangedSinceRead {
        /// The path.
        path: String,
    },
    /// The file is too large for the operation.
    #[error("{path} has {bytes} bytes; at most {most} are taken")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// The text to change is missing from the file, or ambiguous.
    #[error("{path} was not changed: {problem}")]
    Misfit {
        /// The path.
        path: String,
        /// The problem.
        problem: String,
    },
    /// An earlier run was not undone, or not completely.
    #[error("run {run} was not taken back{}", obstacles(source))]
    NotTakenBack {
        /// The run, by the end of its id.
        run: String,
        /// Why.
        source: UndoError,
    },
    /// A commit could not be made.
    #[error(transparent)]
    Commit(#[from] CommitProblem),
    /// What a command did to a repository is not carried out.
    #[error(transparent)]
    Move(#[from] MoveProblem),
    /// git did not do what artoo asked of it.
    #[error("git could not {doing}: {said}")]
    Git {
        /// What it was to do.
        doing: &'static str,
        /// What it complained about.
        said: String,
    },
    /// An earlier run made commits, which the tools do not take back.
    #[error("run {run} made commits, and no tool takes these back")]
    MadeCommits {
        /// The run, by the end of its id.
        run: String,
    },
    /// An I/O error.
    #[error("cannot {action} {path}")]
    Io {
        /// The operation, for example `read`.
        action: &'static str,
        /// Its path.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The command could not be run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The call timed out.
    #[error("`{tool}` was stopped after {} seconds", after.as_secs())]
    TimedOut {
        /// The tool.
        tool: ToolName,
        /// The time limit.
        after: Duration,
    },
    /// The sandbox mode is read-only, and the effects of an app are unknown.
    #[error("`{tool}` was not called: the sandbox mode is read-only")]
    AppsReadOnly {
        /// The tool.
        tool: ToolName,
    },
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The tool panicked.
    #[error("`{tool}` broke down: {message}")]
    Panicked {
        /// The tool.
        tool: ToolName,
        /// The panic message.
        message: String,
    },
    /// The output could not be stored, so it cannot serve as evidence.
    #[error("the output could not be kept in {}", folder.display())]
    Evidence {
        /// The evidence folder.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl ToolError {
    /// The failure class: a wrong approach, the environment, missing consent, or what is never allowed.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::UnknownTool { .. }
            | Self::Instead { .. }
            | Self::Unconfirmed { .. }
            | Self::Argument { .. }
            | Self::Folder { .. }
            | Self::NotAFile { .. }
            | Self::NotUtf8 { .. }
            | Self::NotInEncoding { .. }
            | Self::TooLarge { .. }
            | Self::Misfit { .. }
            | Self::Outside { .. }
            | Self::OutsideScope { .. }
            | Self::Binary { .. } => FailureClass::Logical,
            // The kernel or a trial blocks each of these, whatever wording a model tries; so it may go on with other work.
            Self::Protected { .. }
            | Self::Closed { .. }
            | Self::InRepository { .. }
            | Self::WithinProtected { .. }
            | Self::Kept { .. }
            | Self::MadeCommits { .. } => FailureClass::Forbidden,
            // Other words would get around a rule about the words of a command; in the other cases the user has said no.
            Self::NotAllowed { .. }
            | Self::Ruled { .. }
            | Self::AppsReadOnly { .. }
            | Self::ReadOnly { .. } => FailureClass::Denied,
            Self::Commit(problem) => problem.class(),
            Self::Move(problem) => problem.class(),
            Self::Io { source, .. } => class_of(source),
            Self::NotTakenBack { .. }
            | Self::ChangedMeanwhile { .. }
            | Self::ChangedSinceRead { .. }
            | Self::NotMade { .. }
            | Self::TimedOut { .. }
            | Self::Evidence { .. }
            | Self::Git { .. } => FailureClass::Environmental,
            // The kernel lacks confinement, and the user has not agreed to run without it.
            Self::Sandbox(SandboxError::Unsupported { .. }) => FailureClass::Denied,
            Self::Sandbox(
                SandboxError::Grant { .. }
                | SandboxError::Seal { .. }
                | SandboxError::Sockets { .. }
                | SandboxError::Rules { .. }
                | SandboxError::Namespace { .. }
                | SandboxError::Start { .. }
                | SandboxError::Watch { .. },
            ) => FailureClass::Environmental,
            Self::Cancelled | Self::Panicked { .. } => FailureClass::Unknown,
        }
    }

    /// The rule that forbids it, or else the message.
    pub(crate) fn rule_or_words(self) -> String {
        if let Self::Ruled { rule } | Self::Closed { rule } = self { rule } else { self.to_string() }
    }

    /// How the call ended.
    pub fn ending(&self) -> CallEnding {
        match self {
            // The completed steps stay done.
            Self::NotTakenBack { source: UndoError::Step { .. }, .. } => CallEnding::Returned,
            Self::UnknownTool { .. }
            | Self::NotAllowed { .. }
            | Self::Ruled { .. }
            | Self::Closed { .. }
            | Self::InRepository { .. }
            | Self::Move(_)
            | Self::Instead { .. }
            | Self::Unconfirmed { .. }
            | Self::ChangedMeanwhile { .. }
            | Self::ChangedSinceRead { .. }
            | Self::NotMade { .. }
            | Self::NotTakenBack { .. }
            | Self::Argument { .. }
            | Self::Protected { .. }
            | Self::Outside { .. }
            | Self::OutsideScope { .. }
            | Self::WithinProtected { .. }
            | Self::Kept { .. }
            | Self::ReadOnly { .. }
            | Self::AppsReadOnly { .. }
            | Self::MadeCommits { .. }
            | Self::Sandbox(_) => CallEnding::Refused,
            Self::Commit(problem) => problem.ending(),
            Self::TimedOut { .. } => CallEnding::TimedOut,
            Self::Cancelled => CallEnding::Cancelled,
            Self::Folder { .. }
            | Self::NotAFile { .. }
            | Self::Binary { .. }
            | Self::NotUtf8 { .. }
            | Self::NotInEncoding { .. }
            | Self::TooLarge { .. }
            | Self::Misfit { .. }
            | Self::Io { .. }
            | Self::Git { .. }
            | Self::Panicked { .. }
            | Self::Evidence { .. } => CallEnding::Returned,
        }
    }

    /// A next step that helps, if there is one.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::UnknownTool { .. } | Self::Argument { .. } | Self::Cancelled | Self::Panicked { .. } => {
                return None;
            }
            Self::NotAllowed { .. } => "a person can allow it, or grant this kind of effect in advance",
            Self::Ruled { .. } | Self::Closed { .. } => "go on without it",
            Self::InRepository { .. } => MOVE_WITH_GIT,
            Self::Instead { .. } => "do what the user says; what was not allowed stays so",
            Self::Unconfirmed { .. } => "take another way; a person at a terminal can confirm it",
            Self::ChangedMeanwhile { .. } | Self::NotMade { .. } => "look at it again",
            Self::ChangedSinceRead { .. } => "read it again, and keep what somebody else changed in it",
            Self::NotInEncoding { .. } => "leave that character out, or convert the file through shell first",
            Self::Protected { .. } => "only the user can open it; go on without it",
            Self::OutsideScope { .. } => "stay in that folder",
            Self::Outside { .. } => {
                "write into the working folder or $WORKSPACE; for another place the user has to start artoo there"
            }
            Self::WithinProtected { .. } => {
                "work in another folder; the user can choose another one for new files"
            }
            Self::Kept { .. } => "leave it out; only the user can lift that",
            Self::ReadOnly { .. } => "the user can allow it: the run is read-only",
            Self::Folder { path } => return Some(format!("list it with glob, pattern `{path}/*`")),
            Self::NotAFile { .. } => "read a regular file instead",
            Self::NotUtf8 { .. } | Self::TooLarge { .. } => "change it with a program, through shell",
            Self::Misfit { .. } => "read the lines as they are now, and give them exactly, blanks included",
            Self::Binary { .. } => "look at it with a program that knows its format, through shell",
            Self::NotTakenBack { .. } => "leave it as it is, and say what stands in the way",
            Self::Commit(problem) => problem.hint(),
            Self::Move(problem) => problem.hint(),
            Self::Git { .. } => "look with `git status`; leave the files as they should be",
            Self::MadeCommits { .. } => "only the user takes the run back, as a whole",
            Self::Io { source, .. } => hint_of(source)?,
            Self::Sandbox(error) => error.hint(),
            Self::AppsReadOnly { .. } => "the user can allow it: the run is read-only",
            Self::TimedOut { .. } => "narrow the search or split the work",
            Self::Evidence { .. } => "make room on the disk, or check the rights of the folder",
        };
        Some(text.to_owned())
    }

    /// The record of this error: the message with all its causes, the class and the hint.
    ///
    /// ```
    /// use artoo_tools::ToolError;
    ///
    /// let source = std::io::Error::from(std::io::ErrorKind::NotFound);
    /// let error = ToolError::Io { action: "read", path: "notes.txt".into(), source };
    /// assert_eq!(error.failure().reason, "cannot read notes.txt: entity not found");
    /// ```
    pub fn failure(&self) -> CallFailure {
        let mut reason = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // A transparent wrapper would repeat the same text.
            if !reason.ends_with(&text) {
                reason = format!("{reason}: {text}");
            }
            cause = error.source();
        }
        CallFailure { class: self.class(), reason, hint: self.hint() }
    }

    /// An argument is wrong, as words behind its name.
    pub fn argument(name: &str, problem: impl Into<String>) -> Self {
        Self::Argument { name: name.to_owned(), problem: problem.into() }
    }
}
