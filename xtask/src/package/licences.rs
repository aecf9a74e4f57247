//! The licences of everything that is linked into the binary, in one text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, Metadata, Package, PackageId, TargetKind};

use crate::{Error, Result, command::Program, files, metadata};

/// Words that begin the name of a file with a licence, in small letters.
const NAMES: [&str; 6] = ["license", "licence", "copying", "notice", "copyright", "unlicense"];

/// A list of the crates with their licences, and each distinct text once with the crates that it belongs to.
///
/// # Errors
/// The crates cannot be listed, or one has neither a text nor a licence whose text is known here.
pub(super) fn of(target: &str) -> Result<String> {
    let metadata = metadata::read(&["--locked", "--filter-platform", target])?;
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in linked(&metadata)? {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("see its text");
        list.push_str(&format!("  {name}: {licence}\n"));
        for text in texts_of(package)? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut page = format!(
        "The binary artoo contains the crates below, each under one of its licences, and the\n\
         standard library of Rust (MIT OR Apache-2.0, with its own notices at the end).\n\n{list}"
    );
    for (text, names) in texts {
        page.push_str(&format!("\n{}\n{}\n\n{text}\n", "=".repeat(80), names.join(", ")));
    }
    page.push_str(&format!("\n{}\nThe standard library of Rust\n\n{}", "=".repeat(80), standard_library()?));
    Ok(page)
}

/// The crates from elsewhere whose code is in the binary, by name. Macros and build scripts only run while it is built.
fn linked(metadata: &Metadata) -> Result<Vec<&Package>> {
    let broken = |what: &str| Error::Other(format!("`cargo metadata` lists no {what}"));
    let resolve = metadata.resolve.as_ref().ok_or_else(|| broken("dependencies"))?;
    let packages: BTreeMap<&PackageId, &Package> =
        metadata.packages.iter().map(|package| (&package.id, package)).collect();
    let nodes: BTreeMap<&PackageId, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let root = metadata.packages.iter().find(|package| package.name.as_str() == "artoo-cli");
    let mut open = vec![&root.ok_or_else(|| broken("artoo-cli"))?.id];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let package = packages.get(id).ok_or_else(|| broken("package of a dependency"))?;
        let is_macro = package.targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro));
        if is_macro || !seen.insert(id) {
            continue;
        }
        let node = nodes.get(id).ok_or_else(|| broken("dependencies of a package"))?;
        let is_linked = |kinds: &[cargo_metadata::DepKindInfo]| {
            kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
        };
        open.extend(node.deps.iter().filter(|dep| is_linked(&dep.dep_kinds)).map(|dep| &dep.pkg));
    }
    let mut found: Vec<&Package> =
        seen.iter().filter_map(|id| packages.get(id).copied()).filter(|p| p.source.is_some()).collect();
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

/// The texts that a crate brings, or the text of its licence where it brings none.
fn texts_of(package: &Package) -> Result<Vec<String>> {
    let folder: PathBuf = package.manifest_path.parent().unwrap_or(&package.manifest_path).into();
    let brought = files_in(&folder)?;
    if !brought.is_empty() {
        return brought.iter().map(|path| text(path)).collect();
    }
    let licence = package.license.as_deref().unwrap_or_default();
    let is_under = |name: &str| licence.split([' ', '/']).any(|word| word == name);
    let known = [("MIT", "LICENSE-MIT"), ("Apache-2.0", "LICENSE-APACHE")];
    let (_, file) = known
        .into_iter()
        .find(|(name, _)| is_under(name))
        .ok_or_else(|| Error::Other(format!("{} brings no text of its licence `{licence}`", package.name)))?;
    let text = files::read(files::root().join(file))?;
    let holder = match package.authors.as_slice() {
        [] => format!("the authors of {}", package.name),
        authors => authors.join(", "),
    };
    Ok(vec![text.trim().replace("2026 The artoo authors", &holder)])
}

/// The files with licences at the top of a crate and in its folders of that name.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_named = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        NAMES.iter().any(|start| name.starts_with(start))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file("list", folder))? {
        let path = entry.map_err(Error::file("list", folder))?.path();
        // A source file may have such a name.
        if is_named(&path) && path.extension().is_none_or(|extension| extension != "rs") {
            if path.is_dir() {
                found.extend(files::walk(&path, |_| true)?);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The text of a file, whatever its encoding and its ends of lines.
fn text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(Error::file("read", path))?;
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned())
}

/// The notices that come with the toolchain, as text: tags removed.
fn standard_library() -> Result<String> {
    let root = Program::new("rustc", ["--print=sysroot"]).text()?;
    let path = Path::new(root.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    Ok(without_tags(&text(&path)?))
}

/// The words of a page: what stands between its tags, without empty lines in a row.
fn without_tags(page: &str) -> String {
    let mut words = String::new();
    let mut is_tag = false;
    for letter in page.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            letter => words.push(letter),
        }
    }
    let words =
        words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#x27;", "'");
    let words = words.replace("&amp;", "&");
    let mut lines: Vec<&str> = words.lines().map(str::trim).collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_linked_crate_has_a_text_of_its_licence() {
        let page = of("x86_64-unknown-linux-gnu").unwrap();
        for part in
            ["  tokio 1", "  serde_json 1", "Permission is hereby granted", "Apache License", "  uuid-simd "]
        {
            assert!(page.contains(part), "{part}");
        }
        // A macro runs while artoo is built; artoo itself has licence files of its own.
        assert!(!page.contains("  serde_derive 1") && !page.contains("  artoo-"), "{page}");
        assert!(!page.contains("2026 The artoo authors"), "our copyright is not theirs");
    }

    #[test]
    fn a_page_keeps_its_words_and_loses_its_tags() {
        let page = "<h1>A &amp; B</h1>\n<p>\n\n\n\"x\" &lt;y&gt;</p>";
        assert_eq!(without_tags(page), "A & B\n\n\"x\" <y>");
    }
}
