//! Snapshots and property tests of approval questions.

use artoo_types::{
    CallId, CheckedOut, CommittedChange, CommittedFile, EffectKind, GitMoves, HeadMove, NewCommit,
    PathSample, PreviewedKind, ProposedCommit, RefMove, SubTaskId,
};
use proptest::prelude::*;

use super::*;
use crate::terminal::{Look, width};

fn frame(columns: usize) -> Frame {
    Frame::new(Look { columns, colour: false, live: true, words: false }, false)
}

fn change(kind: PreviewedKind, path: &str) -> PreviewedChange {
    let (before, after) = match kind {
        PreviewedKind::Deleted => (Some(3_000), None),
        PreviewedKind::Changed => (Some(1_200), Some(1_180)),
        PreviewedKind::Created => (None, Some(40)),
        PreviewedKind::Renamed | PreviewedKind::Attributes => (None, None),
    };
    PreviewedChange {
        path: path.into(),
        change: kind,
        from: None,
        bytes_before: before.filter(|_| !path.ends_with('/')),
        bytes_after: after.filter(|_| !path.ends_with('/')),
        mode_before: None,
        mode_after: None,
        diff: None,
        autorun: None,
        build_output: None,
    }
}

fn renamed(from: &str, to: &str) -> PreviewedChange {
    PreviewedChange { from: Some(from.into()), ..change(PreviewedKind::Renamed, to) }
}

fn changed(path: &str, diff: &str) -> PreviewedChange {
    let diff = format!("--- before\n+++ after\n{diff}");
    PreviewedChange { diff: Some(diff), ..change(PreviewedKind::Changed, path) }
}

fn effect(kind: EffectKind, what: &str) -> Effect {
    Effect { kind, what: what.to_owned(), word: "w".to_owned(), why: "`tidy` does that".to_owned() }
}

fn asked(command: &str, effects: Vec<Effect>, changes: Vec<PreviewedChange>) -> ApprovalRequested {
    ApprovalRequested {
        subtask_id: SubTaskId::new(uuid::Uuid::nil()),
        call_id: CallId::new(uuid::Uuid::nil()),
        tool: ToolName::new("shell"),
        command: command.to_owned(),
        effects,
        changes,
        commit: None,
        moves: None,
        rule: "consent-to-change".to_owned(),
        reason: artoo_shell_effects::DecidedBy::ConsentToChange.words().to_owned(),
        person: true,
        always: None,
        because: Vec::new(),
    }
}

#[test]
fn a_commit() {
    let file =
        |path: &str, change, is_repository| CommittedFile { path: path.to_owned(), change, is_repository };
    let commit = ProposedCommit {
        repository: "/home/ada/notes".into(),
        branch: "main".to_owned(),
        author: "Ada <ada@example.org>".to_owned(),
        message: "Sort the index\n\nIt was \u{202e}unsorted.".to_owned(),
        files: (1..=7)
            .map(|number| file(&format!("part-{number}.txt"), CommittedChange::Added, false))
            .chain([
                file("index", CommittedChange::Changed, false),
                file("old", CommittedChange::Deleted, false),
                file("sub", CommittedChange::Changed, true),
                file("run", CommittedChange::Mode, false),
                file("link", CommittedChange::Kind, false),
            ])
            .collect(),
        left_out: vec!["the hook pre-commit is not run".to_owned()],
    };
    let question = ApprovalRequested {
        tool: ToolName::new("git_commit"),
        reason: "a commit becomes part of the history of your branch; nothing is pushed".to_owned(),
        commit: Some(commit),
        ..asked("git_commit Sort the index", vec![effect(EffectKind::Commits, "/home/ada/notes")], Vec::new())
    };
    insta::assert_snapshot!(screens(&question, 100));
}

#[test]
fn what_moves_in_a_repository() {
    let id = |digit: &str| Some(digit.repeat(40));
    let moved =
        |name: &str| RefMove { from: id("a"), to: id("b"), new_commits: Some(2), ..RefMove::of(name) };
    let commit = |number: u32| NewCommit {
        id: format!("{number:040}"),
        subject: format!("Part {number} \u{202e}"),
        author: "Ada <ada@example.org>".to_owned(),
        is_merge: number == 2,
    };
    let moves = GitMoves {
        references: vec![RefMove { lost_commits: Some(1), ..moved("refs/heads/topic") }, moved("refs/stash")],
        head: Some(HeadMove {
            from: CheckedOut::Branch("main".into()),
            to: CheckedOut::Commit("c".repeat(40)),
        }),
        conflicts: PathSample { named: vec!["a.txt".to_owned()], more: 1 },
        commits: (1..=6).map(commit).collect(),
        ..GitMoves::of("/home/ada/notes")
    };
    let question = ApprovalRequested {
        moves: Some(Box::new(moves)),
        ..asked(
            "git rebase main topic",
            vec![effect(EffectKind::Commits, "/home/ada/notes")],
            vec![changed("/home/ada/notes/a.txt", "-1\n+2\n")],
        )
    };
    insta::assert_snapshot!(screens(&question, 100));
}

/// The first screen and the details.
fn screens(asked: &ApprovalRequested, columns: usize) -> String {
    let first = first_screen(asked, None, frame(columns)).join("\n");
    let all = details(asked, frame(columns)).join("\n");
    let text = format!("{first}\n-- d\n{all}\n");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    text
}

/// Only the first screen, if the details are too long for a snapshot.
fn first(asked: &ApprovalRequested, columns: usize) -> String {
    let lines = first_screen(asked, None, frame(columns));
    let taken: usize = lines.iter().map(|line| width(line).div_ceil(columns).max(1)).sum();
    format!("{}\n-- {taken} lines of the terminal\n", lines.join("\n"))
}

/// Sixty renames, twenty-five changes, three new files, and a single deletion.
fn tidy() -> ApprovalRequested {
    let mut changes = Vec::new();
    for n in 0..60 {
        changes.push(renamed(
            &format!("/home/ada/photos/IMG_{n:04}.jpg"),
            &format!("/home/ada/photos/2024-{n:02}.jpg"),
        ));
    }
    for n in 0..25 {
        changes.push(changed(&format!("/home/ada/photos/notes/{n}.md"), "@@ -1 +1 @@\n-old\n+new\n"));
    }
    changes.insert(44, change(PreviewedKind::Deleted, "/home/ada/photos/wedding.jpg"));
    changes
        .extend((0..3).map(|n| change(PreviewedKind::Created, &format!("/home/ada/photos/index-{n}.html"))));
    // Creating a file needs no consent, so it has no effect here.
    let beyond = changes.iter().filter(|change| change.change != PreviewedKind::Created);
    let effects = beyond.map(|change| match &change.from {
        None if change.change == PreviewedKind::Changed => {
            effect(EffectKind::Overwrites, &change.path.display().to_string())
        }
        from => effect(EffectKind::Deletes, &from.as_ref().unwrap_or(&change.path).display().to_string()),
    });
    let effects = effects.collect();
    asked("python3 tidy.py", effects, changes)
}

#[test]
fn one_deletion_among_many_changes() {
    insta::assert_snapshot!(first(&tidy(), 80));
    let all = details(&tidy(), frame(80)).join("\n");
    for n in 0..60 {
        assert!(all.contains(&format!("renames /home/ada/photos/IMG_{n:04}.jpg -> ")), "{all}");
    }
    assert_eq!((all.matches("  -old\n").count(), all.matches("deletes ").count()), (25, 1));
}

#[test]
fn at_40_columns() {
    insta::assert_snapshot!(first(&tidy(), 40));
}

/// A new file, and who would run it without being asked to.
fn later(path: &str, by: &str) -> PreviewedChange {
    let autorun = Some(format!("this file will be run by {by}"));
    let diff = Some("--- nothing\n+++ after\n@@ -0,0 +1 @@\n+import os\n".to_owned());
    PreviewedChange { autorun, diff, ..change(PreviewedKind::Created, path) }
}

#[test]
fn what_a_program_runs_by_itself_is_told_with_the_reason() {
    let changes = vec![
        change(PreviewedKind::Created, "/home/ada/p/a.txt"),
        later("/home/ada/p/conftest.py", "pytest, before the tests of its folder and of those below"),
        later("/home/ada/bin/ls", "whoever types its name: its folder is in PATH"),
    ];
    let effects =
        changes[1..].iter().map(|change| effect(EffectKind::Creates, change.path.to_str().unwrap()));
    insta::assert_snapshot!(screens(&asked("python3 setup.py", effects.collect(), changes), 80));
}

#[test]
fn many_that_programs_run_by_themselves_keep_their_reasons() {
    let by = ["node, where a program imports it", "git, as a hook", "make", "pytest"];
    let late = (0..40).map(|n| later(&format!("/home/ada/p/node_modules/{n}/index.js"), by[n % 4]));
    let plain =
        (0..40).map(|n| change(PreviewedKind::Created, &format!("/home/ada/p/node_modules/{n}/x.txt")));
    let changes: Vec<PreviewedChange> = late.chain(plain).collect();
    insta::assert_snapshot!(first(&asked("npm ci", Vec::new(), changes), 80));
}

#[test]
fn an_indentation_only_difference() {
    let diff = "@@ -1,4 +1,4 @@\n def sum(all):\n-    total = 0\n+\ttotal = 0\n-    return  total\n+        return  total  \n \n";
    let changes = vec![changed("/home/ada/sum.py", diff)];
    let command = "sed -i 's/    total/\\t total/'  sum.py\n\n  # twice ";
    insta::assert_snapshot!(screens(&asked(command, Vec::new(), changes), 80));
}

#[test]
fn a_difference_of_400_lines() {
    let lines: String = (0..200).map(|n| format!("-old line {n}\n+new line {n}\n")).collect();
    let changes = vec![
        changed("/home/ada/long.txt", &format!("@@ -1,200 +1,200 @@\n{lines}")),
        changed("/home/ada/short.txt", "@@ -1 +1 @@\n-1\n+2\n"),
    ];
    let asked = asked("python3 edit.py", Vec::new(), changes);
    insta::assert_snapshot!(first(&asked, 80));
    let all = details(&asked, frame(80));
    assert_eq!(all.iter().filter(|line| line.contains(" line ")).count(), 400);
}

#[test]
fn what_is_not_seen_in_names_and_differences() {
    let changes = vec![
        change(PreviewedKind::Deleted, "/home/ada/gone\u{202e}txt.exe"),
        changed(
            "/home/ada/a\u{200b}b\tc  d ",
            "@@ -1 +1 @@\n-pay \u{2066}ada\u{2069}\r\n+pay\u{a0}\u{ad}eve \u{1b}[2J\n",
        ),
    ];
    let command = "rm 'a\u{200d}b'\n\u{1b}[1A\u{1b}[2Kecho harmless";
    insta::assert_snapshot!(screens(&asked(command, Vec::new(), changes), 80));
}

#[test]
fn a_mode() {
    let mode = |kind, path: &str, before, after| PreviewedChange {
        mode_before: Some(before),
        mode_after: Some(after),
        ..change(kind, path)
    };
    let changes = vec![
        mode(PreviewedKind::Attributes, "/home/ada/run.sh", 0o755, 0o644),
        mode(PreviewedKind::Changed, "/home/ada/tool", 0o644, 0o4755),
        change(PreviewedKind::Attributes, "/home/ada/touched"),
    ];
    insta::assert_snapshot!(screens(&asked("chmod -x run.sh", Vec::new(), changes), 80));
}

#[test]
fn a_folder_that_goes_with_all_that_is_in_it() {
    let mut changes: Vec<_> = (0..812)
        .map(|n| change(PreviewedKind::Deleted, &format!("/home/ada/app/build/{}/o{n}.o", n % 39)))
        .collect();
    changes.extend((0..39).map(|n| change(PreviewedKind::Deleted, &format!("/home/ada/app/build/{n}/"))));
    changes.push(change(PreviewedKind::Deleted, "/home/ada/app/build/"));
    let whole = asked("make clean", Vec::new(), changes.clone());
    // The same without the folder entries, from two places.
    changes.retain(|change| !change.path.to_string_lossy().ends_with('/'));
    changes.push(change(PreviewedKind::Deleted, "/home/ada/other/only.txt"));
    let scattered = asked("make clean", Vec::new(), changes);
    insta::assert_snapshot!(format!("{}{}", first(&whole, 80), first(&scattered, 80)));
    assert_eq!(details(&whole, frame(80)).iter().filter(|line| line.contains("deletes ")).count(), 852);
}

#[test]
fn a_question_without_changes() {
    let effects = vec![
        effect(EffectKind::Creates, "/home/ada/page.html"),
        effect(EffectKind::Network, "https://example.org/page"),
        effect(EffectKind::Unknown, "./after.sh"),
        effect(EffectKind::Deletes, "/home/ada/old.html"),
    ];
    let mut one = asked("curl -o page.html https://example.org/page", effects, Vec::new());
    let few = screens(&one, 80);
    one.effects = (0..30).map(|n| effect(EffectKind::Network, &format!("https://example.org/{n}"))).collect();
    one.effects.extend((0..30).map(|n| effect(EffectKind::Overwrites, &format!("/home/ada/{}/f{n}", n % 3))));
    one.person = false;
    insta::assert_snapshot!(format!("{few}\n{}", first(&one, 80)));
}

/// Effects without a corresponding change are listed, even on files: for example, the old
/// name of a file that was moved over another one.
#[test]
fn effects_that_no_change_says_are_said() {
    let effects = vec![
        effect(EffectKind::Overwrites, "/home/ada/b"),
        effect(EffectKind::Deletes, "/home/ada/a"),
        effect(EffectKind::Deletes, "/home/ada/c"),
        effect(EffectKind::Creates, "/home/ada/d"),
        effect(EffectKind::Network, "example.org"),
    ];
    let changes = vec![change(PreviewedKind::Changed, "/home/ada/b"), renamed("/home/ada/c", "/home/ada/d")];
    insta::assert_snapshot!(screens(&asked("mv a b", effects, changes), 80));
}

#[test]
fn a_command_of_one_long_line_and_one_of_many_lines() {
    let long = format!("echo {}; rm -r /", "x".repeat(5_000));
    let many: String = (0..100).map(|n| format!("echo {n}\n")).collect();
    let shown = [long, many].map(|command| first(&asked(&command, Vec::new(), Vec::new()), 80));
    insta::assert_snapshot!(shown.concat());
}

fn of_tool(tool: &str, command: &str, changes: Vec<PreviewedChange>) -> ApprovalRequested {
    ApprovalRequested { tool: ToolName::new(tool), ..asked(command, Vec::new(), changes) }
}

/// A question starts with what would be done, on what, and how much of it.
#[test]
fn a_question_starts_with_the_action() {
    let folder = std::path::Path::new("/home/ada/p");
    let edit = "@@ -1,2 +1,4 @@\n-a\n+b\n+c\n+d\n";
    let money = changed("/home/ada/p/tally/money.py", edit);
    let gone = |path: &str| change(PreviewedKind::Deleted, path);
    let near = Effect { word: "curl".to_owned(), ..effect(EffectKind::Network, "http://127.0.0.1:8123") };
    let rest = Effect { word: String::new(), ..effect(EffectKind::Unknown, "the command ce9e1598") };
    let questions = [
        of_tool("edit_file", "edit_file /home/ada/p/tally/money.py", vec![money.clone()]),
        of_tool(
            "write_file",
            "write_file a.bin",
            vec![PreviewedChange { diff: None, ..changed("/home/ada/p/a.bin", "") }],
        ),
        asked("sed -i s/a/b/ tally/money.py", Vec::new(), vec![money.clone()]),
        asked("rm a.txt b.txt", Vec::new(), vec![gone("/home/ada/p/a.txt"), gone("/home/ada/p/b.txt")]),
        asked("rm a.txt", Vec::new(), vec![gone("/home/ada/p/a.txt")]),
        asked("mv a.txt b.txt", Vec::new(), vec![renamed("/home/ada/p/a.txt", "/home/ada/p/b.txt")]),
        asked("cargo test", vec![rest], Vec::new()),
        asked("curl http://127.0.0.1:8123", vec![near], Vec::new()),
        asked("sed -i s/a/b/ tally/money.py; rm a.txt", Vec::new(), vec![money, gone("/home/ada/p/a.txt")]),
        of_tool("send_mail", "to=eve", Vec::new()),
        ApprovalRequested { person: false, ..asked("rm /etc/x", Vec::new(), vec![gone("/etc/x")]) },
    ];
    let mut text = String::new();
    for question in &questions {
        text.push_str(&first_screen(question, Some(folder), frame(80)).join("\n"));
        text.push_str("\n--\n");
    }
    insta::assert_snapshot!(text);
}

/// Why it is asked is told where it is more than that what was there changes only with consent.
#[test]
fn a_rule_of_the_person_is_told_with_its_reason() {
    let standing = artoo_shell_effects::DecidedBy::ConsentToChange.words();
    let said = |rule: &str, reason: &str| {
        let question = ApprovalRequested {
            rule: rule.to_owned(),
            reason: reason.to_owned(),
            ..asked("ls", Vec::new(), Vec::new())
        };
        first_screen(&question, None, frame(80))
    };
    assert_eq!(said("consent-to-change", standing), ["Run ls?"]);
    let beyond = format!("{standing}; 14 bytes do not fit");
    assert_eq!(said("consent-to-change", &beyond), ["Run ls?", "  14 bytes do not fit"]);
    assert_eq!(
        said("policy-rule", "rule 1 of policy.toml: ask me"),
        ["Run ls?", "  rule 1 of policy.toml: ask me"]
    );
}

fn kind() -> impl Strategy<Value = PreviewedKind> {
    use PreviewedKind::{Attributes, Changed, Created, Deleted, Renamed};
    prop::sample::select(vec![Deleted, Changed, Renamed, Attributes, Created])
}

prop_compose! {
    fn any_change()(kind in kind(), path in "(/[abc数]{1,12}){1,5}/?", from in "(/[abc]{1,5}){1,4}", lines in 0usize..60, by in prop::option::weighted(0.2, "[a-d]{0,2}")) -> PreviewedChange {
        let diff = (lines > 0 && kind == PreviewedKind::Changed).then(|| "-old\n".repeat(lines));
        let from = (kind == PreviewedKind::Renamed).then(|| from.into());
        let autorun = by.filter(|_| matches!(kind, PreviewedKind::Created | PreviewedKind::Renamed));
        PreviewedChange { diff, from, autorun, ..change(kind, &path) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// For any input: the question fits, every kind has its count, and each
    /// deleted path is listed or in a listed group.
    #[test]
    fn a_question_fits_and_loses_no_deletion(
        changes in prop::collection::vec(any_change(), 0..120),
        command in "([a-z ]{0,300}\n){0,30}",
        columns in 60usize..200,
    ) {
        let asked = asked(&command, Vec::new(), changes.clone());
        let lines = first_screen(&asked, None, frame(columns));
        let taken: usize = lines.iter().map(|line| width(line).div_ceil(columns).max(1)).sum();
        prop_assert!(taken <= 30, "{} lines:\n{}", taken, lines.join("\n"));
        let text = lines.join("\n");
        let going: Vec<_> = changes.iter().filter(|change| change.change == PreviewedKind::Deleted).collect();
        let is_one = changes.len() == 1 && lines[0].starts_with("Delete ");
        let said: usize = usize::from(is_one) + lines.iter().filter(|line| line.contains("   deletes ")).map(|line| {
            let numbers = |noun: &str| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let is_noun = |word: &str| word == noun || word == format!("{noun}s");
                words.windows(2).filter(|pair| is_noun(pair[1])).find_map(|pair| pair[0].parse::<usize>().ok())
            };
            match (numbers("file"), numbers("folder")) {
                (None, None) => 1,
                (files, folders) => files.unwrap_or(0) + folders.unwrap_or(0),
            }
        }).sum::<usize>();
        prop_assert_eq!(said, going.len(), "{}", text);
        if !going.is_empty() && changes.len() > 1 {
            let counted = format!("{} deleted", going.len());
            prop_assert!(text.contains(&counted), "{}", text);
        }
        // Whatever is left out is announced, and `d` shows it.
        let all = details(&asked, frame(columns));
        let lines_of = |lines: &[String]| lines.iter().filter(|line| line.trim_end().ends_with("-old")).count();
        let is_announced = text.contains("d shows all of it");
        prop_assert!(is_announced || lines_of(&lines) == lines_of(&all));
        prop_assert_eq!(lines_of(&all), changes.iter().filter_map(|change| change.diff.as_ref()).map(|diff| diff.lines().count()).sum::<usize>());
    }
}

#[test]
fn build_output_is_one_row_a_folder() {
    let built = |kind, path: &str, files| PreviewedChange { build_output: Some(files), ..change(kind, path) };
    let changes = vec![
        change(PreviewedKind::Created, "/home/ada/tally/new.rs"),
        built(PreviewedKind::Created, "/home/ada/tally/out/", 1),
        built(PreviewedKind::Changed, "/home/ada/tally/target/", 350),
        changed("/home/ada/tally/a.rs", "@@ -1 +1 @@\n-old\n+new\n"),
    ];
    let question = asked("make", vec![effect(EffectKind::Overwrites, "/home/ada/tally/a.rs")], changes);
    insta::assert_snapshot!(screens(&question, 100));
}
