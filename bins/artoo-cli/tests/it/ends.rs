//! Tests of the ends of a run: exit codes and messages.

use serde_json::json;

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, shell};

/// A plan of four subtasks, one of which fails: D is 0.25, which is close
/// enough with the specification's numbers.
fn close_enough() -> Scene {
    let subtask = |intent: &str| {
        json!({"intent": intent, "sequence": 1, "kind": "find_out",
            "criteria": [{"text": format!("The output is the number that {intent}"), "check": "output_number"}]})
    };
    let plan = json!({"subtasks": [subtask("counts apples"), subtask("counts pears"), subtask("counts plums"), subtask("counts ghosts")]});
    Scene::new(model(plan, |shown| {
        match shown.contains("Step: counts ghosts") || shown.contains("counts ghosts") {
            true => json!({"give_up": "there are no ghosts"}),
            false => shell(if shown.contains("apples") {
                "ls docs/*.txt | head -n 1 | wc -l"
            } else if shown.contains("pears") {
                "ls docs/*.txt | head -n 2 | wc -l"
            } else {
                "ls docs/*.txt | wc -l"
            }),
        }
    }))
}

#[test]
fn accept() {
    let scene = Scene::new(counting());
    let said = scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    assert_eq!(said.out, "3\n", "in a pipe the result comes alone");
    for part in [
        "» How many .txt files are in docs?",
        "plan: Count the .txt files in docs",
        "ls docs/*.txt | wc -l → 3",
        "✓ Done",
        "recorded: ",
    ] {
        assert!(said.err.contains(part), "no `{part}` in\n{}", said.err);
    }
    assert!(!said.err.contains('\u{1b}'), "no escape sequences in a pipe: {}", said.err);
    assert!(!scene.journal().contains("sk-canary-1"), "the key is in the journal");
}

#[test]
fn success_names_what_is_unmet() {
    let said = close_enough().say(&["run", "Count apples, pears, plums and ghosts"]).ended(3);
    for part in [
        "~ Not complete: there are no ghosts.\n",
        "Missing: ",
        "counts ghosts",
        "steps 1, 2, 3 (checked):\n    1\n",
    ] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    assert!(!said.out.contains('✓') && !said.err.contains("✓ Done"));
}

/// Nothing was looked at, and everything that shows the run says so.
#[test]
fn an_answer_from_knowledge_is_labelled_wherever_it_is_shown() {
    let answer = json!({"do": "answer", "criteria": [], "text": "A byte order mark."});
    let scene = Scene::new(model(answer, |_| json!({})));
    let said = scene.say(&["run", "What does BOM mean?"]).ended(3);
    assert!(
        said.out.contains("From the model's knowledge, not checked.\n\nA byte order mark.\n"),
        "{}",
        said.out
    );
    let json = scene.say(&["run", "--json", "What does BOM mean?"]).ended(3);
    let last = json.out.lines().last().unwrap();
    assert!(last.contains("\"basis\":\"model\"") && last.contains("\"directive\":\"success\""), "{last}");
    let page = scene.say(&["explain"]).ended(0);
    assert!(page.out.contains("the request was answered from the model's knowledge"), "{}", page.out);
    let shown = scene.say(&["runs", "show"]).ended(0);
    assert!(shown.out.contains("not checked"), "{}", shown.out);
    // Whoever takes nothing but an accept gets work.
    let strict = scene.say(&["run", "--strict", "What does BOM mean?"]);
    assert!(!strict.out.contains("From the model's knowledge"), "{}", strict.out);
}

#[test]
fn strict_takes_no_success() {
    close_enough()
        .say(&["run", "--strict", "--max-replans", "0", "Count apples, pears, plums and ghosts"])
        .ended(4);
}

#[test]
fn abandon_says_why_and_gives_what_there_is() {
    let scene =
        Scene::new(model(count_plan("Count the ghosts"), |_| json!({"give_up": "there are no ghosts"})));
    let said = scene.say(&["run", "--max-replans", "0", "How many ghosts are in docs?"]).ended(4);
    for part in ["✗ Not finished: there are no ghosts.\n", "Missing: The output is the number of files"] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    assert!(!said.out.contains('✓'));
}

#[test]
fn quiet_shows_the_result_alone() {
    let said = Scene::new(counting()).say(&["run", "--quiet", "How many .txt files are in docs?"]).ended(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("3\n", ""));
}

#[test]
fn text_from_tools_cannot_act_on_the_terminal() {
    let plan = json!({"subtasks": [{"intent": "Print the banner", "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The output contains the word banner", "check": "output_matches", "value": "^banner "}]}]});
    let scene = Scene::new(model(plan, |_| {
        shell("printf '\\033[2Jbanner \\033]0;owned\\007 \\302\\2331m end' | tr a a")
    }));
    let said = scene.say(&["run", "Print the banner"]).ended(0);
    let acting = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
    assert!(said.out.contains("banner") && !acting(&said.out), "{:?}", said.out);
    assert!(!acting(&said.err), "{:?}", said.err);
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let scene = Scene::new(counting());
    let children: Vec<_> =
        (0..2).map(|_| scene.artoo(&["run", "How many .txt files are in docs?"]).spawn().unwrap()).collect();
    for child in children {
        assert_eq!(crate::process::wait(child).ended(0).out, "3\n");
    }
    assert_eq!(scene.runs().len(), 2);
    scene.say(&["audit", "verify"]).ended(0);
}

/// A problem of the auditor used to be in the program's log only.
#[test]
fn a_gap_in_the_audit_log_is_told_by_the_run_that_finds_it() {
    let scene = Scene::new(counting());
    let ask = || scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    let told = "warning: the auditor: the audit log has a gap";
    assert!(!ask().err.contains("the auditor:"));
    let log = scene.home().join(".artoo").join(artoo_auditor::LOG_NAME);
    let mut text = std::fs::read(&log).unwrap();
    text.extend_from_slice(b"{\"line\":");
    std::fs::write(&log, text).unwrap();
    let said = ask();
    assert!(said.err.contains(told), "{}", said.err);
    assert_eq!(said.out, "3\n", "the result is what it was");
    assert!(!ask().err.contains("the auditor:"), "it is on record now");
}
