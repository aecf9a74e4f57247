//! Libraries say what helps, and each front end how it is had: no text of a library names an option or a command of the command line.

use super::{Finding, Tree, strip};

/// Where options are those of other programs, which a library reads or runs.
const OTHER_PROGRAMS: [(&str, &str); 12] = [
    ("crates/policy/src/file.rs", "the title of the schema of a person's rules"),
    ("crates/sandbox/src/kernel_support.rs", "options of systemd-run, for the owner of the machine"),
    ("crates/shell-effects/src/", "options of programs whose effects are known"),
    ("crates/redaction/src/", "options of programs that take secrets"),
    ("crates/executor/src/tool_loop/no_parser.rs", "options of model servers"),
    ("crates/llm-http/src/dialect.rs", "what servers say that lack an option"),
    ("crates/llm-local/src/store/packages.rs", "options of pip"),
    ("crates/test-needs/src/table.rs", "options of the tools that tests use"),
    ("crates/tools/src/apps/shortcuts.rs", "options of shortcuts"),
    ("crates/tools/src/git/", "options of git"),
    ("crates/tools/src/mdfind/index.rs", "options of plocate"),
    ("crates/tools/src/suggestion.rs", "options of sed and its like"),
];

/// The commands of the binary that a hint might name.
const COMMANDS: [&str; 14] = [
    "audit",
    "completions",
    "config",
    "doctor",
    "man",
    "memory",
    "model",
    "policy",
    "run",
    "runs",
    "sandbox",
    "sessions",
    "setup",
    "stop",
];

/// Finds options and commands of the command line in texts of libraries.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let libraries = tree.ending(&[".rs"]).filter(|file| file.path.starts_with("crates/") && !file.is_test());
    for file in libraries.filter(|file| !OTHER_PROGRAMS.iter().any(|(path, _)| file.path.starts_with(path))) {
        for (line, text) in strip::literals(strip::before_tests(&file.text)) {
            if let Some(named) = option(&text).or_else(|| command(&text)) {
                let message =
                    format!("a library names `{named}`; it returns a `Remedy`, which the command line words");
                findings.push(Finding::line("front ends", &file.path, line, message));
            }
        }
    }
    findings
}

/// `--data-dir` and its like.
fn option(text: &str) -> Option<String> {
    text.split([' ', '`', '\'', '"', '(', '\n']).find_map(|word| {
        let name =
            word.strip_prefix("--").filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))?;
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
        Some(format!("--{}", name.get(..end)?))
    })
}

/// `artoo runs list` and its like.
fn command(text: &str) -> Option<String> {
    text.split("artoo ").skip(1).find_map(|after| {
        let word = after.split(|c: char| !c.is_ascii_lowercase()).next()?;
        COMMANDS.contains(&word).then(|| format!("artoo {word}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of([(path, text)])).len()
    }

    #[test]
    fn options_and_commands_in_libraries_are_found() {
        for text in [
            "fn f() -> &'static str { \"choose another with --data-dir\" }",
            "const A: &str = \"see: artoo audit verify\";",
            "const A: &str = \"run `artoo doctor`\";",
            "#[error(\"{source}; fetch it with: artoo model pull\")]",
            "const A: &str = r#\"(`--yes KIND`)\"#;",
        ] {
            assert_eq!(count("crates/runtime/src/x.rs", text), 1, "{text}");
            assert_eq!(count("bins/artoo-cli/src/x.rs", text), 0, "{text}");
            assert_eq!(count("crates/runtime/tests/it/x.rs", text), 0, "{text}");
        }
    }

    #[test]
    fn other_words_are_none() {
        for text in [
            "/// The flag `--data-dir` of `artoo run`.\nfn f() {} // --yes",
            "const A: &str = \"this is a fault of artoo; please report it\";",
            "const A: &str = \"a -- b, ---, start artoo there\";",
            "#[cfg(test)]\nmod tests {\n    const A: &str = \"--yes\";\n}\n",
        ] {
            assert_eq!(count("crates/runtime/src/x.rs", text), 0, "{text}");
        }
        assert_eq!(count("crates/redaction/src/flags.rs", "const A: &[u8] = b\"--user\";"), 0);
    }
}
