//! The manual page and the completions, as the binary prints them.

use std::path::PathBuf;

use super::{Binary, Release};
use crate::{Result, command::Program, files};

/// Where the printed files lie.
#[derive(Debug)]
pub(super) struct Pages {
    /// `artoo.1`.
    pub(super) manual: PathBuf,
    /// The script for bash.
    pub(super) bash: PathBuf,
    /// The script for zsh.
    pub(super) zsh: PathBuf,
    /// The script for fish.
    pub(super) fish: PathBuf,
}

/// Lets a binary of this machine print them.
///
/// # Errors
/// It cannot be started, or fails.
pub(super) fn print(release: &Release, binary: &Binary) -> Result<Pages> {
    let folder = release.stage.join("pages");
    // A home of its own, so that no configuration of the user can change a page.
    let home = release.stage.join("home");
    let printed = |name: &str, words: &[&str]| {
        let text = Program::new(&binary.path, words).alone().env("HOME", &home).text()?;
        let path = folder.join(name);
        files::write(&path, text)?;
        Ok(path)
    };
    Ok(Pages {
        manual: printed("artoo.1", &["man"])?,
        bash: printed("artoo.bash", &["completions", "bash"])?,
        zsh: printed("_artoo", &["completions", "zsh"])?,
        fish: printed("artoo.fish", &["completions", "fish"])?,
    })
}
