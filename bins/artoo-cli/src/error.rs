//! Errors of the program and its exit codes.
//!
//! A run that ends badly is not an error here but a result with a record; its exit code comes from
//! [`artoo_runtime::exit_code`].

use std::error::Error;
use std::fmt;

/// Exit code of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(u8);

impl Exit {
    /// Success.
    pub(crate) const OK: Self = Self(0);
    /// Failure.
    pub(crate) const FAILED: Self = Self(1);
    /// Wrong usage or configuration.
    pub(crate) const USAGE: Self = Self(2);
    /// Something is there, but not all of it.
    pub(crate) const INCOMPLETE: Self = Self(3);
    /// Ended by a signal: 128 plus its number, as shells report it.
    pub(crate) const fn of_signal(number: u8) -> Self {
        Self(number.saturating_add(128))
    }

    /// Exit code of a run.
    pub(crate) const fn of_run(code: u8) -> Self {
        Self(code)
    }

    /// The number.
    pub(crate) const fn code(self) -> u8 {
        self.0
    }
}

/// Kind of an error. Each kind has one exit code, in [`Kind::exit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Invalid command line.
    Usage,
    /// Invalid configuration file, variable or choice of a model.
    Configuration,
    /// No model is configured.
    NoModel,
    /// Anything else: a disk, a server, a damaged file.
    Failed,
    /// The end of a record is missing; what is there is as it was written.
    Truncated,
    /// The reader of standard output is gone.
    BrokenPipe,
}

impl Kind {
    /// The exit code of each kind.
    pub(crate) const fn exit(self) -> Exit {
        match self {
            Self::Usage | Self::Configuration | Self::NoModel => Exit::USAGE,
            Self::Failed => Exit::FAILED,
            Self::Truncated => Exit::INCOMPLETE,
            Self::BrokenPipe => Exit::OK,
        }
    }
}

/// An error for the user: what failed, on what, why, and what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
}

impl CommandError {
    /// A usage error.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A configuration error.
    pub(crate) fn configuration(message: impl Into<String>) -> Self {
        Self::new(Kind::Configuration, message)
    }

    /// A failure of the machine, the network or a file.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// An error of this kind.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, hint: None }
    }

    /// Adds the error that caused it.
    pub(crate) fn because(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Adds a hint about the next step.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What kind of error it is.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// What caused it.
    pub(crate) fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }

    /// The hint, if there is one.
    pub(crate) fn next_step(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        let mut cause = self.source.as_deref().map(|source| source as &dyn Error);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

// Its message has its causes already, so it has no source.
impl Error for CommandError {}
