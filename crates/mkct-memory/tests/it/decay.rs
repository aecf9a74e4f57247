use artoo_mkct_memory::decay::{age_days, weight};
use artoo_types::{Megram, MegramState};
use proptest::prelude::*;

use crate::fixtures::{day, experience};

proptest! {
    #[test]
    fn what_is_older_or_fades_faster_is_never_stronger(k in 0.0f64..2.0, dk in 0.0f64..2.0, age in 0.0f64..4000.0, more in 0.0f64..4000.0) {
        let now = weight(k, age);
        prop_assert!((0.0..=1.0).contains(&now));
        prop_assert!(weight(k, age + more) <= now);
        prop_assert!(weight(k + dk, age) <= now);
    }

    #[test]
    fn ages_are_never_negative(made_on in 0.0f64..1000.0, now in 0.0f64..1000.0) {
        let age = age_days(&experience(1, MegramState::Accept, made_on), day(now));
        prop_assert!(age >= 0.0);
        prop_assert!((age - (now - made_on).max(0.0)).abs() < 1e-7);
    }

    #[test]
    fn a_recall_refreshes_and_never_ages(made_on in 0.0f64..100.0, recalled in 0.0f64..200.0, now in 200.0f64..400.0) {
        let fresh = experience(1, MegramState::Accept, made_on);
        let seen = Megram { last_recalled_at: Some(day(recalled)), ..fresh.clone() };
        prop_assert!(age_days(&seen, day(now)) <= age_days(&fresh, day(now)));
        prop_assert!((age_days(&seen, day(now)) - (now - made_on.max(recalled))).abs() < 1e-7);
    }
}

#[test]
fn half_lives_are_those_of_the_specification() {
    for (k, days) in [(0.05, 13.86), (0.2, 3.466), (0.5, 1.386)] {
        assert!((weight(k, days) - 0.5).abs() < 1e-3, "k = {k}");
    }
}
