//! Where `policy.toml` is, the user's own rules of consent: beside the configuration in the user's config folder, and nowhere else.

use std::path::{Path, PathBuf};

use artoo_policy::{Policy, PolicyError};

use crate::error::CommandError;
use crate::machine::Environment;

/// Path of the rules. No variable can name another file, and the working folder is never searched.
pub(crate) fn path(environment: &Environment, home: &Path) -> PathBuf {
    let folder = environment.folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    folder.join("artoo").join("policy.toml")
}

/// The user's rules and places; none without a file.
///
/// # Errors
/// If the file cannot be read or understood.
pub(crate) fn read(environment: &Environment, home: &Path) -> Result<Policy, CommandError> {
    Ok(artoo_policy::read(&path(environment, home), home)?)
}

impl From<PolicyError> for CommandError {
    fn from(error: PolicyError) -> Self {
        let hint = error.hint().unwrap_or("see: artoo config schema --policy").to_owned();
        let said = error.to_string();
        match error {
            PolicyError::Unreadable { source, .. } => Self::configuration(said).because(source),
            PolicyError::NotWritten { source, .. } => Self::failed(said).because(source),
            PolicyError::TooMuch { .. }
            | PolicyError::Malformed { .. }
            | PolicyError::UnknownKey { .. }
            | PolicyError::Rule { .. } => Self::configuration(said),
        }
        .hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_a_command_that_helps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        std::fs::write(&path, "rule = 3").unwrap();
        let error = CommandError::from(artoo_policy::read(&path, folder.path()).unwrap_err());
        assert!(error.to_string().contains("policy.toml:1:8: "), "{error}");
        assert_eq!(error.next_step(), Some("see: artoo config schema --policy"));
        let error = CommandError::from(artoo_policy::read(folder.path(), folder.path()).unwrap_err());
        assert!(error.to_string().contains("it is not a file"), "{error}");
    }
}
