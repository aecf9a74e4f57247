//! What a path in the data of a repository is for: the parts that a command of a run may change with consent, and all others.

use crate::git::repository::BRANCHES;

/// Files in which git notes an operation that is under way, or the last one.
const NOTES: [&str; 12] = [
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "COMMIT_EDITMSG",
    "MERGE_AUTOSTASH",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "MERGE_RR",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "SQUASH_MSG",
];
/// The folder with the notes of a rebase, and its files. What is not here could name a program: a strategy, a key to sign with.
const REBASE: (&str, [&str; 27]) = (
    "rebase-merge",
    [
        "amend",
        "author-script",
        "autostash",
        "current-fixups",
        "done",
        "drop_redundant_commits",
        "end",
        "force-rebase",
        "git-rebase-todo",
        "git-rebase-todo.backup",
        "head-name",
        "interactive",
        "keep_redundant_commits",
        "message",
        "message-fixup",
        "message-squash",
        "msgnum",
        "no-reschedule-failed-exec",
        "onto",
        "orig-head",
        "patch",
        "quiet",
        "refs-to-squash",
        "rewritten-list",
        "rewritten-pending",
        "stopped-sha",
        "verbose",
    ],
);
/// The same for several commits that are picked or reverted.
const SEQUENCER: (&str, [&str; 3]) = ("sequencer", ["abort-safety", "head", "todo"]);

/// What a path in `.git` is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// What is checked out.
    Head,
    /// What is staged.
    Index,
    /// A loose object, by the two parts of its name.
    Object(&'a str, &'a str),
    /// Packed objects. git moves their time when it would have written one of them.
    Pack,
    /// The configuration. git writes it anew, with the same content, when it has looked for what belongs to a branch that goes.
    Config,
    /// A branch, a tag or the stash, by its full name.
    Reference(&'a str),
    /// The log of a reference.
    Log(&'a str),
    /// A note of an operation.
    Note,
    /// A folder of such parts.
    Folder,
    /// A note of an operation under way with an option that is not carried from one command to the next.
    OfOption,
    /// Everything else, which no command changes.
    Closed,
}

/// What the entry at this path below `.git` is for.
pub(super) fn part(below: &str, is_folder: bool) -> Part<'_> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    if !below.split('/').all(is_plain) || below.contains("..") {
        return Part::Closed;
    }
    if is_folder { folder(below) } else { file(below) }
}

fn file(below: &str) -> Part<'_> {
    match below.split_once('/') {
        None if below == "HEAD" => Part::Head,
        None if below == "index" => Part::Index,
        None if below == "config" => Part::Config,
        None if NOTES.contains(&below) => Part::Note,
        None => Part::Closed,
        Some(("objects", rest)) => match rest.split_once('/') {
            Some(("pack", _)) => Part::Pack,
            Some((folder, name)) if is_object(folder, name) => Part::Object(folder, name),
            Some(_) | None => Part::Closed,
        },
        Some(("refs", _)) if is_reference(below) => Part::Reference(below),
        Some(("logs", name)) if name == "HEAD" || is_reference(name) => Part::Log(name),
        Some((folder, name)) => {
            let is_of = |(its, files): (&str, &[&str])| folder == its && files.contains(&name);
            let is_note = is_of((REBASE.0, &REBASE.1)) || is_of((SEQUENCER.0, &SEQUENCER.1));
            if is_note { Part::Note } else { of_option(below) }
        }
    }
}

fn folder(below: &str) -> Part<'_> {
    let is_of_references = |name: &str| {
        let named = format!("{name}/any");
        name == "refs" || is_reference(&named)
    };
    let is_of_objects = |name: &str| name.len() == 2 && is_hex(name);
    let is_known = below == REBASE.0
        || below == SEQUENCER.0
        || below == "logs"
        // What git leaves of a rebase that kept merges, when it is empty.
        || below == "refs/rewritten"
        || below.strip_prefix("objects/").is_some_and(is_of_objects)
        || is_of_references(below)
        || below.strip_prefix("logs/").is_some_and(is_of_references);
    if is_known { Part::Folder } else { of_option(below) }
}

/// What git writes for some options alone, such as a strategy, a program after each step, or merges that are kept.
fn of_option(below: &str) -> Part<'_> {
    let is_it = ["rebase-merge/", "rebase-apply", "sequencer/", "refs/rewritten"];
    if is_it.iter().any(|name| below.starts_with(name)) { Part::OfOption } else { Part::Closed }
}

fn is_reference(name: &str) -> bool {
    let is_below = |folder: &str| name.strip_prefix(folder).is_some_and(|rest| !rest.is_empty());
    let is_foreign = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    let is_well_formed = !name.contains(is_foreign) && !name.contains("@{") && !name.ends_with('.');
    name == STASH || is_well_formed && (is_below("refs/heads/") || is_below("refs/tags/"))
}

/// Whether this is the full name of a branch, as git takes it.
pub(super) fn is_branch(name: &str) -> bool {
    name.starts_with(BRANCHES) && matches!(part(name, false), Part::Reference(_))
}

/// The reference of the stash, whose log is the list of what was stashed.
pub(super) const STASH: &str = "refs/stash";

fn is_object(folder: &str, name: &str) -> bool {
    folder.len() == 2 && [38, 62].contains(&name.len()) && is_hex(folder) && is_hex(name)
}

/// Whether these are digits as git writes them.
fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether this is the id of an object.
pub(super) fn is_id(text: &str) -> bool {
    [40, 64].contains(&text.len()) && is_hex(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_git_moves_is_open() {
        let object = "a".repeat(38);
        for (path, expected) in [
            ("HEAD", Part::Head),
            ("index", Part::Index),
            ("config", Part::Config),
            ("MERGE_HEAD", Part::Note),
            ("rebase-merge/git-rebase-todo", Part::Note),
            ("refs/heads/a/b", Part::Reference("refs/heads/a/b")),
            ("refs/stash", Part::Reference("refs/stash")),
            ("logs/HEAD", Part::Log("HEAD")),
            ("logs/refs/tags/v1", Part::Log("refs/tags/v1")),
            ("objects/pack/pack-1.pack", Part::Pack),
            (&format!("objects/ab/{object}"), Part::Object("ab", &object)),
        ] {
            assert_eq!(part(path, false), expected, "{path}");
        }
        for path in [
            "config.worktree",
            "hooks/post-checkout",
            "info/attributes",
            "objects/info/alternates",
            "objects/ab/tmp_obj_1",
            "packed-refs",
            "shallow",
            "commondir",
            "refs/remotes/origin/main",
            "refs/heads/.x",
            "refs/heads/a.lock",
            "refs/heads/a b",
            "refs/heads/a\nb",
            "refs/heads/a@{1",
            "refs/heads/../../config",
            "index.lock",
            "sharedindex.1",
            "worktrees/w/HEAD",
            "modules/sub/HEAD",
            "",
        ] {
            assert_eq!(part(path, false), Part::Closed, "{path}");
        }
        let of_options =
            ["rebase-merge/strategy", "rebase-merge/gpg_sign_opt", "rebase-apply/patch", "sequencer/opts"];
        for path in of_options.into_iter().chain(["refs/rewritten/onto"]) {
            assert_eq!(part(path, false), Part::OfOption, "{path}");
        }
        for path in
            ["objects/ab", "refs/heads/a", "refs/rewritten", "logs/refs/heads", "rebase-merge", "sequencer"]
        {
            assert_eq!(part(path, true), Part::Folder, "{path}");
        }
        for path in ["", "hooks", "refs/remotes/o", "objects/pack"] {
            assert_eq!(part(path, true), Part::Closed, "{path}");
        }
    }
}
