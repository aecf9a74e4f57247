//! The periodic reports of the auditor that found something, as they come into the log, of any process.

use std::path::Path;

use artoo_auditor::{Following, LOG_NAME, Seen};
use artoo_types::AuditReport;

use super::findings::shortened;
use crate::terminal::{Terminal, neutral_line};

/// The place in the log up to which they were told.
pub(crate) struct Periodic(Option<Following>);

impl Periodic {
    /// Starts at the end of the log. The audit commands report a log that cannot be read.
    pub(crate) fn from_here(data_dir: &Path) -> Self {
        Self(Following::newest(&data_dir.join(LOG_NAME), 0).ok().map(|(following, _)| following))
    }

    /// Leaves out what came since.
    pub(crate) fn skip(&mut self) {
        drop(self.added());
    }

    /// Tells what came since.
    pub(crate) fn tell(&mut self, terminal: &mut Terminal) {
        for report in self.added() {
            for sentence in told(&report) {
                terminal.warning(&neutral_line(&sentence));
            }
        }
    }

    fn added(&mut self) -> Vec<AuditReport> {
        let seen = self.0.as_mut().and_then(|following| following.added().ok()).unwrap_or_default();
        let report = |seen: &Seen| match seen {
            Seen::Line(line) => line.periodic_report(),
            Seen::Unreadable | Seen::Shrunk => None,
        };
        seen.iter().filter_map(report).filter(|report| report.findings() > 0).collect()
    }
}

/// What a report found, in sentences with its time.
fn told(report: &AuditReport) -> Vec<String> {
    let clock = |at: chrono::DateTime<chrono::FixedOffset>| at.format("%H:%M").to_string();
    let until = clock(report.window_end);
    let from = report.window_start.map(|from| format!("{} to ", clock(from))).unwrap_or_default();
    let violations = report.boundary_violations.iter().map(ToString::to_string);
    let anomalies = report.anomalies.iter().map(ToString::to_string);
    let found = violations.chain(anomalies).chain(report.drift_alerts.iter().map(ToString::to_string));
    shortened(found.collect()).into_iter().map(|one| format!("the auditor, {from}{until}: {one}")).collect()
}

#[cfg(test)]
mod tests {
    use artoo_types::{Anomaly, AuditTrigger};

    use super::*;

    #[test]
    fn a_report_is_told_with_its_time() {
        let time = |text: &str| text.parse().unwrap();
        let (from, until) = (time("2026-03-14T09:25:00+08:00"), time("2026-03-14T09:30:00+08:00"));
        let nothing = AuditReport::empty(AuditTrigger::Periodic, Some(from), until);
        assert_eq!(told(&nothing), [""; 0]);
        let anomalies = vec![Anomaly::ToolFailing { tool: "shell".to_owned(), calls: 6, failed: 3 }];
        let expected = ["the auditor, 09:25 to 09:30: tool shell: 3 of 6 calls failed"];
        assert_eq!(told(&AuditReport { anomalies, ..nothing }), expected);
    }
}
