//! The layer table of `docs/architecture.md`: which crate may depend on which, and what each may reach from outside, however indirectly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Finding;
use super::budgets::BUDGET;

/// A crate of the workspace, with its direct dependencies.
#[derive(Clone, Debug, Default)]
pub struct Member {
    /// Its name in the manifest.
    pub name: String,
    /// Its manifest's path from the root.
    pub manifest: String,
    /// Its normal and build dependencies.
    pub built_with: Vec<String>,
    /// Further dependencies of its tests, examples and benches.
    pub tested_with: Vec<String>,
}

/// What each crate is built with, whoever wrote it and whatever its version.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Values in, values out.
    Pure,
    /// Of use to whoever knows nothing else of artoo.
    StandAlone,
    /// Knows no role.
    Machinery,
    /// One role.
    Role,
    /// The role that no other knows.
    Auditor,
    /// Wires the roles.
    Composition,
    /// The binary for users.
    Binary,
    /// This crate, and the evaluation.
    Tasks,
}

/// The table. A crate that is missing from it is a finding: a person places a new one, there is no default.
const TABLE: [(Layer, &[&str]); 8] = [
    (Layer::Pure, &["artoo-text", "artoo-types", "artoo-case-file", "artoo-ggs-core", "artoo-redaction"]),
    (
        Layer::StandAlone,
        &[
            "artoo-anchored-files",
            "artoo-mapped-file",
            "artoo-pseudo-terminal",
            "artoo-sandbox",
            "artoo-shell-effects",
            "artoo-snapshot",
            "artoo-test-needs",
            "artoo-tls",
        ],
    ),
    (
        Layer::Machinery,
        &[
            "artoo-bus",
            "artoo-checks",
            "artoo-consent",
            "artoo-judging",
            "artoo-llm-client",
            "artoo-llm-http",
            "artoo-llm-local",
            "artoo-mcp",
            "artoo-policy",
            "artoo-tools",
            "artoo-web",
            "artoo-mkct-memory",
            "artoo-memory-store",
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
    (Layer::Composition, &["artoo-runtime", "artoo-front-end", "artoo-acp", "artoo-mcp-server", "artoo"]),
    (Layer::Binary, &["artoo-cli"]),
    (Layer::Tasks, &["artoo-evaluation", "xtask"]),
];

/// External crates that pure crates may use: shapes, numbers and text, without async, files, clocks or
/// randomness.
const PURE_MAY_USE: [&str; 12] = [
    "aho-corasick",
    "base64",
    "chrono",
    "hex",
    "memchr",
    "schemars",
    "serde",
    "serde_json",
    "strum",
    "thiserror",
    "unicode-segmentation",
    "uuid",
];

/// The crates that depend on `artoo-tools`, and this one.
const OVER_TOOLS: [&str; 9] = [
    "artoo-mcp",
    "artoo-tools",
    "artoo-policy",
    "artoo-web",
    "artoo-runtime",
    "artoo-front-end",
    "artoo-acp",
    "artoo-mcp-server",
    "artoo",
];

/// The crates that talk HTTP, and those that contain them.
const OVER_HTTP: [&str; 7] =
    ["artoo-tls", "artoo-llm-http", "artoo-llm-local", "artoo-mcp", "artoo-mcp-server", "artoo-web", "artoo"];

/// Crates from outside that bring in the network, the kernel's rules, a store, a model's engine or the terminal; and which crates below the
/// binary may reach them, however indirectly. An exception that nobody needs any more is a finding, too.
const REACHED_BY: [(&str, &[&[&str]]); 19] = [
    ("anstream", &[]),
    ("candle-core", &[]),
    ("clap", &[]),
    ("crossterm", &[]),
    ("etcetera", &[]),
    ("hyper", &[&OVER_HTTP]),
    ("ignore", &[&OVER_TOOLS]),
    ("landlock", &[&["artoo-sandbox"], &OVER_TOOLS]),
    ("llguidance", &[&["artoo-llm-local"]]),
    ("memmap2", &[&["artoo-mapped-file", "artoo-llm-local"], &OVER_TOOLS]),
    ("nix", &[]),
    ("rand", &[&["artoo-mcp", "artoo-memory-store", "artoo-mcp-server"]]),
    ("reqwest", &[&OVER_HTTP]),
    ("rusty-leveldb", &[&["artoo-memory-store"]]),
    ("rustls", &[&OVER_HTTP]),
    ("seccompiler", &[&["artoo-sandbox"], &OVER_TOOLS]),
    ("tempfile", &[&OVER_TOOLS]),
    ("tokenizers", &[]),
    ("zip", &[&["artoo-llm-local"]]),
];

/// What no pure crate may reach besides.
const PURE_MAY_NOT_REACH: [&str; 4] = ["tokio", "mio", "futures-executor", "rustix"];

/// What the tasks are built with although it is none of them: a table, which depends on nothing.
const TASKS_MAY_USE: &str = "artoo-test-needs";

/// The layer of a crate.
pub fn layer(name: &str) -> Option<Layer> {
    TABLE.iter().find(|(_, names)| names.contains(&name)).map(|(layer, _)| *layer)
}

impl Layer {
    /// Whether a crate of this layer may depend on a crate of another one.
    fn may_use(self, other: Self) -> bool {
        match self {
            Self::Pure => other == Self::Pure,
            Self::StandAlone => other == Self::StandAlone,
            Self::Machinery | Self::Role | Self::Auditor => {
                matches!(other, Self::Pure | Self::StandAlone | Self::Machinery)
            }
            // The facade stands on the runtime.
            Self::Composition => !matches!(other, Self::Binary | Self::Tasks),
            Self::Binary => other != Self::Tasks,
            Self::Tasks => other != Self::Binary,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::StandAlone => "one that stands alone",
            Self::Machinery => "machinery",
            Self::Role => "a role",
            Self::Auditor => "the auditor",
            Self::Composition => "composition",
            Self::Binary => "the binary",
            Self::Tasks => "the tasks",
        }
    }
}

/// Every edge and every way that the tables forbid. `graph` says of each crate, ours and others, what it is built with.
pub(super) fn check(members: &[Member], graph: &Graph) -> Vec<Finding> {
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
        }
        let is_artoo =
            |name: &str| name != TASKS_MAY_USE && layer(name).is_some_and(|theirs| theirs != Layer::Tasks);
        if own == Layer::Tasks
            && let Some(artoo) = member.built_with.iter().find(|name| is_artoo(name))
        {
            say(format!("{} must start without building {artoo}; make it a dev-dependency", member.name));
        }
        reaches(member, own, graph).into_iter().for_each(say);
    }
    findings
}

/// What a crate reaches and may not, over any number of others.
fn reaches(member: &Member, own: Layer, graph: &Graph) -> Vec<String> {
    let name = member.name.as_str();
    let ways = ways(name, graph);
    let forbidden = |other: &str, what: &str| {
        let way = ways.get(other)?.join(" -> ");
        Some(format!("{name} is {} and may not reach {what}: {way}", own.name()))
    };
    let mut said = Vec::new();
    for (other, theirs) in ways.keys().filter_map(|other| Some((other, layer(other)?))) {
        // What it depends on itself is said already.
        if !own.may_use(theirs) && !member.built_with.contains(other) {
            said.extend(forbidden(other, &format!("{other}, {}", theirs.name())));
        }
    }
    if own == Layer::Pure {
        said.extend(PURE_MAY_NOT_REACH.iter().filter_map(|other| forbidden(other, other)));
    }
    for (other, excepted) in REACHED_BY {
        if matches!(own, Layer::Binary | Layer::Tasks) {
            break;
        }
        if !excepted.iter().any(|names| names.contains(&name)) {
            said.extend(forbidden(other, other));
        } else if !ways.contains_key(other) {
            said.push(format!("{name} no longer reaches {other}: take it out of REACHED_BY"));
        }
    }
    let outside = ways.keys().filter(|other| layer(other).is_none()).count();
    match BUDGET.iter().find(|(of, _)| *of == name) {
        Some((_, most)) if outside > *most => {
            said.push(format!("{name} reaches {outside} crates from outside, and may reach {most}"));
        }
        Some(_) => {}
        None => said.push(format!("{name} has no budget of crates from outside; it reaches {outside}")),
    }
    said
}

/// Everything that a crate reaches when it is built, each with the way there.
fn ways(of: &str, graph: &Graph) -> BTreeMap<String, Vec<String>> {
    let next = |name: &str| graph.get(name).into_iter().flatten();
    let mut ways: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open: VecDeque<(&String, Vec<String>)> = next(of).map(|name| (name, Vec::new())).collect();
    while let Some((name, before)) = open.pop_front() {
        if ways.contains_key(name) {
            continue;
        }
        let way: Vec<String> = before.into_iter().chain([name.clone()]).collect();
        open.extend(next(name).map(|next| (next, way.clone())));
        ways.insert(name.clone(), way);
    }
    ways
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

    /// What is said of a crate that is built with these, in a world where these ways lead on.
    fn said(name: &str, built_with: &[&str], ways: &[(&str, &[&str])]) -> Vec<String> {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        let mut graph: Graph = ways.iter().map(|(from, to)| ((*from).to_owned(), set(to))).collect();
        graph.insert(name.to_owned(), set(built_with));
        check(&[member(name, built_with)], &graph).into_iter().map(|finding| finding.message).collect()
    }

    fn complaints(name: &str, built_with: &[&str]) -> Vec<String> {
        said(name, built_with, &[("uuid", &["getrandom"]), ("artoo-tools", &["landlock", "reqwest"])])
    }

    #[test]
    fn allowed_edges_pass() {
        assert_eq!(complaints("artoo-ggs-core", &["artoo-types", "serde", "uuid"]), [""; 0]);
        assert_eq!(complaints("artoo-planner", &["artoo-bus", "artoo-checks", "tokio"]), [""; 0]);
        assert_eq!(complaints("artoo-cli", &["artoo-runtime", "artoo-llm-local", "clap"]), [""; 0]);
        assert_eq!(complaints("xtask", &["artoo-test-needs"]), [""; 0]);
    }

    #[test]
    fn each_row_can_be_broken() {
        let broken = [
            ("artoo-types", "artoo-bus"),
            ("artoo-ggs-core", "tokio"),
            ("artoo-types", "rand"),
            ("artoo-sandbox", "artoo-types"),
            ("artoo-bus", "artoo-ggs"),
            ("artoo-checks", "artoo-runtime"),
            ("artoo-planner", "artoo-executor"),
            ("artoo-ggs", "artoo-auditor"),
            ("artoo-auditor", "artoo-planner"),
            ("artoo-executor", "reqwest"),
            ("artoo-judging", "artoo-tools"),
            ("artoo-runtime", "clap"),
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
        assert_eq!(check(&[planner], &Graph::new()).len(), 1);
    }

    #[test]
    fn an_indirect_way_is_found_and_told() {
        let ways: [(&str, &[&str]); 2] = [("schemars", &["middle"]), ("middle", &["tokio", "schemars"])];
        assert_eq!(
            said("artoo-types", &["schemars"], &ways),
            ["artoo-types is pure and may not reach tokio: schemars -> middle -> tokio"]
        );
        let ways: [(&str, &[&str]); 2] = [("artoo-bus", &["extra"]), ("extra", &["artoo-planner"])];
        assert_eq!(
            said("artoo-ggs", &["artoo-bus"], &ways),
            [
                "artoo-ggs is a role and may not reach artoo-planner, a role: artoo-bus -> extra -> artoo-planner"
            ]
        );
    }

    #[test]
    fn an_exception_that_nobody_needs_is_found() {
        assert_eq!(
            said("artoo-sandbox", &["landlock"], &[]),
            ["artoo-sandbox no longer reaches seccompiler: take it out of REACHED_BY"]
        );
    }

    #[test]
    fn who_reaches_more_than_its_budget_is_found() {
        let names: Vec<String> = (0..9).map(|number| format!("crate-{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(
            said("artoo-mapped-file", &names, &[("crate-8", &["memmap2"])]),
            ["artoo-mapped-file reaches 10 crates from outside, and may reach 2"]
        );
    }

    #[test]
    fn every_crate_of_the_tables_has_its_place() {
        let budgets: Vec<&str> = BUDGET.iter().map(|(name, _)| *name).collect();
        let placed: Vec<&str> = TABLE.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert!(budgets.iter().all(|name| placed.contains(name)) && budgets.len() == placed.len());
        assert!(
            REACHED_BY
                .iter()
                .flat_map(|(_, names)| *names)
                .copied()
                .flatten()
                .all(|name| placed.contains(name))
        );
    }
}
