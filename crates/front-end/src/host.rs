//! The program that runs are in, as a front end sees it.

use std::path::PathBuf;
use std::sync::Arc;

use artoo_runtime::sessions::Sessions;
use artoo_tools::OpenFiles;
use artoo_types::{ProposedRule, SessionId};
use async_trait::async_trait;

use crate::{Confirm, HostError, HostedRun, NobodyConfirms};

/// How a user chooses a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUp {
    /// In a sentence.
    pub words: &'static str,
    /// The argument that, behind those with which the front end's client started the program, makes it ask in a terminal.
    pub in_terminal: &'static str,
}

/// Begins runs and looks things up for a front end.
///
/// *Contract.* Every call reads the configuration as it is at that moment, so that a change holds for the next run. Several runs may be
/// active at once. A request that cannot be begun leaves nothing behind.
///
/// *Cancellation.* A run ends when its [`HostedRun`] is dropped; it still has a recorded result.
#[async_trait]
pub trait Host: Send + Sync {
    /// How a user chooses a model.
    fn set_up(&self) -> SetUp;

    /// Whether a run could be begun: the configuration can be read, and it names a model.
    ///
    /// # Errors
    /// [`HostErrorKind::NoModel`](crate::HostErrorKind::NoModel) if no model is configured, and what is wrong with the configuration.
    async fn ready(&self) -> Result<(), HostError>;

    /// Begins a run.
    ///
    /// # Errors
    /// Nothing was begun, and why.
    async fn begin(&self, request: HostRequest) -> Result<HostedRun, HostError>;

    /// Begins a session in a folder, which must exist. It is on disk when this returns.
    ///
    /// # Errors
    /// The configuration cannot be read, or the session cannot be written.
    async fn begin_session(&self, folder: PathBuf) -> Result<SessionId, HostError>;

    /// The sessions of the user.
    ///
    /// # Errors
    /// The configuration cannot be read.
    async fn sessions(&self) -> Result<Sessions, HostError>;

    /// Answers a question about earlier runs or memory, or takes a run back.
    ///
    /// # Errors
    /// No such run, or a record that cannot be read.
    async fn inquire(&self, inquiry: Inquiry, form: Form) -> Result<Reply, HostError>;

    /// Adds a rule to the user's rules of consent, for this reason. The caller then answers the open question with
    /// [`Answerer::allow_always`](artoo_runtime::Answerer::allow_always).
    ///
    /// # Errors
    /// Nothing was written, and why.
    async fn allow_always(&self, rule: ProposedRule, reason: String) -> Result<(), HostError>;
}

/// What a front end asks a host to begin.
#[derive(Clone, Debug)]
pub struct HostRequest {
    /// The user's words.
    pub text: String,
    /// The folder that the run works in. Absolute.
    pub folder: PathBuf,
    /// The session that it belongs to. Without one, the run is on record, and no later request knows of it.
    pub session: Option<SessionId>,
    /// What it may do without a question.
    pub mode: RunMode,
    /// Whether a user answers the questions of the run.
    pub user_present: bool,
    /// Who answers what is asked before it begins.
    pub confirm: Arc<dyn Confirm>,
    /// What the user attached.
    pub attachments: Vec<Attachment>,
    /// The user's editor, where the front end is one.
    pub open_files: Option<Arc<dyn OpenFiles>>,
    /// Servers of tools that the client passes. They are confined, approved and asked about like configured ones.
    pub servers: Vec<ClientServer>,
}

impl HostRequest {
    /// A request of nobody's session, with nobody to be asked.
    pub fn new(text: impl Into<String>, folder: PathBuf) -> Self {
        Self {
            text: text.into(),
            folder,
            session: None,
            mode: RunMode::default(),
            user_present: false,
            confirm: Arc::new(NobodyConfirms),
            attachments: Vec::new(),
            open_files: None,
            servers: Vec::new(),
        }
    }
}

/// What a run may do without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunMode {
    /// It changes nothing.
    ReadOnly,
    /// It asks before each effect, new files included.
    Ask,
    /// It asks before what cannot be taken back or cannot be known.
    #[default]
    Auto,
    /// It asks nobody: what would need a question is a no.
    Never,
}

impl RunMode {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Ask, Self::Auto, Self::Never];

    /// The word that protocols use for it.
    ///
    /// ```
    /// use artoo_front_end::RunMode;
    ///
    /// assert_eq!(RunMode::ALL.map(RunMode::name), ["read-only", "ask", "auto", "never"]);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// Something that the user attached to a request. The host puts it into the workspace and names it in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// A name for the file, without folders.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A server of tools (the Model Context Protocol) that a client passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientServer {
    /// The client's name for it.
    pub name: String,
    /// How it is reached.
    pub kind: ClientServerKind,
}

/// How a server of a client is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum ClientServerKind {
    /// A program of this machine.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables that it gets. Their values may be secrets.
        variables: Vec<(String, String)>,
    },
    /// An address.
    Address {
        /// The address.
        url: String,
        /// Headers of each request. Their values may be secrets.
        headers: Vec<(String, String)>,
    },
}

impl std::fmt::Debug for ClientServerKind {
    /// Omits the values, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Program { command, .. } => {
                f.debug_struct("Program").field("command", command).finish_non_exhaustive()
            }
            Self::Address { url, .. } => f.debug_struct("Address").field("url", url).finish_non_exhaustive(),
        }
    }
}

/// What a front end wants to know, or wants taken back. A run is named by its id, or the beginning or end of it; `last` is the newest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inquiry {
    /// The newest runs.
    Runs {
        /// How many at most.
        most: usize,
    },
    /// What a run did.
    Run(String),
    /// Why a run went as it did.
    Explanation(String),
    /// What a run changed.
    Changes(String),
    /// What memory says to these words.
    Recall(String),
    /// Take back what a run did to files: everything, or nothing with the reasons.
    Undo(String),
}

/// In which form the reply is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a person.
    Text,
    /// For a program: JSON, one object a line.
    Json,
}

/// What a host answers to an [`Inquiry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer, in the form that was wanted.
    pub text: String,
    /// Whether what was asked for was found or done.
    pub done: bool,
}
