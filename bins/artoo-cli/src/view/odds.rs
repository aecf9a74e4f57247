//! How often answers like an unconfirmed one are right, as a person says it.

use artoo_types::Confidence;

/// The shares that are named, as parts of a whole, in ascending order.
const SHARES: [(u32, u32); 11] =
    [(1, 10), (1, 5), (1, 4), (1, 3), (2, 5), (1, 2), (3, 5), (2, 3), (3, 4), (4, 5), (9, 10)];

/// The measured share of such answers that are right: `about 1 in 3 such answers is right`. Nothing if nobody has measured the
/// model: its figure is the judge's word then.
pub(super) fn odds(confidence: &Confidence) -> Option<String> {
    let share = confidence.value.get();
    let off = |(part, whole): (u32, u32)| (f64::from(part) / f64::from(whole) - share).abs();
    let nearest = SHARES.into_iter().min_by(|one, other| off(*one).total_cmp(&off(*other)))?;
    confidence.is_measured.then(|| match nearest {
        _ if share < 0.075 => "fewer than 1 in 10 such answers are right".to_owned(),
        (1, whole) => format!("about 1 in {whole} such answers is right"),
        (parts, whole) => format!("about {parts} in {whole} such answers are right"),
    })
}

#[cfg(test)]
mod tests {
    use artoo_types::UnitInterval;

    use super::*;

    #[test]
    fn a_share_is_named_by_the_nearest_fraction() {
        let of = |share: f64, is_measured| {
            let value = UnitInterval::new(share).unwrap();
            odds(&Confidence { value, least: UnitInterval::ONE, why: String::new(), is_measured })
        };
        for (share, expected) in [
            (0.0, "fewer than 1 in 10 such answers are right"),
            (0.08, "about 1 in 10 such answers is right"),
            (0.31, "about 1 in 3 such answers is right"),
            (0.63, "about 3 in 5 such answers are right"),
            (0.68, "about 2 in 3 such answers are right"),
            (1.0, "about 9 in 10 such answers are right"),
        ] {
            assert_eq!(of(share, true).as_deref(), Some(expected), "{share}");
        }
        assert_eq!(of(0.31, false), None, "nobody has measured it");
    }
}
