//! Builder of a report: a pure fold over log lines.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{
    Anomaly, AnomalyKind, AuditEvent, AuditReport, BoundaryViolation, Crossing, MessageKind, RunId,
    ToolHealth,
};
use chrono::{DateTime, FixedOffset};

use crate::drift::{Compared, Drift};
use crate::fact_access::{kind, role, text};
use crate::findings::Findings;
use crate::run_record::RunRecord;
use crate::{Gap, GapLine, Line, Window, rates};

/// A report under construction: pure, one line at a time.
///
/// If the window has a beginning, `drift_alerts` compares it with the log before; otherwise it compares the
/// last cases of each role with those before them. See [`crate`] for what it can and cannot detect.
pub struct ReportFold {
    window: Window,
    first_at: Option<DateTime<FixedOffset>>,
    runs: BTreeMap<RunId, RunRecord>,
    observed: BTreeSet<RunId>,
    corrections: u64,
    health: ToolHealth,
    findings: Findings,
    drift: Drift,
    /// Number of an unreadable line: the next line may say that it was cut by a crash.
    suspect: Option<u64>,
}

impl ReportFold {
    /// An empty report for a window.
    pub fn new(window: Window) -> Self {
        let compared = if window.since.is_some() { Compared::Window } else { Compared::LastCases };
        Self {
            window,
            first_at: None,
            runs: BTreeMap::new(),
            observed: BTreeSet::new(),
            corrections: 0,
            health: ToolHealth::default(),
            findings: Findings::default(),
            drift: Drift::new(compared),
            suspect: None,
        }
    }

    /// Processes the next line. Lines before the window only count as history.
    pub fn line(&mut self, line: &Line) {
        self.first_at.get_or_insert(line.at());
        let inside = self.window.since.is_none_or(|since| line.at() >= since);
        match line {
            Line::Event(event) => {
                self.settle_suspect();
                self.event(event, inside);
            }
            Line::Gap(gap) => self.gap(gap, inside),
        }
    }

    /// Processes an unreadable line.
    pub fn unreadable(&mut self, number: u64) {
        self.settle_suspect();
        self.suspect = Some(number);
    }

    /// Runs that make no progress, for live monitoring: thrashing, and the anomalies of progress that the
    /// report would contain if they ended now.
    pub fn astray(&self) -> Vec<Anomaly> {
        let thrashing = self.findings.of(AnomalyKind::GgsThrashing).cloned();
        thrashing.chain(self.runs.iter().filter_map(|(run_id, run)| run.astray(*run_id))).collect()
    }

    /// Finishes the report.
    pub fn finish(mut self) -> AuditReport {
        self.settle_suspect();
        let Window { trigger, since, now, silence } = self.window;
        for (run_id, run) in &self.runs {
            if let Some(lost) = run.lost(*run_id, since, now, silence) {
                self.findings.anomaly(lost);
            }
        }
        rates::anomalies(&self.health).into_iter().for_each(|anomaly| self.findings.anomaly(anomaly));
        let (anomalies, boundary_violations, omitted) = self.findings.into_parts();
        let observed = self.runs.iter().filter(|(run_id, _)| self.observed.contains(run_id));
        AuditReport {
            trigger,
            window_start: self.first_at.map(|first| since.unwrap_or(first)),
            window_end: now,
            tasks_observed: self.observed.len() as u64,
            total_corrections: self.corrections,
            gap_trends: observed.filter_map(|(run_id, run)| run.trend(*run_id)).collect(),
            boundary_violations,
            drift_alerts: self.drift.alerts(),
            anomalies,
            omitted,
            tool_health: self.health,
        }
    }

    fn event(&mut self, event: &AuditEvent, inside: bool) {
        self.drift.event(event, inside);
        // The operator's run belongs to every process, and is no task.
        let task = event.run_id != RunId::OPERATOR;
        let odd = if task { self.runs.entry(event.run_id).or_default().event(event) } else { Vec::new() };
        if !inside {
            return;
        }
        if task {
            self.observed.insert(event.run_id);
        }
        odd.into_iter().for_each(|anomaly| self.findings.anomaly(anomaly));
        self.refusal(event);
        self.past_the_bus(event);
        self.corrections += u64::from(event.kind == MessageKind::CorrectionSignal);
        rates::count(&mut self.health, event);
    }

    /// Processes a refusal by the bus.
    fn refusal(&mut self, event: &AuditEvent) {
        let AuditEvent { run_id, seq, .. } = *event;
        let Some(reason) = text(event, "reason") else { return };
        let (Some(from), Some(message)) = (role(event, "role"), kind(event, "refused")) else {
            // Not a line of ours: a reason always comes with both.
            return self.findings.anomaly(Anomaly::LineUnreadable { line: event.line });
        };
        match (reason, role(event, "full")) {
            ("boundary" | "second_report", _) => {
                let crossing = Crossing::Refused;
                self.findings.violation(BoundaryViolation { run_id, seq, role: from, message, crossing });
            }
            ("second_final_result", _) => {
                self.findings.anomaly(Anomaly::SecondFinalResult { run_id, seq, refused: true });
            }
            ("overflow", Some(full)) => {
                self.findings.anomaly(Anomaly::MailboxOverflow { run_id, seq, from, full });
            }
            _ => self.findings.anomaly(Anomaly::LineUnreadable { line: event.line }),
        }
    }

    /// Reports a message that the table of contracts does not allow: it did not pass through a port.
    fn past_the_bus(&mut self, event: &AuditEvent) {
        let AuditEvent { run_id, seq, from, kind, .. } = *event;
        if !artoo_bus::contract::may_publish(from, kind) {
            let crossing = Crossing::PastTheBus;
            self.findings.violation(BoundaryViolation { run_id, seq, role: from, message: kind, crossing });
        }
    }

    fn gap(&mut self, line: &GapLine, inside: bool) {
        let number = line.line;
        let anomaly = match line.gap {
            Gap::Lagged { run_id, first_seq, last_seq } => {
                self.settle_suspect();
                self.runs.entry(run_id).or_default().skip_to(last_seq);
                Anomaly::MessagesLost { run_id, first_seq, last_seq }
            }
            Gap::TornLine { bytes, .. } => {
                // This line explains the previous one.
                self.suspect = None;
                Anomaly::LineTorn { line: number, bytes }
            }
            Gap::HeadMismatch { expected_lines, .. } | Gap::LinesAdded { expected_lines, .. } => {
                self.settle_suspect();
                Anomaly::LogChanged { line: number, expected_lines: Some(expected_lines) }
            }
            Gap::HeadMissing => {
                self.settle_suspect();
                Anomaly::LogChanged { line: number, expected_lines: None }
            }
            // A line that was cut has a gap of its own, and messages that a run goes on without are missing
            // in it.
            Gap::BatchCut { .. } => return self.settle_suspect(),
        };
        if inside {
            self.findings.anomaly(anomaly);
        }
    }

    fn settle_suspect(&mut self) {
        if let Some(line) = self.suspect.take() {
            self.findings.anomaly(Anomaly::LineUnreadable { line });
        }
    }
}
