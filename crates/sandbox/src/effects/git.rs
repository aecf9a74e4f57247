//! `git`: what only looks, what changes the history or the files, what is sent.

use super::found::Kind;
use super::value::Value;
use super::walk::Walker;

/// Commands that look, whatever their operands are.
const LOOKS: [&str; 19] = [
    "status",
    "log",
    "diff",
    "show",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "rev-list",
    "blame",
    "shortlog",
    "describe",
    "cat-file",
    "grep",
    "count-objects",
    "version",
    "name-rev",
    "merge-base",
    "for-each-ref",
    "check-ignore",
];

/// Commands that look as long as they have no operand, or only one of these words.
const LISTS: [(&str, &[&str]); 7] = [
    ("branch", &[]),
    ("tag", &[]),
    ("remote", &[]),
    ("stash", &["list", "show"]),
    ("reflog", &["show"]),
    ("worktree", &["list"]),
    ("notes", &["list", "show"]),
];

/// Options by which a command that lists still only lists.
const LISTING: [&str; 12] = [
    "-a",
    "-r",
    "-v",
    "-vv",
    "-l",
    "-n",
    "--list",
    "--all",
    "--show-current",
    "--remotes",
    "--verbose",
    "--no-color",
];

pub(super) fn run(walker: &mut Walker<'_>, arguments: &[Value]) {
    let mut at = 0;
    while let Some(value) = arguments.get(at) {
        match value.text.as_deref() {
            Some("-C") => at += 2,
            Some("--no-pager" | "-P" | "--no-optional-locks" | "--bare" | "--literal-pathspecs") => at += 1,
            Some("--version" | "--help" | "--exec-path" | "--html-path") => return,
            Some(text) if text.starts_with('-') => {
                return walker.unknown("git", &value.source, "this option may make git run other programs");
            }
            Some(_) => break,
            None => {
                return walker.unknown(
                    "git",
                    &value.source,
                    "which command of git this is shows only when it runs",
                );
            }
        }
    }
    let Some(verb) = arguments.get(at) else { return };
    let rest = arguments.get(at + 1..).unwrap_or_default();
    let (name, word) = (verb.text(), verb.source.as_str());
    let change =
        |walker: &mut Walker<'_>, kind: Kind, why: &str| walker.note(kind, format!("git {name}"), word, why);
    if LOOKS.contains(&name) {
        return looks(walker, rest);
    }
    if let Some((_, words)) = LISTS.iter().find(|(verb, _)| *verb == name) {
        let lists = |one: &Value| {
            words.contains(&one.text())
                || LISTING.contains(&one.text())
                || one.text().starts_with("--sort=")
                || one.text().starts_with("--format=")
        };
        let named =
            words.is_empty() || rest.first().map_or(name == "reflog", |first| words.contains(&first.text()));
        if named && rest.iter().all(lists) {
            return;
        }
        return change(walker, Kind::Overwrites, "it changes the history or what is written about it");
    }
    match name {
        "config" => {
            let gets = rest.iter().any(|one| {
                ["--get", "--list", "-l", "--get-all", "--get-regexp", "list", "get"].contains(&one.text())
            });
            let sets = rest.iter().any(|one| {
                one.text().starts_with("--add")
                    || one.text().starts_with("--un")
                    || one.text().starts_with("--re")
                    || one.text().starts_with("--ed")
                    || one.text() == "-e"
                    || one.text.is_none()
            });
            if !gets || sets {
                change(walker, Kind::Overwrites, "it changes the configuration");
            }
        }
        "push" | "send-email" | "request-pull" | "svn" | "p4" | "send-pack" | "http-push" => {
            change(walker, Kind::OutsideMachine, "it changes another repository");
        }
        "fetch" | "ls-remote" => {
            change(walker, Kind::Network, "it asks another machine");
            change(walker, Kind::Unknown, "what it fetches shows only when it runs");
        }
        "clone" | "pull" | "submodule" => {
            change(walker, Kind::Network, "it asks another machine");
            change(walker, Kind::Unknown, "what it writes shows only when it runs");
        }
        "clean" | "rm" | "gc" | "prune" | "filter-branch" | "filter-repo" | "update-ref" | "replace"
        | "repack" => {
            change(walker, Kind::Deletes, "it deletes files or versions");
        }
        "add" | "commit" | "reset" | "checkout" | "switch" | "restore" | "rebase" | "merge" | "mv" | "am"
        | "apply" | "cherry-pick" | "revert" | "init" | "stage" | "read-tree" | "checkout-index"
        | "sparse-checkout" | "bisect" | "lfs" | "update-index" | "symbolic-ref" | "pack-refs"
        | "commit-tree" | "hash-object" | "mktree" | "write-tree" => {
            change(walker, Kind::Overwrites, "it changes the files or the history");
        }
        _ => walker.unknown(format!("git {name}"), word, "what this command of git does is not known"),
    }
}

/// Options that make a looking command write or run.
fn looks(walker: &mut Walker<'_>, arguments: &[Value]) {
    for argument in arguments {
        let Some(text) = argument.text.as_deref() else {
            if argument.may_be_option() {
                walker.unknown("git", &argument.source, "it may become an option that writes or runs");
            }
            continue;
        };
        if text == "--" {
            return;
        }
        let acts = ["--ou", "--ext", "--textconv", "-O", "--op", "--filters", "--upload"];
        if acts.iter().any(|option| text.starts_with(option)) {
            walker.unknown("git", &argument.source, "this option writes a file or runs a program");
        }
    }
}
