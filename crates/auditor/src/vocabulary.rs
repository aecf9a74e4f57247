//! Vocabulary of names that the log may contain in clear text.

use std::collections::BTreeSet;

use artoo_types::ToolKind;
use sha2::{Digest, Sha256};

/// The rules that ask for consent.
const RULES: [&str; 5] =
    ["ask-before-every-change", "autorun", "consent-to-change", "consent-to-the-unknown", "foreign-words"];

/// Names of tools, rules and models that are known in advance. Any other name could be anything, since models
/// invent names, and a name could be a misplaced key: it is logged as a short hash, which still distinguishes
/// names.
///
/// ```
/// use artoo_auditor::Vocabulary;
/// let known = Vocabulary::new(["qwen2.5-coder-1.5b"]);
/// assert_eq!(known.name("shell"), "shell");
/// assert_eq!(known.name("qwen2.5-coder-1.5b"), "qwen2.5-coder-1.5b");
/// assert!(known.name("sk-live-51H8").starts_with("other:"));
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    names: BTreeSet<String>,
}

impl Vocabulary {
    /// The names of the built-in tools and rules, plus these: the configured models and the embedder's tools.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let built_in = ToolKind::ALL.map(ToolKind::name).into_iter().chain(RULES).map(str::to_owned);
        Self { names: names.into_iter().map(Into::into).chain(built_in).collect() }
    }

    /// The name as it is logged.
    pub fn name(&self, name: &str) -> String {
        if self.names.contains(name) {
            return name.to_owned();
        }
        let digest = hex::encode(Sha256::digest(name));
        format!("other:{}", digest.get(..8).unwrap_or(&digest))
    }
}

impl Default for Vocabulary {
    /// The names of the built-in tools and rules.
    fn default() -> Self {
        Self::new(std::iter::empty::<String>())
    }
}
