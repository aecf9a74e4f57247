//! `McpError`: why a server of tools could not be configured, started, or did not do what was asked of it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use artoo_sandbox::SandboxError;
use artoo_tools::{ToolError, ToolReport};
use artoo_types::{CallEnding, CallFailure, FailureClass};

/// What failed, of which server, and why. Texts of a server in it are short and without secrets.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// A name of a server that cannot be one.
    #[error("`{name}` is no name of a server: {problem}")]
    Name {
        /// The name, shortened.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The configuration of a server is wrong.
    #[error("the server {server}: `{field}` {problem}")]
    Field {
        /// The server.
        server: String,
        /// The field of its table.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A secret stands in the configuration itself.
    #[error("the server {server}: `{field}` looks like a secret, and the configuration must not hold one")]
    Secret {
        /// The server.
        server: String,
        /// The field.
        field: String,
    },
    /// Variables that the configuration names are not set.
    #[error("the server {server} needs variables that are not set: {}", names.join(", "))]
    Variables {
        /// The server.
        server: String,
        /// The variables.
        names: Vec<String>,
    },
    /// The whole of a `.mcp.json` cannot be read.
    #[error("this is no file of servers: {problem}")]
    File {
        /// What is wrong with it.
        problem: String,
    },
    /// The program of a server was not started.
    #[error("the server {server} was not started")]
    Start {
        /// The server.
        server: String,
        /// Why.
        source: SandboxError,
    },
    /// The kernel cannot hold a server to what the user gave it.
    #[error("the server {server} was not started")]
    Confinement {
        /// The server.
        server: String,
        /// Why.
        source: ToolError,
    },
    /// It did not agree on how to talk.
    #[error("the server {server} does not begin to talk: {reason}")]
    Handshake {
        /// The server.
        server: String,
        /// Why, with the end of what it complained about.
        reason: String,
    },
    /// It asks for an authorization that is not there.
    #[error("the server {server} wants a login")]
    Login {
        /// The server.
        server: String,
        /// What it sent with its refusal, for a login.
        challenge: Option<String>,
    },
    /// An authorization was not given, or could not be kept or renewed.
    #[error("the login to the server {server} failed: {reason}")]
    Authorization {
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// It took too long.
    #[error("the server {server} did not {doing} within {} seconds", after.as_secs())]
    TimedOut {
        /// The server.
        server: String,
        /// What it was to do.
        doing: &'static str,
        /// The limit.
        after: Duration,
    },
    /// The connection is over.
    #[error("the server {server} has ended: {reason}")]
    Ended {
        /// The server.
        server: String,
        /// How, with the end of what it complained about.
        reason: String,
    },
    /// It refused a request.
    #[error("the server {server} refused to {doing}: {reason}")]
    Refused {
        /// The server.
        server: String,
        /// What was asked.
        doing: &'static str,
        /// In its words, or its transport's.
        reason: String,
    },
    /// Its answer is none to what was asked.
    #[error("the server {server} gave no answer that means anything to: {doing}")]
    Answer {
        /// The server.
        server: String,
        /// What was asked.
        doing: &'static str,
    },
    /// A tool is not what was approved any more.
    #[error(
        "the server {server} has changed what it says of its tool {tool} since that was approved, so the tool is not called"
    )]
    Changed {
        /// The server.
        server: String,
        /// The tool, by the server's name for it.
        tool: String,
    },
    /// A list has more in it, or more pages, than is read.
    #[error("the server {server} lists more {what} than are read: {limit}")]
    TooMuch {
        /// The server.
        server: String,
        /// Of what.
        what: &'static str,
        /// The limit, in words.
        limit: String,
    },
    /// Arguments that the schema of a tool does not allow.
    #[error("the arguments do not fit {tool} of the server {server}: {problem}")]
    Arguments {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The first that does not fit.
        problem: String,
    },
    /// A tool that is not there, or not any more.
    #[error("the server {server} has no {what} `{name}`")]
    Unknown {
        /// The server.
        server: String,
        /// A tool, a resource, a prompt.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// The call was cancelled.
    #[error("the call of the server {server} was cancelled")]
    Cancelled {
        /// The server.
        server: String,
    },
    /// A file of artoo's own could not be read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of artoo's own was altered.
    #[error("{} cannot be understood: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The tools refused the call: consent is missing, or the mode of the run forbids it.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl McpError {
    /// What a person can do about it, as the text after `hint:`.
    ///
    /// ```
    /// use artoo_mcp::McpError;
    ///
    /// let error = McpError::Secret { server: "hub".into(), field: "env.TOKEN".into() };
    /// assert!(error.hint().is_some_and(|hint| hint.contains("${")));
    /// ```
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Name { .. } => "use up to 32 small letters, digits, - and _, without __",
            Self::Secret { .. } => {
                "put the secret into a variable of your environment and write ${ITS_NAME} here"
            }
            Self::Variables { .. } => "set them in the environment in which artoo is started",
            Self::Start { source, .. } => source.hint(),
            Self::Confinement { .. } => "give it other folders",
            Self::Handshake { .. } => {
                "see that the command or the address is that of a server of the Model Context Protocol, and that it needs nothing that it was not given: a folder, the network, a variable"
            }
            Self::Login { .. } => "log in to it first",
            Self::Authorization { .. } => "log in again",
            Self::TimedOut { .. } => {
                "see whether it waits for something, or allow it more time: start_timeout and call_timeout in its table, in seconds"
            }
            Self::Ended { .. } => "it is started again with the next run",
            Self::Changed { .. } => "the difference is shown, and asked about, before the next run",
            Self::TooMuch { .. } => "use a server with fewer of them",
            Self::Damaged { .. } => "remove the file; what stood in it is asked about again",
            Self::Field { .. }
            | Self::File { .. }
            | Self::Refused { .. }
            | Self::Answer { .. }
            | Self::Arguments { .. }
            | Self::Unknown { .. }
            | Self::Cancelled { .. }
            | Self::Io { .. }
            | Self::Tool(_) => return None,
        })
    }

    /// The class of the call that failed with it.
    fn class(&self) -> FailureClass {
        match self {
            Self::Arguments { .. } | Self::Unknown { .. } => FailureClass::Logical,
            Self::Changed { .. } => FailureClass::Forbidden,
            Self::Cancelled { .. } => FailureClass::Unknown,
            Self::Tool(error) => error.class(),
            Self::Name { .. }
            | Self::Field { .. }
            | Self::Secret { .. }
            | Self::Variables { .. }
            | Self::File { .. }
            | Self::Start { .. }
            | Self::Confinement { .. }
            | Self::Handshake { .. }
            | Self::Login { .. }
            | Self::Authorization { .. }
            | Self::TimedOut { .. }
            | Self::Ended { .. }
            | Self::Refused { .. }
            | Self::Answer { .. }
            | Self::TooMuch { .. }
            | Self::Io { .. }
            | Self::Damaged { .. } => FailureClass::Environmental,
        }
    }
}

impl From<McpError> for ToolReport {
    fn from(error: McpError) -> Self {
        let ending = match &error {
            McpError::Tool(_)
            | McpError::Arguments { .. }
            | McpError::Unknown { .. }
            | McpError::Changed { .. } => CallEnding::Refused,
            McpError::TimedOut { .. } => CallEnding::TimedOut,
            McpError::Cancelled { .. } => CallEnding::Cancelled,
            McpError::Name { .. }
            | McpError::Field { .. }
            | McpError::Secret { .. }
            | McpError::Variables { .. }
            | McpError::File { .. }
            | McpError::Start { .. }
            | McpError::Confinement { .. }
            | McpError::Handshake { .. }
            | McpError::Login { .. }
            | McpError::Authorization { .. }
            | McpError::Ended { .. }
            | McpError::Refused { .. }
            | McpError::Answer { .. }
            | McpError::TooMuch { .. }
            | McpError::Io { .. }
            | McpError::Damaged { .. } => CallEnding::Returned,
        };
        if let McpError::Tool(error) = error {
            return error.into();
        }
        let failure = CallFailure {
            class: error.class(),
            reason: error.to_string(),
            hint: error.hint().map(str::to_owned),
        };
        Self::failed(ending, failure)
    }
}
