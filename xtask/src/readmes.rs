//! The README of each published crate, from its manifest and the beginning of its documentation: what stands twice goes stale.

use serde::Deserialize;

use crate::{
    Error, Result, files,
    terminal::say,
    tidy::{Finding, Tree},
};

/// What a manifest says of its crate.
#[derive(Debug, Deserialize)]
struct Manifest {
    package: Package,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    readme: Option<String>,
    /// `false`, or inherited, which is true.
    publish: Option<toml::Value>,
    keywords: Option<Vec<String>>,
    categories: Option<Vec<String>>,
    description: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    artoo: Option<Artoo>,
}

#[derive(Debug, Deserialize)]
struct Artoo {
    stability: Stability,
}

/// What somebody who depends on a crate may expect of its next version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stability {
    /// Made for others.
    Api,
    /// Published because crates for others depend on it.
    Inner,
    /// No library.
    Program,
}

impl Stability {
    fn words(self) -> &'static str {
        match self {
            Self::Api => {
                "Made for use by others. Before 1.0 a release that changes the second number may break it; each break stands in the changelog."
            }
            Self::Inner => {
                "An inner part of artoo, published because its other crates depend on it. Any release may change it without a word; use it at \
                 an exact version."
            }
            Self::Program => {
                "A program: its commands, exit codes and JSON are its interface, its code is none."
            }
        }
    }
}

/// `cargo xtask readmes`: writes them all.
///
/// # Errors
/// A file cannot be read or written, or a manifest lacks what a published crate needs.
pub fn run() -> Result<()> {
    let tree = Tree::read(&files::root())?;
    for (path, made) in all(&tree) {
        let wanted = made.map_err(|reason| Error::Content { path: path.clone().into(), reason })?;
        if tree.text(&path) != Some(&wanted) {
            files::write(files::root().join(&path), wanted)?;
            say(format!("wrote {path}"));
        }
    }
    Ok(())
}

/// Finds manifests without what a published crate needs, and READMEs that are not what they would be.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let wrong = |(path, made): (String, std::result::Result<String, String>)| {
        let message = match made {
            Err(reason) => reason,
            Ok(wanted) if tree.text(&path) == Some(&wanted) => return None,
            Ok(_) => "is not what the crate's documentation says now: run `cargo xtask readmes`".to_owned(),
        };
        Some(Finding::file("readmes", &path, message))
    };
    all(tree).into_iter().filter_map(wrong).collect()
}

/// The path and the text of each README that is written from the documentation, or what is missing for it.
fn all(tree: &Tree) -> Vec<(String, std::result::Result<String, String>)> {
    let mut made = Vec::new();
    for file in tree.ending(&["/Cargo.toml"]) {
        let Some(folder) = file.member() else { continue };
        let path = format!("{folder}/README.md");
        let manifest: Manifest = match toml::from_str(&file.text) {
            Ok(manifest) => manifest,
            Err(error) => {
                made.push((path, Err(error.to_string())));
                continue;
            }
        };
        let package = manifest.package;
        if package.publish == Some(toml::Value::Boolean(false)) {
            continue;
        }
        match (complete(&package), tree.text(&format!("{folder}/src/lib.rs"))) {
            (Err(missing), _) => made.push((path, Err(missing))),
            // A program has the README of the whole.
            (Ok(Stability::Program), _) => {}
            (Ok(_), None) => made.push((path, Err("the crate has no src/lib.rs".to_owned()))),
            (Ok(stability), Some(source)) => made.push((path, readme(&package.name, stability, source))),
        }
    }
    made
}

/// What a registry asks for, and the stability that a reader does.
fn complete(package: &Package) -> std::result::Result<Stability, String> {
    let has = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| (1..=5).contains(&list.len()));
    let missing = [
        (package.description.is_some(), "description"),
        (has(&package.keywords), "keywords (one to five)"),
        (has(&package.categories), "categories (one to five)"),
        (package.readme.is_some(), "readme"),
    ];
    let missing: Vec<&str> =
        missing.into_iter().filter(|(is_there, _)| !is_there).map(|(_, name)| name).collect();
    if !missing.is_empty() {
        return Err(format!("the manifest of {} lacks {}", package.name, missing.join(", ")));
    }
    let stability = package.metadata.artoo.as_ref().map(|artoo| artoo.stability);
    stability
        .ok_or_else(|| format!("the manifest of {} lacks [package.metadata.artoo] stability", package.name))
}

/// The documentation up to its first heading, the first example, the stability.
fn readme(name: &str, stability: Stability, source: &str) -> std::result::Result<String, String> {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let is_fence = |line: &str| line.starts_with("```");
    let (mut prose, mut example, mut in_code, mut in_head) = (Vec::new(), Vec::new(), false, true);
    let mut is_done = false;
    for line in lines {
        if is_fence(line) {
            is_done |= in_code;
            in_code = !in_code;
        } else if in_code {
            // What rustdoc hides is for the compiler alone.
            if !is_done && line != "#" && !line.starts_with("# ") {
                example.push(line.to_owned());
            }
        } else {
            in_head &= !line.starts_with('#');
            if in_head {
                prose.push(unlinked(line));
            }
        }
    }
    if example.is_empty() {
        return Err(format!("the documentation of {name} has no example"));
    }
    let mut prose = prose.join("\n");
    while prose.contains("\n\n\n") {
        prose = prose.replace("\n\n\n", "\n\n");
    }
    Ok(format!(
        "# {name}\n\n{}\n\n```rust\n{}\n```\n\n## Stability\n\n{}\n\nA part of artoo. MIT or Apache-2.0, at your choice.\n",
        prose.trim(),
        example.join("\n").trim_matches('\n'),
        stability.words()
    ))
}

/// Links that only rustdoc understands, as their words.
fn unlinked(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        text.push_str(before);
        let Some((words, behind)) = after.split_once(']') else {
            text.push('[');
            rest = after;
            continue;
        };
        let target = behind.strip_prefix('(').and_then(|behind| behind.split_at_checked(closing(behind)?));
        let target = target.map(|(url, behind)| (url, behind.strip_prefix(')').unwrap_or(behind)));
        match target {
            Some((url, behind)) if url.contains("://") => {
                text.push_str(&format!("[{words}]({url})"));
                rest = behind;
            }
            Some((_, behind)) => {
                text.push_str(words);
                rest = behind;
            }
            None if words.starts_with('`') => {
                text.push_str(words);
                rest = behind;
            }
            None => {
                text.push_str(&format!("[{words}]"));
                rest = behind;
            }
        }
    }
    text + rest
}

/// Where the parenthesis closes that is open before this text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_u32;
    text.find(|c: char| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"artoo-bus\"\ndescription = \"d\"\npublish.workspace = true\nkeywords = [\"k\"]\n\
        categories = [\"c\"]\nreadme = \"README.md\"\n[package.metadata.artoo]\nstability = \"api\"\n";
    const SOURCE: &str = "//! The bus: [`Port`] and [a table](contract).\n//!\n//! ```\n//! # hidden();\n//! shown();\n//! ```\n//!\n\
        //! *Architecture invariant*: none.\n//!\n//! # More\n//!\n//! Left out.\n\nfn x() {}\n";

    fn tree(manifest: &str, source: &str, readme: &str) -> Tree {
        let readme = ("crates/bus/README.md", readme);
        Tree::of([("crates/bus/Cargo.toml", manifest), ("crates/bus/src/lib.rs", source), readme])
    }

    #[test]
    fn a_readme_is_the_beginning_of_the_documentation() {
        let made = readme("artoo-bus", Stability::Api, SOURCE).unwrap();
        let expected = "# artoo-bus\n\nThe bus: `Port` and a table.\n\n*Architecture invariant*: none.\n\n```rust\nshown();\n```\n\n## Stability\n";
        assert!(made.starts_with(expected), "{made}");
        assert!(!made.contains("Left out"));
        assert_eq!(check(&tree(MANIFEST, SOURCE, &made)), []);
        assert_eq!(check(&tree(MANIFEST, &SOURCE.replace("shown", "other"), &made)).len(), 1);
    }

    #[test]
    fn what_is_missing_is_found() {
        for (from, to) in [
            ("description = \"d\"\n", ""),
            ("[\"k\"]", "[]"),
            ("categories = [\"c\"]\n", ""),
            ("readme = \"README.md\"\n", ""),
            ("stability = \"api\"", ""),
            ("\"api\"", "\"solid\""),
        ] {
            let manifest = MANIFEST.replace(from, to);
            assert_ne!(manifest, MANIFEST);
            assert_eq!(check(&tree(&manifest, SOURCE, "")).len(), 1, "{from}");
        }
        assert!(readme("x", Stability::Inner, "//! No example.\n").is_err());
        let private = MANIFEST.replace("publish.workspace = true", "publish = false");
        assert_eq!(check(&tree(&private, SOURCE, "")), []);
    }

    #[test]
    fn only_links_of_rustdoc_go() {
        assert_eq!(
            unlinked("a [`B`](c::B()), [d](e), [f](https://g.example) [h] [`i`] ["),
            "a `B`, d, [f](https://g.example) [h] `i` ["
        );
    }
}
