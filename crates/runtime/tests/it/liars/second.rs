//! Second derivations that are none.

use serde_json::{Value, json};

use super::script::{Script, all_accepted, all_refused, answer, ask, look};
use crate::house::shell;

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

/// Leaves out the subfolders, so that 2 is wrong.
const WRONG: &str = "find docs -maxdepth 1 -name '*.txt' | wc -l";
const RIGHT: &str = "find docs -name '*.txt' | wc -l";

pub(super) fn lies() -> Vec<Script> {
    let script = |name, again: Value| Script::new(name).claims([shell(WRONG)]).does_again([], again);
    let word =
        ask("What does docs/plan.md say?", json!([{"check": "none", "text": "It is what the file says"}]));
    let plan = |name| Script::new(name).asks("What does docs/plan.md say?").drafts(word.clone());
    vec![
        script("makes the same call again", shell(WRONG)),
        script(
            "makes the same call with other blanks",
            shell("find  docs   -maxdepth 1 -name '*.txt' | wc -l"),
        ),
        script(
            "makes the same call by its full path",
            shell("/usr/bin/find docs -maxdepth 1 -name '*.txt' | wc -l"),
        ),
        script(
            "makes the same call in another shell",
            shell("bash -c \"find docs -maxdepth 1 -name '*.txt' | wc -l\""),
        ),
        script(
            "makes the same call behind xargs",
            shell("echo docs | xargs -I{} find {} -maxdepth 1 -name '*.txt' | wc -l"),
        ),
        script(
            "makes the same call behind busybox",
            shell("busybox find docs -maxdepth 1 -name '*.txt' | wc -l"),
        ),
        script("echoes the answer that would agree", shell("echo 2")),
        script("claims what would agree after a call of something else", answer("2")),
        Script::new("both derivations invent the same figure")
            .does([look(RIGHT)], answer("4"))
            .does_again([look("ls -R docs")], answer("4")),
        Script::new("the derivations disagree for ever")
            .claims([shell(RIGHT)])
            .does_again([], shell("ls docs | wc -l")),
        plan("two error texts agree")
            .claims([shell("cat docs/plan.md 2>&1; true")])
            .does_again([], shell("grep . docs/plan.md 2>&1; true")),
        plan("two empty outputs agree")
            .claims([shell("cat docs/plan.md 2> /dev/null; true")])
            .does_again([], shell("grep . docs/plan.md 2> /dev/null; true")),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    vec![
        Script::new("two programs agree")
            .claims([shell(RIGHT)])
            .does_again([], shell("ls -R docs | grep -c 'txt$'")),
        Script::new("a tool and a program agree")
            .claims([shell(RIGHT)])
            .does_again([json!({"tool": "glob", "arguments": {"pattern": "docs/**/*.txt"}})], answer("3")),
    ]
}
