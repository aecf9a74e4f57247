//! Share of right results of a model, from `calibration.toml`.

use std::sync::LazyLock;

use artoo_types::UnitInterval;
use serde::Deserialize;

/// The share of right results among those that met every criterion, by kind of evidence, and the threshold
/// for acceptance.
///
/// Source: `docs/deviations.md`, "Confidence". The figures are measured:
/// `cargo xtask eval --split calibration`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Found out by one command, with no other one tried.
    pub alone: UnitInterval,
    /// Found out by most commands, all of one language.
    pub agreed: UnitInterval,
    /// Found out by different commands, in two languages.
    pub across: UnitInterval,
    /// Made or changed, and judged only by a model.
    pub changed: UnitInterval,
    /// Made or changed as the plan had said before, and checked by code.
    pub checked: UnitInterval,
    /// The minimum share for a result to be accepted.
    pub least: UnitInterval,
    /// Whether the shares were measured for the model.
    pub is_measured: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calibrations {
    weak: Calibration,
    unmeasured: Calibration,
}

static CALIBRATIONS: LazyLock<Option<Calibrations>> =
    // A test reads the file; with a broken one nothing would be accepted.
    LazyLock::new(|| toml::from_str(include_str!("calibration.toml")).ok());

impl Calibration {
    /// For models as weak as the embedded one, or for unmeasured ones.
    pub(super) fn of(is_weak: bool) -> Self {
        let nothing = Self {
            alone: UnitInterval::ZERO,
            agreed: UnitInterval::ZERO,
            across: UnitInterval::ZERO,
            changed: UnitInterval::ZERO,
            checked: UnitInterval::ZERO,
            least: UnitInterval::ONE,
            is_measured: false,
        };
        CALIBRATIONS.as_ref().map_or(nothing, |all| if is_weak { all.weak } else { all.unmeasured })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_can_be_read() {
        let all = CALIBRATIONS.as_ref().unwrap();
        let weak = [all.weak.alone, all.weak.agreed, all.weak.across];
        assert!(weak.is_sorted(), "{weak:?}");
        assert!(all.unmeasured.alone >= all.unmeasured.least);
        assert!(all.weak.is_measured && !all.unmeasured.is_measured);
    }
}
