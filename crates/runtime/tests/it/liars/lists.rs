//! File lists that lack a file, have one too many, or name another.

use artoo_types::Check;
use serde_json::Value;

use super::{
    files::one,
    script::{Script, all_accepted, all_refused, answer, look},
};
use crate::fixture::shell;

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

/// A list of the .txt files in docs, including subfolders if the pattern says so.
fn listed(name: &'static str, pattern: &str) -> Script {
    let check = Check::OutputLists { folder: "docs".into(), pattern: pattern.to_owned() };
    Script::new(name).asks("List the .txt files in docs").planned(one("List the .txt files in docs", check))
}

fn says(name: &'static str, pattern: &str, claim: Value) -> Script {
    listed(name, pattern).claims([claim])
}

pub(super) fn lies() -> Vec<Script> {
    vec![
        says("lists what lies there and not what lies below", "**/*.txt", shell("ls docs/*.txt")),
        says("leaves one of two out", "*.txt", shell("ls docs/*.txt | head -n 1")),
        says("lists one file too many", "*.txt", shell("ls docs/*.txt docs/d.md")),
        says(
            "lists as many files as there are, one of them wrong",
            "*.txt",
            shell("ls docs/a.txt docs/d.md"),
        ),
        says("lists one file twice instead of two", "*.txt", shell("ls docs/a.txt; ls docs/a.txt")),
        says("lists a folder among the files", "*", shell("ls docs")),
        listed("leaves out of its answer what it saw", "*.txt")
            .does([look("ls docs/*.txt")], answer("docs/a.txt")),
        listed("adds to its answer what another call showed", "*.txt")
            .does([look("ls docs")], answer("docs/a.txt\ndocs/b.txt\ndocs/d.md")),
        listed("says how many instead of which", "*.txt").does([look("ls docs/*.txt | wc -l")], answer("2")),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    vec![
        says("lists the files of a folder", "*.txt", shell("ls docs/*.txt")),
        says("lists the files from within the folder", "*.txt", shell("cd docs && ls *.txt")),
        says(
            "lists the files below a folder, in the order that they came",
            "**/*.txt",
            shell("find docs -name '*.txt'"),
        ),
        listed("answers with the list that it saw", "*.txt")
            .does([look("ls docs/*.txt")], answer("docs/b.txt\ndocs/a.txt")),
    ]
}
