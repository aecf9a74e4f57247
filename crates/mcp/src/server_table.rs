//! The table of a server in a configuration: `[mcp.servers.NAME]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Http, Stdio, folder};
use crate::{McpError, ServerConfig, ServerLimits, ServerName, Template, Transport};

/// The longest time that may be given, in seconds.
const LONGEST: u64 = 3_600;

/// A server in a configuration: a program of this machine (`command`), or an address (`url`).
///
/// ```
/// use artoo_mcp::ServerTable;
///
/// let table: ServerTable = serde_json::from_str(
///     r#"{"command": "mcp-server-filesystem", "args": ["/home/ada/notes"], "folders": ["~/notes"]}"#,
/// )?;
/// let config = table.clone().into_config("notes".parse()?, "/home/ada".as_ref())?;
/// assert_eq!(config.folders(), [std::path::PathBuf::from("/home/ada/notes")]);
/// assert_eq!(ServerTable::from(&config).args, table.args);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerTable {
    /// The program that is started, without a shell. It runs confined: it may read what you may read but keys and passwords, write nowhere
    /// but in `folders`, and use no network without `network`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments. `${NAME}` is the variable NAME of your environment, here and in all other texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables that it gets. A secret must be given as `${NAME}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The folders in which it may write: `/...` or `~/...`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// Whether it may use the network of this machine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// The address of a server elsewhere, of the transport called streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers that each request to it has. A secret must be given as `${NAME}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Seconds that it may take to start; 10 if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_timeout: Option<u64>,
    /// Seconds that a call of it may take; 60 if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_timeout: Option<u64>,
}

impl ServerTable {
    /// The server that it means. `home` is what `~` means.
    ///
    /// # Errors
    ///
    /// The first field that is wrong, or that holds a secret itself.
    pub fn into_config(self, name: ServerName, home: &Path) -> Result<ServerConfig, McpError> {
        let wrong = |field: &str, problem: &str| McpError::Field {
            server: name.to_string(),
            field: field.to_owned(),
            problem: problem.to_owned(),
        };
        let template =
            |field: &str, text: &str| text.parse::<Template>().map_err(|problem| wrong(field, &problem));
        let templates =
            |field: &str, map: &BTreeMap<String, String>| -> Result<BTreeMap<String, Template>, McpError> {
                map.iter()
                    .map(|(name, text)| Ok((name.clone(), template(&format!("{field}.{name}"), text)?)))
                    .collect()
            };
        let limit = |field: &str, given: Option<u64>, usual: Duration| match given {
            None => Ok(usual),
            Some(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
            Some(_) => Err(wrong(field, "must be from 1 to 3600 seconds")),
        };
        let usual = ServerLimits::default();
        let limits = ServerLimits {
            start: limit("start_timeout", self.start_timeout, usual.start)?,
            call: limit("call_timeout", self.call_timeout, usual.call)?,
        };
        let transport = match (&self.command, &self.url) {
            (Some(_), Some(_)) => {
                return Err(wrong("url", "does not go with `command`: a server is one or the other"));
            }
            (None, None) => return Err(wrong("command", "is missing, and `url` as well")),
            (Some(command), None) => {
                if !self.headers.is_empty() {
                    return Err(wrong("headers", "goes with `url` alone"));
                }
                let args = self.args.iter().enumerate();
                Transport::Stdio(Stdio {
                    command: template("command", command)?,
                    args: args
                        .map(|(at, text)| template(&format!("args[{at}]"), text))
                        .collect::<Result<_, _>>()?,
                    env: templates("env", &self.env)?,
                    folders: self.folders.iter().map(|text| folder(text, home)).collect(),
                    network: self.network,
                })
            }
            (None, Some(url)) => {
                let of_programs = [
                    ("args", self.args.is_empty()),
                    ("env", self.env.is_empty()),
                    ("folders", self.folders.is_empty()),
                    ("network", !self.network),
                ];
                if let Some((field, _)) = of_programs.into_iter().find(|(_, is_absent)| !is_absent) {
                    return Err(wrong(field, "goes with `command` alone"));
                }
                Transport::Http(Http {
                    url: template("url", url)?,
                    headers: templates("headers", &self.headers)?,
                })
            }
        };
        ServerConfig { name, transport, limits }.checked()
    }
}

impl From<&ServerConfig> for ServerTable {
    /// The table that means this server.
    fn from(config: &ServerConfig) -> Self {
        let texts = |map: &BTreeMap<String, Template>| {
            map.iter().map(|(name, text)| (name.clone(), text.to_string())).collect::<BTreeMap<_, _>>()
        };
        let usual = ServerLimits::default();
        let unless = |is: Duration, usual: Duration| (is != usual).then_some(is.as_secs());
        let limits = Self {
            start_timeout: unless(config.limits.start, usual.start),
            call_timeout: unless(config.limits.call, usual.call),
            ..Self::default()
        };
        match &config.transport {
            Transport::Stdio(stdio) => Self {
                command: Some(stdio.command.to_string()),
                args: stdio.args.iter().map(Template::to_string).collect(),
                env: texts(&stdio.env),
                folders: stdio.folders.clone(),
                network: stdio.network,
                ..limits
            },
            Transport::Http(http) => {
                Self { url: Some(http.url.to_string()), headers: texts(&http.headers), ..limits }
            }
        }
    }
}
