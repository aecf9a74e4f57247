use artoo_types::{
    Check, Criterion, DirectAnswer, DispatchManifest, EarlierResult, Mode, Plan, PlanApprovalDecided,
    PlanApprovalRequested, PlannedSubTask, SubTask,
};

use super::{run_id, subtask_id, task_id, time};

pub(super) fn direct_answer() -> DirectAnswer {
    DirectAnswer {
        task_id: super::task_id(),
        text: "A byte order mark says how a text is encoded.".to_owned(),
    }
}

pub(crate) fn plan() -> Plan {
    Plan {
        memory: super::memory::of_plan(),
        briefing: super::memory::briefing(),
        task_criteria: task_criteria(),
        kept: vec![subtask_id(1)],
        ..Plan::new(
            task_id(),
            2,
            vec![
                PlannedSubTask {
                    context: "The files may lie in sub-folders.".to_owned(),
                    ..PlannedSubTask::new(1, "Count the .txt files in docs", every_check())
                },
                PlannedSubTask {
                    context: "Compare sizes in bytes.".to_owned(),
                    ..PlannedSubTask::new(2, "Name the largest .txt file in docs", vec![judged()])
                },
            ],
        )
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
        kept: vec![subtask_id(1)],
        task_criteria: task_criteria(),
        laws: super::memory::briefing().laws,
        ..DispatchManifest::new(task_id(), 2, vec![subtask_id(2), subtask_id(3)])
    }
}

pub(crate) fn subtask() -> SubTask {
    SubTask {
        briefing: super::memory::briefing(),
        round: 2,
        is_whole: true,
        context: "The files may lie in sub-folders.".to_owned(),
        earlier: vec![EarlierResult {
            intent: "List docs".to_owned(),
            output: "docs/2025/a.txt".to_owned(),
            left_out_bytes: 0,
        }],
        deadline: Some(time("2026-03-14T09:31:52+08:00")),
        ..SubTask::of(
            subtask_id(2),
            run_id(),
            PlannedSubTask::new(1, "Count the .txt files in docs", every_check()),
        )
    }
}

/// A criterion that only a model can decide.
fn judged() -> Criterion {
    Criterion { of_last_step: true, ..Criterion::new("the answer names one file", Mode::Plausible) }
}

fn checked(text: &str, check: Check) -> Criterion {
    Criterion::checked(text, check)
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
