//! How sure a share is.

/// The normal distribution's quantile for 95 %.
const Z: f64 = 1.959_963_985;

/// The 95 % interval of `hits` of `all`, by Wilson's score: it stays between 0 and 1 and holds for small counts too. Of nothing, anything
/// may be true.
pub(super) fn wilson(hits: u64, all: u64) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    let (hits, all) = (hits as f64, all as f64);
    let share = hits / all;
    let scale = 1.0 + Z * Z / all;
    let middle = (share + Z * Z / (2.0 * all)) / scale;
    let half = Z / scale * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// A share with its interval: `4 of 50: 8 % (3–19 %)`.
pub(super) fn shown(hits: u64, all: u64) -> String {
    if all == 0 {
        return "0 of 0".to_owned();
    }
    let (low, high) = wilson(hits, all);
    let percent = |share: f64| (share * 100.0).round();
    let share = percent(hits as f64 / all as f64);
    format!("{hits} of {all}: {share} % ({}–{} %)", percent(low), percent(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Against published values of the score interval.
    #[test]
    fn known_intervals() {
        for (hits, all, low, high) in [
            (0, 10, 0.0, 0.2775),
            (5, 10, 0.2366, 0.7634),
            (1, 30, 0.0059, 0.1667),
            (81, 263, 0.2553, 0.3662),
        ] {
            let found = wilson(hits, all);
            assert!(
                (found.0 - low).abs() < 1e-4 && (found.1 - high).abs() < 1e-4,
                "{hits} of {all}: {found:?}"
            );
        }
        assert_eq!(wilson(0, 0), (0.0, 1.0));
        assert_eq!(shown(4, 50), "4 of 50: 8 % (3–19 %)");
        assert_eq!(shown(0, 0), "0 of 0");
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_share_and_narrows(all in 1_u64..5000, hits in 0_u64..5000) {
            let hits = hits.min(all);
            let (low, high) = wilson(hits, all);
            let share = hits as f64 / all as f64;
            prop_assert!(0.0 <= low && low <= share + 1e-9 && share <= high + 1e-9 && high <= 1.0);
            let (lower, higher) = wilson(hits * 4, all * 4);
            prop_assert!(higher - lower <= high - low);
        }
    }
}
