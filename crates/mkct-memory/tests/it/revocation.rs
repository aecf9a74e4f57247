//! What speaks against the experiences of a rejected run.

use artoo_mkct_memory::dreamer::{Entry, plan};
use artoo_mkct_memory::{MAX_REASON, Rules, potentials, revocations};
use artoo_types::{Level, Megram, MegramState, Origin, RunId};
use proptest::prelude::*;

use crate::fixtures::{day, experience, id, rule};

fn run(number: u128) -> RunId {
    RunId::new(id(number).uuid())
}

fn entry(number: u128, state: MegramState, of: u128) -> Entry {
    let megram = Megram { origin: Some(Origin::Run(run(of))), ..experience(number, state, 0.0) };
    Entry { megram, sources: Vec::new() }
}

fn revoked(entries: &[Entry], of: u128, today: f64) -> Vec<Megram> {
    revocations(entries, run(of), &Rules::default(), day(today), &|| id(1000), "undone")
}

#[test]
fn only_what_the_run_approved_of_is_revoked() {
    let entries = [
        entry(1, MegramState::Accept, 1),
        entry(2, MegramState::Accept, 2),
        entry(3, MegramState::ChangeApproach, 1),
        entry(4, MegramState::ChangePath, 1),
        entry(5, MegramState::Refine, 1),
    ];
    let against = revoked(&entries, 1, 0.0);
    let told: Vec<(f64, f64, f64)> = against.iter().map(|one| (one.f, one.sigma, one.k)).collect();
    assert_eq!(told, [(0.9, -1.0, 0.05), (0.1, -0.5, 0.5)]);
    assert!(against.iter().all(|one| one.level == Level::M && one.origin == Some(Origin::Revoked(run(1)))));
}

#[test]
fn a_practice_that_the_run_is_part_of_is_spoken_against_and_a_constraint_is_not() {
    let sources = vec![entry(1, MegramState::Accept, 1).megram, entry(2, MegramState::Accept, 2).megram];
    let practice = Entry { megram: rule(3, MegramState::Success, 0.0), sources: sources.clone() };
    let constraint = Entry { megram: rule(4, MegramState::Abandon, 0.0), sources };
    let against = revoked(&[practice, constraint], 1, 0.0);
    assert_eq!(against.len(), 1);
    assert_eq!((against[0].f, against[0].sigma, against[0].state), (0.85, -1.0, MegramState::ChangeApproach));
}

#[test]
fn a_reason_is_one_line_of_bounded_length() {
    let long = format!("no,\n I meant {}", "长".repeat(1000));
    let against = revocations(
        &[entry(1, MegramState::Accept, 1)],
        run(1),
        &Rules::default(),
        day(0.0),
        &|| id(9),
        &long,
    );
    assert!(against[0].content.starts_with("Rejected by the user: no, I meant 长"));
    assert_eq!(against[0].content.chars().count(), "Rejected by the user: ".len() + MAX_REASON);
}

/// Six successes are a rule; where one of them was rejected, the five others are none, and a seventh makes one of six.
#[test]
fn what_was_rejected_is_behind_no_rule() {
    let mut entries: Vec<Entry> = (1..=6).map(|number| entry(number, MegramState::Accept, number)).collect();
    assert!(plan(&entries, &Rules::default(), day(0.0)).promote.is_some());
    let against = revoked(&entries, 3, 0.0);
    entries.extend(against.into_iter().map(|megram| Entry { megram, sources: Vec::new() }));
    assert_eq!(plan(&entries, &Rules::default(), day(0.0)).promote, None);
    entries.push(entry(7, MegramState::Accept, 7));
    let rule = plan(&entries, &Rules::default(), day(0.0)).promote.unwrap();
    assert_eq!(rule.sources, [1, 2, 4, 5, 6, 7].map(id));
}

proptest! {
    /// Law: whatever a run approved of and whenever it is revoked, from then on the pair decides as if the run had
    /// not been, and a second revocation adds nothing.
    #[test]
    fn a_revocation_leaves_the_decision_of_the_others(
        states in prop::collection::vec((prop::sample::select(&MegramState::ALL[..]), 1..3_u128), 1..8),
        when in 0.0..60.0_f64,
        later in 0.0..60.0_f64,
    ) {
        let mut entries: Vec<Entry> =
            (1..).zip(states).map(|(number, (state, of))| entry(number, state, of)).collect();
        let against = revoked(&entries, 1, when);
        entries.extend(against.into_iter().map(|megram| Entry { megram, sources: Vec::new() }));
        let at = day(when + later);
        let decision = |entries: &[Entry]| potentials::direct(entries.iter().map(|e| &e.megram), at).decision;
        let others: Vec<Entry> = entries
            .iter()
            .filter(|e| match e.megram.origin {
                Some(Origin::Run(of)) => of != run(1) || e.megram.sigma <= 0.0,
                _ => false,
            })
            .cloned()
            .collect();
        prop_assert!((decision(&entries) - decision(&others)).abs() < 1e-9);
        prop_assert!(revoked(&entries, 1, when + later).is_empty());
    }
}
