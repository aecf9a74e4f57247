//! Tests of verifying negative answers.

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

/// Observed with the embedded model: file names were searched for a word that is in the contents, and every
/// hit was filtered out.
#[test]
fn what_a_search_overlooked_contradicts_that_there_is_nothing() {
    let (_folder, world) = house();
    let asked = "Which file in docs or its subfolders contains the word heron?";
    let table = [
        // The wrong kind of search, and dropped hits.
        ("No file contains the word heron.", asked, "find docs -name '*heron*'", true),
        ("none", asked, "grep -r \"heron\" docs | grep -v \"docs\"", true),
        ("none", asked, "grep -rl heron docs | grep -v docs", true),
        ("0", "How many lines in logs/app.log have the level ERROR?", "grep -c '^ERROR' logs/app.log", true),
        ("no", "Is there a file named budget?", "find docs -name budget", true),
        (
            "none",
            "Which files in docs mention heron? Give their file names.",
            "find docs -name 'heron'",
            true,
        ),
        (
            "没有",
            "docs 文件夹里哪个文件提到了“墨盒”?请给出文件名。",
            "find docs -type f -name '*墨盒*'",
            true,
        ),
        ("没有", "docs 文件夹里有没有文件提到“墨盒”?", "grep -rlw \"墨盒\" docs", true),
        ("no", "Does any file say \"a heron\" ?", "find . -name 'a heron'", false),
        ("no", "Does any file contain \"A heron\" ?", "find . -name 'A heron'", true),
        // The search found something.
        ("docs/birds/pond.md", asked, "grep -rl heron docs", false),
        // A longer word is another word; hidden files and other places and extensions do not count.
        ("none", "Which file in docs contains the word kingfisher?", "grep -rw kingfisher docs", false),
        ("none", "Which file contains magpie?", "grep -r magpie .", false),
        ("none", "Which file in logs contains the word heron?", "grep -r heron logs", false),
        ("none", "Which .txt file in docs contains the word heron?", "grep -rl heron docs", false),
        // The search may have been for something else: a judge weighs that. It is unknown what was searched
        // for, or it really did not exist.
        ("none", asked, "ls docs", false),
        ("none", "Which file in docs does not contain the word heron?", "grep -L heron docs", true),
        (
            "none",
            "Which file in docs contains heron and ERROR?",
            "grep -r 'heron' docs | grep 'ERROR'",
            false,
        ),
        ("none", "Is there a file named heron in docs?", "find docs -name 'heron'", true),
        ("没有", "docs 里有没有名为“墨盒”的文件?", "find docs -name '*墨盒*'", true),
        ("没有", "docs 里哪个文件没有提到“墨盒”?", "grep -L '墨盒' docs/*", true),
        ("none", "Which file contains the word owl?", "grep -r owl .", false),
    ];
    for (answer, intent, command, expected) in table {
        let found = contradicting_hit(answer, intent, &[call(command)], &world);
        assert_eq!(found.is_some(), expected, "{answer:?} to {intent:?} by {command:?}: {found:?}");
    }
    let said = contradicting_hit("none", asked, &[call("find docs -name 'heron'")], &world);
    let expected = "it says that there is nothing, but docs/birds/pond.md has the word \"heron\"";
    assert_eq!(said.as_deref(), Some(expected));
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

/// If not everything could be examined, the file may exist.
#[test]
fn beyond_the_limits_a_file_may_be() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..=MAX_ENTRIES {
        fs::write(folder.path().join(number.to_string()), "").unwrap();
    }
    let look = Look { term: "gone.txt", endings: Vec::new(), closed: &ClosedFiles::default() };
    assert!(matches!(look.first_below(vec![folder.path().to_owned()]), Looked::NotAll));
    fs::remove_file(folder.path().join("0")).unwrap();
    fs::remove_file(folder.path().join("1")).unwrap();
    assert!(matches!(look.first_below(vec![folder.path().to_owned()]), Looked::Nowhere));
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let (folder, world) = house();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("docs/loop")).unwrap();
    let asked = "Which file in docs has ERROR?";
    assert_eq!(contradicting_hit("none", asked, &[call("grep -r ERROR docs")], &world), None);
    let look = Look { term: "gone.txt", endings: Vec::new(), closed: &ClosedFiles::default() };
    assert!(matches!(look.first_below(vec![folder.path().to_owned()]), Looked::NotAll));
}

proptest! {
    #[test]
    fn any_words_are_read(intent in ".{0,60}", command in ".{0,60}") {
        let (_folder, world) = house();
        let _ = contradicting_hit("none", &intent, &[call(&command)], &world);
    }
}
