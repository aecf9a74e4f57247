//! What a server is: how it is reached, and what the user gave it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_sandbox::Network;
use artoo_tools::ServerReach;
use reqwest::Url;

use crate::{McpError, ServerName, Template};

/// How a server is reached, and what the user gave it. Made of a [`ServerTable`](crate::ServerTable) or a `.mcp.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name.
    pub name: ServerName,
    /// How it is reached.
    pub transport: Transport,
    /// How long it may take.
    pub limits: ServerLimits,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A program of this machine, confined by the kernel.
    Stdio(Stdio),
    /// An address.
    Http(Http),
}

/// A program that speaks over its standard streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stdio {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub command: Template,
    /// Its arguments.
    pub args: Vec<Template>,
    /// Variables that it gets besides those that any command gets.
    pub env: BTreeMap<String, Template>,
    /// The folders in which it may write. Absolute.
    pub folders: Vec<PathBuf>,
    /// Whether it may use the machine's network.
    pub network: bool,
}

/// A server at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// The address of its endpoint.
    pub url: Template,
    /// Headers that each request has.
    pub headers: BTreeMap<String, Template>,
}

/// How long a server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// From its start until its lists are read.
    pub start: Duration,
    /// One call, the time in which a person is asked left out.
    pub call: Duration,
}

impl Default for ServerLimits {
    /// 10 seconds to start, 60 for a call.
    fn default() -> Self {
        Self { start: Duration::from_secs(10), call: Duration::from_secs(60) }
    }
}

impl ServerConfig {
    /// How far it reaches: what the kernel and the configuration leave it, whatever it says of itself.
    ///
    /// ```
    /// use artoo_mcp::ServerTable;
    /// use artoo_tools::ServerReach;
    ///
    /// let table = ServerTable { command: Some("mcp-server-time".into()), ..ServerTable::default() };
    /// let config = table.into_config("time".parse()?, "/home/ada".as_ref())?;
    /// assert_eq!(config.reach(), ServerReach::Nothing);
    /// # Ok::<(), artoo_mcp::McpError>(())
    /// ```
    pub fn reach(&self) -> ServerReach {
        match &self.transport {
            Transport::Stdio(Stdio { network: false, folders, .. }) if folders.is_empty() => {
                ServerReach::Nothing
            }
            Transport::Stdio(Stdio { network: false, .. }) => ServerReach::Folders,
            Transport::Stdio(Stdio { network: true, .. }) | Transport::Http(_) => ServerReach::Elsewhere,
        }
    }

    /// The folders in which it may write.
    pub fn folders(&self) -> &[PathBuf] {
        match &self.transport {
            Transport::Stdio(stdio) => &stdio.folders,
            Transport::Http(_) => &[],
        }
    }

    /// The checks that hold for a configuration from anywhere.
    pub(crate) fn checked(self) -> Result<Self, McpError> {
        match &self.transport {
            Transport::Stdio(stdio) => self.check_stdio(stdio)?,
            Transport::Http(http) => self.check_http(http)?,
        }
        Ok(self)
    }

    pub(crate) fn wrong(&self, field: &str, problem: &str) -> McpError {
        McpError::Field {
            server: self.name.to_string(),
            field: field.to_owned(),
            problem: problem.to_owned(),
        }
    }

    fn secret(&self, field: String) -> McpError {
        McpError::Secret { server: self.name.to_string(), field }
    }

    fn check_stdio(&self, stdio: &Stdio) -> Result<(), McpError> {
        if stdio.command.as_str().trim().is_empty() {
            return Err(self.wrong("command", "is empty"));
        }
        if let Some(at) = stdio.args.iter().position(|argument| argument.holds_secret("args")) {
            return Err(self.secret(format!("args[{at}]")));
        }
        for (name, value) in &stdio.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(self.wrong("env", "has a name that is none of a variable"));
            }
            if value.holds_secret(name) {
                return Err(self.secret(format!("env.{name}")));
            }
        }
        match stdio.folders.iter().find(|folder| !folder.is_absolute()) {
            Some(folder) => {
                let problem = format!("has {}, which begins neither with / nor with ~/", folder.display());
                Err(self.wrong("folders", &problem))
            }
            None => Ok(()),
        }
    }

    fn check_http(&self, http: &Http) -> Result<(), McpError> {
        // A variable may stand anywhere in it, so the whole is looked at again when it is known.
        if http.url.holds_secret("url") {
            return Err(self.secret("url".to_owned()));
        }
        if !http.url.as_str().contains("${") {
            address(self, http.url.as_str())?;
        }
        for (name, value) in &http.headers {
            if reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err() {
                return Err(self.wrong("headers", "has a name that is none of a header"));
            }
            if value.holds_secret(name) {
                return Err(self.secret(format!("headers.{name}")));
            }
        }
        Ok(())
    }
}

impl Stdio {
    /// What the kernel lets it do with the network.
    pub(crate) fn network(&self) -> Network {
        if self.network { Network::Granted } else { Network::Denied }
    }
}

/// The address of a server. Without encryption only within this machine and its network.
pub(crate) fn address(config: &ServerConfig, text: &str) -> Result<Url, McpError> {
    let url = Url::parse(text).map_err(|_| config.wrong("url", "is no address; write https://HOST/PATH"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(config.wrong("url", "holds a name or a password; use a header with ${VARIABLE}"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_near(&url) => Ok(url),
        "http" => Err(config
            .wrong("url", "begins with http:// and leads beyond this machine and its network; use https://")),
        _ => Err(config.wrong("url", "must begin with https:// or http://")),
    }
}

/// Whether the host is on this machine or in its network, by its form.
pub(crate) fn is_near(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    match host.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(address) => !artoo_web::AddressRule::public().allows(address),
        Err(_) => {
            let name = host.trim_end_matches('.').to_ascii_lowercase();
            let last = name.rsplit('.').next().unwrap_or_default();
            !name.contains('.') || ["localhost", "local", "internal", "lan", "home"].contains(&last)
        }
    }
}

/// A folder of a configuration: absolute, or below the home folder.
pub(crate) fn folder(text: &Path, home: &Path) -> PathBuf {
    match text.strip_prefix("~") {
        Ok(below) if below.as_os_str().is_empty() => home.to_owned(),
        Ok(below) => home.join(below),
        Err(_) => text.to_owned(),
    }
}
