//! Tests of what a text names.

use std::fs;

use artoo_types::{CallEnding, CallId, ToolName};
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;

fn call(command: &str) -> ToolCall {
    ToolCall {
        duration_ms: 1,
        ..ToolCall::new(
            CallId::new(Uuid::nil()),
            ToolName::new("shell"),
            json!({"command": command}).as_object().cloned().unwrap(),
            CallEnding::Exited { status: 0 },
            DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap(),
        )
    }
}

fn house() -> (tempfile::TempDir, Filesystem) {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, content: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("docs/birds/pond.md", "A heron, and a kingfishers' nest.\n");
    write("docs/plan.txt", "nothing of note\n");
    write("logs/app.log", "one ERROR\nerrors: none\n");
    write(".cache/heron.txt", "magpie\n");
    write("budget.ods", "");
    write("docs/会议记录.txt", "打印机的墨盒用完了\n");
    let world = Filesystem::new(folder.path(), folder.path(), call("x").started_at);
    (folder, world)
}

fn missing_file(request: &str, calls: &[ToolCall], world: &Filesystem) -> Option<String> {
    Mentions::of(request, world).missing_file(calls).map(str::to_owned)
}

fn unmade_file(request: &str, gone: &[PathBuf], world: &Filesystem) -> Option<String> {
    Mentions::of(request, world).unmade_file(gone).map(str::to_owned)
}

/// Observed with the embedded model: 27 calls looked for a file that does not exist.
#[test]
fn a_file_that_is_nowhere_is_known_by_a_call_and_a_look() {
    let (folder, world) = house();
    let looked = |path: &str| ToolCall {
        ending: CallEnding::Exited { status: 1 },
        failure: Some(artoo_types::CallFailure {
            class: artoo_types::FailureClass::Environmental,
            reason: format!("ended with status 1: cat: {path}: No such file or directory"),
            hint: None,
        }),
        ..call(&format!("cat {path}"))
    };
    let table = [
        ("How many lines does docs/annual.txt have?", "docs/annual.txt", Some("docs/annual.txt")),
        ("How many lines does annual.txt have?", "annual.txt", Some("annual.txt")),
        ("How many lines does /nowhere/annual.txt have?", "/nowhere/annual.txt", Some("/nowhere/annual.txt")),
        // No call looked for it.
        ("How many lines does docs/annual.txt have?", "docs/other.txt", None),
        ("Which files mention example.com?", "notes", None),
        // It exists somewhere else, and another plan may find it.
        ("How many lines does pond.md have?", "pond.md", None),
        ("How many lines does logs/plan.txt have?", "logs/plan.txt", None),
        // The request also names an existing file.
        ("Which lines of logs/app.log mention gone.txt?", "gone.txt", None),
        ("", "", None),
    ];
    for (request, path, expected) in table {
        assert_eq!(
            missing_file(request, &[looked(path)], &world).as_deref(),
            expected,
            "{request:?} by {path:?}"
        );
    }
    // Without such a report no call has looked for it; a file that mentions the name may show the way.
    let asked = "How many lines does docs/annual.txt have?";
    assert_eq!(missing_file(asked, &[call("cat docs/annual.txt")], &world), None);
    let workspace = tempfile::tempdir().unwrap();
    let with_workspace = world.clone().with_workspace(workspace.path());
    let missing = missing_file(asked, &[looked("docs/annual.txt")], &with_workspace);
    assert_eq!(missing.as_deref(), Some("docs/annual.txt"));
    fs::write(workspace.path().join("annual.txt"), "").unwrap();
    assert_eq!(missing_file(asked, &[looked("docs/annual.txt")], &with_workspace), None);
    fs::write(folder.path().join("docs/moved.txt"), "annual.txt is in the cellar").unwrap();
    assert_eq!(missing_file(asked, &[looked("docs/annual.txt")], &world), None);
}

/// Observed with the embedded model: asked to write a list into a file, two commands printed it, and agreed.
#[test]
fn a_file_that_is_nowhere_was_to_be_made_or_is_missing() {
    let (_folder, world) = house();
    for (request, expected) in [
        ("Write the names of the files in docs into list.txt", Some("list.txt")),
        (
            "Schreib die Namen aller .txt-Dateien aus docs nach neu/図.txt, eine pro Zeile.",
            Some("neu/図.txt"),
        ),
        ("How many lines does docs/annual.txt have?", Some("docs/annual.txt")),
        ("How many lines does logs/app.log have?", None),
        // It lies elsewhere, it stands in a file, or among the characters of a script without blanks.
        ("How many lines does pond.md have?", None),
        ("docs/会议记录.txt里有几行?", None),
        ("请数一下docs/会议记录.txt", None),
        ("How many files are there?", None),
        // A pattern is no file, nor is the end of a name with blanks.
        ("Rename the photos to YYYY-MM-DD_n.jpg", None),
        ("Make a page <name>.md for each member", None),
        ("Rename it to 'scan of May (1).pdf'", None),
        ("Rename it to \"scan of May.pdf\", please", None),
        ("Rename it to \"May.pdf\", please", Some("May.pdf")),
    ] {
        assert_eq!(unmade_file(request, &[], &world).as_deref(), expected, "{request:?}");
    }
    // The name of a new file may end in that of an old one, and an old one may be gone.
    let copied = "Copy docs/plan.txt to newplan.txt";
    assert_eq!(unmade_file(copied, &[], &world).as_deref(), Some("newplan.txt"));
    let gone = [PathBuf::from("/home/docs/old.txt")];
    assert_eq!(unmade_file("Rename docs/old.txt to new.txt", &gone, &world).as_deref(), Some("new.txt"));
    assert_eq!(unmade_file("Delete docs/old.txt", &gone, &world), None);
}

proptest! {
    #[test]
    fn any_words_are_read(text in ".{0,60}", answer in ".{0,10}") {
        let (_folder, world) = house();
        let mentions = Mentions::of(&text, &world);
        let _ = (mentions.unmade_file(&[]), mentions.missing_subject(&answer, &[]));
    }
}

/// README.md is deleted, and readme.md was never meant.
#[test]
fn what_the_run_took_away_is_no_name_of_what_differs_in_case() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("readme.md"), "x").unwrap();
    let world = Filesystem::new(home.path(), home.path(), Default::default());
    let real = home.path().canonicalize().unwrap();
    let gone = [FileChange::new(real.join("README.md"), FileChangeKind::Deleted)];
    let moved = [FileChange {
        moved_from: Some(real.join("README.md")),
        ..FileChange::new(real.join("notes.md"), FileChangeKind::Created)
    }];
    let other = [FileChange::new(real.join("Readme.md"), FileChangeKind::Deleted)];
    let mentions = Mentions::of("Delete README.md", &world);
    assert_eq!(mentions.paths_after(gone.iter()), [] as [PathBuf; 0]);
    assert_eq!(mentions.paths_after(moved.iter()), [] as [PathBuf; 0]);
    assert_eq!(mentions.paths_after(other.iter()), [real.join("readme.md")]);
    assert_eq!(Mentions::of("Delete readme.md", &world).paths_after(gone.iter()), [real.join("readme.md")]);
}
