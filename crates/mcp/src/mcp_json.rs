//! `.mcp.json`: servers that a folder offers, in the form that many programs read.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{McpError, ServerConfig, ServerName, ServerTable};

/// The largest file that is read, in bytes.
const LARGEST: usize = 1024 * 1024;
/// The most servers of one file.
const MOST: usize = 100;

/// The servers that a `.mcp.json` offers. Nothing of it is started before a person agreed to it.
#[derive(Debug)]
pub struct McpJson {
    /// Each server, or why it cannot be one.
    pub servers: Vec<Result<ServerConfig, McpError>>,
    /// Fields that say nothing here, as `NAME.field`: those of other programs.
    pub ignored: Vec<String>,
    /// The SHA-256 of the file, under which an answer about it is kept.
    pub content: String,
}

#[derive(Deserialize)]
struct Whole {
    #[serde(rename = "mcpServers")]
    servers: BTreeMap<String, Value>,
}

impl McpJson {
    /// Reads the content of such a file: `{"mcpServers": {NAME: {"command": ...} or {"type": "http", "url": ...}}}`. A server of it gets no
    /// folder and no network: who offers it does not say what it may do.
    ///
    /// ```
    /// use artoo_mcp::McpJson;
    ///
    /// let read = McpJson::read(br#"{"mcpServers": {"time": {"command": "mcp-server-time"}, "old": {"type": "sse", "url": "https://a.org"}}}"#)?;
    /// let told: Vec<bool> = read.servers.iter().map(Result::is_ok).collect();
    /// assert_eq!(told, [false, true]); // in the order of the names
    /// # Ok::<(), artoo_mcp::McpError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`McpError::File`] if the whole is too large or has another form.
    pub fn read(content: &[u8]) -> Result<Self, McpError> {
        let file = |problem: String| McpError::File { problem };
        if content.len() > LARGEST {
            return Err(file(format!("it has {} bytes; at most {LARGEST} are read", content.len())));
        }
        let whole: Whole = serde_json::from_slice(content).map_err(|error| file(error.to_string()))?;
        if whole.servers.len() > MOST {
            return Err(file(format!("it has {} servers; at most {MOST} are read", whole.servers.len())));
        }
        let (mut servers, mut ignored, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (given, value) in whole.servers {
            servers.push(server(&given, value, &mut names, &mut ignored));
        }
        Ok(Self { servers, ignored, content: hex::encode(Sha256::digest(content)) })
    }
}

/// The fields that are read, which are also those of a table.
const READ: [&str; 6] = ["command", "args", "env", "url", "headers", "type"];

fn server(
    given: &str,
    value: Value,
    names: &mut BTreeSet<ServerName>,
    ignored: &mut Vec<String>,
) -> Result<ServerConfig, McpError> {
    let short: String = given.chars().take(64).collect();
    let wrong = |field: &str, problem: String| McpError::Field {
        server: short.clone(),
        field: field.to_owned(),
        problem,
    };
    let name = ServerName::made_of(given)
        .ok_or(McpError::Name { name: short.clone(), problem: "no letter or digit of it can stay" })?;
    if !names.insert(name.clone()) {
        return Err(McpError::Name {
            name: short,
            problem: "another server of the file has the same name here",
        });
    }
    let Value::Object(mut fields) = value else {
        return Err(wrong("mcpServers", "has something else than a table for it".to_owned()));
    };
    match fields.remove("type").as_ref().map(Value::as_str) {
        None | Some(Some("stdio" | "http" | "streamable-http")) => {}
        Some(Some("sse")) => {
            let problem =
                "is sse, a transport that the protocol has given up; look for an address of the type http";
            return Err(wrong("type", problem.to_owned()));
        }
        Some(_) => return Err(wrong("type", "is neither stdio nor http".to_owned())),
    }
    let others: Vec<String> =
        fields.keys().filter(|field| !READ.contains(&field.as_str())).cloned().collect();
    for field in others {
        fields.remove(&field);
        ignored.push(format!("{name}.{}", field.chars().take(64).collect::<String>()));
    }
    let table: ServerTable = serde_json::from_value(Value::Object(fields))
        .map_err(|error| wrong("mcpServers", error.to_string()))?;
    // It has no folders, so no home is needed.
    table.into_config(name, "/".as_ref())
}
