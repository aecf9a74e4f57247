use std::collections::BTreeMap;

use artoo_mkct_memory::potentials::direct;
use artoo_mkct_memory::sums::Sums;
use artoo_types::{Megram, MegramId, MegramState};
use chrono::{DateTime, FixedOffset};
use proptest::prelude::*;

use crate::fixtures::{any_state, close, day, experience};

#[derive(Clone, Debug)]
enum Step {
    Put { number: u128, state: MegramState, made_on: f64, k: Option<f64> },
    Recall { number: u128, on: f64 },
    Remove { number: u128 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Ten years; a third of the entries has a rate that is not in the matrix.
    let rate = proptest::option::weighted(0.3, prop_oneof![Just(0.0), Just(-0.0), 0.0f64..1.0]);
    let step = prop_oneof![
        5 => (0u128..40, any_state(), 0.0f64..3650.0, rate)
            .prop_map(|(number, state, made_on, k)| Step::Put { number, state, made_on, k }),
        2 => (0u128..40, 0.0f64..3650.0).prop_map(|(number, on)| Step::Recall { number, on }),
        3 => (0u128..40).prop_map(|number| Step::Remove { number }),
    ];
    proptest::collection::vec(step, 0..120)
}

fn check(sums: &Sums, members: &BTreeMap<MegramId, Megram>, now: DateTime<FixedOffset>) {
    let (fast, exact) = (sums.potentials(now), direct(members.values(), now));
    assert!(close(fast.attention, exact.attention, exact.attention), "{fast:?} {exact:?} at {now}");
    assert!(close(fast.decision, exact.decision, exact.attention), "{fast:?} {exact:?} at {now}");
    let own = sums.direct(now);
    assert!(close(own.attention, exact.attention, exact.attention), "{own:?} {exact:?} at {now}");
    assert_eq!(sums.len(), members.len());
}

proptest! {
    #[test]
    fn sums_equal_the_direct_sum(steps in steps()) {
        let mut sums = Sums::default();
        let mut members: BTreeMap<MegramId, Megram> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Put { number, state, made_on, k } => {
                    let raw = experience(number, state, made_on);
                    let megram = Megram { k: k.unwrap_or(raw.k), ..raw };
                    sums.put(&megram);
                    members.insert(megram.id, megram);
                }
                Step::Recall { number, on } => {
                    if let Some(megram) = members.get_mut(&crate::fixtures::id(number)) {
                        megram.last_recalled_at = megram.last_recalled_at.max(Some(day(on)));
                        sums.put(megram);
                    }
                }
                Step::Remove { number } => {
                    sums.remove(crate::fixtures::id(number));
                    members.remove(&crate::fixtures::id(number));
                }
            }
            for on in [0.0, 1000.0, 3650.0, 3651.0, 3680.0, 4015.0] {
                check(&sums, &members, day(on));
            }
        }
    }
}

/// After a great mass was removed, the rest must not be its rounding error.
#[test]
fn a_faint_entry_is_still_there_after_strong_ones_went() {
    let mut sums = Sums::default();
    let faint = Megram { k: 0.5, ..experience(0, MegramState::Accept, 0.0) };
    sums.put(&faint);
    for number in 1..=1000 {
        sums.put(&Megram { k: 0.5, ..experience(number, MegramState::Abandon, 60.0) });
    }
    for number in 1..=1000 {
        sums.remove(crate::fixtures::id(number));
    }
    let exact = direct([&faint], day(60.0));
    assert!(exact.attention < 1e-12);
    assert!(close(sums.potentials(day(60.0)).attention, exact.attention, exact.attention));
}

/// With a fixed reference time `e^(k * dt)` would overflow after four years at k = 0.5.
#[test]
fn a_century_of_entries_stays_finite() {
    let mut sums = Sums::default();
    let all: Vec<Megram> = (0..200).map(|n| experience(n, MegramState::Refine, n as f64 * 182.5)).collect();
    all.iter().for_each(|megram| sums.put(megram));
    let exact = direct(&all, day(36_500.0));
    assert!(close(sums.potentials(day(36_500.0)).attention, exact.attention, exact.attention));
}
