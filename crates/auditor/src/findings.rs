//! Collects the findings of a report, and limits how many of them it lists.

use std::collections::BTreeMap;

use artoo_types::{Anomaly, AnomalyKind, BoundaryViolation};
use serde::{Deserialize, Serialize};

use crate::thresholds::LISTED;

/// The findings of a report: at most [`LISTED`] of each kind, so that no log makes an endless report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Parts", into = "Parts")]
pub(crate) struct Findings {
    anomalies: BTreeMap<AnomalyKind, Vec<Anomaly>>,
    violations: Vec<BoundaryViolation>,
    omitted: u64,
}

/// The findings as JSON.
#[derive(Serialize, Deserialize)]
struct Parts {
    anomalies: Vec<Anomaly>,
    violations: Vec<BoundaryViolation>,
    omitted: u64,
}

impl From<Parts> for Findings {
    fn from(parts: Parts) -> Self {
        let mut findings = Self { omitted: parts.omitted, ..Self::default() };
        parts.anomalies.into_iter().for_each(|anomaly| findings.anomaly(anomaly));
        parts.violations.into_iter().for_each(|violation| findings.violation(violation));
        findings
    }
}

impl From<Findings> for Parts {
    fn from(findings: Findings) -> Self {
        let (anomalies, violations, omitted) = findings.into_parts();
        Self { anomalies, violations, omitted }
    }
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

    /// Adds the findings of the lines that follow.
    pub(crate) fn add(&mut self, next: Self) {
        let (anomalies, violations, omitted) = next.into_parts();
        anomalies.into_iter().for_each(|anomaly| self.anomaly(anomaly));
        violations.into_iter().for_each(|violation| self.violation(violation));
        self.omitted = self.omitted.saturating_add(omitted);
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
