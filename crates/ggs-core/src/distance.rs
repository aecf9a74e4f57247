//! D, the distance between the intent and the result, and the list of unmet criteria.

use artoo_types::{Mode, UnitInterval, UnmetCriterion, Weighing};

use crate::{Bearing, JudgedCriterion, Observation, Report, Standing};

/// D: how far the result is from the request.
///
/// With [`Weighing::Wish`], D = (s + Σ w) / (1 + n), where s is the mean weight of the criteria of all steps
/// and Σ w the weight of the n criteria of the whole: a failed one of those weighs as much as all steps
/// together. Without criteria of one kind, D is the mean of the other kind. A met criterion that says nothing
/// of the request does not count: it would make every failure smaller. The specification's D is the mean over
/// all criteria.
///
/// Without any criterion that counts, nothing measures the distance: it is 0 if the meta-validator found
/// nothing missing, and 1 if it did.
/// Source: specification v0.8, "The Loss Function"; `docs/deviations.md`, "What weighs in D".
pub fn distance(observation: &Observation, weighing: Weighing) -> UnitInterval {
    let counts = |criterion: &&JudgedCriterion| match weighing {
        Weighing::Wish => criterion.bearing != Bearing::Nothing || criterion.standing != Standing::Met,
        Weighing::Alike => true,
    };
    let counted = observation.criteria.iter().filter(counts);
    let (steps, whole): (Vec<_>, Vec<_>) = counted.partition(|criterion| match weighing {
        Weighing::Wish => criterion.subtask_id.is_some(),
        Weighing::Alike => true,
    });
    let failed =
        |criteria: &[&JudgedCriterion]| -> f64 { criteria.iter().map(|criterion| criterion.weight()).sum() };
    match (steps.len(), whole.len()) {
        (0, 0) => match observation.report {
            Report::AllMet => UnitInterval::ZERO,
            Report::Gap => UnitInterval::ONE,
        },
        (0, n) => UnitInterval::clamped(failed(&whole) / n as f64),
        (m, n) => UnitInterval::clamped((failed(&steps) / m as f64 + failed(&whole)) / (1.0 + n as f64)),
    }
}

/// Whether the main wish of the person is missing: the request as a whole, or a deed. Then nothing is close
/// enough, however small D is.
pub(crate) fn misses_the_wish(observation: &Observation, weighing: Weighing) -> bool {
    let is_the_wish = |criterion: &JudgedCriterion| match criterion.bearing {
        Bearing::Whole | Bearing::Deed => criterion.standing != Standing::Met,
        Bearing::Part | Bearing::Nothing => false,
    };
    match weighing {
        Weighing::Wish => observation.criteria.iter().any(is_the_wish),
        Weighing::Alike => false,
    }
}

/// Every unmet criterion, in the observation's order.
pub fn unmet(observation: &Observation) -> Vec<UnmetCriterion> {
    observation.criteria.iter().filter_map(JudgedCriterion::as_unmet).collect()
}

/// The criterion with the greatest weight in D: the request as a whole before all others, the first among
/// equals, and a judged one before a skipped one, which is only a consequence.
pub fn heaviest_failure(observation: &Observation) -> Option<&JudgedCriterion> {
    let rank = |criterion: &JudgedCriterion| match (&criterion.standing, criterion.bearing) {
        (Standing::Met, _) => 0.0,
        (Standing::Unmet { .. }, Bearing::Whole) => 3.0,
        (Standing::Unmet { .. }, Bearing::Deed | Bearing::Part | Bearing::Nothing) => {
            1.0 + criterion.weight()
        }
        (Standing::Skipped { .. }, _) => 1.0,
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
    /// Its contribution to the numerator of D, 0 to 1: a failed verifiable or a skipped criterion 1, a failed
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
