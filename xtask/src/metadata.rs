//! What cargo says of the workspace.

use cargo_metadata::Metadata;

use crate::{Error, Result, command::cargo};

/// Runs `cargo metadata` with these further arguments.
///
/// # Errors
/// Cargo fails, or prints something else.
pub(crate) fn read(arguments: &[&str]) -> Result<Metadata> {
    parsed(&cargo(["metadata", "--format-version=1"]).args(arguments).text()?)
}

fn parsed(text: &str) -> Result<Metadata> {
    serde_json::from_str(text)
        .map_err(|error| Error::Other(format!("`cargo metadata` printed something else: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_else_is_refused() {
        assert!(parsed("{}").is_err());
    }
}
