use std::fs;

use artoo_types::{Arguments, CallFailure, CallId, ToolName};
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Content, Original, Originals};

fn call(ending: CallEnding, failure: Option<FailureClass>) -> ToolCall {
    ToolCall {
        failure: failure.map(|class| CallFailure { class, reason: "no such folder".into(), hint: None }),
        duration_ms: 1,
        ..ToolCall::new(
            CallId::new(uuid::Uuid::nil()),
            ToolName::new("shell"),
            Arguments::new(),
            ending,
            DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap(),
        )
    }
}

fn world(folder: &Path) -> Filesystem {
    Filesystem::new(folder, folder, DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap())
}

fn passes(check: &Check, output: &str, calls: &[ToolCall]) -> bool {
    let subject = Subject { output, tool_calls: calls };
    matches!(evaluate(check, &subject, &world(Path::new("/nonexistent"))), Finding::Pass { .. })
}

#[test]
fn checks_of_the_output() {
    let number = Check::OutputNumber { min: Some(0.0), max: Some(10.0) };
    let lines = Check::OutputLines { min: Some(2), max: Some(3) };
    let pointer = Check::JsonPointer { pointer: "/a/0".into(), equals: json!(1) };
    let table = [
        (Check::OutputEquals { value: "3".into() }, " 3\n", true),
        (Check::OutputEquals { value: "3".into() }, "33", false),
        (Check::OutputContains { value: "b".into() }, "abc", true),
        (Check::OutputContains { value: "d".into() }, "abc", false),
        (Check::OutputMatches { pattern: r"^\d+$".into() }, "42", true),
        (Check::OutputMatches { pattern: r"^\d+$".into() }, "x42", false),
        (Check::OutputMatches { pattern: "(".into() }, "(", false),
        (number.clone(), "7", true),
        (number.clone(), "11", false),
        (number.clone(), "7 8", false),
        (number, "none", false),
        (lines.clone(), "a\n\nb", true),
        (lines, "a", false),
        (pointer.clone(), r#"{"a":[1]}"#, true),
        (pointer.clone(), r#"{"a":[2]}"#, false),
        (pointer, "prose", false),
    ];
    for (check, output, expected) in table {
        assert_eq!(passes(&check, output, &[]), expected, "{check:?} of {output:?}");
    }
}

#[test]
fn a_status_needs_a_call() {
    let zero = Check::ExitStatus { equals: 0 };
    assert!(!passes(&zero, "", &[]));
    assert!(passes(&zero, "", &[call(CallEnding::Exited { status: 0 }, None)]));
    assert!(passes(&zero, "", &[call(CallEnding::Returned, None)]));
    assert!(!passes(&zero, "", &[call(CallEnding::Returned, Some(FailureClass::Logical))]));
    assert!(!passes(&zero, "", &[call(CallEnding::TimedOut, Some(FailureClass::Environmental))]));
}

#[test]
fn a_failure_takes_the_class_that_the_machine_knows() {
    let calls = [call(CallEnding::Exited { status: 2 }, Some(FailureClass::Environmental))];
    let subject = Subject { output: "", tool_calls: &calls };
    let found = evaluate(&Check::OutputContains { value: "x".into() }, &subject, &world(Path::new("/")));
    assert_eq!(
        found,
        Finding::Fail {
            failure_class: FailureClass::Environmental,
            reason: "the output does not contain \"x\"".into(),
            evidence: Some(Evidence::Observation { text: "output: \"\"".into() }),
            also: Vec::new(),
        }
    );
}

/// An exit status can be an answer (grep, diff): a check that fails after it says more than the status does.
#[test]
fn a_status_that_nobody_can_read_leaves_a_logical_failure() {
    let table = [
        (Some(FailureClass::Unknown), FailureClass::Logical),
        (Some(FailureClass::Logical), FailureClass::Logical),
        (Some(FailureClass::Environmental), FailureClass::Environmental),
        (Some(FailureClass::Denied), FailureClass::Denied),
        (Some(FailureClass::Forbidden), FailureClass::Forbidden),
        (None, FailureClass::Logical),
    ];
    for (of_the_call, expected) in table {
        let calls = [call(CallEnding::Exited { status: 1 }, of_the_call)];
        let subject = Subject { output: "", tool_calls: &calls };
        let found = evaluate(&Check::OutputContains { value: "x".into() }, &subject, &world(Path::new("/")));
        let Finding::Fail { failure_class, .. } = found else { panic!("{found:?}") };
        assert_eq!(failure_class, expected);
    }
}

#[test]
fn checks_of_what_a_file_holds() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in
        [("t.csv", "a,b\n1,2\n"), ("x.json", r#"{"a": 1}"#), ("one", "x\ny\n"), ("two", "y\nx")]
    {
        fs::write(folder.path().join(name), content).unwrap();
    }
    fs::File::create(folder.path().join("huge")).unwrap().set_len(2 << 30).unwrap();
    let subject = Subject { output: "", tool_calls: &[] };
    let found = |check: &Check| evaluate(check, &subject, &world(folder.path()));
    let schema = |kind: &str| json!({"properties": {"a": {"type": kind}}});
    let columns = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    let table = |path: &str, names: &[&str], min_rows| Check::Table {
        path: path.into(),
        columns: columns(names),
        min_rows,
        max_rows: None,
    };
    let json = |path: &str, kind: &str| Check::FileJson { path: path.into(), schema: schema(kind) };
    let lines = |path: &str, other: &str| Check::SameLines { path: path.into(), other: other.into() };
    for (check, observed) in [
        (table("t.csv", &["a", "b"], Some(1)), r#"t.csv has 1 rows and the columns ["a", "b"]"#),
        (json("x.json", "integer"), "x.json is JSON and meets the schema"),
        (lines("one", "two"), "one has the same 2 lines as two"),
    ] {
        let evidence = Evidence::Observation { text: observed.to_owned() };
        assert_eq!(found(&check), Finding::Pass { evidence });
    }
    for (check, class) in [
        (table("t.csv", &["b", "a"], None), FailureClass::Logical),
        (table("t.csv", &[], Some(2)), FailureClass::Logical),
        (table("nowhere", &[], Some(1)), FailureClass::Logical),
        (table("huge", &[], Some(1)), FailureClass::Unknown),
        (json("x.json", "string"), FailureClass::Logical),
        (json("t.csv", "string"), FailureClass::Logical),
        (json("huge", "string"), FailureClass::Unknown),
        (json("x.json", "words"), FailureClass::Unknown),
        (lines("one", "t.csv"), FailureClass::Logical),
        (lines("one", "huge"), FailureClass::Unknown),
        (Check::CommandSucceeds { command: "true".to_owned() }, FailureClass::Unknown),
    ] {
        let Finding::Fail { failure_class, reason, .. } = found(&check) else { panic!("{check:?} passes") };
        assert_eq!(failure_class, class, "{check:?}: {reason}");
    }
}

/// A check that cannot be evaluated is not a pass, and says nothing about the approach.
#[test]
fn what_cannot_be_evaluated_is_unknown() {
    let subject = Subject { output: "(", tool_calls: &[] };
    let check = Check::OutputMatches { pattern: "(".into() };
    let found = evaluate(&check, &subject, &world(Path::new("/")));
    assert!(matches!(found, Finding::Fail { failure_class: FailureClass::Unknown, .. }), "{found:?}");
}

#[test]
fn checks_of_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new 文.txt"), "hello").unwrap();
    let world = world(folder.path());
    let subject = Subject { output: "", tool_calls: &[] };
    let table = [
        (Check::FileExists { path: "new 文.txt".into() }, true),
        (Check::FileExists { path: "~/new 文.txt".into() }, true),
        (Check::FileExists { path: "absent".into() }, false),
        (Check::FileAbsent { path: "absent".into() }, true),
        (Check::FileAbsent { path: "new 文.txt".into() }, false),
        (Check::FileContains { path: "new 文.txt".into(), value: "ell".into() }, true),
        (Check::FileContains { path: "new 文.txt".into(), value: "x".into() }, false),
        (Check::FileContains { path: ".".into(), value: "x".into() }, false),
        (Check::FileContains { path: "/dev/zero".into(), value: "x".into() }, false),
        (Check::FileHash { path: "new 文.txt".into(), sha256: HELLO.to_uppercase() }, true),
        (Check::FileHash { path: "new 文.txt".into(), sha256: HELLO.replace('2', "3") }, false),
        (Check::FileHash { path: "/dev/zero".into(), sha256: HELLO.into() }, false),
        (Check::FileNewer { path: "new 文.txt".into() }, true),
        (Check::FileUnchanged { path: "new 文.txt".into() }, false),
        (Check::FileUnchanged { path: "absent".into() }, false),
    ];
    for (check, expected) in table {
        let found = evaluate(&check, &subject, &world);
        assert_eq!(matches!(found, Finding::Pass { .. }), expected, "{check:?}: {found:?}");
    }
}

/// The SHA-256 of `hello`.
const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

#[test]
fn a_list_says_what_is_missing_and_what_is_too_much() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.txt", "b.txt", "c.md"] {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    let reason = |output: &str| {
        let check = Check::OutputLists { folder: ".".into(), pattern: "*.txt".to_owned() };
        match evaluate(&check, &Subject { output, tool_calls: &[] }, &world(folder.path())) {
            Finding::Pass { evidence: Evidence::Observation { text } } => text,
            Finding::Fail { failure_class: FailureClass::Logical, reason, evidence: Some(_), .. } => reason,
            other @ (Finding::Pass { .. } | Finding::Fail { .. }) => panic!("{other:?}"),
        }
    };
    assert_eq!(reason("b.txt\na.txt\n"), ". has 2 files that fit \"*.txt\", and the output names them all");
    assert_eq!(reason("a.txt"), ". has \"b.txt\", which the output does not name");
    assert_eq!(reason("a.txt\nb.txt\nc.md"), ". has no \"c.md\", which the output names");
    assert_eq!(reason("a.txt\nc.md"), ". has \"b.txt\", which the output does not name");
}

/// Neither present nor absent: a file that was not read to its end decides nothing.
#[test]
fn beyond_the_limits_nothing_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let large = fs::File::create(folder.path().join("large")).unwrap();
    large.set_len(2 * 1024 * 1024 * 1024).unwrap();
    let long = "x".repeat(LONGEST_MATCHED + 1);
    let unknown = |check: &Check, output: &str| {
        let subject = Subject { output, tool_calls: &[] };
        let found = evaluate(check, &subject, &world(folder.path()));
        matches!(found, Finding::Fail { failure_class: FailureClass::Unknown, .. })
    };
    assert!(unknown(&Check::FileContains { path: "large".into(), value: "x".into() }, ""));
    assert!(unknown(&Check::FileHash { path: "large".into(), sha256: HELLO.into() }, ""));
    assert!(unknown(&Check::OutputMatches { pattern: "x$".into() }, &long));
    assert!(!unknown(&Check::OutputMatches { pattern: "x$".into() }, &long[1..]));
    fs::write(folder.path().join("large"), "x").unwrap();
    assert!(!unknown(&Check::FileContains { path: "large".into(), value: "y".into() }, ""));
}

/// Finding: `CHANGELOG.md` was taken for a file of the workspace, where a stray copy lay.
#[test]
fn a_relative_path_means_the_working_folder_and_the_others_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let [home, workspace, tmpdir] = ["home", "workspace", "tmp"].map(|name| folder.path().join(name));
    for place in [&home, &workspace, &tmpdir] {
        fs::create_dir(place).unwrap();
    }
    fs::write(workspace.join("list.txt"), "new").unwrap();
    fs::write(tmpdir.join("scratch.txt"), "x").unwrap();
    let bare = Filesystem::new(&home, &home, Default::default());
    let world = bare.clone().with_workspace(&workspace).with_tmpdir(&tmpdir);
    let is_there = |path: &str, world: &Filesystem| {
        let check = Check::FileExists { path: path.into() };
        matches!(evaluate(&check, &Subject { output: "", tool_calls: &[] }, world), Finding::Pass { .. })
    };
    for (path, expected) in [
        ("list.txt", false),
        ("./list.txt", false),
        ("$WORKSPACE/list.txt", true),
        ("$WORKSPACE", true),
        ("$TMPDIR/scratch.txt", true),
        ("$TMPDIR/list.txt", false),
        ("$HOME/list.txt", false),
        ("docs/$WORKSPACE/list.txt", false),
    ] {
        assert_eq!(is_there(path, &world), expected, "{path}");
        assert!(!is_there(path, &bare), "{path}");
    }
    fs::write(home.join("list.txt"), "old").unwrap();
    let holds = Check::FileContains { path: "list.txt".into(), value: "new".to_owned() };
    let found = evaluate(&holds, &Subject { output: "", tool_calls: &[] }, &world);
    assert!(matches!(found, Finding::Fail { .. }), "the one in the working folder is meant");
}

/// Lesson 89: an old file was presented as the new download.
#[test]
fn lesson_89_an_old_file_is_not_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), "x").unwrap();
    let future = DateTime::parse_from_rfc3339("2999-01-01T00:00:00Z").unwrap();
    let world = Filesystem::new(folder.path(), folder.path(), future);
    let subject = Subject { output: "downloaded old", tool_calls: &[] };
    let found = evaluate(&Check::FileNewer { path: "old".into() }, &subject, &world);
    assert!(matches!(found, Finding::Fail { .. }));
}

/// Lesson 89 again, within one second: the file existed a moment before the run began, or only got an old
/// time.
#[test]
fn lesson_89_a_moment_before_the_run_is_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "x").unwrap();
    let made = DateTime::<chrono::Utc>::from(fs::metadata(&path).unwrap().modified().unwrap());
    let world_from =
        |start: DateTime<chrono::Utc>| Filesystem::new(folder.path(), folder.path(), start.fixed_offset());
    let subject = Subject { output: "", tool_calls: &[] };
    let passes =
        |check: &Check, world: &Filesystem| matches!(evaluate(check, &subject, world), Finding::Pass { .. });
    let newer = Check::FileNewer { path: path.clone() };
    let unchanged = Check::FileUnchanged { path: path.clone() };
    let later = world_from(made + chrono::TimeDelta::milliseconds(100));
    assert!(!passes(&newer, &later));
    assert!(passes(&unchanged, &later));
    let earlier = world_from(made - chrono::TimeDelta::milliseconds(100));
    assert!(passes(&newer, &earlier));
    assert!(!passes(&unchanged, &earlier));
    // Setting the content's time back does not hide a change.
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    assert!(!passes(&unchanged, &earlier));
}

/// A file that was written again with what it held is as it was, if its content from before is known.
#[test]
fn the_content_decides_whether_a_file_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("file");
    fs::write(&path, "x").unwrap();
    let start = DateTime::<chrono::Utc>::from(fs::metadata(&path).unwrap().modified().unwrap())
        - chrono::TimeDelta::seconds(10);
    let before = start - chrono::TimeDelta::seconds(60);
    let check = Check::FileUnchanged { path: path.clone() };
    let subject = Subject { output: "", tool_calls: &[] };
    for (original, expected) in [
        (None, false),
        (Some(Original { is_same: true, changed: before }), true),
        (Some(Original { is_same: false, changed: before }), false),
        // It was recorded after somebody had changed it.
        (Some(Original { is_same: true, changed: start + chrono::TimeDelta::seconds(5) }), false),
    ] {
        let is_it = path.clone();
        let originals = Originals::new(move |path| original.filter(|_| path == is_it));
        let world =
            Filesystem::new(folder.path(), folder.path(), start.fixed_offset()).with_originals(originals);
        let passes = matches!(evaluate(&check, &subject, &world), Finding::Pass { .. });
        assert_eq!(passes, expected, "{original:?}");
    }
}

#[test]
fn what_is_shown_of_a_file_is_cut_between_characters() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("文.txt"), "日记 one").unwrap();
    let world = world(folder.path());
    for (bytes, head, more) in [(0, "", 10), (1, "", 10), (3, "日", 7), (7, "日记 ", 3), (99, "日记 one", 0)]
    {
        let text = Content::Text { head: head.to_owned(), more };
        assert_eq!(world.content(Path::new("文.txt"), bytes), Some(text), "{bytes}");
    }
    assert_eq!(world.content(Path::new("."), 10), None);
    assert_eq!(world.content(Path::new("absent"), 10), None);
}

proptest! {
    #[test]
    fn hostile_outputs_and_values_never_panic(output in ".{0,300}", value in ".{0,60}") {
        for check in [
            Check::OutputEquals { value: value.clone() },
            Check::OutputContains { value: value.clone() },
            Check::OutputMatches { pattern: value.clone() },
            Check::OutputNumber { min: Some(f64::NAN), max: None },
            Check::JsonPointer { pointer: value.clone(), equals: json!(1) },
            Check::FileContains { path: value.clone().into(), value: output.clone() },
        ] {
            let _ = passes(&check, &output, &[]);
        }
    }
}
