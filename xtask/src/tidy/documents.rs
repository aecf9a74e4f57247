//! Rules about documents: commands, link targets and licences exist.

use std::collections::BTreeSet;

use clap::CommandFactory;

use super::{Finding, Tree};
use crate::cli;

/// Finds `cargo xtask` commands in documents that do not exist.
pub(super) fn commands(tree: &Tree) -> Vec<Finding> {
    let known = known_commands();
    let mut findings = Vec::new();
    for file in tree.ending(&[".md", ".ci/run"]) {
        for (index, line) in file.text.lines().enumerate() {
            for command in following(line, "cargo xtask ") {
                if !known.contains(command) {
                    let message = format!("there is no `cargo xtask {command}`");
                    findings.push(Finding::line("commands", &file.path, index, message));
                }
            }
        }
    }
    for command in ["quickstart", "test"] {
        if tree.text("README.md").is_some_and(|text| !text.contains(&format!("cargo xtask {command}"))) {
            findings.push(Finding::file(
                "commands",
                "README.md",
                format!("does not show `cargo xtask {command}`"),
            ));
        }
    }
    findings
}

/// Finds links to missing files.
pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".md"]).filter(|file| !file.path.starts_with("fixtures/homes/")) {
        let mut fenced = false;
        for (index, line) in file.text.lines().enumerate() {
            fenced ^= line.trim_start().starts_with("```");
            for target in link_targets(line).filter(|_| !fenced) {
                let place = target.split('#').next().unwrap_or_default();
                if !place.is_empty() && !tree.paths.contains(&resolve(&file.path, place)) {
                    findings.push(Finding::line(
                        "links",
                        &file.path,
                        index,
                        format!("{target} is not there"),
                    ));
                }
            }
        }
    }
    findings
}

/// Finds a missing licence.
pub(super) fn licences(tree: &Tree) -> Vec<Finding> {
    let wanted =
        [("LICENSE-MIT", "Permission is hereby granted"), ("LICENSE-APACHE", "Version 2.0, January 2004")];
    let mut findings = Vec::new();
    for (path, words) in wanted {
        if !tree.text(path).is_some_and(|text| text.contains(words)) {
            findings.push(Finding::file(
                "licences",
                path,
                "is missing or not the licence that its name says",
            ));
        }
    }
    findings
}

fn known_commands() -> BTreeSet<String> {
    let command = cli::Arguments::command();
    command.get_subcommands().map(|sub| sub.get_name().to_owned()).chain(["help".to_owned()]).collect()
}

/// The words after a phrase in a line. A command may have alternatives: `cargo xtask ci | test`.
fn following<'a>(line: &'a str, phrase: &'a str) -> impl Iterator<Item = &'a str> {
    line.split(phrase).skip(1).flat_map(|rest| {
        rest.split([' ', '|', '`', ',', ')', '"', '\''])
            .take(1)
            .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
            .map(|word| word.trim_end_matches(['.', ':', ';']))
    })
}

/// Relative targets of `[words](target)` in a line.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next()).filter(|target| {
        let elsewhere = ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme));
        !elsewhere && !target.is_empty() && !target.contains("::")
    })
}

/// A link's target, as a path from the root.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "cargo xtask quickstart\ncargo xtask test\n";

    #[test]
    fn a_command_that_is_not_there_is_found() {
        let text = format!("{README}Run `cargo xtask tidy`, then cargo xtask fly.");
        let found = commands(&Tree::of([("README.md", text.as_str())]));
        assert_eq!(found.first().unwrap().message, "there is no `cargo xtask fly`");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn the_readme_shows_both_commands() {
        assert_eq!(commands(&Tree::of([("README.md", README)])), []);
        assert_eq!(commands(&Tree::of([("README.md", "nothing")])).len(), 2);
    }

    #[test]
    fn a_dead_link_is_found() {
        let check =
            |line: &str| links(&Tree::of([("docs/a.md", line), ("docs/b.md", ""), ("README.md", "")])).len();
        assert_eq!(
            check("[b](b.md#part), [readme](../README.md), [x](https://example.org/x), [here](#there)"),
            0
        );
        assert_eq!(check("[folder](../docs/), [root](/README.md)"), 0);
        assert_eq!(check("[gone](c.md) and [gone](../b.md)"), 2);
        assert_eq!(check("```\n[in](a fence)\n```"), 0);
    }

    #[test]
    fn a_missing_or_wrong_licence_is_found() {
        assert_eq!(
            licences(&Tree::of([("LICENSE-MIT", "Permission is hereby granted, free of charge")])).len(),
            1
        );
        assert_eq!(licences(&Tree::of([("LICENSE-MIT", "mine"), ("LICENSE-APACHE", "mine")])).len(), 2);
    }
}
