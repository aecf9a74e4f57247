use artoo_mkct_memory::potentials::{action, direct};
use artoo_types::{Level, Megram, MegramState, MemoryAction};
use proptest::prelude::*;

use crate::fixtures::{any_megrams, close, day, experience};

#[test]
fn every_boundary_of_the_action_table() {
    let below = |x: f64| f64::from_bits(x.to_bits() - 1);
    let above = |x: f64| f64::from_bits(x.to_bits() + 1);
    let cases = [
        (0.0, 0.0, MemoryAction::Ignore),
        (below(0.5), 0.5, MemoryAction::Ignore),
        (below(0.5), -0.5, MemoryAction::Ignore),
        (0.5, 0.2, MemoryAction::Caution),
        (0.5, above(0.2), MemoryAction::Exploit),
        (0.5, below(0.2), MemoryAction::Caution),
        (0.5, -0.2, MemoryAction::Caution),
        (0.5, -above(0.2), MemoryAction::Avoid),
        (0.5, -below(0.2), MemoryAction::Caution),
        (0.5, 0.0, MemoryAction::Caution),
        (9.0, 9.0, MemoryAction::Exploit),
        (9.0, -9.0, MemoryAction::Avoid),
        (9.0, 0.0, MemoryAction::Caution),
    ];
    for (attention, decision, expected) in cases {
        assert_eq!(action(attention, decision), expected, "attention {attention}, decision {decision}");
    }
}

#[test]
fn potentials_are_the_sums_of_the_specification() {
    let members = [experience(1, MegramState::Accept, 0.0), experience(2, MegramState::Abandon, 14.0)];
    let found = direct(&members, day(20.0));
    let (accept, abandon) = (0.90 * (-0.05f64 * 20.0).exp(), 0.95 * (-0.05f64 * 6.0).exp());
    assert!(close(found.attention, accept + abandon, 1.0));
    assert!(close(found.decision, accept - abandon, 1.0));
    assert_eq!(found.action, MemoryAction::Avoid);
}

#[test]
fn a_dead_end_draws_attention_without_a_decision() {
    let two = [experience(1, MegramState::ChangePath, 0.0), experience(2, MegramState::ChangePath, 0.0)];
    let found = direct(&two, day(0.0));
    assert_eq!((found.attention, found.decision, found.action), (0.6, 0.0, MemoryAction::Caution));
}

#[test]
fn laws_do_not_count() {
    let law = Megram { level: Level::T, k: 0.0, ..experience(1, MegramState::Accept, 0.0) };
    assert_eq!(direct([&law], day(0.0)).attention, 0.0);
}

proptest! {
    #[test]
    fn potentials_add(all in any_megrams(0..30), at in 0usize..30, now in 0.0f64..800.0) {
        let (a, b) = all.split_at(at.min(all.len()));
        let (a, b, both) = (direct(a, day(now)), direct(b, day(now)), direct(&all, day(now)));
        prop_assert!(close(both.attention, a.attention + b.attention, both.attention));
        prop_assert!(close(both.decision, a.decision + b.decision, both.attention));
    }

    #[test]
    fn a_decision_is_never_stronger_than_the_attention(all in any_megrams(0..30), now in 0.0f64..800.0) {
        let found = direct(&all, day(now));
        prop_assert!(found.decision.abs() <= found.attention);
        prop_assert_eq!(found.action, action(found.attention, found.decision));
    }

    #[test]
    fn without_new_experience_attention_only_fades(all in any_megrams(0..30), now in 425.0f64..800.0, later in 0.0f64..800.0) {
        prop_assert!(direct(&all, day(now + later)).attention <= direct(&all, day(now)).attention);
    }
}
