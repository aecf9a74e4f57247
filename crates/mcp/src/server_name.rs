//! Names of servers.

use std::fmt;
use std::str::FromStr;

use crate::McpError;

/// The longest name, in bytes: with a name of a tool it must fit into one of a call.
const LONGEST: usize = 32;

/// The name of a server, which stands before the names of its tools: up to 32 small letters, digits, `-` and `_`. It has no `__`, which
/// ends it, and neither begins nor ends with `_` or `-`.
///
/// ```
/// use artoo_mcp::ServerName;
///
/// assert_eq!("github-issues".parse::<ServerName>()?.as_str(), "github-issues");
/// assert!("a__b".parse::<ServerName>().is_err() && "Mail".parse::<ServerName>().is_err());
/// assert_eq!(ServerName::made_of("My Mail!").map(|name| name.to_string()), Some("my-mail".to_owned()));
/// # Ok::<(), artoo_mcp::McpError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(String);

impl ServerName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name that comes closest to one of another program's configuration; `None` if nothing of it can stay.
    pub fn made_of(text: &str) -> Option<Self> {
        let mut made = String::new();
        for c in text.chars().map(|c| c.to_ascii_lowercase()) {
            let c = if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
            let is_twice = !c.is_ascii_alphanumeric() && made.ends_with(['-', '_']);
            if !is_twice && made.len() < LONGEST {
                made.push(c);
            }
        }
        made.trim_matches(['-', '_']).parse().ok()
    }
}

impl FromStr for ServerName {
    type Err = McpError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let problem = if name.is_empty() {
            "it is empty"
        } else if name.len() > LONGEST {
            "it is longer than 32 bytes"
        } else if !name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
        {
            "it has other characters than small letters, digits, - and _"
        } else if name.contains("__") {
            "it has __ in it, which ends the name of a server"
        } else if name.starts_with(['-', '_']) || name.ends_with(['-', '_']) {
            "it begins or ends with - or _"
        } else {
            return Ok(Self(name.to_owned()));
        };
        Err(McpError::Name { name: name.chars().take(2 * LONGEST).collect(), problem })
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
