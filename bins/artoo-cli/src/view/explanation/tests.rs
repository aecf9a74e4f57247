//! Snapshots of the explanations of real runs, recorded by the runtime's tests.

use artoo_runtime::explain::Explanation;

use super::*;
use crate::terminal::Look;

fn page(name: &str) -> Explanation {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/runtime/tests/it/snapshots");
    let text = std::fs::read_to_string(format!("{folder}/it__explain__{name}.snap")).unwrap();
    let (_, json) = text.split_once("---\n").and_then(|(_, rest)| rest.split_once("---\n")).unwrap();
    let json = json.replace("[id]", "0197c0de-0000-7000-8000-000000000001").replace("[version]", "0.1.0");
    serde_json::from_str(&json).unwrap()
}

fn screen(page: &Explanation, colour: bool) -> String {
    explanation(page, Frame::new(Look { columns: 80, colour, live: false, words: false }, true))
}

#[test]
fn without_the_figures_of_the_controller() {
    let look = Look { columns: 80, colour: false, live: false, words: false };
    insta::assert_snapshot!(explanation(&page("environmental"), Frame::new(look, false)));
}

fn check(name: &str) {
    insta::assert_snapshot!(name, screen(&page(name), false));
}

#[test]
fn one_round_that_is_accepted() {
    check("accept");
}

#[test]
fn a_logical_failure_then_accept() {
    check("logical");
}

#[test]
fn an_environmental_failure_with_what_is_blocked_then_accept() {
    check("environmental");
}

#[test]
fn abandon_by_omega() {
    check("omega");
}

#[test]
fn abandon_by_the_cap_on_replans() {
    check("cap");
}

#[test]
fn abandon_by_law_2() {
    check("law_2");
}

#[test]
fn a_cancelled_run() {
    check("cancelled");
}

#[test]
fn a_damaged_journal() {
    check("damaged");
}

#[test]
fn a_foreign_solver() {
    check("foreign");
}

#[test]
fn a_directive_that_was_changed_afterwards() {
    check("forged_directive");
}

#[test]
fn another_version_and_no_settings_are_said() {
    let mut page = page("accept");
    page.computed_by = "9.9.9\u{1b}[2J".to_owned();
    assert!(screen(&page, false).contains("computed again by artoo 9.9.9␛[2J, which may decide otherwise"));
    page.settings = None;
    assert!(screen(&page, false).contains("no directive can be computed again"));
}

/// Text from models, tools and users cannot act on the terminal, and colours carry no meaning alone.
#[test]
fn the_page_is_neutral_and_says_the_same_without_colour() {
    let mut hostile = page("environmental");
    let evil = "a\u{1b}]0;owned\u{7}\n\u{202e}b".to_owned();
    hostile.request = Some(evil.clone());
    let [first, second] = hostile.rounds.as_mut_slice() else { panic!() };
    first.unmet[0].criterion.clone_from(&evil);
    first.plan.as_mut().unwrap().new[0].clone_from(&evil);
    first.decided.as_mut().unwrap().rationale.clone_from(&evil);
    second.refused[0].reason.clone_from(&evil);
    hostile.end.as_mut().unwrap().summary.clone_from(&evil);
    let text = screen(&hostile, false);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert_eq!(text.matches("a␛]0;owned␇ <U+202E>b").count(), 5, "{text}");
    assert_eq!(text.matches("a␛]0;owned␇\n").count(), 1, "the lines of the summary stay lines: {text}");
    for name in ["accept", "cap", "foreign", "damaged"] {
        let colourful = screen(&page(name), true);
        assert!(colourful.contains('\u{1b}'));
        assert_eq!(without_colour(&colourful), screen(&page(name), false));
    }
}

fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').unwrap().1)
}

#[test]
fn money_is_told_where_it_is_known_and_is_not_nothing() {
    let mut page = page("accept");
    page.currency = Some("EUR\u{1b}[2J".to_owned());
    page.cost.amount = Amount::new(0.032);
    page.rounds[0].cost.amount = Some(Amount::ZERO);
    let screen = screen(&page, false);
    assert_eq!(screen.matches("EUR").count(), 1, "{screen}");
    let total = screen.lines().find(|line| line.trim_start().starts_with("total")).unwrap();
    assert!(total.contains(" tokens, 0.0320 EUR␛[2J, "), "{total}");
}
