//! Rules that no compiler checks: the layers, the words a layer may not use, accurate documents, a tree
//! without leftovers. Each rule is a function from a [`Tree`] (or the crates' manifests) to findings; the
//! tests run them all.

mod budgets;
mod declared;
mod documents;
mod embedding;
mod forbidden_identifiers;
mod front_ends;
mod headers;
mod layers;
mod logs;
mod manifests;
mod orphans;
mod outside;
mod registries;
mod sources;
mod strip;
mod tree;
mod word_lists;

pub use layers::{Graph, Layer, Member, layer};
pub use tree::{SourceFile, Tree};

use std::fmt;

use crate::{Error, Result, command, files, metadata, terminal};

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static str,
    /// The file, from the root.
    pub path: String,
    /// The line, if it is about one.
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
/// A file cannot be read, or `cargo metadata` fails.
pub fn findings() -> Result<Vec<Finding>> {
    let root = files::root();
    let tree = Tree::read(&root)?;
    let metadata = metadata::read(&[])?;
    let members = manifests::members(&metadata, &root);
    let built =
        command::cargo(["tree", "--workspace", "--edges=normal,build", "--prefix=depth", "--format= {p}"]);
    let graph = manifests::graph(&built.args(["--target=x86_64-unknown-linux-gnu"]).text()?);
    let mut all = layers::check(&members, &graph);
    all.extend(outside::check(&metadata, tree.text("deny.toml").unwrap_or_default())?);
    all.extend(manifests::licence_texts(&metadata, &root));
    for rule in RULES {
        all.extend(rule(&tree));
    }
    all.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(all)
}

/// The rules that need only the files.
const RULES: [fn(&Tree) -> Vec<Finding>; 20] = [
    forbidden_identifiers::check,
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
    orphans::check,
    crate::readmes::check,
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
