//! The documents as they are written.

use super::*;
use crate::eval::outcome::Outcome;

fn run(id: &str, directive: &str, objections: &[&str], judged: (u64, u64), calls: u64) -> Graded {
    let outcome = Outcome {
        directive: directive.into(),
        calls,
        prompt_tokens: calls * 700,
        completion_tokens: calls * 30,
        seconds: 12.34,
        judged: Judged { by_code: judged.0, by_model: judged.1 },
        ..Outcome::default()
    };
    let objections: Vec<String> = objections.iter().map(|&text| text.to_owned()).collect();
    let first_objections = (judged.0 == 3).then(|| objections.clone());
    Graded {
        id: id.into(),
        kind: "counting".into(),
        outcome,
        objections,
        impossible: false,
        first_objections,
    }
}

fn impossible(id: &str, directive: &str) -> Graded {
    Graded { impossible: true, ..run(id, directive, &["there is no right answer"], (1, 0), 8) }
}

fn evaluation(date: &str, planned: usize, runs: Vec<Graded>) -> Evaluation {
    let conditions = Conditions {
        date: date.into(),
        machine: "2 cores".into(),
        model: "m.gguf".into(),
        command: "cargo xtask eval".into(),
        planned,
    };
    let mut evaluation = Evaluation::new(conditions);
    runs.into_iter().for_each(|run| evaluation.add(run));
    evaluation
}

fn after() -> Evaluation {
    let runs = vec![
        run("any-docx", "accept", &[], (2, 0), 3),
        run("csv-sum", "accept", &["states 7 | 8\nbeside 9"], (3, 0), 5),
        run("first-week", "accept", &["takes 90 words"], (2, 1), 4),
        run("hello", "accept", &["does not state 6"], (0, 0), 1),
        run("newest-note", "success", &[], (1, 1), 9),
        impossible("missing-report", "abandon"),
    ];
    evaluation("2026-02-01", 6, runs)
}

fn before() -> Vec<Graded> {
    vec![
        run("any-docx", "accept", &[], (2, 0), 4),
        run("csv-sum", "accept", &[], (3, 0), 5),
        run("first-week", "abandon", &["takes 90 words"], (1, 1), 12),
        run("hello", "accept", &[], (0, 0), 1),
        run("newest-note", "success", &["does not name ideas.md"], (1, 0), 9),
        impossible("missing-report", "accept"),
    ]
}

#[test]
fn the_table_of_one_evaluation() {
    insta::assert_snapshot!("one", document(&after(), None));
}

#[test]
fn the_table_of_two_evaluations() {
    let before = evaluation("2026-01-01", 6, before());
    insta::assert_snapshot!("two", document(&after(), Some(&before)));
}

/// An evaluation over fewer requests, itself stopped, beside one that was repeated: nothing is compared that was not run twice.
#[test]
fn the_table_of_two_evaluations_over_different_requests() {
    let mut runs = before();
    runs.truncate(2);
    runs.push(run("two-counts", "accept", &[], (5, 0), 9));
    let before = evaluation("2026-01-01", 12, runs);
    let mut after = after();
    after.add(run("any-docx", "abandon", &["says yes"], (2, 0), 7));
    insta::assert_snapshot!("different", document(&after, Some(&before)));
}

#[test]
fn a_stopped_suite_says_so() {
    let stopped = evaluation("2026-01-01", 12, before());
    assert!(document(&stopped, None).contains("\n- stopped after 6 of 12 runs\n"));
    assert!(!document(&after(), None).contains("stopped"));
}

#[test]
fn nothing_solved_has_no_mean() {
    let nothing = evaluation("2026-01-01", 1, vec![run("csv-sum", "abandon", &["nothing"], (1, 0), 5)]);
    let text = document(&nothing, Some(&nothing));
    assert!(text.contains("| model calls per solved request | - | - |  |\n"), "{text}");
}
