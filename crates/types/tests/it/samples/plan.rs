use artoo_types::{
    Check, Criterion, DispatchManifest, EarlierResult, Mode, Plan, PlanApprovalDecided,
    PlanApprovalRequested, PlannedSubTask, SubTask,
};

use super::{run_id, subtask_id, task_id, time};

pub(crate) fn plan() -> Plan {
    Plan {
        memory: super::memory::of_plan(),
        task_id: task_id(),
        round: 2,
        task_criteria: task_criteria(),
        subtasks: vec![
            PlannedSubTask {
                sequence: 1,
                intent: "Count the .txt files in docs".to_owned(),
                kind: artoo_types::StepKind::FindOut,
                context: "The files may lie in sub-folders.".to_owned(),
                success_criteria: every_check(),
            },
            PlannedSubTask {
                sequence: 2,
                intent: "Name the largest .txt file in docs".to_owned(),
                kind: artoo_types::StepKind::FindOut,
                context: "Compare sizes in bytes.".to_owned(),
                success_criteria: vec![judged()],
            },
        ],
        kept: vec![subtask_id(1)],
    }
}

pub(super) fn approval_requested() -> PlanApprovalRequested {
    let Plan { round, subtasks, .. } = plan();
    PlanApprovalRequested { round, subtasks }
}

pub(super) fn approval_decided() -> PlanApprovalDecided {
    PlanApprovalDecided { round: 2, granted: true, reason: "the person agreed".to_owned() }
}

pub(super) fn manifest() -> DispatchManifest {
    DispatchManifest {
        task_id: task_id(),
        round: 2,
        subtask_ids: vec![subtask_id(2), subtask_id(3)],
        kept: vec![subtask_id(1)],
        task_criteria: task_criteria(),
        dispatched_at: time("2026-03-14T09:26:55+08:00"),
    }
}

pub(crate) fn subtask() -> SubTask {
    SubTask {
        guards: super::memory::of_plan().guards,
        subtask_id: subtask_id(2),
        parent_task_id: run_id(),
        round: 2,
        sequence: 1,
        intent: "Count the .txt files in docs".to_owned(),
        kind: artoo_types::StepKind::FindOut,
        is_whole: true,
        context: "The files may lie in sub-folders.".to_owned(),
        earlier: vec![EarlierResult {
            intent: "List docs".to_owned(),
            output: "docs/2025/a.txt".to_owned(),
            left_out_bytes: 0,
        }],
        success_criteria: every_check(),
        deadline: Some(time("2026-03-14T09:31:52+08:00")),
    }
}

/// A criterion that only a model can decide.
fn judged() -> Criterion {
    Criterion { text: "the answer names one file".to_owned(), mode: Mode::Plausible, check: None }
}

fn checked(text: &str, check: Check) -> Criterion {
    Criterion { text: text.to_owned(), mode: Mode::Verifiable, check: Some(check) }
}

pub(super) fn task_criteria() -> Vec<Criterion> {
    vec![checked("the sums are there", Check::FileExists { path: "sums.csv".into() }), judged()]
}

/// One criterion for each kind of check.
fn every_check() -> Vec<Criterion> {
    vec![
        checked("the command succeeds", Check::ExitStatus { equals: 0 }),
        checked("the answer is 3", Check::OutputEquals { value: "3".to_owned() }),
        checked("the answer has a 3", Check::OutputContains { value: "3".to_owned() }),
        checked("the answer is a number", Check::OutputMatches { pattern: r"^\d+$".to_owned() }),
        checked("from 1 to 99 files", Check::OutputNumber { min: Some(1.0), max: Some(99.0) }),
        checked("one line", Check::OutputLines { min: Some(1), max: Some(1) }),
        checked(
            "the first is a.txt",
            Check::JsonPointer { pointer: "/files/0".to_owned(), equals: serde_json::json!("a.txt") },
        ),
        checked(
            "the list is complete",
            Check::OutputLists { folder: "docs".into(), pattern: "**/*.txt".to_owned() },
        ),
        checked("docs is there", Check::FileExists { path: "docs".into() }),
        checked("no left-over", Check::FileAbsent { path: "docs/tmp.txt".into() }),
        checked(
            "the index lists it",
            Check::FileContains { path: "~/index".into(), value: "a.txt".to_owned() },
        ),
        checked(
            "the copy is whole",
            Check::FileHash {
                path: "~/copy".into(),
                sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned(),
            },
        ),
        checked("the index is new", Check::FileNewer { path: "~/index".into() }),
        checked("the source is untouched", Check::FileUnchanged { path: "docs/2025/a.txt".into() }),
        checked(
            "the index has files",
            Check::FileJson { path: "index.json".into(), schema: serde_json::json!({"required": ["files"]}) },
        ),
        checked(
            "the table lists the files",
            Check::Table {
                path: "files.csv".into(),
                columns: Some(vec!["name".to_owned(), "bytes".to_owned()]),
                min_rows: Some(1),
                max_rows: Some(99),
            },
        ),
        checked("both lists agree", Check::SameLines { path: "a.txt".into(), other: "b.txt".into() }),
        checked("the tests pass", Check::CommandSucceeds { command: "cargo test".to_owned() }),
        judged(),
    ]
}
