//! Rule: every crate documents its purpose, and then its *Architecture invariant*.

use super::{Finding, Tree};

/// Finds library crates without an *Architecture invariant* in their first doc comment, and other crate root
/// files without any doc comment.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&["/src/lib.rs", "/src/main.rs"]).filter(|file| file.member().is_some()) {
        let header: String = file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        if header.is_empty() {
            findings.push(Finding::file("headers", &file.path, "starts without a doc comment (`//!`)"));
        } else if file.name() == "lib.rs" && !header.contains("*Architecture invariant*") {
            let message = "the crate's doc comment has no *Architecture invariant* paragraph";
            findings.push(Finding::file("headers", &file.path, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of([(path, text)])).len()
    }

    #[test]
    fn a_header_and_an_invariant_are_wanted() {
        assert_eq!(
            count(
                "crates/bus/src/lib.rs",
                "//! The bus.\n//!\n//! *Architecture invariant*: knows no role.\n"
            ),
            0
        );
        assert_eq!(
            count("crates/bus/src/lib.rs", "//! The bus.\n\n//! *Architecture invariant*: too late.\n"),
            1
        );
        assert_eq!(count("crates/bus/src/lib.rs", "mod x;\n"), 1);
        assert_eq!(count("bins/artoo-cli/src/main.rs", "fn main() {}\n"), 1);
        assert_eq!(count("bins/artoo-cli/src/main.rs", "//! The binary.\nfn main() {}\n"), 0);
    }
}
