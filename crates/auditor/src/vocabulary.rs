//! Vocabulary of names that the log may contain in clear text.

use std::collections::BTreeSet;

use artoo_types::ToolKind;
use sha2::{Digest, Sha256};

/// The rules that ask for consent.
const RULES: [&str; 5] =
    ["ask-before-every-change", "autorun", "consent-to-change", "consent-to-the-unknown", "foreign-words"];

/// What a report calls tools and models that it does not name.
const LOGGED: [&str; 2] = ["(unnamed)", "(others)"];

/// What stands before the hash of a name, and the number of its digits.
const HASH: &str = "other:";
const DIGITS: usize = 8;

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
        // The names of a report are those of the log: logged once more, they stay as they are.
        if self.names.contains(name) || LOGGED.contains(&name) || is_hash(name) {
            return name.to_owned();
        }
        let digest = hex::encode(Sha256::digest(name));
        format!("{HASH}{}", digest.get(..DIGITS).unwrap_or(&digest))
    }
}

/// Whether it is a name as this type makes them: too short to hold a key.
fn is_hash(name: &str) -> bool {
    let digits = name.strip_prefix(HASH);
    digits
        .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

impl Default for Vocabulary {
    /// The names of the built-in tools and rules.
    fn default() -> Self {
        Self::new(std::iter::empty::<String>())
    }
}
