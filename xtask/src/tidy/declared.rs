//! Rule: every source file is declared by a `mod`. An undeclared file is never compiled, and its tests never
//! run.

use super::{Finding, SourceFile, Tree, strip};

/// Finds `.rs` files in a crate's `src` and `tests` that their parent module does not declare.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]) {
        let Some((folder, name)) = file.path.rsplit_once('/') else { continue };
        let Some(member) = file.member() else { continue };
        if is_root(file, member) {
            continue;
        }
        // `a/mod.rs` is declared where `a.rs` would be.
        let (folder, module) = match (name, folder.rsplit_once('/')) {
            ("mod.rs", Some((above, module))) => (above, module),
            _ => (folder, name.trim_end_matches(".rs")),
        };
        let parents = [
            format!("{folder}/mod.rs"),
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
            format!("{folder}.rs"),
        ];
        let mut siblings =
            tree.texts.iter().filter(|other| in_folder(other, folder) && other.path != file.path);
        let declared =
            parents.iter().filter_map(|parent| tree.text(parent)).any(|text| declares(text, module))
                || siblings.any(|other| {
                    // A module beside a root, for example one that examples share, is the root's.
                    other.text.contains(&format!("#[path = \"{name}\"]"))
                        || (is_root(other, member) && declares(&other.text, module))
                });
        if !declared {
            let message = format!("no `mod {module};` declares it, so it is never compiled");
            findings.push(Finding::file("declared", &file.path, message));
        }
    }
    findings
}

fn declares(text: &str, module: &str) -> bool {
    strip::without_words(text)
        .lines()
        .any(|line| strip::has_word(line, &format!("mod {module}")) && line.trim_end().ends_with(';'))
}

fn in_folder(file: &SourceFile, folder: &str) -> bool {
    file.path.rsplit_once('/').is_some_and(|(its, _)| its == folder)
}

/// Files that cargo compiles by itself.
fn is_root(file: &SourceFile, member: &str) -> bool {
    let inner = file.path.get(member.len() + 1..).unwrap_or_default();
    let parts: Vec<&str> = inner.split('/').collect();
    match parts.as_slice() {
        ["build.rs"] | ["src", "lib.rs" | "main.rs"] => true,
        ["src", "bin", ..] => matches!(parts.as_slice(), ["src", "bin", _] | ["src", "bin", _, "main.rs"]),
        ["tests" | "examples" | "benches", _] | ["tests" | "examples" | "benches", _, "main.rs"] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgotten(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files.iter().copied())).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn a_forgotten_test_file_is_found() {
        let files = [("crates/bus/tests/it/main.rs", "mod order;\n"), ("crates/bus/tests/it/order.rs", "")];
        assert_eq!(forgotten(&files), [""; 0]);
        let files =
            [("crates/bus/tests/it/main.rs", "// mod order;\n"), ("crates/bus/tests/it/order.rs", "")];
        assert_eq!(forgotten(&files), ["crates/bus/tests/it/order.rs"]);
    }

    #[test]
    fn a_forgotten_module_is_found() {
        let files = [
            ("crates/bus/src/lib.rs", "pub mod a;\nmod b;\n#[cfg(test)]\nmod c_tests;"),
            ("crates/bus/src/a.rs", "pub(crate) mod deep;"),
            ("crates/bus/src/a/deep.rs", ""),
            ("crates/bus/src/a/lost.rs", ""),
            ("crates/bus/src/b/mod.rs", ""),
            ("crates/bus/src/c_tests.rs", ""),
            ("crates/bus/src/d.rs", ""),
            ("crates/bus/src/bin/floor.rs", ""),
            ("crates/bus/examples/one.rs", "mod shared;"),
            ("crates/bus/examples/shared/mod.rs", ""),
            ("crates/bus/examples/unshared/mod.rs", ""),
        ];
        assert_eq!(
            forgotten(&files),
            ["crates/bus/src/a/lost.rs", "crates/bus/src/d.rs", "crates/bus/examples/unshared/mod.rs"]
        );
    }

    #[test]
    fn a_path_attribute_declares_too() {
        let files = [
            ("crates/bus/src/lib.rs", "mod a;"),
            ("crates/bus/src/a.rs", "#[path = \"a_tests.rs\"]\nmod tests;"),
            ("crates/bus/src/a_tests.rs", ""),
        ];
        assert_eq!(forgotten(&files), [""; 0]);
    }
}
