//! What no compiler proves: the layers, the words a layer may not use, documents that are true, a tree without leftovers.
//! Each rule is a function from a [`Tree`] (or the crates' manifests) to findings; the tests run them all.

mod code;
mod declared;
mod documents;
mod embedding;
mod front_ends;
mod headers;
mod layers;
mod logs;
mod manifests;
mod registries;
mod sources;
mod tree;
mod word_lists;
mod words;

pub use layers::{Layer, Member, layer};
pub use tree::{SourceFile, Tree};

use std::fmt;

use crate::{Error, Result, command, files, terminal};

/// Something to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static str,
    /// The file, from the root.
    pub path: String,
    /// The line, where it is about one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    /// About a whole file.
    pub fn file(rule: &'static str, path: &str, message: impl Into<String>) -> Self {
        Self { rule, path: path.to_owned(), line: None, message: message.into() }
    }

    /// About one line, counted from 0 as `enumerate` does.
    pub fn line(rule: &'static str, path: &str, index: usize, message: impl Into<String>) -> Self {
        Self { rule, path: path.to_owned(), line: Some(index + 1), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}: {} [{}]", self.path, self.message, self.rule),
            None => write!(out, "{}: {} [{}]", self.path, self.message, self.rule),
        }
    }
}

/// Applies every rule to the workspace.
///
/// # Errors
/// A file cannot be read, or cargo does not tell its metadata.
pub fn findings() -> Result<Vec<Finding>> {
    let root = files::root();
    let tree = Tree::read(&root)?;
    let metadata = command::cargo(["metadata", "--format-version=1", "--no-deps"]).text()?;
    let members = manifests::members(&metadata, &root)?;
    let lock = manifests::lock(tree.text("Cargo.lock").unwrap_or_default())?;
    let mut all = layers::check(&members, &lock);
    for rule in RULES {
        all.extend(rule(&tree));
    }
    all.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(all)
}

/// The rules that need nothing but the files.
const RULES: [fn(&Tree) -> Vec<Finding>; 18] = [
    words::check,
    word_lists::check,
    front_ends::check,
    headers::check,
    logs::check,
    sources::leftovers,
    sources::ignored_tests,
    sources::trailing_blanks,
    sources::length,
    sources::names,
    sources::unsafe_code,
    declared::check,
    documents::commands,
    documents::links,
    documents::licences,
    embedding::check,
    manifests::inherit,
    registries::check,
];

/// `cargo xtask tidy`: prints every finding.
///
/// # Errors
/// There is a finding, or the workspace cannot be read.
pub fn run() -> Result<()> {
    let findings = findings()?;
    for finding in &findings {
        terminal::say(finding);
    }
    if findings.is_empty() { Ok(()) } else { Err(Error::Untidy(findings.len())) }
}
