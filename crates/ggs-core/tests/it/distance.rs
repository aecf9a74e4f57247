//! D, P, Omega and L in isolation.

use artoo_ggs_core::{
    Bearing, JudgedCriterion, Observation, Parameters, Report, Standing, Weighing, distance, dominant_class,
    heaviest_failure, implausibility, loss, omega, unmet as unmet_list,
};
use artoo_types::{DominantClass, FailureClass, Mode, UnitInterval};

use crate::fixtures::{any_observation, criterion, gap, met, share, skipped, unmet};
use proptest::prelude::*;

const WISH: Weighing = Weighing::Wish;

fn plausible(failures: u32, attempts: u32) -> JudgedCriterion {
    let standing =
        Standing::Unmet { class: FailureClass::Logical, reason: String::new(), failures, attempts };
    JudgedCriterion { mode: Mode::Plausible, ..criterion("plausible", standing) }
}

#[test]
fn weights_follow_the_trajectory() {
    let verifiable = JudgedCriterion { mode: Mode::Verifiable, ..plausible(1, 3) };
    let weights = [
        (plausible(1, 3), 1.0 / 3.0),
        (plausible(3, 3), 1.0),
        (verifiable, 1.0),
        // A last verdict that the history lacks is still one failure.
        (plausible(0, 2), 0.5),
        (plausible(0, 0), 1.0),
        (plausible(7, 3), 1.0),
        (JudgedCriterion { mode: Mode::Plausible, ..criterion("skipped", skipped()) }, 1.0),
        (criterion("met", met()), 0.0),
    ];
    for (criterion, weight) in weights {
        assert_eq!(criterion.weight(), weight, "{criterion:?}");
    }
}

#[test]
fn distance_is_the_weighted_share() {
    assert_eq!(distance(&share(1, 0, 4), WISH).get(), 0.25);
    assert_eq!(distance(&gap(vec![skipped(), met()]), WISH).get(), 0.5);
    let mut observation = gap(vec![met(), met()]);
    observation.criteria.push(plausible(1, 2));
    assert_eq!(distance(&observation, WISH).get(), 0.5 / 3.0);
}

/// A step's criterion that any run meets, and one of the task.
fn weighing(bearing: Bearing, standing: Standing) -> JudgedCriterion {
    let subtask_id = (bearing == Bearing::Nothing).then(|| crate::fixtures::subtask(1));
    JudgedCriterion { bearing, subtask_id, ..criterion("weighing", standing) }
}

#[test]
fn lesson_what_any_run_meets_makes_no_failure_smaller() {
    let mut observation = share(1, 0, 2);
    observation.criteria.extend((0..6).map(|_| weighing(Bearing::Nothing, met())));
    assert_eq!(distance(&observation, WISH).get(), 0.5);
    assert_eq!(distance(&observation, Weighing::Alike).get(), 1.0 / 8.0);
    // Its failure is a failure.
    observation.criteria.push(weighing(Bearing::Nothing, unmet(FailureClass::Logical)));
    assert_eq!(distance(&observation, WISH).get(), 2.0 / 3.0);
}

#[test]
fn a_criterion_of_the_whole_weighs_as_much_as_all_steps_together() {
    for steps in 1..6 {
        let whole = |failed: usize, standing: Standing| {
            let mut observation = share(failed, 0, steps);
            observation.criteria.push(weighing(Bearing::Whole, standing));
            observation
        };
        let (all_steps, the_whole) = (whole(steps, met()), whole(0, unmet(FailureClass::Logical)));
        assert_eq!(distance(&all_steps, WISH), distance(&the_whole, WISH), "{steps}");
        assert_eq!(distance(&the_whole, WISH).get(), 0.5);
        assert_eq!(distance(&the_whole, Weighing::Alike).get(), 1.0 / (1.0 + steps as f64));
    }
    let alone = gap(vec![]);
    let alone =
        Observation { criteria: vec![weighing(Bearing::Whole, unmet(FailureClass::Logical))], ..alone };
    assert_eq!(distance(&alone, WISH).get(), 1.0);
}

#[test]
fn without_criteria_the_report_says_how_far_it_is() {
    assert_eq!(distance(&gap(Vec::new()), WISH).get(), 1.0);
    assert_eq!(distance(&Observation { report: Report::AllMet, ..gap(Vec::new()) }, WISH).get(), 0.0);
}

#[test]
fn only_two_classes_enter_p() {
    use FailureClass::{Denied, Environmental, Logical, Unknown};
    let table: [(&[FailureClass], f64, DominantClass); 8] = [
        (&[], 0.0, DominantClass::Mixed),
        (&[Logical], 1.0, DominantClass::Logical),
        (&[Environmental], 0.0, DominantClass::Environmental),
        (&[Logical, Environmental], 0.5, DominantClass::Mixed),
        (&[Logical, Logical, Environmental, Unknown], 2.0 / 3.0, DominantClass::Logical),
        (&[Unknown], 0.5, DominantClass::Mixed),
        (&[Denied], 0.5, DominantClass::Mixed),
        (&[Denied, Environmental], 0.0, DominantClass::Environmental),
    ];
    for (classes, p, dominant) in table {
        let observation = gap(classes.iter().map(|class| unmet(*class)).chain([met()]).collect());
        assert_eq!(implausibility(&observation).get(), p, "{classes:?}");
        assert_eq!(dominant_class(&observation), dominant, "{classes:?}");
    }
    assert_eq!(implausibility(&gap(vec![skipped()])).get(), 0.5);
}

#[test]
fn the_heaviest_failure_is_judged_and_first() {
    let mut observation =
        gap(vec![skipped(), met(), unmet(FailureClass::Unknown), unmet(FailureClass::Logical)]);
    observation.criteria.insert(0, plausible(1, 3));
    assert_eq!(heaviest_failure(&observation).unwrap().text, "c2");
    assert_eq!(heaviest_failure(&gap(vec![met(), skipped()])).unwrap().text, "c1");
    assert!(heaviest_failure(&gap(vec![met()])).is_none());
}

#[test]
fn omega_is_capped_in_each_part() {
    let parameters = Parameters::default();
    let table = [(0, 0, 0.0), (0, 300_000, 0.4), (0, 900_000, 0.4), (1, 0, 0.2), (3, 0, 0.6), (5, 0, 0.6)];
    for (replans, ms, expected) in table {
        assert!((omega(replans, ms, &parameters).get() - expected).abs() < 1e-12, "{replans} {ms}");
    }
}

#[test]
fn the_loss_is_the_specifications_sum() {
    let part = |value| UnitInterval::new(value).unwrap();
    let got = loss(part(0.5), part(1.0), part(0.5), &Parameters::default());
    assert!((got.l - (0.6 * 0.5 + 0.3 * 0.5 * 1.0 + 0.4 * 0.5)).abs() < 1e-12);
}

proptest! {
    #[test]
    fn every_part_is_from_0_to_1(observation in any_observation()) {
        for part in [distance(&observation, WISH), implausibility(&observation)] {
            prop_assert!((0.0..=1.0).contains(&part.get()));
        }
    }

    #[test]
    fn distance_is_0_exactly_where_nothing_is_unmet(observation in any_observation()) {
        let tells = |criterion: &JudgedCriterion| criterion.bearing != Bearing::Nothing;
        prop_assume!(observation.criteria.iter().any(tells));
        for weighing in [WISH, Weighing::Alike] {
            let is_0 = distance(&observation, weighing).get() == 0.0;
            prop_assert_eq!(is_0, unmet_list(&observation).is_empty(), "{:?}", weighing);
        }
    }

    #[test]
    fn one_more_unmet_criterion_never_brings_the_goal_nearer(observation in any_observation(), which in any::<prop::sample::Index>()) {
        prop_assume!(!observation.criteria.is_empty());
        let mut worse = observation.clone();
        let i = which.index(worse.criteria.len());
        worse.criteria[i].standing = unmet(FailureClass::Unknown);
        worse.criteria[i].mode = Mode::Verifiable;
        prop_assert!(distance(&worse, WISH) >= distance(&observation, WISH));
    }

    #[test]
    fn the_loss_rises_with_the_distance(d in 0.0..=1.0, more in 0.0..=1.0, p in 0.0..=1.0, w in 0.0..=1.0) {
        let part = |value: f64| UnitInterval::clamped(value);
        let parameters = Parameters::default();
        let near = loss(part(d), part(p), part(w), &parameters);
        let far = loss(part(d + more), part(p), part(w), &parameters);
        prop_assert!(far.l >= near.l);
    }

    #[test]
    fn omega_never_falls(replans in 0_u32..8, ms in 0_u64..900_000, more_replans in 0_u32..4, more_ms in 0_u64..900_000) {
        let parameters = Parameters::default();
        prop_assert!(omega(replans + more_replans, ms + more_ms, &parameters) >= omega(replans, ms, &parameters));
    }
}
