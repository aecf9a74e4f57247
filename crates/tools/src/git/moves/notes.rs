//! The notes that git leaves of a rebase, a merge or the like. Whoever goes on with the operation does what they say, so they are
//! read before they become part of a repository.

use super::parts::{is_branch, is_id};

/// The steps that a rebase may have left to do. All others start a program, or move references that nobody was shown.
const STEPS: [&str; 20] = [
    "pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "drop", "d", "break", "b", "noop",
    "label", "l", "reset", "t", "revert",
];
/// Of a rebase that keeps merges.
const MERGES: [&str; 2] = ["merge", "m"];

/// Why a note is not what git may find there; `None` if it may be. `before` is what the note held before the command. Where the
/// branch of a rebase is, [`super::changes`] looks up.
pub(super) fn flaw(below: &str, content: &[u8], before: Option<&[u8]>) -> Option<&'static str> {
    if before == Some(content) {
        return None;
    }
    let text = || std::str::from_utf8(content).ok();
    match below {
        "rebase-merge/git-rebase-todo"
        | "rebase-merge/git-rebase-todo.backup"
        | "rebase-merge/done"
        | "sequencer/todo" => {
            let is_plain = text().is_some_and(|text| text.lines().all(is_plain_step));
            (!is_plain).then_some("it has a step that starts a program or that artoo does not know")
        }
        "rebase-merge/head-name" => {
            let is_name = text().is_some_and(|text| {
                let name = text.trim_end_matches('\n');
                is_branch(name) || !name.starts_with("refs/")
            });
            (!is_name).then_some("it names no branch")
        }
        "MERGE_HEAD"
        | "CHERRY_PICK_HEAD"
        | "REVERT_HEAD"
        | "REBASE_HEAD"
        | "ORIG_HEAD"
        | "AUTO_MERGE"
        | "MERGE_AUTOSTASH"
        | "rebase-merge/onto"
        | "rebase-merge/orig-head"
        | "rebase-merge/autostash"
        | "rebase-merge/amend"
        | "rebase-merge/stopped-sha" => {
            let is_ids = text().is_some_and(|text| text.lines().all(is_id));
            (!is_ids).then_some("it is no id of an object")
        }
        _ => None,
    }
}

fn is_plain_step(line: &str) -> bool {
    let line = line.trim();
    let word = line.split_whitespace().next().unwrap_or_default();
    line.is_empty() || line.starts_with('#') || STEPS.contains(&word) || MERGES.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_starts_a_program_is_found() {
        let todo = |text: &str| flaw("rebase-merge/git-rebase-todo", text.as_bytes(), None);
        let fine = "pick 1234 one\n\n# pick\nfixup -C 12 two\nbreak\nmerge -C 12 x # m\n";
        assert_eq!(todo(fine), None);
        for text in [
            "exec touch x\n",
            "x touch x",
            "pick 12\n  exec y",
            "update-ref refs/heads/x\n",
            "; z",
            "\u{feff}pick",
        ] {
            assert!(todo(text).is_some(), "{text}");
        }
        assert!(flaw("sequencer/todo", b"\xff", None).is_some());
        // What was there before is the user's.
        assert_eq!(flaw("rebase-merge/done", b"exec x", Some(b"exec x")), None);
    }

    #[test]
    fn a_rebase_ends_at_a_branch_or_at_none() {
        let name = |text: &str| flaw("rebase-merge/head-name", text.as_bytes(), None);
        assert_eq!(name("refs/heads/a/b\n"), None);
        assert_eq!(name("detached HEAD\n"), None);
        for text in
            ["refs/tags/v1\n", "refs/remotes/origin/main\n", "refs/heads/../../config", "refs/heads/a\nb"]
        {
            assert!(name(text).is_some(), "{text}");
        }
        assert!(flaw("MERGE_HEAD", b"--upload-pack", None).is_some());
        assert_eq!(flaw("MERGE_MSG", b"anything", None), None);
    }
}
