//! Manifests and the lock file, as far as the rules need them.

use std::{collections::BTreeMap, path::Path};

use cargo_metadata::{DependencyKind, Metadata};
use serde::Deserialize;

use super::{Finding, Member, Tree};
use crate::{Error, Result};

/// What `cargo metadata` printed.
///
/// # Errors
/// It is not cargo's metadata.
pub(super) fn metadata(text: &str) -> Result<Metadata> {
    serde_json::from_str(text)
        .map_err(|error| Error::Other(format!("`cargo metadata` printed something else: {error}")))
}

/// The crates of the workspace.
pub(super) fn members(metadata: &Metadata, root: &Path) -> Vec<Member> {
    let member = |package: &cargo_metadata::Package| {
        let names = |test: bool| {
            let kinds =
                package.dependencies.iter().filter(|d| (d.kind == DependencyKind::Development) == test);
            kinds.map(|dependency| dependency.name.clone()).collect()
        };
        let manifest = package.manifest_path.as_std_path();
        Member {
            name: package.name.to_string(),
            manifest: manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().into_owned(),
            built_with: names(false),
            tested_with: names(true),
        }
    };
    metadata.workspace_packages().into_iter().map(member).collect()
}

/// What each crate in `Cargo.lock` depends on, whatever its version.
///
/// # Errors
/// It is not a lock file.
pub(super) fn lock(text: &str) -> Result<BTreeMap<String, Vec<String>>> {
    #[derive(Deserialize)]
    struct Lock {
        #[serde(default)]
        package: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        #[serde(default)]
        dependencies: Vec<String>,
    }
    let lock: Lock = toml::from_str(text)
        .map_err(|error| Error::Content { path: "Cargo.lock".into(), reason: error.to_string() })?;
    let mut graph: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in lock.package {
        let names = package.dependencies.iter().filter_map(|dependency| dependency.split(' ').next());
        graph.entry(package.name).or_default().extend(names.map(str::to_owned));
    }
    Ok(graph)
}

/// Finds crates that do not inherit the lints and the licence, and dependencies whose version is not in the root.
pub(super) fn inherit(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&["/Cargo.toml"]).filter(|file| file.member().is_some()) {
        let mut say = |message: &str| findings.push(Finding::file("manifests", &file.path, message));
        let Ok(manifest) = file.text.parse::<toml::Table>() else {
            say("is not TOML");
            continue;
        };
        let inherits = |table: Option<&toml::Value>| {
            table.and_then(|value| value.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
        };
        if !inherits(manifest.get("package").and_then(|package| package.get("license"))) {
            say("does not inherit the licence (`license.workspace = true`)");
        }
        // The one crate with unsafe code has to write its own table.
        if file.member() != Some("crates/sandbox") && !inherits(manifest.get("lints")) {
            say("does not inherit the lints (`[lints] workspace = true`)");
        }
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let table = manifest.get(kind).and_then(toml::Value::as_table);
            let itself = |value: &toml::Value| value.get("path").and_then(toml::Value::as_str) == Some(".");
            let own =
                table.into_iter().flatten().filter(|(_, value)| !inherits(Some(value)) && !itself(value));
            for (name, value) in own {
                say(&format!(
                    "{name}: versions sit in the root (`{name}.workspace = true`), not here: {value}"
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_becomes_a_graph() {
        let text = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\"b\", \"c 2.0.0\"]\n\
                    [[package]]\nname = \"b\"\nversion = \"1.0.0\"\n";
        let graph = lock(text).unwrap();
        assert_eq!(graph.get("a").unwrap(), &["b", "c"]);
        assert!(graph.get("b").unwrap().is_empty());
        assert!(lock("[[package]]\n").is_err());
    }

    #[test]
    fn what_is_not_inherited_is_found() {
        let good = "[package]\nlicense.workspace = true\n[lints]\nworkspace = true\n[dependencies]\nserde.workspace = true\n\
                    tokio = { workspace = true, features = [\"x\"] }\n";
        let count = |text: &str| inherit(&Tree::of([("crates/bus/Cargo.toml", text)])).len();
        assert_eq!(count(good), 0);
        assert_eq!(count(&good.replace("license.workspace = true", "license = \"GPL\"")), 1);
        assert_eq!(count(&good.replace("[lints]\nworkspace = true\n", "")), 1);
        assert_eq!(count(&good.replace("serde.workspace = true", "serde = \"1\"")), 1);
        let own_features = "serde = { path = \".\", features = [\"doubles\"] }";
        assert_eq!(count(&good.replace("serde.workspace = true", own_features)), 0);
        assert_eq!(count("not toml ["), 1);
    }

    #[test]
    fn metadata_of_something_else_is_refused() {
        assert!(metadata("{}").is_err());
    }
}
