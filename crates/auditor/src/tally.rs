//! What some lines add to a report. The tallies of two stretches of a log add up to that of both.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{AuditEvent, PeriodicReports, RunId};
use serde::{Deserialize, Serialize};

use crate::drift::Drift;
use crate::findings::Findings;
use crate::line::{is_periodic_report, periodic_report};
use crate::rates::Health;
use crate::run_record::RunRecord;
use crate::thresholds::LISTED;

/// The runs that some lines are about, each as it stands after the last of them.
pub(crate) type Runs = BTreeMap<RunId, RunRecord>;

/// Everything that is counted or found in some lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) observed: BTreeSet<RunId>,
    pub(crate) corrections: u64,
    pub(crate) health: Health,
    pub(crate) findings: Findings,
    pub(crate) drift: Drift,
    pub(crate) periodic: PeriodicReports,
}

impl Tally {
    /// Adds the tally of the lines that follow.
    pub(crate) fn add(&mut self, next: Self) {
        self.observed.extend(next.observed);
        self.corrections = self.corrections.saturating_add(next.corrections);
        self.health.add(next.health);
        self.findings.add(next.findings);
        self.drift.add(next.drift);
        self.periodic.made = self.periodic.made.saturating_add(next.periodic.made);
        self.periodic.with_findings = self.periodic.with_findings.saturating_add(next.periodic.with_findings);
        self.periodic.reports.extend(next.periodic.reports);
        self.newest_reports();
    }

    /// Counts a message if it is a periodic report. One of an older version is counted alone.
    pub(crate) fn report(&mut self, event: &AuditEvent) {
        if !is_periodic_report(event) {
            return;
        }
        self.periodic.made += 1;
        if let Some(report) = periodic_report(event).filter(|report| report.findings() > 0) {
            self.periodic.with_findings += 1;
            self.periodic.reports.push(report);
            self.newest_reports();
        }
    }

    fn newest_reports(&mut self) {
        let over = self.periodic.reports.len().saturating_sub(LISTED);
        self.periodic.reports.drain(..over);
    }
}
