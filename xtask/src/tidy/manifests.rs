//! Parses manifests and the lock file, as far as the rules need them.

use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata};

use super::sources::MAY_BE_UNSAFE;
use super::{Finding, Member, Tree, layers::Graph};
use crate::release::is_published;

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

/// What each crate is built with, from what `cargo tree` printed: lines of a depth, a name and whatever else.
pub(super) fn graph(tree: &str) -> Graph {
    let mut graph = Graph::new();
    let mut above: Vec<&str> = Vec::new();
    for line in tree.lines() {
        let mut words = line.split(' ');
        let depth = words.next().and_then(|depth| depth.parse::<usize>().ok());
        let (Some(depth), Some(name)) = (depth, words.next()) else { continue };
        above.truncate(depth);
        graph.entry(name.to_owned()).or_default();
        if let Some(parent) = above.last() {
            graph.entry((*parent).to_owned()).or_default().insert(name.to_owned());
        }
        above.push(name);
    }
    graph
}

/// Finds crates that do not inherit the lints and the licence, and dependencies whose version is not in the
/// root.
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
        // The crates with unsafe code have to write their own table.
        if !file.member().is_some_and(|member| MAY_BE_UNSAFE.contains(&member))
            && !inherits(manifest.get("lints"))
        {
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

/// Finds published crates whose packages would lack the texts of the licences, which both ask for. Each crate links to those of
/// the root, and cargo packs what a link leads to.
pub(super) fn licence_texts(metadata: &Metadata, root: &Path) -> Vec<Finding> {
    let published = metadata.workspace_packages().into_iter().filter(|package| is_published(package));
    lacking_licences(published.filter_map(|package| package.manifest_path.as_std_path().parent()), root)
}

fn lacking_licences<'a>(folders: impl Iterator<Item = &'a Path>, root: &Path) -> Vec<Finding> {
    let files = folders.flat_map(|folder| ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| folder.join(name)));
    let missing = files.filter(|file| !file.is_file());
    let shown = |file: std::path::PathBuf| {
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        Finding::file("manifests", &path, "is not there: link it to the file of the same name in the root")
    };
    missing.map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_becomes_a_graph() {
        let text = "0 a v1.0.0 (/a)\n1 b v1.0.0\n2 c v1.0.0 (proc-macro)\n1 d v2.0.0\n2 b v1.0.0 (*)\n\n0 c v1.0.0\n";
        let graph = graph(text);
        let of = |name: &str| graph.get(name).unwrap().iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!([of("a"), of("b"), of("c"), of("d")], [vec!["b", "d"], vec!["c"], vec![], vec!["b"]]);
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
    fn a_licence_that_a_package_would_lack_is_found() {
        let root = tempfile::tempdir().unwrap();
        let folders = ["a", "b"].map(|name| root.path().join(name));
        for folder in &folders {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("LICENSE-MIT"), "MIT").unwrap();
        }
        std::fs::write(folders[0].join("LICENSE-APACHE"), "Apache").unwrap();
        // A link to nothing is no text.
        std::os::unix::fs::symlink("nowhere", folders[1].join("LICENSE-APACHE")).unwrap();
        let found = lacking_licences(folders.iter().map(|folder| folder.as_path()), root.path());
        let paths: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["b/LICENSE-APACHE"]);
    }
}
