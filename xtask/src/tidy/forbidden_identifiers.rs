//! Rule about identifiers that a layer's code may not use: what the manifest cannot forbid because it is in
//! the standard library.

use super::{Finding, Layer, Tree, layer, strip};

const CLOCKS: [&str; 3] = ["SystemTime::now", "Utc::now", "Local::now"];
/// Allowed in roles: they measure the runtime's timers with it, and its time is virtual in tests.
const TIMERS: [&str; 1] = ["Instant::now"];
const CHANCE: [&str; 2] = ["new_v4", "now_v7"];
const MACHINE: [&str; 6] = ["std::fs", "std::net", "std::env", "std::process", "std::thread", "async"];
const SURROUNDINGS: [&str; 5] = ["std::env", "home_dir", "std::process", "std::net", "tokio::process"];

/// The pure modules of a machinery crate: the math of the memory.
const PURE_FILES: [&str; 6] = ["decay", "potentials", "matrix", "sums", "key", "dreamer"];

/// Finds clocks, randomness, files, threads and async in pure code, and environment access and clocks in
/// roles.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pure = [&CLOCKS[..], &TIMERS, &CHANCE, &MACHINE].concat();
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]).filter(|file| !file.is_test()) {
        let Some(member) = file.member() else { continue };
        let crate_name = format!("artoo-{}", member.rsplit('/').next().unwrap_or(member));
        let pure_file = member == "crates/mkct-memory"
            && PURE_FILES.iter().any(|name| file.name() == format!("{name}.rs"));
        let (kind, forbidden) = match layer(&crate_name) {
            Some(Layer::Pure) => ("pure code", pure.clone()),
            Some(Layer::Machinery) if pure_file => ("pure code", pure.clone()),
            Some(Layer::Role | Layer::Auditor) => ("a role", [&CLOCKS[..], &SURROUNDINGS].concat()),
            _ => continue,
        };
        for (index, line) in strip::without_tests(&file.text).lines().enumerate() {
            if let Some(word) = forbidden.iter().find(|word| strip::has_word(line, word)) {
                findings.push(Finding::line(
                    "words",
                    &file.path,
                    index,
                    format!("{kind} may not use {word}"),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of([(path, text)])).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn pure_code_has_no_clock_no_chance_no_machine() {
        for line in
            ["let t = std::time::Instant::now();", "use std::fs;", "pub async fn f() {}", "Uuid::new_v4()"]
        {
            assert_eq!(messages("crates/types/src/x.rs", line).len(), 1, "{line}");
            assert_eq!(messages("crates/mkct-memory/src/decay.rs", line).len(), 1, "{line}");
            assert_eq!(messages("crates/sandbox/src/x.rs", line), [""; 0], "{line}");
        }
    }

    #[test]
    fn a_role_sees_no_surroundings() {
        for line in ["std::env::var_os(name)", "let now = Utc::now();", "std::env::home_dir()"] {
            assert_eq!(messages("crates/planner/src/x.rs", line).len(), 1, "{line}");
        }
        assert_eq!(messages("crates/planner/src/x.rs", "async fn plan() {} // Instant::now"), [""; 0]);
    }

    #[test]
    fn tests_may() {
        assert_eq!(messages("crates/types/src/x.rs", "#[cfg(test)]\nmod tests { use std::fs; }"), [""; 0]);
        assert_eq!(messages("crates/types/tests/it/x.rs", "use std::fs;"), [""; 0]);
    }
}
