//! P, how implausible the approach is, and the failure classes behind it.

use artoo_types::{DominantClass, FailureClass, UnitInterval};

use crate::{Observation, Standing};

/// P: the share of logical failures among the logical and environmental ones. Without failures it is 0; if no
/// failure says anything about the approach it is 0.5.
///
/// Source: specification v0.8, "The Loss Function"; the two edges: `docs/deviations.md`, "P without classes".
pub fn implausibility(observation: &Observation) -> UnitInterval {
    let classes = Classes::of(observation);
    let telling = classes.logical + classes.environmental;
    if telling > 0 {
        UnitInterval::clamped(f64::from(classes.logical) / f64::from(telling))
    } else if classes.any_unmet() {
        UnitInterval::clamped(0.5)
    } else {
        UnitInterval::ZERO
    }
}

/// The more frequent class, for the directive.
pub fn dominant_class(observation: &Observation) -> DominantClass {
    let classes = Classes::of(observation);
    match classes.logical.cmp(&classes.environmental) {
        std::cmp::Ordering::Greater => DominantClass::Logical,
        std::cmp::Ordering::Less => DominantClass::Environmental,
        std::cmp::Ordering::Equal => DominantClass::Mixed,
    }
}

/// Whether everything that was judged and not met was refused by a person. Skipped criteria are a consequence
/// and do not count.
///
/// A refusal is an answer: if nothing else is missing, another plan could only look for a way around it.
/// Source: `docs/deviations.md`, "Law 1".
pub fn only_denied(observation: &Observation) -> bool {
    let classes = Classes::of(observation);
    classes.denied > 0 && classes.logical + classes.environmental + classes.unknown == 0
}

#[derive(Default)]
struct Classes {
    logical: u32,
    environmental: u32,
    denied: u32,
    unknown: u32,
    skipped: u32,
}

impl Classes {
    fn of(observation: &Observation) -> Self {
        let mut classes = Self::default();
        for criterion in &observation.criteria {
            match &criterion.standing {
                Standing::Met => {}
                Standing::Skipped { .. } => classes.skipped += 1,
                Standing::Unmet { class, .. } => match class {
                    FailureClass::Logical => classes.logical += 1,
                    // What is never allowed is an obstacle like others: it says nothing against the approach, and another
                    // path may lead to the aim, since what holds it back holds on every path. So the table of cells
                    // needs no column for it.
                    FailureClass::Environmental | FailureClass::Forbidden => classes.environmental += 1,
                    FailureClass::Denied => classes.denied += 1,
                    FailureClass::Unknown => classes.unknown += 1,
                },
            }
        }
        classes
    }

    fn any_unmet(&self) -> bool {
        self.logical + self.environmental + self.denied + self.unknown + self.skipped > 0
    }
}
