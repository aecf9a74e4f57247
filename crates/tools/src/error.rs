//! Why a call failed.

mod of_system;

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use artoo_sandbox::SandboxError;
use artoo_sandbox::snapshot::UndoError;
use artoo_types::{CallEnding, CallFailure, FailureClass, ToolName};
use of_system::{class_of, hint_of};

use crate::undo_run::obstacles;

/// A call that did not do what it should. Its class is decided here and nowhere else.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// No tool has this name.
    #[error("there is no tool `{name}`; the tools are {known}")]
    UnknownTool {
        /// The name.
        name: ToolName,
        /// The names there are.
        known: String,
    },
    /// An argument is missing, superfluous, or has a wrong type or value.
    #[error("argument `{name}` {problem}")]
    Argument {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The path belongs to what no tool may touch.
    #[error("{path} is protected")]
    Protected {
        /// The path.
        path: String,
    },
    /// Somebody said no, or nobody was there to say yes.
    #[error("not allowed: {reason}; it would {effects}")]
    NotAllowed {
        /// What it would do.
        effects: String,
        /// Who says so, and why.
        reason: String,
    },
    /// Nobody's yes helps.
    #[error("refused: {rule}")]
    Ruled {
        /// The rule.
        rule: String,
    },
    /// Somebody said no, and what to do instead.
    #[error("the user did not allow it, and says: {words}")]
    Instead {
        /// In their words.
        words: String,
    },
    /// What was tried could not be made real.
    #[error("nothing was changed: {reason}")]
    NotMade {
        /// Why.
        reason: String,
    },
    /// Memory advises caution, and nobody is there.
    #[error("{came}: memory advises caution about this call, and nobody is there to confirm it")]
    Unconfirmed {
        /// What came of it.
        came: String,
    },
    /// What was looked at has changed since.
    #[error("{path} was changed meanwhile; nothing was written")]
    ChangedMeanwhile {
        /// The path.
        path: String,
    },
    /// The path is outside the folders where files may be created.
    #[error("{path} is outside the working folder and the workspace")]
    Outside {
        /// The path.
        path: String,
    },
    /// A command would run, or write, in a place that it cannot see.
    #[error("{} lies in {}, which is protected", folder.display(), protected.display())]
    WithinProtected {
        /// The workspace or the working folder.
        folder: PathBuf,
        /// The protected place around it.
        protected: PathBuf,
    },
    /// The path existed before the run.
    #[error("{path} exists already, and this run did not create it")]
    Exists {
        /// The path.
        path: String,
    },
    /// The user allows no changes.
    #[error("{path} was not written: the sandbox mode is read-only")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// The path is a folder, and a file is needed.
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
        /// What it is.
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
    /// The content is not text in UTF-8, and would be written in another encoding.
    #[error("{path} is not text in UTF-8")]
    NotUtf8 {
        /// The path.
        path: String,
    },
    /// The file is too large for what is to be done with it.
    #[error("{path} has {bytes} bytes; at most {most} are taken")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// What is to be changed does not stand in the file, or not in one place.
    #[error("{path} was not changed: {problem}")]
    Misfit {
        /// The path.
        path: String,
        /// What does not fit.
        problem: String,
    },
    /// An earlier run was not taken back, or not wholly yet.
    #[error("run {run} was not taken back{}", obstacles(source))]
    NotTakenBack {
        /// Which, by the end of its id.
        run: String,
        /// Why.
        source: UndoError,
    },
    /// The system refused.
    #[error("cannot {action} {path}")]
    Io {
        /// What was tried, for example `read`.
        action: &'static str,
        /// On what.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The command could not be run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// It took too long.
    #[error("`{tool}` was stopped after {} seconds", after.as_secs())]
    TimedOut {
        /// The tool.
        tool: ToolName,
        /// The limit.
        after: Duration,
    },
    /// An address that may not be reached without a grant.
    #[error("{url} was not asked: {reason}")]
    Address {
        /// The address that was asked for.
        url: String,
        /// Why not.
        reason: String,
    },
    /// A page could not be got.
    #[error("{url} cannot be reached: {reason}")]
    Web {
        /// Its address.
        url: String,
        /// What the network says.
        reason: String,
    },
    /// A page took too long.
    #[error("{url} did not answer within {} seconds", after.as_secs())]
    WebTimedOut {
        /// Its address.
        url: String,
        /// The limit.
        after: Duration,
    },
    /// A server refused.
    #[error("{url} answered with status {status}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// What a server sent is no text.
    #[error("{url} is no text but {kind}")]
    NotText {
        /// The address.
        url: String,
        /// What it is.
        kind: String,
    },
    /// A search engine takes artoo for what it is.
    #[error("the search engine {provider} refuses programs just now")]
    Robot {
        /// The engine.
        provider: String,
    },
    /// A search engine does not take the key.
    #[error("the search engine {provider} does not take the key, or its quota is spent")]
    SearchKey {
        /// The engine.
        provider: String,
    },
    /// A search engine answers in another form than is known.
    #[error("the answer of the search engine {provider} cannot be read")]
    UnknownShape {
        /// The engine.
        provider: String,
    },
    /// The web tools are set up wrongly.
    #[error("the web tools cannot be set up: {reason}")]
    WebSetup {
        /// What is wrong.
        reason: String,
    },
    /// The user allows no changes, and nobody knows what an app will do.
    #[error("`{tool}` was not called: the sandbox mode is read-only")]
    AppsReadOnly {
        /// The tool.
        tool: ToolName,
    },
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The tool has a defect.
    #[error("`{tool}` broke down: {message}")]
    Panicked {
        /// The tool.
        tool: ToolName,
        /// The panic's message.
        message: String,
    },
    /// The output could not be kept, so nothing can be proved by it.
    #[error("the output could not be kept in {}", folder.display())]
    Evidence {
        /// The evidence folder.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl ToolError {
    /// Whose fault it is: the approach's, the world's, or a missing consent.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::UnknownTool { .. }
            | Self::Instead { .. }
            | Self::Unconfirmed { .. }
            | Self::Argument { .. }
            | Self::Folder { .. }
            | Self::NotAFile { .. }
            | Self::NotText { .. }
            | Self::NotUtf8 { .. }
            | Self::TooLarge { .. }
            | Self::Misfit { .. }
            | Self::Outside { .. }
            | Self::Binary { .. } => FailureClass::Logical,
            Self::Protected { .. }
            | Self::NotAllowed { .. }
            | Self::Ruled { .. }
            | Self::WithinProtected { .. }
            | Self::Exists { .. }
            | Self::Address { .. }
            | Self::AppsReadOnly { .. }
            | Self::ReadOnly { .. } => FailureClass::Denied,
            Self::Io { source, .. } => class_of(source),
            Self::NotTakenBack { .. } | Self::ChangedMeanwhile { .. } | Self::NotMade { .. } => {
                FailureClass::Environmental
            }
            Self::Status { status, .. } if BAD_REQUESTS.contains(status) => FailureClass::Logical,
            Self::TimedOut { .. }
            | Self::Evidence { .. }
            | Self::Web { .. }
            | Self::WebTimedOut { .. }
            | Self::Status { .. }
            | Self::Robot { .. }
            | Self::SearchKey { .. }
            | Self::UnknownShape { .. }
            | Self::WebSetup { .. } => FailureClass::Environmental,
            // The kernel lacks confinement, and the user has not consented to go without.
            Self::Sandbox(SandboxError::Unsupported { .. }) => FailureClass::Denied,
            Self::Sandbox(
                SandboxError::Grant { .. }
                | SandboxError::Seal { .. }
                | SandboxError::Rules { .. }
                | SandboxError::Namespace { .. }
                | SandboxError::Start { .. }
                | SandboxError::Watch { .. },
            ) => FailureClass::Environmental,
            Self::Cancelled | Self::Panicked { .. } => FailureClass::Unknown,
        }
    }

    /// How the call ended.
    pub fn ending(&self) -> CallEnding {
        match self {
            // What was done stays done.
            Self::NotTakenBack { source: UndoError::Step { .. }, .. } => CallEnding::Returned,
            Self::UnknownTool { .. }
            | Self::NotAllowed { .. }
            | Self::Ruled { .. }
            | Self::Instead { .. }
            | Self::Unconfirmed { .. }
            | Self::ChangedMeanwhile { .. }
            | Self::NotMade { .. }
            | Self::NotTakenBack { .. }
            | Self::Argument { .. }
            | Self::Protected { .. }
            | Self::Outside { .. }
            | Self::WithinProtected { .. }
            | Self::Exists { .. }
            | Self::ReadOnly { .. }
            | Self::Address { .. }
            | Self::WebSetup { .. }
            | Self::AppsReadOnly { .. }
            | Self::Sandbox(_) => CallEnding::Refused,
            Self::TimedOut { .. } | Self::WebTimedOut { .. } => CallEnding::TimedOut,
            Self::Cancelled => CallEnding::Cancelled,
            Self::Folder { .. }
            | Self::NotAFile { .. }
            | Self::Binary { .. }
            | Self::NotUtf8 { .. }
            | Self::TooLarge { .. }
            | Self::Misfit { .. }
            | Self::Io { .. }
            | Self::Web { .. }
            | Self::Status { .. }
            | Self::NotText { .. }
            | Self::Robot { .. }
            | Self::SearchKey { .. }
            | Self::UnknownShape { .. }
            | Self::Panicked { .. }
            | Self::Evidence { .. } => CallEnding::Returned,
        }
    }

    /// The next step, where there is one that helps.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::UnknownTool { .. } | Self::Argument { .. } | Self::Cancelled | Self::Panicked { .. } => {
                return None;
            }
            Self::NotAllowed { .. } => "a person can allow it, or grant this kind of effect in advance",
            Self::Ruled { .. } => "go on without it",
            Self::Instead { .. } => "do what the user says; what was not allowed stays so",
            Self::Unconfirmed { .. } => "take another way; a person at a terminal can confirm it",
            Self::ChangedMeanwhile { .. } | Self::NotMade { .. } => "look at it again",
            Self::Protected { .. } => "only the user can open it; go on without it",
            Self::Outside { .. } => {
                "write into the working folder or $WORKSPACE; for another place the user has to start artoo there"
            }
            Self::WithinProtected { .. } => {
                "work in another folder; the user can choose another one for new files"
            }
            Self::Exists { .. } => "choose another name",
            Self::ReadOnly { .. } => "the user can allow it: the run is read-only",
            Self::Folder { path } => return Some(format!("list it with glob, pattern `{path}/*`")),
            Self::NotAFile { .. } => "read a regular file instead",
            Self::NotUtf8 { .. } | Self::TooLarge { .. } => "change it with a program, through shell",
            Self::Misfit { .. } => "read the lines as they are now, and give them exactly, blanks included",
            Self::Binary { .. } => "look at it with a program that knows its format, through shell",
            Self::NotTakenBack { .. } => "leave it as it is, and say what stands in the way",
            Self::Io { source, .. } => hint_of(source)?,
            Self::Sandbox(error) => error.hint(),
            Self::Address { .. } => {
                "only the user can allow it, with `tools.private_addresses = true`; go on without it"
            }
            Self::Web { .. } | Self::WebTimedOut { .. } => "try another page",
            Self::Status { .. } | Self::NotText { .. } => "look for another page",
            Self::Robot { .. } => {
                "go on without it; the user can set up an engine that takes a key with `tools.search`"
            }
            Self::SearchKey { .. } => "the user has to look at `tools.search_key_env`",
            Self::UnknownShape { .. } => {
                "go on without it; the user can choose another engine with `tools.search`"
            }
            Self::WebSetup { .. } => "the user has to look at the `tools` table of the configuration",
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
            // A transparent wrapper says the same again.
            if !reason.ends_with(&text) {
                reason = format!("{reason}: {text}");
            }
            cause = error.source();
        }
        CallFailure { class: self.class(), reason, hint: self.hint() }
    }

    pub(crate) fn argument(name: &str, problem: impl Into<String>) -> Self {
        Self::Argument { name: name.to_owned(), problem: problem.into() }
    }
}

/// HTTP statuses that say that the request itself is wrong.
const BAD_REQUESTS: [u16; 7] = [400, 405, 406, 411, 413, 414, 415];
