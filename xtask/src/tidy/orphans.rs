//! Rule: every Rust file below `src` and `tests/it` belongs to a crate. The compiler says nothing of a file that no `mod` declares, and none
//! of its tests run.

use super::{Finding, Tree};

/// Finds files that no `mod` of their parent declares.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_orphan = |path: &str| {
        let (target, below) = below_target(path)?;
        let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
        // `a/mod.rs` is declared where `a.rs` would be.
        let (folder, stem) = match name.strip_suffix(".rs")? {
            "mod" => folder.rsplit_once('/').unwrap_or(("", folder)),
            "main" | "lib" if folder.is_empty() => return None,
            stem => (folder, stem),
        };
        if folder == "bin" {
            return None;
        }
        let parents = match folder {
            "" => vec![format!("{target}lib.rs"), format!("{target}main.rs")],
            folder => vec![format!("{target}{folder}.rs"), format!("{target}{folder}/mod.rs")],
        };
        let declares = |parent: &String| {
            let declared = [format!("mod {stem};"), format!("mod {stem} {{")];
            tree.text(parent).is_some_and(|text| declared.iter().any(|mod_| text.contains(mod_)))
        };
        // `#[path = "name.rs"]` stands in any file of the folder, or in the one that the folder is named after.
        let named = format!("#[path = \"{name}\"]");
        let names = || {
            tree.ending(&[".rs"]).any(|file| {
                let beside = file.path.strip_prefix(target.as_str()).and_then(|path| path.rsplit_once('/'));
                file.path.starts_with(target.as_str())
                    && beside.map_or("", |(folder, _)| folder) == folder
                    && file.text.contains(&named)
            })
        };
        Some(!parents.iter().any(declares) && !names())
    };
    let files = tree.ending(&[".rs"]).filter(|file| file.member().is_some());
    files
        .filter(|file| is_orphan(&file.path) == Some(true))
        .map(|file| Finding::file("orphans", &file.path, "no `mod` declares it, so nothing compiles it"))
        .collect()
}

/// The folder of the crate root, and what of the path lies below it.
fn below_target(path: &str) -> Option<(String, &str)> {
    ["/src/", "/tests/it/"].iter().find_map(|folder| {
        let (member, below) = path.split_once(folder)?;
        Some((format!("{member}{folder}"), below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nothing_declares_is_found() {
        let declared = [
            ("crates/bus/src/lib.rs", "mod a;\nmod c;\n#[path = \"d_tests.rs\"]\nmod tests;"),
            ("crates/bus/src/a.rs", "pub(crate) mod b;"),
            ("crates/bus/src/a/b.rs", ""),
            ("crates/bus/src/c/mod.rs", "mod d;"),
            ("crates/bus/src/c/d.rs", ""),
            ("crates/bus/src/d_tests.rs", ""),
            ("crates/bus/src/bin/e.rs", ""),
            ("crates/bus/tests/it/main.rs", "mod f;"),
            ("crates/bus/tests/it/f.rs", ""),
        ];
        assert_eq!(check(&Tree::of(declared)), []);
        let forgotten = [
            "crates/bus/src/x.rs",
            "crates/bus/src/a/x.rs",
            "crates/bus/src/x/mod.rs",
            "crates/bus/tests/it/x.rs",
        ];
        for path in forgotten {
            let found = check(&Tree::of(declared.into_iter().chain([(path, "")])));
            assert_eq!(found.iter().map(|finding| finding.path.as_str()).collect::<Vec<_>>(), [path]);
        }
    }
}
