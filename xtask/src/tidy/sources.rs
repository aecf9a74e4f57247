//! Rules about single source files: length, names, leftovers, ignored tests, unsafe code.

use super::{Finding, SourceFile, Tree, strip};

/// Half of all files in good workspaces have under 260 lines; beyond this limit a file has a second idea.
const MOST_LINES: usize = 450;

/// Names that say nothing about a file's content, so that they collect everything.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helper", "helpers", "manager", "common"];

/// Temporary macros.
const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];
const PRINTS: [&str; 4] = ["println!", "eprintln!", "print!", "eprint!"];

/// Finds unfinished code, anywhere, and prints in libraries.
pub(super) fn leftovers(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]) {
        let prints_allowed = file.is_test()
            || file.path.starts_with("bins/")
            || ["xtask/", "evaluation/", "crates/test-needs/"]
                .iter()
                .any(|tasks| file.path.starts_with(tasks));
        for (index, line) in strip::without_words(&file.text).lines().enumerate() {
            if let Some(word) = UNFINISHED.iter().find(|word| strip::has_word(line, word)) {
                findings.push(Finding::line(
                    "leftovers",
                    &file.path,
                    index,
                    format!("{word} is not finished"),
                ));
            }
        }
        if !prints_allowed {
            for (index, line) in strip::without_tests(&file.text).lines().enumerate() {
                if let Some(word) = PRINTS.iter().find(|word| strip::has_word(line, word)) {
                    findings.push(Finding::line(
                        "leftovers",
                        &file.path,
                        index,
                        format!("{word}: only the binary prints"),
                    ));
                }
            }
        }
    }
    findings
}

/// Finds disabled tests without a reason.
pub(super) fn ignored_tests(tree: &Tree) -> Vec<Finding> {
    lines(tree, &[".rs"], "ignored", |line| {
        (line.trim() == "#[ignore]")
            .then(|| "#[ignore] without a reason; write #[ignore = \"why\"]".to_owned())
    })
}

/// Finds trailing spaces, and a missing or doubled newline at the end.
pub(super) fn trailing_blanks(tree: &Tree) -> Vec<Finding> {
    let ends = [".rs", ".toml", ".md", ".ci/run"];
    let mut findings = lines(tree, &ends, "blanks", |line| {
        line.ends_with([' ', '\t', '\r']).then(|| "blank at the end of the line".to_owned())
    });
    for file in tree.ending(&ends).filter(|file| ours(file)) {
        if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
            findings.push(Finding::file("blanks", &file.path, "must end with exactly one newline"));
        }
    }
    findings
}

/// Finds files that are too long. Tests may be: their cases are tables.
pub(super) fn length(tree: &Tree) -> Vec<Finding> {
    tree.ending(&[".rs"])
        .filter(|file| !file.is_test() && file.text.lines().count() > MOST_LINES)
        .map(|file| {
            let lines = file.text.lines().count();
            Finding::file(
                "length",
                &file.path,
                format!("{lines} lines; split it by ideas (at most {MOST_LINES})"),
            )
        })
        .collect()
}

/// Finds files and folders with meaningless names.
pub(super) fn names(tree: &Tree) -> Vec<Finding> {
    tree.ending(&[".rs"])
        .filter_map(|file| {
            let parts = file.path.trim_end_matches(".rs").split(['/', '_', '-']);
            let empty = parts.into_iter().find(|part| EMPTY_NAMES.contains(part))?;
            Some(Finding::file(
                "names",
                &file.path,
                format!("{empty:?} says nothing; name the file by its idea"),
            ))
        })
        .collect()
}

/// The crates that may contain `unsafe`: processes that bind themselves, and memory that is a file.
pub(super) const MAY_BE_UNSAFE: [&str; 2] = ["crates/sandbox", "crates/mapped-file"];

/// Finds `unsafe` outside the crates that may contain it, and there without a SAFETY line above.
pub(super) fn unsafe_code(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]) {
        let mut explained = false;
        for (index, line) in strip::without_words(&file.text).lines().enumerate() {
            let original = file.text.lines().nth(index).unwrap_or_default().trim_start();
            explained |= original.contains("SAFETY:");
            let is_unsafe = strip::has_word(line, "unsafe");
            let allows = ["allow(unsafe_code", "expect(unsafe_code"].iter().any(|words| line.contains(words));
            if (is_unsafe || allows) && !file.member().is_some_and(|member| MAY_BE_UNSAFE.contains(&member)) {
                let message = format!("unsafe outside {}", MAY_BE_UNSAFE.join(" and "));
                findings.push(Finding::line("unsafe", &file.path, index, message));
            } else if is_unsafe && !explained {
                findings.push(Finding::line(
                    "unsafe",
                    &file.path,
                    index,
                    "unsafe without a SAFETY line above it",
                ));
            }
            // The reason applies to the next line of code; attributes may come between.
            explained &= original.starts_with("//") || original.starts_with("#[");
        }
    }
    findings
}

/// Applies a rule to every line of our own files.
fn lines(
    tree: &Tree,
    ends: &[&str],
    rule: &'static str,
    judge: impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(ends).filter(|file| ours(file)) {
        for (index, line) in file.text.split('\n').enumerate() {
            if let Some(message) = judge(line) {
                findings.push(Finding::line(rule, &file.path, index, message));
            }
        }
    }
    findings
}

/// Fixtures are exempt: some are ugly on purpose.
fn ours(file: &SourceFile) -> bool {
    !file.path.starts_with("fixtures/homes/") && !file.path.contains("/fixtures/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "crates/bus/src/x.rs";

    fn count(rule: fn(&Tree) -> Vec<Finding>, path: &str, text: &str) -> usize {
        rule(&Tree::of([(path, text)])).len()
    }

    #[test]
    fn leftovers_are_found() {
        for line in ["todo!()", "dbg!(x)", "unimplemented!()", "println!(\"x\")", "eprint!(\"x\")"] {
            assert_eq!(count(leftovers, LIB, line), 1, "{line}");
        }
        assert_eq!(count(leftovers, LIB, "/// never `todo!()`\nlet x = \"dbg!\";"), 0);
        assert_eq!(count(leftovers, "bins/artoo-cli/src/x.rs", "println!(\"x\")"), 0);
        assert_eq!(count(leftovers, "crates/bus/examples/x.rs", "println!(\"x\")"), 0);
        assert_eq!(count(leftovers, "crates/bus/examples/x.rs", "dbg!(1)"), 1);
    }

    #[test]
    fn a_test_is_not_ignored_in_silence() {
        assert_eq!(count(ignored_tests, LIB, "    #[ignore]\n    #[test]\n"), 1);
        assert_eq!(count(ignored_tests, LIB, "#[ignore = \"needs the model\"]\n"), 0);
    }

    #[test]
    fn blanks_are_found() {
        assert_eq!(count(trailing_blanks, LIB, "a \n"), 1);
        assert_eq!(count(trailing_blanks, LIB, "a\r\n"), 1);
        assert_eq!(count(trailing_blanks, LIB, "a"), 1);
        assert_eq!(count(trailing_blanks, LIB, "a\n\n"), 1);
        assert_eq!(count(trailing_blanks, LIB, "a\n\nb\n"), 0);
        assert_eq!(count(trailing_blanks, "fixtures/homes/sample/notes.md", "a \n"), 0);
    }

    #[test]
    fn long_files_are_found() {
        let long = "x\n".repeat(MOST_LINES + 1);
        assert_eq!(count(length, LIB, &long), 1);
        assert_eq!(count(length, LIB, "x\n"), 0);
        assert_eq!(count(length, "crates/bus/tests/it/x.rs", &long), 0);
    }

    #[test]
    fn empty_names_are_found() {
        assert_eq!(count(names, "crates/bus/src/utils.rs", ""), 1);
        assert_eq!(count(names, "crates/bus/src/run_manager.rs", ""), 1);
        assert_eq!(count(names, "crates/bus/src/helper/x.rs", ""), 1);
        assert_eq!(count(names, LIB, ""), 0);
    }

    #[test]
    fn unsafe_has_one_place_and_a_reason() {
        assert_eq!(count(unsafe_code, LIB, "unsafe { x() }"), 1);
        assert_eq!(count(unsafe_code, LIB, "#![allow(unsafe_code)]"), 1);
        assert_eq!(count(unsafe_code, "crates/sandbox/src/x.rs", "unsafe { x() }"), 1);
        assert_eq!(
            count(
                unsafe_code,
                "crates/sandbox/src/x.rs",
                "// SAFETY: x holds.\n// It does.\n#[expect(unsafe_code)]\nunsafe { x() }"
            ),
            0
        );
        assert_eq!(count(unsafe_code, LIB, "// unsafe\n"), 0);
    }
}
