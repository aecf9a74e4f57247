//! Tests of the approval of a command that would delete a user's file, with and without a terminal.

use std::fs;
use std::path::PathBuf;

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, shell};
use crate::process::{Said, ended, say_with_input};
use crate::screen::Screen;

const REQUEST: &str = "How many files are left?";
const ASKED: &str = "or say what to do instead > ";

/// A model that deletes a file to answer, and follows an instruction if that is refused.
fn scene() -> Scene {
    let scene = Scene::new(model(count_plan("Remove the notes and count the rest"), |shown| {
        if shown.contains("the user did not allow it, and says: count them only") {
            shell("find ~/artoo_workspace -type f | wc -l")
        } else {
            shell("rm ~/artoo_workspace/notes.txt\necho 0")
        }
    }));
    fs::create_dir_all(notes(&scene).parent().unwrap()).unwrap();
    fs::write(notes(&scene), "a year's work\n").unwrap();
    scene
}

fn notes(scene: &Scene) -> PathBuf {
    scene.home().join("artoo_workspace/notes.txt")
}

/// Runs at a terminal and types `typed` at the question: the exit code, the
/// screen, and whether the file still exists.
fn at_a_terminal(columns: u16, typed: &str) -> (Option<i32>, String, bool) {
    let scene = scene();
    let mut screen = Screen::new(columns);
    let mut command = scene.artoo(&["run", REQUEST]);
    command.env("TERM", "dumb");
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    screen.until_shown("instead > ");
    assert!(notes(&scene).exists(), "nothing happens before the answer");
    screen.types(typed);
    let code = ended(&mut child).code();
    (code, screen.end().0, notes(&scene).exists())
}

#[test]
fn the_exact_effect_is_shown_and_a_yes_allows_it() {
    let (code, screen, is_left) = at_a_terminal(160, "y\n");
    assert_eq!((code, is_left), (Some(0), false), "{screen}");
    let parts = [
        "notes.txt? (14 B)",
        "$ rm ~/artoo_workspace/notes.txt",
        "$ echo 0",
        ASKED,
        "allowed once: the person agreed",
        "✓ Done",
    ];
    let mut rest = screen.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` after what came before in\n{screen}"));
        rest = &rest[at..];
    }
}

const RULES: &str = ".config/artoo/policy.toml";
const OFFERED: &str = "a: always, by a rule   N: no   s: stop the run   or say what to do instead > ";
const WHY: &str = "(empty: back to the question) > ";

/// Runs at a terminal; waits for each shown text and types the answer to it.
/// Returns the exit code and the screen.
fn talk(scene: &Scene, steps: &[(&str, &str)]) -> (Option<i32>, String) {
    talk_in(scene, &["run", REQUEST], steps)
}

fn talk_in(scene: &Scene, line: &[&str], steps: &[(&str, &str)]) -> (Option<i32>, String) {
    let (code, screen, _) = Screen::new(160).talk(scene.artoo(line), steps);
    (code, screen)
}

/// The rule is shown, gets a reason, is written and recorded, and the next run does not ask.
#[test]
fn always_is_a_rule_in_the_file_and_the_next_run_does_not_ask() {
    let scene = scene();
    let (code, screen) = talk(&scene, &[(OFFERED, "a\n"), (WHY, "notes are short-lived\n")]);
    assert_eq!((code, notes(&scene).exists()), (Some(0), false), "{screen}");
    let parts = [
        "this rule would be added to /",
        "  paths = [\"~/artoo_workspace/notes.txt\"]",
        "  reason = \"(what you type next)\"",
        WHY,
        "rule 1 was added to /",
        "allowed always: the person agreed, by a rule: notes are short-lived",
        "✓ Done",
    ];
    let mut rest = screen.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` after what came before in\n{screen}"));
        rest = &rest[at..];
    }
    let rules = fs::read_to_string(scene.home().join(RULES)).unwrap();
    let expected = r#"[[rule]]
decision = "allow"
effects = ["deletes"]
program = "rm"
paths = ["~/artoo_workspace/notes.txt"]
reason = "notes are short-lived"
matches = ["rm ~/artoo_workspace/notes.txt\necho 0"]
spares = ["rm ~/artoo_workspace/other-notes.txt", "unlink ~/artoo_workspace/notes.txt"]
"#;
    assert_eq!(rules, expected);
    let journal = scene.journal();
    let decided = journal.lines().find(|line| line.contains("approval_decided")).unwrap();
    for part in ["\"scope\":\"always\"", "\"paths\":[\"~/artoo_workspace/notes.txt\"]"] {
        assert!(decided.contains(part), "{decided}");
    }
    let audited = fs::read_to_string(scene.home().join(".artoo/audit.jsonl")).unwrap();
    assert!(audited.contains("\"scope\":\"always\"") && !audited.contains("notes.txt"), "{audited}");
    let listed = scene.say(&["policy", "rules"]).ended(0).out;
    assert!(listed.contains("  1  allow  deletes by rm in ~/artoo_workspace/notes.txt"), "{listed}");

    fs::write(notes(&scene), "a year's work\n").unwrap();
    let said = scene.say(&["run", REQUEST]).ended(0);
    assert!(said.err.contains("rule 1 of policy.toml: notes are short-lived"), "{}", said.err);
    assert!(!notes(&scene).exists());
    // A file next to it still needs approval.
    let other = notes(&scene).with_file_name("other-notes.txt");
    let checked = scene.say(&["policy", "check", &format!("rm {}", other.display())]).ended(0).out;
    assert!(checked.contains("consent-to-change") || !checked.contains("policy-rule"), "{checked}");
}

/// Without a reason, or if the file cannot be written, the question is repeated and nothing is granted.
#[test]
fn a_rule_that_cannot_be_written_grants_nothing() {
    let scene = scene();
    let folder = scene.home().join(".config/artoo");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(folder.join("policy.toml.new/x")).unwrap();
    let steps = [(OFFERED, "a\n"), (WHY, "\n"), (OFFERED, "a\n"), (WHY, "because\n"), (OFFERED, "n\n")];
    let (code, screen) = talk(&scene, &steps);
    assert_eq!((code, notes(&scene).exists()), (Some(5), true), "{screen}");
    for part in
        ["no reason, no rule", "error: the rule was not written to", "not allowed: the person did not"]
    {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    assert!(!scene.home().join(RULES).exists() && !scene.journal().contains("always\",\"reason"));
}

/// The end of the input is neither a reason nor an answer.
#[test]
fn the_end_of_the_input_while_a_reason_is_awaited_is_a_no() {
    let scene = scene();
    let (code, screen) = talk(&scene, &[(OFFERED, "a\n"), (WHY, "\u{4}"), (OFFERED, "\u{4}")]);
    assert_eq!((code, notes(&scene).exists()), (Some(5), true), "{screen}");
    assert!(!scene.home().join(RULES).exists());
}

/// A call whose effects only show when it runs cannot be described by a rule.
#[test]
fn where_no_rule_says_it_always_is_not_offered() {
    let hidden = "x=rm; printf -v y %s notes.txt; \"$x\" ~/artoo_workspace/\"$y\"; echo 0";
    let scene = Scene::new(model(count_plan("Remove the notes and count the rest"), move |_| shell(hidden)));
    fs::create_dir_all(notes(&scene).parent().unwrap()).unwrap();
    fs::write(notes(&scene), "a year's work\n").unwrap();
    let (code, screen) = talk(&scene, &[(ASKED, "always\n"), (ASKED, "n\n")]);
    assert_eq!((code, notes(&scene).exists()), (Some(5), true), "{screen}");
    assert!(!screen.contains("by a rule   N"), "{screen}");
    assert!(screen.contains("no rule can say this and nothing else: always is no answer here"), "{screen}");
    assert!(!scene.home().join(RULES).exists());
}

/// A file too large to be kept for undo is asked about separately: a yes allows the
/// change, and undo reports what it cannot restore.
#[test]
fn what_cannot_be_undone_is_said_before_and_after() {
    let line = ["run", "-c", "undo.max_run_bytes=10", REQUEST];
    let told = "14 bytes of what it may change do not fit into the 10 bytes";
    for (typed, code, is_left) in [("n\n", 5, true), ("y\n", 0, false)] {
        let scene = scene();
        let (ended_with, screen) = talk_in(&scene, &line, &[(ASKED, typed)]);
        assert_eq!((ended_with, notes(&scene).exists()), (Some(code), is_left), "{screen}");
        assert!(screen.contains(told) && !screen.contains("by a rule   N"), "{screen}");
        let listed = scene.say(&["runs", "list"]).ended(0).out;
        assert_eq!(listed.contains("too large"), !is_left, "{listed}");
        if !is_left {
            let said = scene.say(&["runs", "undo", "last"]).ended(1);
            assert!(said.err.contains("notes.txt") && said.err.contains("did not fit"), "{}", said.err);
        }
    }
    // Without a person to ask, the answer is no, as before.
    let scene = scene();
    scene.say(&line).ended(5);
    assert!(notes(&scene).exists());
}

/// A no, an empty line, the end of the input (Ctrl+D), a typing mistake.
#[test]
fn a_no_leaves_the_file_and_ends_with_5() {
    for typed in ["n\n", "\n", "\u{4}", "yy\n"] {
        let (code, screen, is_left) = at_a_terminal(160, typed);
        assert_eq!((code, is_left), (Some(5), true), "{typed:?}\n{screen}");
        assert!(screen.contains("not allowed: the person did not agree"), "{screen}");
        assert!(!screen.contains("✓ Done"), "{screen}");
    }
}

#[test]
fn words_are_done_instead() {
    let (code, screen, is_left) = at_a_terminal(160, "count them only\n");
    assert_eq!((code, is_left), (Some(0), true), "{screen}");
    assert!(screen.contains("not allowed: the person did not agree; instead: count them only"), "{screen}");
}

#[test]
fn twenty_columns_show_the_whole_question() {
    let (code, screen, is_left) = at_a_terminal(20, "n\n");
    assert_eq!((code, is_left), (Some(5), true), "{screen}");
    let together: String = screen.split('\n').map(str::trim_end).collect();
    assert!(together.contains("rm ~/artoo_workspace/notes.txt"), "{screen}");
}

/// The answer is no, the run ends by itself, and nothing was changed.
#[test]
fn where_nobody_can_be_asked_nothing_is_touched() {
    let check = |said: Said, scene: &Scene| {
        let said = said.ended(5);
        assert_eq!(fs::read_to_string(notes(scene)).unwrap(), "a year's work\n");
        assert!(scene.journal().contains("approval_decided"), "it is on record");
        said
    };
    for options in [&[][..], &["--quiet"], &["--approval", "never"], &["--approval", "ask"], &["--json"]] {
        let scene = scene();
        let line = [&["run"], options, &[REQUEST]].concat();
        let said = check(scene.say(&line), &scene);
        if options == ["--json"] {
            assert!(
                said.out.contains("\"approval.requested\"") && said.out.contains("\"exit_code\":5"),
                "{}",
                said.out
            );
        } else if options.is_empty() {
            assert!(said.err.contains("not allowed: nobody is there to be asked"), "{}", said.err);
            let hint = "hint: at a terminal you are asked; in advance it is granted by `--yes ";
            assert!(said.err.contains(hint), "{}", said.err);
        }
    }
    // Standard input from a pipe does not count as a person, whether it is empty or says yes.
    for input in [&b""[..], b"y\ny\n"] {
        let scene = scene();
        check(say_with_input(&mut scene.artoo(&["run", REQUEST]), input), &scene);
    }
}

#[test]
fn never_means_that_a_person_at_a_terminal_is_not_asked_either() {
    let scene = scene();
    let screen = Screen::new(160);
    let mut command = scene.artoo(&["run", "--approval", "never", REQUEST]);
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    assert_eq!(ended(&mut child).code(), Some(5));
    assert!(screen.end().0.contains("not allowed: nobody is to be asked"));
    assert!(notes(&scene).exists());
}

#[test]
fn a_kind_of_effect_is_granted_in_advance() {
    let scene = scene();
    scene.say(&["run", "--yes", "overwrites", REQUEST]).ended(5);
    assert!(notes(&scene).exists());
    let said = scene.say(&["run", "--yes", "overwrites", "--yes", "deletes", REQUEST]).ended(0);
    assert!(!notes(&scene).exists() && said.err.contains("granted in advance: deletes"), "{}", said.err);
    scene.say(&["run", "--yes", "everything", REQUEST]).ended(2);
}

/// The decision is recorded.
#[test]
fn the_record_shows_what_was_decided() {
    let scene = scene();
    scene.say(&["run", REQUEST]).ended(5);
    let shown = scene.say(&["runs", "show", "last"]).ended(0).out;
    for part in
        ["needs consent", "needs consent: Delete ", "notes.txt", "not allowed: nobody is there to be asked"]
    {
        assert!(shown.contains(part), "no `{part}` in\n{shown}");
    }
    let explained = scene.say(&["runs", "explain", "last"]).ended(0).out;
    assert!(explained.contains("not allowed: nobody is there to be asked"), "{explained}");
    let audited = fs::read_to_string(scene.home().join(".artoo/audit.jsonl")).unwrap();
    assert!(audited.contains("consent-to-change") && audited.contains("deletes"), "{audited}");
    assert!(!audited.contains("notes.txt"), "the audit log holds facts, never text");
}
