//! Collects the findings of a report, and limits how many of them it lists.

use std::collections::BTreeMap;

use artoo_types::{Anomaly, AnomalyKind, BoundaryViolation};

use crate::thresholds::LISTED;

/// The findings of a report: at most [`LISTED`] of each kind, so that no log makes an endless report.
#[derive(Default)]
pub(crate) struct Findings {
    anomalies: BTreeMap<AnomalyKind, Vec<Anomaly>>,
    violations: Vec<BoundaryViolation>,
    omitted: u64,
}

impl Findings {
    pub(crate) fn anomaly(&mut self, anomaly: Anomaly) {
        let listed = self.anomalies.entry(anomaly.kind()).or_default();
        if listed.len() < LISTED {
            listed.push(anomaly);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    pub(crate) fn violation(&mut self, violation: BoundaryViolation) {
        if self.violations.len() < LISTED {
            self.violations.push(violation);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    /// The findings of a kind so far.
    pub(crate) fn of(&self, kind: AnomalyKind) -> impl Iterator<Item = &Anomaly> {
        self.anomalies.get(&kind).into_iter().flatten()
    }

    /// The anomalies in the order of their kinds, most important first; the violations in log order; and the
    /// number of findings not listed.
    pub(crate) fn into_parts(self) -> (Vec<Anomaly>, Vec<BoundaryViolation>, u64) {
        (self.anomalies.into_values().flatten().collect(), self.violations, self.omitted)
    }
}
