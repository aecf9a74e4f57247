//! The user's own rules of what git ignores: the file that `core.excludesFile` names, or `git/ignore` at its usual place.
//!
//! Source: `gitignore(5)`, `git-config(1)`. What git's configuration says is read without git. Where it cannot be told which
//! file git would take, the rules are unknown.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::git_config::entries;
use crate::ToolContext;

/// The longest file that is read.
const LONGEST: u64 = 1024 * 1024;
/// How deep files of configuration include others; git's own limit.
const DEEPEST: u8 = 10;
/// The configuration of the machine.
const OF_THE_MACHINE: &str = "/etc/gitconfig";
/// Variables by which settings come from elsewhere than files.
const FROM_VARIABLES: [&str; 2] = ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"];

/// The user's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UserIgnores {
    /// The content of their file; `None` if there is none.
    Rules(Option<Vec<u8>>),
    /// It cannot be told.
    Unknown,
}

/// What configuration says about the file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Nothing,
    /// There is none.
    None,
    File(PathBuf),
    Unknown,
}

/// A file that cannot be read.
struct Unreadable;

impl UserIgnores {
    /// As they are now. Blocks.
    pub(super) fn of(cx: &ToolContext) -> Self {
        let variable = |name: &str| cx.environment.get(OsStr::new(name));
        if FROM_VARIABLES.into_iter().any(|name| variable(name).is_some()) {
            return Self::Unknown;
        }
        let own = match variable("XDG_CONFIG_HOME") {
            Some(folder) if Path::new(folder).is_absolute() => PathBuf::from(folder),
            Some(_) | None => cx.home.join(".config"),
        };
        let of_the_machine = variable("GIT_CONFIG_NOSYSTEM")
            .is_none()
            .then(|| path_or(variable("GIT_CONFIG_SYSTEM"), OF_THE_MACHINE.into()));
        let of_the_user = match variable("GIT_CONFIG_GLOBAL") {
            Some(file) => vec![PathBuf::from(file)],
            None => vec![own.join("git/config"), cx.home.join(".gitconfig")],
        };
        let mut said = Said::Nothing;
        for file in of_the_machine.into_iter().chain(of_the_user) {
            said = said.then(says(&file, &cx.home, DEEPEST));
        }
        let file = match said {
            Said::Nothing => own.join("git/ignore"),
            Said::None => return Self::Rules(None),
            Said::File(file) => file,
            Said::Unknown => return Self::Unknown,
        };
        content(&file).map_or(Self::Unknown, Self::Rules)
    }
}

/// Whether these files of a repository's own configuration name no file of rules. Blocks.
pub(super) fn name_none(files: &[PathBuf], home: &Path) -> bool {
    files.iter().all(|file| says(file, home, DEEPEST) == Said::Nothing)
}

impl Said {
    /// What holds where this is said and then the other.
    fn then(self, later: Self) -> Self {
        match (self, later) {
            (Self::Unknown, _) => Self::Unknown,
            (said, Self::Nothing) => said,
            (_, later @ (Self::None | Self::File(_) | Self::Unknown)) => later,
        }
    }
}

/// What a file of configuration says, with those that it includes.
fn says(file: &Path, home: &Path, depth: u8) -> Said {
    let Some(depth) = depth.checked_sub(1) else { return Said::Unknown };
    let content = match content(file) {
        Ok(Some(content)) => content,
        Ok(None) => return Said::Nothing,
        Err(Unreadable) => return Said::Unknown,
    };
    let text = String::from_utf8(content).ok();
    let Some(entries) = text.as_deref().and_then(entries) else { return Said::Unknown };
    let mut said = Said::Nothing;
    for entry in entries {
        let value = entry.value.as_deref();
        said = said.then(match (entry.section.as_str(), entry.subsection.is_some(), entry.key.as_str()) {
            ("core", false, "excludesfile") => value.map_or(Said::Unknown, |value| named(value, home)),
            ("include", false, "path") => included(value, file, home, depth),
            // Whether it counts is git's matter.
            ("includeif", true, "path") => match included(value, file, home, depth) {
                Said::Nothing => Said::Nothing,
                Said::None | Said::File(_) | Said::Unknown => Said::Unknown,
            },
            _ => Said::Nothing,
        });
    }
    said
}

fn included(value: Option<&str>, file: &Path, home: &Path, depth: u8) -> Said {
    match value.map(|value| (value, absolute(value, home))) {
        Some((_, Some(path))) => says(&path, home, depth),
        Some((value, None)) if is_plain(value) => says(&file.with_file_name("").join(value), home, depth),
        Some((_, None)) | None => Said::Unknown,
    }
}

/// The file of rules with this name, which git would look for from where it was started if it is relative.
fn named(value: &str, home: &Path) -> Said {
    match absolute(value, home) {
        _ if value.is_empty() => Said::None,
        Some(path) => Said::File(path),
        None => Said::Unknown,
    }
}

fn absolute(value: &str, home: &Path) -> Option<PathBuf> {
    match value.strip_prefix("~/") {
        Some(below) => Some(home.join(below)),
        None => Path::new(value).is_absolute().then(|| value.into()),
    }
}

/// Whether a relative path means what it says: no other user's home folder, and no place that git was built with.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && !value.starts_with(['~', '%', ':'])
}

fn path_or(named: Option<&OsString>, usual: PathBuf) -> PathBuf {
    named.map_or(usual, PathBuf::from)
}

/// The content of a file, by whatever links it is reached; `None` if there is none.
fn content(file: &Path) -> Result<Option<Vec<u8>>, Unreadable> {
    match fs::metadata(file) {
        Ok(found) if found.is_file() && found.len() <= LONGEST => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Ok(_) | Err(_) => return Err(Unreadable),
    }
    let mut content = Vec::new();
    let read = File::open(file).and_then(|file| file.take(LONGEST).read_to_end(&mut content));
    read.map(|_| Some(content)).map_err(|_| Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the files say, as `(name, content)`, of which the last is read.
    fn said(files: &[(&str, &str)]) -> Said {
        let home = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(home.path().join(name), content).unwrap();
        }
        let (last, _) = files.last().unwrap();
        match says(&home.path().join(last), home.path(), DEEPEST) {
            Said::File(file) => Said::File(file.strip_prefix(home.path()).unwrap_or(&file).to_owned()),
            other @ (Said::Nothing | Said::None | Said::Unknown) => other,
        }
    }

    #[test]
    fn the_last_file_that_is_named_counts() {
        let file = |name: &str| Said::File(name.into());
        let other = ("other", "[core]\nexcludesFile = ~/b\n");
        for (files, expected) in [
            (&[("c", "[core]\nexcludesFile = ~/a\nexcludesFile = /b\n")][..], file("/b")),
            (&[("c", "[core]\nexcludesFile =\n")], Said::None),
            (&[("c", "[user]\nname = x\n")], Said::Nothing),
            (&[("c", "[core]\nexcludesFile = a\n")], Said::Unknown),
            (&[("c", "[core]\nexcludesFile = ~ada/a\n")], Said::Unknown),
            (&[("c", "[core]\nexcludesFile\n")], Said::Unknown),
            (&[("c", "excludesFile = ~/a\n")], Said::Unknown),
            (&[other, ("c", "[include]\npath = other\n")], file("b")),
            (&[other, ("c", "[include]\npath = ~/other\n[core]\nexcludesFile = ~/c\n")], file("c")),
            (&[other, ("c", "[includeIf \"gitdir:x/\"]\npath = other\n")], Said::Unknown),
            (
                &[("other", "[user]\nname = x\n"), ("c", "[includeIf \"gitdir:x/\"]\npath = other\n")],
                Said::Nothing,
            ),
            (&[("c", "[include]\npath = nowhere\n")], Said::Nothing),
            (&[("c", "[include]\npath = c\n")], Said::Unknown),
        ] {
            assert_eq!(said(files), expected, "{files:?}");
        }
    }

    #[test]
    fn a_repository_that_names_a_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["config", "config.worktree"].map(|name| folder.path().join(name));
        assert!(name_none(&files, folder.path()));
        fs::write(&files[1], "[core]\nexcludesFile = ~/a\n").unwrap();
        assert!(!name_none(&files, folder.path()));
    }
}
