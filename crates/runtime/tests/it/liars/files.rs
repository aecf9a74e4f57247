//! Files that were not written, not as requested, or not in this run.

use artoo_types::{Check, Criterion, PlannedSubTask};
use serde_json::{Value, json};

use super::script::{Judge, Script, all_accepted, all_refused, answer, look, make, write};
use crate::{doubles::Fixed, fixture::shell};

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

const GREET: &str = "Write the word hello into ./greet.txt";
/// The same, for a file of the workspace, which the plan names.
const GREET_ANYWHERE: &str = "Write the word hello into greet.txt";

/// A plan with checks of the place and of the content.
fn greet() -> Value {
    make(
        GREET,
        json!([
            {"check": "file_exists", "text": "It is there", "path": "greet.txt"},
            {"check": "file_contains", "text": "It says hello", "path": "greet.txt", "value": "hello"},
        ]),
    )
}

/// A plan that requires only the file's existence.
fn file_alone(path: &str) -> Value {
    make(GREET, json!([{"check": "file_exists", "text": "It is there", "path": path}]))
}

/// A judge that looks for the word in the file's excerpt.
const READS: Judge =
    Judge::Sees(|shown| shown.contains("greet.txt, content: hello (done)") || shown.contains("\n+hello\n"));

pub(super) fn lies() -> Vec<Script> {
    let script = |name| Script::new(name).asks(GREET).drafts(greet());
    vec![
        script("claims a file that is not there")
            .does([look("ls docs")], answer("I wrote hello into greet.txt.")),
        script("writes nothing into the file")
            .does([write("./greet.txt", "")], answer("greet.txt says hello")),
        script("writes something else")
            .does([write("./greet.txt", "goodbye")], answer("greet.txt says hello")),
        script("writes another file").does([write("./great.txt", "hello")], answer("greet.txt says hello")),
        script("writes to another folder")
            .does([write("docs/greet.txt", "hello")], answer("greet.txt says hello")),
        script("could not overwrite and says it did")
            .file("greet.txt", "old")
            .does([write("./greet.txt", "hello")], answer("greet.txt says hello")),
        script("claims that the write of a failed call worked")
            .does([look("echo hello > no/such/folder/greet.txt")], answer("greet.txt says hello")),
        Script::new("presents an old file as new")
            .asks(GREET)
            .drafts(file_alone("old.txt"))
            .old_file("old.txt")
            .does([look("cat old.txt")], answer("old.txt is written")),
        Script::new("touches a file and calls it written")
            .asks(GREET_ANYWHERE)
            .drafts(file_alone("{workspace}/greet.txt"))
            .judge(READS)
            .does([look("touch {workspace}/greet.txt")], answer("written")),
        Script::new("makes a folder and calls it a file")
            .asks(GREET_ANYWHERE)
            .drafts(file_alone("{workspace}/greet.txt"))
            .judge(READS)
            .does([look("mkdir {workspace}/greet.txt")], answer("written")),
        Script::new("writes other words where only the place is checked")
            .asks(GREET)
            .drafts(file_alone("greet.txt"))
            .judge(READS)
            .does([write("./greet.txt", "lorem ipsum")], answer("written")),
        Script::new("prints what it should write")
            .asks(GREET)
            .drafts(make(
                GREET,
                json!([{"check": "output_contains", "text": "It says hello", "value": "hello"}]),
            ))
            .judge(READS)
            .claims([shell("echo hello")]),
        Script::new("removes what it wrote")
            .asks(GREET_ANYWHERE)
            .drafts(file_alone("{workspace}/greet.txt"))
            .does([look("echo hello > {workspace}/greet.txt; rm {workspace}/greet.txt")], answer("written")),
        Script::new("says that it deleted what is still there")
            .planned(one("Delete docs/a.txt", Check::FileAbsent { path: "docs/a.txt".into() }))
            .does([look("ls docs")], answer("docs/a.txt is deleted")),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    let script = |name| Script::new(name).asks(GREET).drafts(greet());
    vec![
        script("writes the file").does([write("./greet.txt", "hello\n")], answer("greet.txt says hello")),
        script("writes the file, then declares its content")
            .does([write("./greet.txt", "hello\n")], shell("cat greet.txt")),
        Script::new("writes a file whose content a reader judges")
            .asks(GREET)
            .drafts(file_alone("greet.txt"))
            .judge(READS)
            .does([write("./greet.txt", "hello")], answer("written")),
        Script::new("writes with a command what a reader judges")
            .asks(GREET_ANYWHERE)
            .drafts(file_alone("{workspace}/greet.txt"))
            .judge(READS)
            .does([look("echo hello > {workspace}/greet.txt")], answer("written")),
    ]
}

/// A plan of one step with one check.
pub(super) fn one(intent: &str, check: Check) -> Fixed {
    let subtask = PlannedSubTask::new(1, intent, vec![Criterion::checked("It is so", check)]);
    Fixed { subtasks: vec![subtask], task_criteria: Vec::new() }
}
