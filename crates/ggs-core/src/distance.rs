//! D, the distance between the intent and the result, and the list of what is missing.

use artoo_types::{Mode, UnitInterval, UnmetCriterion};

use crate::{JudgedCriterion, Observation, Report, Standing};

/// D: the weight of what is not met, as a share of all criteria.
///
/// Without any criterion nothing measures the distance: it is 0 where the meta-validator found nothing
/// missing, and 1 where it did.
/// Source: specification v0.8, "The Loss Function".
pub fn distance(observation: &Observation) -> UnitInterval {
    if observation.criteria.is_empty() {
        return match observation.report {
            Report::AllMet => UnitInterval::ZERO,
            Report::Gap => UnitInterval::ONE,
        };
    }
    let failed: f64 = observation.criteria.iter().map(JudgedCriterion::weight).sum();
    UnitInterval::clamped(failed / observation.criteria.len() as f64)
}

/// Every criterion that is not met, in the observation's order.
pub fn unmet(observation: &Observation) -> Vec<UnmetCriterion> {
    observation.criteria.iter().filter_map(JudgedCriterion::as_unmet).collect()
}

/// The criterion that weighs most in D: the first among equals, and a judged one before a skipped one, which
/// is only a consequence.
pub fn heaviest_failure(observation: &Observation) -> Option<&JudgedCriterion> {
    let rank = |criterion: &JudgedCriterion| match &criterion.standing {
        Standing::Met => 0.0,
        Standing::Unmet { .. } => 1.0 + criterion.weight(),
        Standing::Skipped { .. } => 1.0,
    };
    let mut heaviest: Option<&JudgedCriterion> = None;
    for criterion in &observation.criteria {
        if rank(criterion) > heaviest.map_or(0.0, rank) {
            heaviest = Some(criterion);
        }
    }
    heaviest
}

impl JudgedCriterion {
    /// What it adds to the numerator of D, 0 to 1: a failed verifiable or a skipped criterion 1, a failed
    /// plausible one the share k/N of the attempts in which it failed.
    ///
    /// Source: specification v0.8, "The Loss Function"; skipped criteria: `docs/deviations.md`, "Task
    /// criteria enter D".
    pub fn weight(&self) -> f64 {
        match (&self.standing, self.mode) {
            (Standing::Met, _) => 0.0,
            (Standing::Skipped { .. }, _) | (Standing::Unmet { .. }, Mode::Verifiable) => 1.0,
            (Standing::Unmet { failures, attempts, .. }, Mode::Plausible) => {
                // A failure is at least one of the attempts, whatever the history says.
                let attempts = (*attempts).max(1);
                f64::from((*failures).clamp(1, attempts)) / f64::from(attempts)
            }
        }
    }

    fn as_unmet(&self) -> Option<UnmetCriterion> {
        let reason = match &self.standing {
            Standing::Met => return None,
            Standing::Unmet { reason, .. } | Standing::Skipped { reason } => reason,
        };
        Some(UnmetCriterion {
            criterion: self.text.clone(),
            mode: self.mode,
            subtask_id: self.subtask_id,
            reason: reason.clone(),
        })
    }
}
