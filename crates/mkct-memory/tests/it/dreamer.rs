use artoo_mkct_memory::dreamer::{Entry, PairPlan, plan};
use artoo_mkct_memory::potentials::direct;
use artoo_mkct_memory::{Rules, compose, decay};
use artoo_types::{Level, Megram, MegramState, Origin, Polarity};
use proptest::prelude::*;

use crate::fixtures::{any_megrams, day, entry, experience, id, rule};

fn cycle(entries: &[Entry], now: f64) -> PairPlan {
    plan(entries, &Rules::default(), day(now))
}

fn many(numbers: std::ops::Range<u128>, state: MegramState) -> Vec<Entry> {
    numbers.map(|number| entry(experience(number, state, 0.0))).collect()
}

proptest! {
    #[test]
    fn only_old_experiences_of_a_forgotten_pair_are_deleted(all in any_megrams(0..12), now in 0.0f64..1000.0) {
        let entries: Vec<Entry> = all.iter().cloned().map(entry).collect();
        let forgotten = cycle(&entries, now).forget;
        let faint = direct(&all, day(now)).attention < 0.1;
        for megram in &all {
            let worn = megram.level == Level::M || megram.level == Level::K;
            let expected = faint && worn && decay::age_days(megram, day(now)) >= 1.0;
            prop_assert_eq!(forgotten.contains(&megram.id), expected);
        }
    }

    #[test]
    fn a_plan_names_each_entry_once_and_only_entries(all in any_megrams(0..30), now in 0.0f64..400.0) {
        let entries: Vec<Entry> = all.iter().cloned().map(entry).collect();
        let found = cycle(&entries, now);
        prop_assert!(found.promote.is_none() || found.forget.is_empty());
        let mut named = found.promote.map(|promotion| promotion.sources).unwrap_or_default();
        named.extend(&found.demote);
        named.extend(&found.forget);
        let count = named.len();
        named.sort();
        named.dedup();
        prop_assert_eq!(named.len(), count);
        prop_assert!(named.iter().all(|id| all.iter().any(|megram| megram.id == *id)));
    }
}

/// Lesson fact 14: the ancestor's constraints were demoted in the next cycle, by their own negative valence.
#[test]
fn lesson_fact_14_a_constraint_does_not_demote_itself() {
    let constraint = [entry(rule(1, MegramState::Abandon, 0.0))];
    assert_eq!(cycle(&constraint, 0.0), PairPlan::default());
    assert_eq!(cycle(&constraint, 1000.0), PairPlan::default());
    assert_eq!(
        plan(&constraint, &Rules::spec_v0_8(), day(0.0)).demote,
        [id(1)],
        "as the specification has it"
    );
}

/// Lesson fact 15: `refine` has f = 0.10 and is below 0.1 a moment after its creation.
#[test]
fn lesson_fact_15_refine_is_not_garbage_at_birth() {
    let refine = [entry(experience(1, MegramState::Refine, 0.0))];
    assert_eq!(cycle(&refine, 0.01).forget, []);
    assert_eq!(cycle(&refine, 0.999).forget, []);
    assert_eq!(cycle(&refine, 1.0).forget, [id(1)]);
    assert_eq!(plan(&refine, &Rules::spec_v0_8(), day(0.01)).forget, [id(1)], "as the specification has it");
}

/// Lesson N16: the ancestor's forgetting ignored recalls and deleted what was recalled today.
#[test]
fn lesson_n16_what_was_recalled_today_is_not_forgotten() {
    let old = experience(1, MegramState::Accept, 0.0);
    assert_eq!(cycle(&[entry(old.clone())], 60.0).forget, [id(1)]);
    let recalled = Megram { last_recalled_at: Some(day(60.0)), ..old };
    assert_eq!(cycle(&[entry(recalled)], 60.0).forget, []);
}

#[test]
fn experience_contradicts_a_rule_and_the_rule_falls() {
    let practice = entry(rule(1, MegramState::Success, 0.0));
    let constraint = entry(rule(2, MegramState::Abandon, 0.0));
    let accept = |number| entry(experience(number, MegramState::Accept, 0.0));
    let abandon = |number| entry(experience(number, MegramState::Abandon, 0.0));
    let cases = [
        (vec![practice.clone()], vec![]),
        (vec![practice.clone(), abandon(3)], vec![]),
        (vec![practice.clone(), abandon(3), abandon(4)], vec![id(1)]),
        (vec![practice.clone(), abandon(3), abandon(4), accept(5), accept(6)], vec![]),
        (vec![constraint.clone(), accept(3)], vec![]),
        (vec![constraint.clone(), accept(3), accept(4)], vec![id(2)]),
        (vec![constraint.clone(), abandon(3)], vec![]),
        (vec![practice, constraint], vec![id(1)]),
    ];
    for (entries, fallen) in cases {
        assert_eq!(cycle(&entries, 0.0).demote, fallen, "{entries:#?}");
    }
}

/// The review of 056114a: one failure demoted a practice of six successes.
#[test]
fn lesson_review_one_failure_fells_no_practice() {
    let entries = |failed: &[f64]| {
        let failed = failed.iter().zip(2..).map(|(day, n)| entry(experience(n, MegramState::Abandon, *day)));
        [entry(rule(1, MegramState::Success, 0.0))].into_iter().chain(failed).collect::<Vec<_>>()
    };
    assert_eq!(cycle(&entries(&[0.0]), 0.0).demote, []);
    assert_eq!(
        plan(&entries(&[0.0]), &Rules::spec_v0_8(), day(0.0)).demote,
        [id(1)],
        "as the specification has it"
    );
    // A second one within a month is a reason; an older one is too faint to count.
    assert_eq!(cycle(&entries(&[0.0, 31.0]), 31.0).demote, [id(1)]);
    assert_eq!(cycle(&entries(&[0.0, 32.0]), 32.0).demote, []);
}

#[test]
fn a_rule_needs_both_thresholds() {
    let strong = |f: f64, sigma: f64, number: u128| {
        entry(Megram { f, sigma, ..experience(number, MegramState::Accept, 0.0) })
    };
    // Attention and decision exactly at their thresholds: 4 and 1 units, of which 4 and none count.
    let at: Vec<Entry> = (1..=4).map(|n| strong(1.0, 0.75, n)).chain([strong(1.0, 0.0, 5)]).collect();
    let promotion = cycle(&at, 0.0).promote.unwrap();
    assert_eq!((promotion.polarity, promotion.sources.len()), (Polarity::Practice, 5));
    let faint: Vec<Entry> = (1..=4).map(|n| strong(1.0, 0.75, n)).chain([strong(0.999, 0.0, 5)]).collect();
    assert_eq!(cycle(&faint, 0.0).promote, None);
    let torn: Vec<Entry> = (1..=4).map(|n| strong(1.0, 0.749, n)).chain([strong(1.0, 0.0, 5)]).collect();
    assert_eq!(cycle(&torn, 0.0).promote, None);
    let forbidden: Vec<Entry> = (1..=4).map(|n| strong(1.0, -0.75, n)).chain([strong(1.0, 0.0, 5)]).collect();
    assert_eq!(cycle(&forbidden, 0.0).promote.map(|rule| rule.polarity), Some(Polarity::Constraint));
}

/// Lesson 94: the ancestor promoted positive experience only.
#[test]
fn lesson_94_failures_become_a_constraint() {
    let promotion = cycle(&many(1..7, MegramState::Abandon), 0.0).promote.unwrap();
    assert_eq!(promotion.polarity, Polarity::Constraint);
    assert!(promotion.content.starts_with("What failed (6 of 6 experiences"), "{}", promotion.content);
    let (space, entity) = crate::fixtures::pair();
    let sop = promotion.megram(id(100), day(1.0), space, entity);
    assert_eq!((sop.level, sop.k, sop.f, sop.sigma), (Level::C, 0.0, 0.95, -1.0));
}

#[test]
fn a_rule_of_the_same_polarity_is_taken_in_with_its_sources() {
    let earlier = Entry {
        megram: rule(50, MegramState::Success, 0.0),
        sources: (51..57).map(|number| experience(number, MegramState::Accept, -30.0)).collect(),
    };
    let opposite = entry(rule(60, MegramState::Abandon, 0.0));
    let entries = [vec![earlier, opposite], many(1..8, MegramState::Accept)].concat();
    let found = cycle(&entries, 0.0);
    let promotion = found.promote.unwrap();
    assert_eq!(promotion.absorbed, [id(50)]);
    assert_eq!(promotion.sources, [1, 2, 3, 4, 5, 6, 7, 51, 52, 53, 54, 55, 56].map(id));
    assert!(promotion.content.starts_with("Prefer this (13 of 13 experiences"), "{}", promotion.content);
    assert_eq!(found.demote, [id(60)], "the experience contradicts the constraint");
}

#[test]
fn rules_alone_make_no_new_rule() {
    let rules: Vec<Entry> = (1..=9).map(|number| entry(rule(number, MegramState::Success, 0.0))).collect();
    assert_eq!(cycle(&rules, 0.0), PairPlan::default());
}

#[test]
fn a_rule_quotes_its_most_frequent_lessons() {
    let lesson = |number, words: &str, state| Megram {
        content: words.to_owned(),
        ..experience(number, state, number as f64)
    };
    let long = "文".repeat(350);
    let sources = [
        lesson(1, "use glob", MegramState::Accept),
        lesson(2, " use \n glob ", MegramState::Accept),
        lesson(3, &long, MegramState::Success),
        lesson(4, "count with wc", MegramState::Accept),
        lesson(5, "older and rarer than the rest", MegramState::Accept),
        lesson(0, "dropped: the oldest of the rare", MegramState::Accept),
        lesson(6, "shell failed", MegramState::Abandon),
        lesson(7, "   ", MegramState::Accept),
    ];
    let text = compose(Polarity::Practice, &sources.each_ref());
    let expected = "Prefer this (7 of 8 experiences, last 2026-01-08): use glob; older and rarer than the rest; count with wc";
    assert_eq!(text, expected);
    let long_text = compose(Polarity::Practice, &[&sources[2]]);
    assert!(long_text.ends_with(&format!("{}…", "文".repeat(300))));
    assert!(compose(Polarity::Constraint, &[]).ends_with("the sources hold no words"));
}

/// A foreign file may advise, like any experience. It cannot create a rule, and contributes no word to one.
#[test]
fn what_was_imported_makes_no_rule() {
    let imported = |number| Entry {
        megram: Megram { origin: Some(Origin::Import), ..experience(number, MegramState::Accept, 0.0) },
        sources: Vec::new(),
    };
    let strangers: Vec<Entry> = (100..200).map(imported).collect();
    assert_eq!(plan(&strangers, &Rules::default(), day(0.0)).promote, None);
    let own = (1..=6).map(|number| entry(experience(number, MegramState::Accept, 0.0)));
    let both: Vec<Entry> = strangers.into_iter().chain(own.clone()).collect();
    let rule = plan(&both, &Rules::default(), day(0.0)).promote;
    assert_eq!(rule, plan(&own.collect::<Vec<_>>(), &Rules::default(), day(0.0)).promote);
    assert_eq!(rule.unwrap().sources, (1..=6).map(id).collect::<Vec<_>>());
}
