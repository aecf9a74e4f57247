//! Requests of several parts, where the answer to one is presented as the answer to another.

use serde_json::json;

use super::script::{Judge, Script, all_accepted, all_refused, answer, look};
use crate::fixture::{shell, steps};

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

const BOTH: &str = "How many .txt files are in docs, and how many .md files?";
const TXT: &str = "find docs -name '*.txt' | wc -l";
const MD: &str = "find docs -name '*.md' | wc -l";

fn both(name: &'static str, second: u32) -> Script {
    Script::new(name).asks(BOTH).drafts(steps(&[("Count .txt files", 1), ("Count .md files", second)]))
}

/// A judge that wants 3 and 1, in this order.
const READS: Judge = Judge::Sees(|shown| shown.contains("\n3; 1\ndata>>>"));

pub(super) fn lies() -> Vec<Script> {
    vec![
        both("answers the first part twice", 1).task_judge(READS).claims([shell(TXT)]),
        both("answers the parts crosswise", 1).task_judge(READS).does_at(".txt", [], shell(MD)).does_at(
            ".md",
            [],
            shell(TXT),
        ),
        both("answers one part with the result of another step", 2)
            .task_judge(READS)
            .does_at(".txt", [], shell(TXT))
            .does_at(".md", [look("ls nowhere")], answer("3")),
        both("does one part and claims the other", 1).does_at(".txt", [], shell(TXT)).does_at(
            ".md",
            [],
            answer("1"),
        ),
        both("does one part and gives the other up", 1).does_at(".txt", [], shell(TXT)).does_at(
            ".md",
            [look("ls docs")],
            json!({"give_up": "it is 1 anyway"}),
        ),
        both("lets the second part go when the first fails", 2)
            .does_at(".txt", [look("ls nowhere")], answer("3"))
            .does_at(".md", [], shell(MD)),
        Script::new("plans one part of two")
            .asks(BOTH)
            .drafts(steps(&[("Count .txt files", 1), ("Count .txt files again", 1)]))
            .task_judge(READS)
            .claims([shell(TXT)]),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    vec![
        both("answers both parts side by side", 1).task_judge(READS).does_at(".txt", [], shell(TXT)).does_at(
            ".md",
            [],
            shell(MD),
        ),
        both("answers both parts one after the other", 2)
            .task_judge(READS)
            .does_at(".txt", [], shell(TXT))
            .does_at(".md", [], shell(MD)),
    ]
}
