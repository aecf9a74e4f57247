use artoo_mkct_memory::dreamer::{Entry, PairPlan, plan};
use artoo_mkct_memory::due::{Due, next};
use artoo_mkct_memory::{Bankruptcy, Rules};
use artoo_types::{Megram, MegramState};
use proptest::prelude::*;

use crate::fixtures::{any_megrams, day, entry, experience, rule};

fn any_rules() -> impl Strategy<Value = Rules> {
    let literal = prop_oneof![Just(Rules::default()), Just(Rules::spec_v0_8())];
    (literal, 0.2f64..3.0, prop_oneof![Just(Bankruptcy::Contradicted), Just(Bankruptcy::Negative)]).prop_map(
        |(rules, scale, bankruptcy)| Rules {
            promote_attention: rules.promote_attention * scale,
            promote_decision: rules.promote_decision * scale,
            forget_below: rules.forget_below * scale,
            bankruptcy,
            ..rules
        },
    )
}

/// Experiences of any rate, rules with sources, and rates that are not in the matrix.
fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
    let odd = proptest::option::weighted(0.2, prop_oneof![Just(0.0), 0.0f64..1.0]);
    (any_megrams(0..14), proptest::collection::vec((odd, any::<bool>()), 14)).prop_map(|(megrams, odd)| {
        let with = |(megram, (k, distilled)): (Megram, (Option<f64>, bool))| Entry {
            sources: if distilled { vec![megram.clone()] } else { Vec::new() },
            megram: Megram { k: k.filter(|_| megram.k > 0.0).unwrap_or(megram.k), ..megram },
        };
        megrams.into_iter().zip(odd).map(with).collect()
    })
}

fn at(due: Due, from: f64) -> i64 {
    match due {
        Due::Now => day(from).timestamp_millis(),
        Due::At(at) => at,
        Due::Never => i64::MAX,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Early is allowed, late is not: a pair that the queue does not return is not processed.
    #[test]
    fn whatever_a_plan_would_do_was_due(entries in any_entries(), rules in any_rules(), from in -10.0f64..500.0, later in proptest::collection::vec(0.0f64..1.0, 30)) {
        let due = at(next(&entries, &rules, day(from).timestamp_millis()), from);
        for later in later {
            // Most of it soon, some of it years ahead.
            let now = day(from + later.powi(4) * 2000.0);
            let planned = plan(&entries, &rules, now) != PairPlan::default();
            prop_assert!(!planned || due <= now.timestamp_millis(), "{now} {due}");
        }
    }

    /// Early at most by rounding: at the due time there is something to do, or nearly so.
    #[test]
    fn what_is_due_has_something_to_do(entries in any_entries(), rules in any_rules(), from in 440.0f64..500.0) {
        let due = next(&entries, &rules, day(from).timestamp_millis());
        if let Due::At(at) = due && at < day(1e6).timestamp_millis() {
            let near = |rules: &Rules| {
                let moment = chrono::DateTime::from_timestamp_millis(at + 1).unwrap().fixed_offset();
                plan(&entries, rules, moment) != PairPlan::default()
            };
            let lenient = Rules {
                promote_attention: rules.promote_attention * 0.9999,
                promote_decision: rules.promote_decision * 0.9999,
                forget_below: rules.forget_below * 1.0001,
                ..rules
            };
            prop_assert!(near(&rules) || near(&lenient) || decides(&entries, at).abs() < 1e-6, "{due:?}");
        }
    }
}

fn decides(entries: &[Entry], at: i64) -> f64 {
    let moment = chrono::DateTime::from_timestamp_millis(at).unwrap().fixed_offset();
    let known = artoo_mkct_memory::potentials::direct(entries.iter().map(|entry| &entry.megram), moment);
    known.decision / known.attention
}

#[test]
fn forgetting_is_due_when_attention_is_gone_and_the_oldest_is_old_enough() {
    let rules = Rules::default();
    let refine = experience(1, MegramState::Refine, 0.0);
    // f = 0.1 fades below 0.1 at once, and is kept for a day.
    assert_eq!(at(next(&[entry(refine)], &rules, 0), 0.0), day(1.0).timestamp_millis());
    let accept = [entry(experience(1, MegramState::Accept, 0.0))];
    let Due::At(at) = next(&accept, &rules, day(0.0).timestamp_millis()) else { panic!("no time") };
    let moment = |ms: i64| chrono::DateTime::from_timestamp_millis(ms).unwrap().fixed_offset();
    assert_eq!(plan(&accept, &rules, moment(at - 10)), PairPlan::default());
    assert_eq!(plan(&accept, &rules, moment(at + 10)).forget.len(), 1);
    assert_eq!(next(&accept, &rules, at + 10), Due::Now);
}

#[test]
fn a_pair_of_rules_alone_is_never_due() {
    let rules = [entry(rule(1, MegramState::Success, 0.0)), entry(rule(2, MegramState::Success, 9.0))];
    assert_eq!(next(&rules, &Rules::default(), day(30.0).timestamp_millis()), Due::Never);
    assert_eq!(next(&[], &Rules::default(), 0), Due::Never);
}

#[test]
fn a_sign_that_turns_by_itself_is_due_when_it_turns() {
    // Recent praise hides slow blame: 0.8 + 24 * 0.05 e^(-t/2) - 2 * 0.95 e^(-t/20) is above 0 at first, and
    // below it soon.
    let mut entries = vec![entry(rule(1, MegramState::Success, 0.0))];
    entries.extend((2..4).map(|n| entry(experience(n, MegramState::Abandon, 0.0))));
    entries.extend((4..28).map(|n| entry(experience(n, MegramState::Refine, 0.0))));
    let rules = Rules::default();
    assert_eq!(plan(&entries, &rules, day(0.0)), PairPlan::default());
    let Due::At(at) = next(&entries, &rules, day(0.0).timestamp_millis()) else { panic!("no time") };
    let moment = |ms: i64| chrono::DateTime::from_timestamp_millis(ms).unwrap().fixed_offset();
    assert!(plan(&entries, &rules, moment(at - 1000)).demote.is_empty());
    assert_eq!(plan(&entries, &rules, moment(at + 1000)).demote.len(), 1);
    // Without them it never turns.
    entries.truncate(1);
    assert_eq!(next(&entries, &rules, 0), Due::Never);
}

#[test]
fn thresholds_that_are_crossed_are_due_now() {
    let rules = Rules::default();
    let six: Vec<Entry> = (1..=6).map(|n| entry(experience(n, MegramState::Accept, 0.0))).collect();
    let from = day(0.0).timestamp_millis();
    assert_eq!(next(&six, &rules, from), Due::Now);
    assert!(matches!(next(&six[..5], &rules, from), Due::At(_)));
    let failed = |n| entry(experience(n, MegramState::Abandon, 0.0));
    let fallen = [entry(rule(1, MegramState::Success, 0.0)), failed(2), failed(3)];
    assert_eq!(next(&fallen, &rules, from), Due::Now);
    assert_eq!(next(&fallen[..2], &rules, from), Due::Never);
}

#[test]
fn ten_thousand_entries_with_the_clock_set_back_are_no_long_search() {
    let all: Vec<Entry> =
        (0..2000).map(|n| entry(experience(n, MegramState::ChangePath, n as f64))).collect();
    assert!(matches!(next(&all, &Rules::default(), day(-4000.0).timestamp_millis()), Due::At(_)));
}
