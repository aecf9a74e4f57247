//! An error of a server with its causes.

use std::error::Error;

use artoo_mcp::McpError;

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
