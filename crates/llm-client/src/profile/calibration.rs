//! What share of a model's results were right, from the file beside this one.

use std::sync::LazyLock;

use artoo_types::UnitInterval;
use serde::Deserialize;

/// What share of results that met every criterion were right, by what bore them out, and what is enough.
///
/// Source: `docs/deviations.md`, "Confidence". The figures are measured:
/// `cargo xtask eval --split calibration`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Of what one command found out, and no other that was tried.
    pub alone: UnitInterval,
    /// Of what two different commands found out, whatever the files they read were like.
    pub agreed: UnitInterval,
    /// Of what was made or changed, and judged by a model alone.
    pub changed: UnitInterval,
    /// Of what was made or changed as the plan had said before, which code checked.
    pub checked: UnitInterval,
    /// From which share on a result is accepted.
    pub least: UnitInterval,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calibrations {
    weak: Calibration,
    unmeasured: Calibration,
}

static CALIBRATIONS: LazyLock<Option<Calibrations>> =
    // A test reads the file; of a broken one nothing would be accepted.
    LazyLock::new(|| toml::from_str(include_str!("calibration.toml")).ok());

impl Calibration {
    /// Of models that are as weak as the embedded one, or of those of which nobody knows.
    pub(super) fn of(is_weak: bool) -> Self {
        let nothing = Self {
            alone: UnitInterval::ZERO,
            agreed: UnitInterval::ZERO,
            changed: UnitInterval::ZERO,
            checked: UnitInterval::ZERO,
            least: UnitInterval::ONE,
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
        assert!(all.weak.alone <= all.weak.agreed);
        assert!(all.unmeasured.alone >= all.unmeasured.least);
    }
}
