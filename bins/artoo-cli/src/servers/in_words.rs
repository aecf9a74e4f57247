//! An error of a server with its causes, and the command that helps.

use std::error::Error;

use artoo_mcp::McpError;

use crate::error::CommandError;

/// What failed, and why.
pub(crate) fn in_words(error: &McpError) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(&format!(": {error}"));
        cause = error.source();
    }
    words
}

/// What helps, if anything is known to.
pub(crate) fn hint(error: &McpError) -> Option<String> {
    if let McpError::Login { server, .. } | McpError::Authorization { server, .. } = error {
        return Some(format!("artoo mcp login {server}"));
    }
    error.hint().map(str::to_owned)
}

/// The error of a command.
pub(crate) fn explained(error: &McpError) -> CommandError {
    let failed = CommandError::failed(in_words(error));
    match hint(error) {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}
