//! The layer table of `docs/architecture.md`: which crate may depend on which, and on what from outside.

use std::collections::BTreeMap;

use super::Finding;

/// A crate of the workspace, with what it depends on directly.
#[derive(Clone, Debug, Default)]
pub struct Member {
    /// Its name in the manifest.
    pub name: String,
    /// Its manifest, from the root.
    pub manifest: String,
    /// Crates it depends on when built.
    pub built_with: Vec<String>,
    /// Crates that its tests, examples and benches need besides.
    pub tested_with: Vec<String>,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Values in, values out.
    Pure,
    /// Knows no role.
    Machinery,
    /// One role.
    Role,
    /// The role that no other knows.
    Auditor,
    /// Wires the roles.
    Composition,
    /// What a person runs.
    Binary,
    /// This crate.
    Tasks,
}

/// The table. A crate that is not in it is a finding: a new one is placed by a person, not by default.
const TABLE: [(Layer, &[&str]); 7] = [
    (Layer::Pure, &["artoo-types", "artoo-ggs-core", "artoo-redaction"]),
    (
        Layer::Machinery,
        &[
            "artoo-bus",
            "artoo-checks",
            "artoo-judging",
            "artoo-llm-client",
            "artoo-llm-http",
            "artoo-llm-local",
            "artoo-sandbox",
            "artoo-tools",
            "artoo-mkct-memory",
            "artoo-memory-store",
            "artoo-pseudo-terminal",
        ],
    ),
    (
        Layer::Role,
        &[
            "artoo-perceiver",
            "artoo-planner",
            "artoo-executor",
            "artoo-agent-validator",
            "artoo-meta-validator",
            "artoo-shared-memory",
            "artoo-ggs",
        ],
    ),
    (Layer::Auditor, &["artoo-auditor"]),
    (Layer::Composition, &["artoo-runtime", "artoo"]),
    (Layer::Binary, &["artoo-cli"]),
    (Layer::Tasks, &["xtask"]),
];

/// Crates from outside that pure crates may build on: shapes, numbers and text, without async, files, clocks or chance.
const PURE_MAY_USE: [&str; 11] = [
    "aho-corasick",
    "base64",
    "chrono",
    "hex",
    "memchr",
    "schemars",
    "serde",
    "serde_json",
    "thiserror",
    "unicode-segmentation",
    "uuid",
];

/// What no pure crate may reach, however indirectly.
const PURE_MAY_NOT_REACH: [&str; 10] = [
    "tokio",
    "mio",
    "futures-executor",
    "reqwest",
    "hyper",
    "rand",
    "tempfile",
    "ignore",
    "rusty-leveldb",
    "candle-core",
];

/// What a role may not build on: the network, a store, a model's engine, the kernel, the terminal, the home folder.
const ROLES_MAY_NOT_USE: [&str; 12] = [
    "reqwest",
    "hyper",
    "rusty-leveldb",
    "candle-core",
    "candle-transformers",
    "llguidance",
    "landlock",
    "rustix",
    "clap",
    "anstream",
    "etcetera",
    "tempfile",
];

/// The layer of a crate.
pub fn layer(name: &str) -> Option<Layer> {
    TABLE.iter().find(|(_, names)| names.contains(&name)).map(|(layer, _)| *layer)
}

impl Layer {
    /// Whether a crate of this layer may depend on a crate of another one.
    fn may_use(self, other: Self) -> bool {
        match self {
            Self::Pure => other == Self::Pure,
            Self::Machinery => matches!(other, Self::Pure | Self::Machinery),
            Self::Role | Self::Auditor => matches!(other, Self::Pure | Self::Machinery),
            // The facade stands on the runtime.
            Self::Composition => !matches!(other, Self::Binary | Self::Tasks),
            Self::Binary => other != Self::Tasks,
            Self::Tasks => other != Self::Binary,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Machinery => "machinery",
            Self::Role => "a role",
            Self::Auditor => "the auditor",
            Self::Composition => "composition",
            Self::Binary => "the binary",
            Self::Tasks => "the tasks",
        }
    }
}

/// Every edge that the table forbids. `lock` says for each crate in `Cargo.lock` what it depends on.
pub(super) fn check(members: &[Member], lock: &BTreeMap<String, Vec<String>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members {
        let mut say = |message: String| findings.push(Finding::file("layers", &member.manifest, message));
        let Some(own) = layer(&member.name) else {
            say(format!("{} has no place in the layer table of xtask/src/tidy/layers.rs", member.name));
            continue;
        };
        // A crate's tests may depend on the crate itself, with its `test-util`.
        let others =
            member.built_with.iter().chain(&member.tested_with).filter(|other| **other != member.name);
        for other in others {
            if let Some(theirs) = layer(other)
                && !own.may_use(theirs)
            {
                say(format!(
                    "{} is {} and may not depend on {other}, {}",
                    member.name,
                    own.name(),
                    theirs.name()
                ));
            }
        }
        for outside in member.built_with.iter().filter(|name| layer(name).is_none()) {
            if own == Layer::Pure && !PURE_MAY_USE.contains(&outside.as_str()) {
                say(format!("{} is pure and may not depend on {outside}", member.name));
            }
            if own == Layer::Pure
                && let Some(reached) = PURE_MAY_NOT_REACH.iter().find(|name| reaches(lock, outside, name))
            {
                say(format!("{} is pure and reaches {reached} through {outside}", member.name));
            }
            if matches!(own, Layer::Role | Layer::Auditor) && ROLES_MAY_NOT_USE.contains(&outside.as_str()) {
                say(format!("{} is {} and may not depend on {outside}", member.name, own.name()));
            }
        }
        if own == Layer::Tasks
            && let Some(artoo) = member.built_with.iter().find(|name| layer(name).is_some())
        {
            say(format!("{} must start without building {artoo}; make it a dev-dependency", member.name));
        }
    }
    findings
}

fn reaches(lock: &BTreeMap<String, Vec<String>>, from: &str, to: &str) -> bool {
    let (mut open, mut seen) = (vec![from], std::collections::BTreeSet::new());
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name) {
            open.extend(lock.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, built_with: &[&str]) -> Member {
        Member {
            name: name.to_owned(),
            manifest: "Cargo.toml".to_owned(),
            built_with: built_with.iter().map(|&name| name.to_owned()).collect(),
            tested_with: Vec::new(),
        }
    }

    fn complaints(name: &str, built_with: &[&str]) -> Vec<String> {
        let lock = BTreeMap::from([
            ("uuid".to_owned(), vec!["getrandom".to_owned()]),
            ("chrono".to_owned(), vec![]),
        ]);
        check(&[member(name, built_with)], &lock).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn allowed_edges_pass() {
        assert_eq!(complaints("artoo-ggs-core", &["artoo-types", "serde", "uuid"]), [""; 0]);
        assert_eq!(complaints("artoo-planner", &["artoo-bus", "artoo-checks", "tokio"]), [""; 0]);
        assert_eq!(complaints("artoo-runtime", &["artoo-planner", "artoo-auditor", "tokio"]), [""; 0]);
        assert_eq!(complaints("artoo-cli", &["artoo-runtime", "artoo-llm-local", "clap"]), [""; 0]);
    }

    #[test]
    fn each_row_can_be_broken() {
        let broken = [
            ("artoo-types", "artoo-bus"),
            ("artoo-ggs-core", "tokio"),
            ("artoo-types", "rand"),
            ("artoo-bus", "artoo-ggs"),
            ("artoo-tools", "artoo-runtime"),
            ("artoo-planner", "artoo-executor"),
            ("artoo-ggs", "artoo-auditor"),
            ("artoo-auditor", "artoo-planner"),
            ("artoo-executor", "reqwest"),
            ("artoo-runtime", "artoo-cli"),
            ("xtask", "artoo-runtime"),
            ("artoo-surprise", "serde"),
        ];
        for (name, other) in broken {
            assert!(!complaints(name, &[other]).is_empty(), "{name} -> {other} passes");
        }
    }

    #[test]
    fn tests_keep_to_the_table_too() {
        let mut planner = member("artoo-planner", &[]);
        planner.tested_with = vec!["artoo-executor".to_owned()];
        assert_eq!(check(&[planner], &BTreeMap::new()).len(), 1);
    }

    #[test]
    fn an_indirect_way_is_found() {
        let lock = BTreeMap::from([
            ("schemars".to_owned(), vec!["middle".to_owned()]),
            ("middle".to_owned(), vec!["tokio".to_owned(), "schemars".to_owned()]),
        ]);
        let findings = check(&[member("artoo-types", &["schemars"])], &lock);
        assert_eq!(
            findings.first().unwrap().message,
            "artoo-types is pure and reaches tokio through schemars"
        );
    }
}
