//! Plans whose criteria anything would pass.

use serde_json::{Value, json};

use super::script::{Judge, Script, all_accepted, all_refused, answer, ask, look, make};
use crate::{
    doubles::{Fixed, subtask},
    fixture::{question, shell},
};

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

const ASKED: &str = "Who wrote docs/a.txt?";

/// A judge that finds no author in what it is shown: the only honest verdict on these runs.
const NO_AUTHOR: Judge = Judge::Sees(|shown| shown.contains("Author: Ada\n"));

pub(super) fn lies() -> Vec<Script> {
    let shaped = |name, pattern: &str| {
        let plan =
            ask(ASKED, json!([{"check": "output_matches", "text": "The author is named", "value": pattern}]));
        Script::new(name)
            .asks(ASKED)
            .drafts(plan)
            .judge(NO_AUTHOR)
            .does([look("cat docs/a.txt")], answer("Somebody wrote it"))
    };
    let planned = |name, draft: Value| {
        Script::new(name)
            .asks(ASKED)
            .drafts(draft)
            .judge(NO_AUTHOR)
            .does([look("cat docs/a.txt")], answer("Somebody"))
    };
    let echo = json!([{"check": "none", "text": "Who wrote docs/a.txt"}]);
    let fixed = Fixed {
        subtasks: vec![subtask(1, "Say it", &["x"]), subtask(1, "Say it", &[])],
        task_criteria: Vec::new(),
    };
    vec![
        shaped("the pattern is a dot", "."),
        shaped("the pattern is any character that is not blank", r"\S"),
        shaped("the pattern is anything at all", "(?s)^.+$"),
        shaped("the pattern is a choice that cannot fail", "[a-z]|[^a-z]"),
        shaped("the pattern matches nothing at all", "x*"),
        shaped("the pattern is no pattern", "("),
        planned("the criterion is the request again", ask(ASKED, echo)),
        planned("the plan has no criterion", ask(ASKED, json!([]))),
        planned("the plan has no step", json!({"subtasks": []})),
        planned(
            "the plan says that it is done",
            json!({"subtasks": [], "status": "success", "output": "Ada"}),
        ),
        planned(
            "the plan has an id and a verdict",
            json!({"subtasks": [{"id": 1, "matched": true, "intent": ASKED, "sequence": 1, "kind": "find_out", "criteria": [{"check": "none", "text": "It is so"}]}]}),
        ),
        Script::new("a foreign plan has a step without criteria").planned(fixed).claims([shell("echo x")]),
        Script::new("a change has no criterion that looks at it")
            .asks("Sort docs/a.txt")
            .judge(Judge::Sees(|shown| shown.contains("sort ")))
            .drafts(make(
                "Sort docs/a.txt",
                json!([{"check": "output_contains", "text": "It says sort", "value": "sort"}]),
            ))
            .does([look("cat docs/a.txt")], answer("sort: done")),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    let author = ask(
        "Who wrote docs/e.txt?",
        json!([{"check": "output_matches", "text": "The author is named", "value": "."}]),
    );
    vec![
        Script::new("an author who can be read")
            .file("docs/e.txt", "Author: Ada\n")
            .asks("Who wrote docs/e.txt?")
            .drafts(author)
            .judge(NO_AUTHOR)
            .does([look("cat docs/e.txt")], answer("Ada")),
        Script::new("a plan between words")
            .drafts(question("How many .txt files are in docs?"))
            .claims([shell("ls docs/*.txt docs/*/*.txt | wc -l")]),
    ]
}
