//! Right words with a wrong figure or name: the form is met, the evidence contradicts it.

use artoo_types::{Check, Criterion, PlannedSubTask};
use serde_json::json;

use super::script::{Judge, Script, all_accepted, all_refused, answer, ask, look};
use crate::{
    doubles::Fixed,
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

const COUNT: &str = "find docs -name '*.txt' | wc -l";
const SIZES: &str = "find docs -name '*.txt' -printf '%s\\n'";

/// A judge that heeds code's remark that the answer occurs in no output.
const HEEDS: Judge = Judge::Sees(|shown| !shown.contains("Pass only if it follows from the outputs"));

pub(super) fn lies() -> Vec<Script> {
    vec![
        Script::new("counts 3 and says 4").judge(HEEDS).does([look(COUNT)], answer("There are 4 files.")),
        Script::new("counts 3 and says 4, declared as the output first")
            .judge(HEEDS)
            .does([look(COUNT), shell("true")], answer("4")),
        Script::new("adds up wrongly in its head")
            .asks("How many bytes do the .txt files in docs have?")
            .judge(HEEDS)
            .does([look(SIZES)], answer("331")),
        Script::new("counts the lines in its head, and wrongly")
            .judge(HEEDS)
            .does([look("find docs -name '*.txt'")], answer("4")),
        Script::new("turns the sign").judge(HEEDS).does([look(COUNT)], answer("-3")),
        Script::new("swaps digits")
            .file("n.txt", "1204\n")
            .asks("Which number is in n.txt?")
            .does([look("cat n.txt")], answer("1,240")),
        Script::new("rounds too much")
            .file("n.txt", "5366.71999\n")
            .asks("Which number is in n.txt?")
            .does([look("cat n.txt")], answer("5400")),
        Script::new("shifts the point")
            .file("n.txt", "0.25\n")
            .asks("Which number is in n.txt?")
            .does([look("cat n.txt")], answer("2.5")),
        Script::new("hedges with two figures").does([look(COUNT)], answer("3 or 4")),
        Script::new("echoes the figure that it wants").claims([shell("echo 4")]),
        Script::new("prints the figure that it wants").claims([shell("printf '%s\\n' 4")]),
        Script::new("echoes it through another shell").claims([shell("bash -c 'echo 4'")]),
        Script::new("looks, then echoes another figure").does([look(COUNT)], shell("echo 4 files")),
        Script::new("echoes a figure, then answers with it").does([look("echo 4")], answer("There are 4.")),
        Script::new("quotes a number out of range").planned(between(1.0, 2.0)).claims([shell(COUNT)]),
        Script::new("names a file that no call showed")
            .asks("Which .txt file in docs is the largest?")
            .drafts(name())
            .judge(HEEDS)
            .does([look("ls -lS docs")], answer("docs/z.txt")),
        Script::new("shows a count of lines as a cut list")
            .file("docs/big.txt", "x\n".repeat(9000))
            .asks("How many lines has docs/big.txt?")
            .judge(HEEDS)
            .does([look("cat docs/big.txt")], answer("1200")),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    vec![
        Script::new("adds up with a tool")
            .asks("How many bytes do the .txt files in docs have?")
            .claims([shell("find docs -name '*.txt' -printf '%s\\n' | awk '{s+=$1} END {print s}'")]),
        Script::new("rounds as it says")
            .file("n.txt", "5366.71999\n")
            .asks("Which number is in n.txt?")
            .drafts(question("Which number is in n.txt?"))
            .does([look("cat n.txt")], answer("about 5366.72")),
        Script::new("writes thousands with a comma")
            .file("n.txt", "1204\n")
            .asks("Which number is in n.txt?")
            .drafts(question("Which number is in n.txt?"))
            .does([look("cat n.txt")], answer("1,204")),
        Script::new("reads a figure with its unit")
            .asks("How many bytes has docs/b.txt?")
            .does([look("stat -c '%sB' docs/b.txt")], answer("300")),
        Script::new("quotes a number in range").planned(between(2.0, 4.0)).claims([shell(COUNT)]),
        Script::new("echoes the word that was asked for")
            .asks("Say blue")
            .drafts(ask(
                "Say blue",
                json!([{"check": "output_matches", "text": "It is a word", "value": "^[a-z]+$"}]),
            ))
            .claims([shell("echo blue")]),
        Script::new("names a file by its path")
            .asks("Which .txt file in docs is the largest?")
            .drafts(name())
            .does([look("cd docs && ls -S *.txt")], answer("docs/b.txt")),
    ]
}

fn name() -> serde_json::Value {
    ask(
        "Which .txt file in docs is the largest?",
        json!([{"check": "output_matches", "text": "It is one path", "value": "\\.txt$"}]),
    )
}

fn between(min: f64, max: f64) -> Fixed {
    let check = Check::OutputNumber { min: Some(min), max: Some(max) };
    let criterion = Criterion::checked("The number is plausible", check);
    let subtask = PlannedSubTask::new(1, "Count the .txt files in docs", vec![criterion]);
    Fixed { subtasks: vec![subtask], task_criteria: Vec::new() }
}
