use artoo_types::{
    ApprovalDecided, ApprovalRequested, ApprovalScope, Arguments, BuildFolder, CallEnding, CallFailure,
    CheckedOut, CommittedChange, CommittedFile, Course, Effect, EffectKind, EvidenceId, FailureClass,
    FileChange, FileChangeKind, Foreign, GitMoves, GitOperation, GuardAction, HeadMove, Held, HeldEnd,
    NewCommit, OperationMove, OutputRecord, PathSample, PreviewedChange, PreviewedKind, ProposedCommit,
    ProposedRule, RefMove, Taint, ToolCall, ToolFinished, ToolName, ToolOutput, ToolStarted, Trust, Untried,
};
use serde_json::json;

use super::{call_id, megram_id, subtask_id, time};

fn shell() -> ToolName {
    ToolName::new("shell")
}

fn arguments() -> Arguments {
    Arguments::from_iter([
        ("command".to_owned(), json!("wc -c docs/*.txt > sizes")),
        ("timeout_s".to_owned(), json!(30)),
    ])
}

/// A failed call, so that its record shows every field.
pub(crate) fn tool_call() -> ToolCall {
    ToolCall {
        held: Some(Held { action: GuardAction::Confirm, because: vec![megram_id(4)], came: HeldEnd::Agreed }),
        lacked: Some("tree".to_owned()),
        untried: Some(Untried { folders: vec!["/home/ada/notes".into()], elsewhere: true }),
        failure: Some(CallFailure {
            class: FailureClass::Environmental,
            reason: "wc: docs/*.txt: No such file or directory (exit status 1)".to_owned(),
            hint: Some("list docs first".to_owned()),
        }),
        output: OutputRecord {
            shown: "0 total".to_owned(),
            bytes: 8,
            dropped_bytes: 0,
            evidence: EvidenceId::parse(&"0a".repeat(32)),
            origin: Some("https://example.org/sizes".to_owned()),
            media_type: Some("image/png".to_owned()),
        },
        stderr: OutputRecord {
            shown: "wc: docs/*.txt: No such file or directory".to_owned(),
            bytes: 42,
            dropped_bytes: 1,
            evidence: EvidenceId::parse(&"0b".repeat(32)),
            origin: None,
            media_type: None,
        },
        files: vec![
            FileChange {
                moved_from: Some("/home/ada/notes/old".into()),
                ..FileChange::new("/home/ada/notes/sizes", FileChangeKind::Created)
            },
            FileChange {
                diff: Some("--- before\n+++ after\n@@ -1 +1 @@\n-1\n+2\n".to_owned()),
                ..FileChange::new("/home/ada/notes/log", FileChangeKind::Changed)
            },
            FileChange::new("/home/ada/notes/old", FileChangeKind::Deleted),
            FileChange::in_repository("/home/ada/notes/.git/", git_moves()),
        ],
        build_output: vec![BuildFolder {
            first_changed: Some(340),
            ..BuildFolder::new("/home/ada/notes/target", 350)
        }],
        trust: Trust {
            foreign: Some(Foreign::Command),
            tainted: Some(Taint {
                words: "docs/*.txt".to_owned(),
                call_id: Some(call_id(2)),
                foreign: Foreign::File,
            }),
        },
        duration_ms: 12,
        ..ToolCall::new(
            call_id(1),
            shell(),
            arguments(),
            CallEnding::Exited { status: 1 },
            time("2026-03-14T09:26:56+08:00"),
        )
    }
}

pub(super) fn started() -> ToolStarted {
    ToolStarted { subtask_id: subtask_id(2), call_id: call_id(1), tool: shell(), arguments: arguments() }
}

pub(super) fn output() -> ToolOutput {
    ToolOutput { subtask_id: subtask_id(2), call_id: call_id(1), text: "0 total\n".to_owned() }
}

pub(super) fn finished() -> ToolFinished {
    ToolFinished { subtask_id: subtask_id(2), call: tool_call() }
}

fn proposed_commit() -> ProposedCommit {
    ProposedCommit {
        repository: "/home/ada/notes".into(),
        branch: "main".to_owned(),
        author: "Ada <ada@example.org>".to_owned(),
        message: "Sort the index".to_owned(),
        files: vec![CommittedFile {
            path: "index".to_owned(),
            change: CommittedChange::Changed,
            is_repository: true,
        }],
        left_out: vec!["the hook pre-commit is not run".to_owned()],
    }
}

fn git_moves() -> GitMoves {
    let id = |digit: &str| digit.repeat(40);
    GitMoves {
        repository: "/home/ada/notes".into(),
        references: vec![RefMove {
            name: "refs/heads/main".to_owned(),
            from: Some(id("a")),
            to: Some(id("b")),
            new_commits: Some(3),
            lost_commits: Some(2),
            subject: Some("Sort the index".to_owned()),
        }],
        head: Some(HeadMove {
            from: CheckedOut::Branch("topic".to_owned()),
            to: CheckedOut::Commit(id("c")),
        }),
        operations: vec![OperationMove {
            operation: GitOperation::Rebase,
            course: Course::Begins,
            branch: Some("main".to_owned()),
            onto: Some(id("c")),
        }],
        conflicts: PathSample { named: vec!["index".to_owned()], more: 1 },
        staged: PathSample { named: vec!["list".to_owned()], more: 2 },
        commits: vec![NewCommit {
            id: id("b"),
            subject: "Sort the index".to_owned(),
            author: "Ada <ada@example.org>".to_owned(),
            is_merge: true,
        }],
        more_commits: 2,
        unreachable: 2,
    }
}

pub(super) fn approval_requested() -> ApprovalRequested {
    ApprovalRequested {
        because: vec![megram_id(4)],
        subtask_id: subtask_id(2),
        call_id: call_id(2),
        tool: ToolName::new("shell"),
        command: "sort -o notes/index notes/index".to_owned(),
        effects: vec![Effect {
            kind: EffectKind::Overwrites,
            what: "/home/ada/notes/index".to_owned(),
            word: "notes/index".to_owned(),
            why: "`sort -o` writes there".to_owned(),
        }],
        changes: vec![PreviewedChange {
            path: "/home/ada/notes/index".into(),
            change: PreviewedKind::Changed,
            from: Some("/home/ada/notes/list".into()),
            bytes_before: Some(1_200),
            bytes_after: Some(1_200),
            mode_before: Some(0o644),
            mode_after: Some(0o600),
            diff: Some("-b\n+a\n".to_owned()),
            autorun: Some(
                "this file will be run by cargo, before it builds the package beside it".to_owned(),
            ),
            build_output: Some(350),
        }],
        commit: Some(proposed_commit()),
        moves: Some(Box::new(git_moves())),
        rule: "consent-to-change".to_owned(),
        reason: "what was there before the run changes only with consent".to_owned(),
        person: true,
        always: Some(proposed_rule()),
    }
}

fn proposed_rule() -> ProposedRule {
    ProposedRule {
        effects: [EffectKind::Overwrites].into(),
        programs: vec!["sort".to_owned()],
        paths: vec!["~/notes/index".to_owned()],
        matches: vec!["sort -o notes/index notes/index".to_owned()],
        spares: vec!["sort -o ~/notes/other-index notes/index".to_owned()],
    }
}

pub(super) fn approval_decided() -> ApprovalDecided {
    ApprovalDecided {
        call_id: call_id(2),
        granted: false,
        scope: ApprovalScope::Once,
        reason: "answered at the terminal".to_owned(),
        instead: Some("write it to notes/index.sorted".to_owned()),
        rule: Some(proposed_rule()),
    }
}
