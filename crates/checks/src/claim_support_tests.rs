//! Tests of which evidence supports an answer.

use artoo_types::{CallEnding, CallFailure, CallId, EarlierResult, OutputRecord, ToolName};
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::{Filesystem, Mentions};

fn unsupported_claim(answer: &str, verbatim: bool, tool_calls: &[ToolCall], named: &str) -> Option<String> {
    super::unsupported_claim(answer, verbatim, Record { tool_calls, earlier: &[] }, named)
}

/// A step that only summarised the results of others had to call a tool all the same.
#[test]
fn what_an_earlier_step_found_bears_an_answer_out() {
    let found = EarlierResult {
        intent: "Count".to_owned(),
        output: "31 in docs/a.txt".to_owned(),
        left_out_bytes: 0,
    };
    let record = Record { tool_calls: &[], earlier: &[found] };
    assert_eq!(super::unsupported_claim("docs/a.txt has 31 lines.", false, record, ""), None);
    assert!(super::unsupported_claim("32", false, record, "").is_some());
    assert!(super::unsupported_claim("docs/b.txt", false, record, "").is_some());
}

fn call(command: &str, output: &str, bytes: usize) -> ToolCall {
    ToolCall {
        output: OutputRecord { shown: output.to_owned(), bytes: bytes as u64, ..OutputRecord::default() },
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

fn whole(command: &str, output: &str) -> ToolCall {
    call(command, output, output.len())
}

#[test]
fn figures_must_be_shown() {
    let table = [
        ("3\n", "3", true),
        ("3\n", "There are 3 files.", true),
        ("3\n", "4", false),
        ("3\n", "-3", false),
        ("-3\n", "-3", true),
        ("1204\n", "1,204", true),
        ("1,204\n", "1204", true),
        ("5366.719999999\n", "5366.72", true),
        ("5366.719999999\n", "5367", true),
        ("5366.719999999\n", "5360", false),
        ("300B", "300", true),
        ("12K\tdocs", "12", true),
        ("2026-03-01", "1", true),
        ("a\nb\nc\n", "3", false), // counted in the head
        ("", "0", true),
        ("", "1", false),
        ("anything", "words and a full stop.", true),
        ("a b", "1. a\n2. b", true),
        ("a b", "1. a", false),
        ("a b", "2. a\n3. b", false),
    ];
    for (output, answer, borne) in table {
        let found = unsupported_claim(answer, false, &[whole("cat x", output)], "");
        assert_eq!(found.is_none(), borne, "{output:?}, {answer:?}: {found:?}");
    }
    assert_eq!(unsupported_claim("of the 10 it is 3", false, &[whole("wc", "3")], "Which of the 10?"), None);
    assert!(
        unsupported_claim("10", false, &[whole("wc", "3")], "Which of the 10?").is_some(),
        "the figure of the request"
    );
}

/// Lessons 1 and 9: "nothing" is an answer only if a search ran.
#[test]
fn nothing_is_shown_by_a_search_that_ran() {
    let failed = |class, stderr: &str| {
        let failure = Some(CallFailure { class, reason: "exit status 1".to_owned(), hint: None });
        let stderr = OutputRecord { shown: stderr.to_owned(), ..OutputRecord::default() };
        ToolCall { failure, stderr, ..whole("grep x a.txt", "") }
    };
    assert_eq!(unsupported_claim("0", false, &[failed(FailureClass::Unknown, "")], ""), None);
    assert!(
        unsupported_claim("0", false, &[failed(FailureClass::Environmental, "No such file")], "").is_some()
    );
    assert!(unsupported_claim("0", false, &[failed(FailureClass::Unknown, "broken")], "").is_some());
}

/// Observed with the embedded model: a file that does not exist had 0 lines, by two derivations.
#[test]
fn a_file_that_is_not_there_has_no_figure() {
    let stderr = "grep: docs/report.txt: No such file or directory";
    let failure = Some(CallFailure {
        class: FailureClass::Environmental,
        reason: "exit status 2".to_owned(),
        hint: None,
    });
    let stderr = OutputRecord { shown: stderr.to_owned(), ..OutputRecord::default() };
    let missed = ToolCall { failure, stderr, ..whole("grep -c '' docs/report.txt", "") };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("logs")).unwrap();
    std::fs::write(folder.path().join("logs/app.log"), "").unwrap();
    std::fs::create_dir(folder.path().join("2024 archive")).unwrap();
    std::fs::write(folder.path().join("2024 archive/notes.txt"), "").unwrap();
    let world = Filesystem::new(folder.path(), folder.path(), missed.started_at);
    let asked = "How many lines does docs/report.txt have?";
    let hidden = whole("cat docs/report.txt 2>/dev/null | wc -l", "0\n");
    let unread = ToolCall {
        tool: ToolName::new("read_file"),
        failure: Some(CallFailure {
            class: FailureClass::Environmental,
            reason: "cannot read docs/report.txt: No such file or directory (os error 2)".to_owned(),
            hint: None,
        }),
        ..whole("docs/report.txt", "")
    };
    let elsewhere = whole("find . -name report.txt -size 0", "./old/report.txt\n");
    let table = [
        ("0", asked, vec![missed.clone(), hidden.clone()], true),
        ("0", asked, vec![hidden.clone()], true),
        ("There are 0 lines in docs/report.txt.", asked, vec![hidden.clone()], true),
        ("0", "How many lines does report.txt have?", vec![unread], true),
        ("7", asked, vec![missed], false),
        ("0", asked, vec![hidden.clone(), elsewhere], false),
        ("0", "How many files are in docs?", vec![hidden.clone()], false),
        ("0", "How many lines does logs/app.log have?", vec![hidden.clone()], false),
        ("0", "How many lines in logs/app.log name docs/report.txt?", vec![hidden.clone()], false),
        ("0", "How many lines in 2024 archive/notes.txt are long?", vec![hidden.clone()], false),
        ("0", "How many lines below logs name /index.html?", vec![hidden], false),
    ];
    for (answer, intent, calls, missing) in table {
        let found = Mentions::of(intent, &world).missing_subject(answer, &calls);
        assert_eq!(found.is_some(), missing, "{answer:?} to {intent:?}: {found:?}");
    }
}

#[test]
fn names_must_be_shown_or_asked_about() {
    let listed = [whole("ls docs", "a.txt\nb.txt\n"), whole("wc -c docs/c.md", "20")];
    for known in ["docs/a.txt", "`b.txt`.", "c.md", "d.csv", "see e.g. a.txt", "1.5GB", "and/or"] {
        let found = unsupported_claim(known, false, &listed, "d.csv");
        assert_eq!(found, None, "{known}");
    }
    for unknown in ["z.txt", "docs/A.txt", "日记.txt"] {
        assert!(unsupported_claim(unknown, false, &listed, "").is_some(), "{unknown}");
    }
}

#[test]
fn what_a_call_was_given_is_no_evidence() {
    assert!(unsupported_claim("4", true, &[whole("echo 4", "4\n")], "").is_some());
    assert!(unsupported_claim("z.txt", false, &[whole("echo z.txt", "z.txt\n")], "").is_some());
    assert_eq!(
        unsupported_claim("blue", true, &[whole("echo blue", "blue\n")], ""),
        None,
        "words are for a reader"
    );
    assert_eq!(unsupported_claim("4", true, &[whole("echo $((2+2))", "4\n")], ""), None);
    assert_eq!(
        unsupported_claim("4", true, &[call("cat big", "head and tail", 9000)], ""),
        None,
        "a quotation"
    );
}

/// Lesson 83: an error text with numbers in it was accepted.
#[test]
fn lesson_83_a_complaint_is_no_answer() {
    let complaint = "cat: docs/404: No such file or directory";
    for verbatim in [true, false] {
        assert!(
            unsupported_claim(complaint, verbatim, &[whole("cat docs/404 2>&1; true", complaint)], "")
                .is_some()
        );
    }
    let shell = "/usr/bin/bash: line 1: frob: command not found\n";
    assert!(unsupported_claim(shell, true, &[whole("frob 2>&1; true", shell)], "").is_some());
    let traceback = "Traceback (most recent call last):\n  File \"<string>\", line 1\nKeyError: 'x'";
    assert!(
        unsupported_claim(traceback, true, &[whole("python3 -c 'x' 2>&1; true", traceback)], "").is_some()
    );
    // A requested log contains error messages of other programs.
    let log = "sshd: Permission denied for root";
    assert_eq!(unsupported_claim(log, true, &[whole("tail -n 1 auth.log", log)], ""), None);
    let mixed = format!("{complaint}\nthe rest of it");
    assert_eq!(unsupported_claim(&mixed, true, &[whole("cat docs/404 x 2>&1", &mixed)], ""), None);
}

proptest! {
    #[test]
    fn a_quotation_of_what_was_shown_is_borne_out(number in -99999i32..99999, decimals in 0u32..4) {
        let text = format!("{:.*}", decimals as usize, f64::from(number) / 100.0);
        prop_assert_eq!(unsupported_claim(&text, false, &[whole("cat x", &format!("sum: {text}\n"))], ""), None);
    }

    #[test]
    fn anything_is_read(answer in ".{0,60}", output in ".{0,60}", command in ".{0,30}") {
        let _ = unsupported_claim(&answer, false, &[whole(&command, &output)], "");
    }
}

/// `find ... -exec grep {} + | wc -l` printed 0 and succeeded, with find's error message on stderr. Two such
/// derivations agreed.
#[test]
fn a_count_behind_a_program_that_went_wrong_is_no_zero() {
    let said = |command: &str, output: &str, stderr: &str| {
        let stderr =
            OutputRecord { shown: stderr.to_owned(), bytes: stderr.len() as u64, ..OutputRecord::default() };
        ToolCall { stderr, ..whole(command, output) }
    };
    let wrong = "find: In \u{2018}-exec ... {} +\u{2019} the \u{2018}{}\u{2019} must appear by itself\n";
    let broken = [said("find notes -exec grep -o kitchen x{} + | wc -l", "0\n", wrong)];
    for answer in ["0", "none"] {
        assert!(unsupported_claim(answer, true, &broken, "").is_some(), "{answer}");
    }
    assert!(unsupported_claim("There are 0 files.", false, &broken, "").is_some());
    let silent = [said("find notes -exec grep -l x{} + | head", "", wrong)];
    assert!(unsupported_claim("0", false, &silent, "").is_some());
    // A non-zero count still stands, and a mere remark of a program is no error.
    let some = [said(
        "find notes nowhere -name '*.md' | wc -l",
        "3\n",
        "find: nowhere: No such file or directory\n",
    )];
    assert_eq!(unsupported_claim("3", true, &some, ""), None);
    for remark in ["find: warning: you have specified -maxdepth late\n", "grep: docs: Is a directory\n", ""] {
        let fine = [said("find docs -type f | grep -c x docs", "0\n", remark)];
        assert_eq!(unsupported_claim("0", true, &fine, ""), None, "{remark}");
        assert_eq!(unsupported_claim("There are 0.", false, &fine, ""), None, "{remark}");
    }
}
