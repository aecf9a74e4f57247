//! Builder of a report: a pure fold over log lines.

use artoo_types::{
    Anomaly, AnomalyKind, AuditEvent, AuditReport, AuditTrigger, BoundaryViolation, Crossing, MessageKind,
    PeriodicReports, RunId,
};
use chrono::{DateTime, FixedOffset};

use crate::drift::Drift;
use crate::fact_access::{kind, role, text};
use crate::findings::Findings;
use crate::segment::Segment;
use crate::tally::{Runs, Tally};
use crate::{Gap, GapLine, Line, Window, rates};

/// A report under construction: pure, one line at a time.
///
/// If the window has a beginning, `drift_alerts` compares it with the log before; otherwise it compares the
/// last cases of each role with those before them. See [`crate`] for what it can and cannot detect.
pub struct ReportFold {
    window: Window,
    first_at: Option<DateTime<FixedOffset>>,
    /// Every run so far: what a line means depends on the lines before it, in the window or not.
    runs: Runs,
    inside: Tally,
    /// The cases before the window.
    before: Drift,
    /// Lines that cannot be read. No time is known of them, so every window has them.
    unreadable: Findings,
    /// Number of an unreadable line: the next line may say that it was cut by a crash.
    suspect: Option<u64>,
}

impl ReportFold {
    /// An empty report for a window.
    pub fn new(window: Window) -> Self {
        Self {
            window,
            first_at: None,
            runs: Runs::new(),
            inside: Tally::default(),
            before: Drift::default(),
            unreadable: Findings::default(),
            suspect: None,
        }
    }

    /// Processes the next line. Lines before the window only count as history.
    pub fn line(&mut self, line: &Line) {
        self.first_at.get_or_insert(line.at());
        let inside = self.window.has(line.at());
        match line {
            Line::Event(event) => {
                self.settle_suspect();
                self.event(event, inside);
            }
            Line::Gap(gap) => self.gap(gap, inside),
            Line::Seal(_) => self.settle_suspect(),
        }
    }

    /// Processes an unreadable line.
    pub fn unreadable(&mut self, number: u64) {
        self.settle_suspect();
        self.suspect = Some(number);
    }

    /// Processes the next lines at once. `false` if the window begins among them, so that they must be read.
    pub(crate) fn segment(&mut self, segment: &Segment) -> bool {
        let times = segment.times();
        let inside = self.window.has(times.earliest);
        if inside != self.window.has(times.latest) {
            return false;
        }
        self.settle_suspect();
        self.first_at.get_or_insert(times.first);
        self.runs.extend(segment.runs.clone());
        self.unreadable.add(segment.unreadable.clone());
        if inside {
            self.inside.add(segment.tally.clone());
        } else {
            self.before.add(segment.tally.drift.clone());
        }
        true
    }

    /// Runs that make no progress, for live monitoring: thrashing, and the anomalies of progress that the
    /// report would contain if they ended now.
    pub fn astray(&self) -> Vec<Anomaly> {
        let thrashing = self.inside.findings.of(AnomalyKind::GgsThrashing).cloned();
        thrashing.chain(self.runs.iter().filter_map(|(run_id, run)| run.astray(*run_id))).collect()
    }

    /// Finishes the report.
    pub fn finish(mut self) -> AuditReport {
        self.settle_suspect();
        let Window { trigger, since, now, silence } = self.window;
        let mut inside = self.inside;
        inside.findings.add(self.unreadable);
        for (run_id, run) in &self.runs {
            if let Some(lost) = run.lost(*run_id, since, now, silence) {
                inside.findings.anomaly(lost);
            }
        }
        let tool_health = inside.health.finish();
        rates::anomalies(&tool_health).into_iter().for_each(|anomaly| inside.findings.anomaly(anomaly));
        let (anomalies, boundary_violations, omitted) = inside.findings.into_parts();
        let observed = self.runs.iter().filter(|(run_id, _)| inside.observed.contains(run_id));
        AuditReport {
            tasks_observed: inside.observed.len() as u64,
            total_corrections: inside.corrections,
            gap_trends: observed.filter_map(|(run_id, run)| run.trend(*run_id)).collect(),
            boundary_violations,
            drift_alerts: if since.is_some() {
                inside.drift.since(&self.before)
            } else {
                inside.drift.of_late()
            },
            anomalies,
            omitted,
            tool_health,
            periodic: match trigger {
                AuditTrigger::OnDemand => inside.periodic,
                // Those before it are on record; a report that held them would hold all of them.
                AuditTrigger::Periodic => PeriodicReports::default(),
            },
            ..AuditReport::empty(trigger, self.first_at.map(|first| since.unwrap_or(first)), now)
        }
    }

    /// The runs, the tally and the unreadable lines so far; `None` if the last line is in doubt.
    pub(crate) fn into_parts(self) -> Option<(Runs, Tally, Findings)> {
        self.suspect.is_none().then_some((self.runs, self.inside, self.unreadable))
    }

    /// Runs as they stand before the first line.
    pub(crate) fn with_history(self, runs: Runs) -> Self {
        Self { runs, ..self }
    }

    fn event(&mut self, event: &AuditEvent, inside: bool) {
        // The operator's run belongs to every process, and is no task.
        let task = event.run_id != RunId::OPERATOR;
        let odd = if task { self.runs.entry(event.run_id).or_default().event(event) } else { Vec::new() };
        if !inside {
            self.before.event(event);
            return;
        }
        if task {
            self.inside.observed.insert(event.run_id);
        }
        odd.into_iter().for_each(|anomaly| self.inside.findings.anomaly(anomaly));
        self.refusal(event);
        self.past_the_bus(event);
        self.inside.drift.event(event);
        self.inside.corrections += u64::from(event.kind == MessageKind::CorrectionSignal);
        self.inside.health.count(event);
        self.inside.report(event);
    }

    /// Processes a refusal by the bus.
    fn refusal(&mut self, event: &AuditEvent) {
        let findings = &mut self.inside.findings;
        let AuditEvent { run_id, seq, .. } = *event;
        let Some(reason) = text(event, "reason") else { return };
        let (Some(from), Some(message)) = (role(event, "role"), kind(event, "refused")) else {
            // Not a line of ours: a reason always comes with both.
            return findings.anomaly(Anomaly::LineUnreadable { line: event.line });
        };
        match (reason, role(event, "full")) {
            ("boundary" | "second_report", _) => {
                let crossing = Crossing::Refused;
                findings.violation(BoundaryViolation { run_id, seq, role: from, message, crossing });
            }
            ("second_final_result", _) => {
                findings.anomaly(Anomaly::SecondFinalResult { run_id, seq, refused: true });
            }
            ("overflow", Some(full)) => {
                findings.anomaly(Anomaly::MailboxOverflow { run_id, seq, from, full });
            }
            _ => findings.anomaly(Anomaly::LineUnreadable { line: event.line }),
        }
    }

    /// Reports a message that the table of contracts does not allow: it did not pass through a port.
    fn past_the_bus(&mut self, event: &AuditEvent) {
        let AuditEvent { run_id, seq, from, kind, .. } = *event;
        if !artoo_bus::contract::may_publish(from, kind) {
            let crossing = Crossing::PastTheBus;
            let violation = BoundaryViolation { run_id, seq, role: from, message: kind, crossing };
            self.inside.findings.violation(violation);
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
            self.inside.findings.anomaly(anomaly);
        }
    }

    fn settle_suspect(&mut self) {
        if let Some(line) = self.suspect.take() {
            self.unreadable.anomaly(Anomaly::LineUnreadable { line });
        }
    }
}
