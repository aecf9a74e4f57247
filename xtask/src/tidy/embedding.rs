//! The door for embedders (`crates/artoo`): its examples stay short, and the guide prints the first of them as it is.

use super::{Finding, Tree};

/// An example has fewer lines than this, without the comment at its head.
const FEWER_THAN: usize = 30;

const FOLDER: &str = "crates/artoo/examples/";
const PAGE: &str = "docs/guide/embedding.md";

/// Finds examples that are long, and a guide that shows another text than `embed`.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]) {
        let name = file.path.strip_prefix(FOLDER).filter(|name| !name.contains('/'));
        let Some(name) = name else { continue };
        let code = code(&file.text);
        let lines = code.lines().count();
        if lines >= FEWER_THAN {
            let message = format!("has {lines} lines; an example has fewer than {FEWER_THAN}");
            findings.push(Finding::file("embedding", &file.path, message));
        }
        let is_shown = || tree.text(PAGE).is_some_and(|page| page.contains(&format!("```rust\n{code}```\n")));
        if name == "embed.rs" && !is_shown() {
            let message = format!("does not print the code of {} as it is", file.path);
            findings.push(Finding::file("embedding", PAGE, message));
        }
    }
    findings
}

/// An example without the comment at its head.
fn code(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMBED: &str = "crates/artoo/examples/embed.rs";

    fn count(path: &str, text: &str, page: &str) -> usize {
        check(&Tree::of([(path, text), (PAGE, page)])).len()
    }

    #[test]
    fn the_guide_prints_the_example() {
        let text = "//! Embeds.\n\nfn main() {}\n";
        assert_eq!(count(EMBED, text, "# artoo\n```rust\nfn main() {}\n```\n"), 0);
        assert_eq!(count(EMBED, text, "# artoo\n```rust\nfn main() { }\n```\n"), 1);
    }

    #[test]
    fn a_long_example_is_found() {
        let path = "crates/artoo/examples/own_tool.rs";
        let of = |lines| format!("//! Long.\n//! Header.\n\n{}", "f();\n".repeat(lines));
        assert_eq!(count(path, &of(29), ""), 0);
        assert_eq!(count(path, &of(30), ""), 1);
        assert_eq!(count("crates/artoo/examples/support/mod.rs", &of(30), ""), 0);
    }
}
