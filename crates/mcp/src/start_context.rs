//! What a server is started with, besides its configuration.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use artoo_redaction::Redactor;
use artoo_tools::ProtectedPlaces;
use tokio_util::sync::CancellationToken;

use crate::config::{Http, Stdio};
use crate::{McpError, ServerConfig, Template, Transport};

/// What a server is started with, besides its configuration. All paths are absolute.
#[derive(Clone)]
pub struct StartContext {
    /// The home folder, below which keys and passwords are hidden.
    pub home: PathBuf,
    /// The folder in which a program runs.
    pub folder: PathBuf,
    /// The folder in which each program gets its own one for temporary files, which goes with its connection.
    pub private_tmp: PathBuf,
    /// Places that no server may read or write: artoo's own, and those that the user named.
    pub protected: ProtectedPlaces,
    /// Places that no server may change, because the user said so.
    pub read_only: Vec<PathBuf>,
    /// The user's variables: those that any command gets, and those that `${NAME}` means.
    pub environment: BTreeMap<OsString, OsString>,
    /// Takes secrets out of what is told of a server.
    pub redactor: Redactor,
    /// The folder of logins, which only artoo can read; without it there are none.
    pub logins: Option<PathBuf>,
    /// Ends everything that was started with it.
    pub cancel: CancellationToken,
}

impl fmt::Debug for StartContext {
    /// Omits the variables, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartContext").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A configuration with the values of its variables. Not for any record.
pub(crate) enum ExpandedTransport {
    Stdio { command: String, args: Vec<String>, env: Vec<(OsString, OsString)> },
    Http { url: String, headers: Vec<(String, String)> },
}

impl ExpandedTransport {
    /// Puts the values in, and has the redactor know them.
    pub(crate) fn of(config: &ServerConfig, cx: &StartContext) -> Result<(Self, Redactor), McpError> {
        let used = RefCell::new(Vec::new());
        let lookup = |name: &str| {
            let value = cx.environment.get(OsStr::new(name))?.to_str()?.to_owned();
            used.borrow_mut().push(value.clone());
            Some(value)
        };
        let mut missing = BTreeSet::new();
        let mut put = |template: &Template| match template.expand(&lookup) {
            Ok(value) => value,
            Err(names) => {
                missing.extend(names);
                String::new()
            }
        };
        let expanded = match &config.transport {
            Transport::Stdio(Stdio { command, args, env, .. }) => Self::Stdio {
                command: put(command),
                args: args.iter().map(&mut put).collect(),
                env: env.iter().map(|(name, value)| (name.into(), put(value).into())).collect(),
            },
            Transport::Http(Http { url, headers }) => Self::Http {
                url: put(url),
                headers: headers.iter().map(|(name, value)| (name.clone(), put(value))).collect(),
            },
        };
        if !missing.is_empty() {
            let server = config.name.to_string();
            return Err(McpError::Variables { server, names: missing.into_iter().collect() });
        }
        let values: Vec<&str> = match &expanded {
            Self::Stdio { env, .. } => env.iter().filter_map(|(_, value)| value.to_str()).collect(),
            Self::Http { headers, .. } => headers.iter().map(|(_, value)| value.as_str()).collect(),
        };
        let redactor = values.into_iter().fold(cx.redactor.clone(), |redactor, value| redactor.secret(value));
        // A variable may be a part of an argument, an address or a header.
        let redactor = used.into_inner().iter().fold(redactor, |redactor, value| redactor.secret(value));
        Ok((expanded, redactor))
    }
}
