//! The forecast matches the later potentials.

use artoo_mkct_memory::{forecast, potentials};
use artoo_types::{Level, MegramState, MemoryAction};
use chrono::Duration;
use proptest::prelude::*;

use crate::fixtures::{any_megrams, close, day, experience, rule};

#[test]
fn an_advice_that_turns_is_foreseen() {
    // An old practice, and a fresh failure that fades while the practice stays.
    let members = [rule(1, MegramState::Success, 0.0), experience(2, MegramState::Abandon, 10.0)];
    let ahead = forecast::of_pair(&members, day(10.0), 60);
    let actions: Vec<MemoryAction> = ahead.changes.iter().map(|change| change.action).collect();
    assert_eq!(ahead.days[0].action, MemoryAction::Caution);
    assert_eq!(actions, [MemoryAction::Exploit]);
}

#[test]
fn nothing_known_stays_nothing() {
    let ahead = forecast::of_pair([], day(0.0), u32::MAX);
    assert_eq!((ahead.days.len(), ahead.changes.len()), (forecast::MAX_DAYS as usize + 1, 0));
    assert!(ahead.days.iter().all(|known| known.action == MemoryAction::Ignore));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn each_day_is_as_the_sum_of_that_day(members in any_megrams(0..12), today in 0.0f64..400.0) {
        let now = day(today);
        let ahead = forecast::of_pair(&members, now, 40);
        let size: f64 = members.iter().filter(|megram| megram.level != Level::T).map(|megram| megram.f).sum();
        for (number, foreseen) in ahead.days.iter().enumerate() {
            let will_be = potentials::direct(&members, now + Duration::days(number as i64));
            prop_assert!(close(foreseen.attention, will_be.attention, size + 1.0));
            prop_assert!(close(foreseen.decision, will_be.decision, size + 1.0));
        }
        prop_assert!(ahead.changes.is_sorted_by_key(|change| change.at));
        // Each change leads from one advice to another.
        let first = ahead.days.first().map(|known| known.action);
        let actions: Vec<_> = first.into_iter().chain(ahead.changes.iter().map(|change| change.action)).collect();
        prop_assert!(actions.windows(2).all(|two| two[0] != two[1]), "{:?}", actions);
    }
}
