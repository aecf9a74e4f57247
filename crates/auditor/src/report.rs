//! Reports: a fold over the lines of the log, for any window. Asking resets nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use artoo_types::{AuditEvent, AuditReport, AuditTrigger, MessageKind, RunId, ToolHealth};
use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use crate::drift::Drift;
use crate::rates::Rates;
use crate::raw::RawLines;
use crate::run_record::RunRecord;
use crate::tail::buffered;
use crate::{AuditError, Gap, GapLine, Line};

/// What a report is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Why it is made.
    pub trigger: AuditTrigger,
    /// From when; `None` is from the first line.
    pub since: Option<DateTime<FixedOffset>>,
    /// The time of the report.
    pub now: DateTime<FixedOffset>,
    /// A run without a final result counts as lost when nothing was heard of it for so long.
    pub silence: Duration,
}

impl Window {
    /// A window up to `now`, with ten minutes of silence: longer than any deadline of a role.
    pub fn new(
        trigger: AuditTrigger,
        since: Option<DateTime<FixedOffset>>,
        now: DateTime<FixedOffset>,
    ) -> Self {
        Self { trigger, since, now, silence: Duration::from_secs(600) }
    }
}

/// Computes a report from a log. A log that is not there is an empty one.
///
/// # Errors
///
/// The log is there, but cannot be read. Damaged lines are no error: they are anomalies of the report.
pub fn report(log: &Path, window: &Window) -> Result<AuditReport, AuditError> {
    let mut fold = Fold::new(window.clone());
    match File::open(log) {
        Ok(file) => {
            // Shared: a line that is being written is not a damaged one.
            file.lock_shared().map_err(AuditError::read(log))?;
            for (number, line) in (1..).zip(RawLines(buffered(&file))) {
                let line = line.map_err(AuditError::read(log))?;
                match Line::parse(&line.bytes) {
                    Some(line) => fold.line(&line),
                    None => fold.unreadable(number),
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(AuditError::read(log)(error)),
    }
    Ok(fold.finish())
}

/// A report in the making: pure, one line at a time.
///
/// `drift_alerts` compares the window with the log before it; without `since` there is nothing before, and it stays
/// empty. See [`crate`] for what it can and cannot see.
pub struct Fold {
    window: Window,
    first_at: Option<DateTime<FixedOffset>>,
    runs: BTreeMap<RunId, RunRecord>,
    observed: BTreeSet<RunId>,
    corrections: u64,
    tool_health: ToolHealth,
    violations: Vec<String>,
    anomalies: Vec<String>,
    rates: Rates,
    drift: Drift,
    /// A line that could not be read: the next one may say that it was cut by a crash.
    suspect: Option<u64>,
}

impl Fold {
    /// An empty report for a window.
    pub fn new(window: Window) -> Self {
        Self {
            window,
            first_at: None,
            runs: BTreeMap::new(),
            observed: BTreeSet::new(),
            corrections: 0,
            tool_health: ToolHealth::default(),
            violations: Vec::new(),
            anomalies: Vec::new(),
            rates: Rates::default(),
            drift: Drift::default(),
            suspect: None,
        }
    }

    /// Takes in the next line. Lines before the window count only for what the window is compared with.
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

    /// Takes in a line that cannot be read.
    pub fn unreadable(&mut self, number: u64) {
        self.settle_suspect();
        self.suspect = Some(number);
    }

    /// The report.
    pub fn finish(mut self) -> AuditReport {
        self.settle_suspect();
        for (run_id, run) in &self.runs {
            if self.observed.contains(run_id) {
                self.anomalies.extend(run.end(*run_id, self.window.now, self.window.silence));
            }
        }
        self.anomalies.extend(self.rates.alerts());
        let inside = |run_id: &RunId| self.observed.contains(run_id);
        AuditReport {
            trigger: self.window.trigger,
            window_start: self.first_at.map(|first| self.window.since.unwrap_or(first)),
            tasks_observed: self.observed.len() as u64,
            total_corrections: self.corrections,
            gap_trends: self
                .runs
                .iter()
                .filter(|(run_id, _)| inside(run_id))
                .filter_map(|(run_id, run)| run.trend(*run_id))
                .collect(),
            boundary_violations: self.violations,
            drift_alerts: self.drift.alerts(),
            anomalies: self.anomalies,
            tool_health: self.tool_health,
        }
    }

    fn event(&mut self, event: &AuditEvent, inside: bool) {
        self.drift.event(event, inside);
        // The operator's run is every process's own, and no task.
        let oddities = if event.run_id == RunId::OPERATOR {
            Vec::new()
        } else {
            self.runs.entry(event.run_id).or_default().event(event)
        };
        if !inside {
            return;
        }
        if event.run_id != RunId::OPERATOR {
            self.observed.insert(event.run_id);
        }
        self.anomalies.extend(oddities);
        self.boundary(event);
        self.rates.event(event);
        match event.kind {
            MessageKind::CorrectionSignal => {
                self.corrections += 1;
                match text(event, "class") {
                    Some("environmental") => self.tool_health.environmental_retries += 1,
                    Some("logical") => self.tool_health.logical_retries += 1,
                    _ => {}
                }
            }
            MessageKind::ExecutionResult => {
                self.tool_health.execution_failures += u64::from(text(event, "status") == Some("failed"));
            }
            MessageKind::UserRequest
            | MessageKind::ClarificationRequested
            | MessageKind::ClarificationAnswered
            | MessageKind::TaskSpec
            | MessageKind::MemoryQuery
            | MessageKind::MemoryReply
            | MessageKind::Plan
            | MessageKind::DispatchManifest
            | MessageKind::SubTask
            | MessageKind::ToolStarted
            | MessageKind::ToolOutput
            | MessageKind::ToolFinished
            | MessageKind::ApprovalRequested
            | MessageKind::ApprovalDecided
            | MessageKind::VerdictReached
            | MessageKind::SubTaskOutcome
            | MessageKind::OutcomeSummary
            | MessageKind::ReplanRequest
            | MessageKind::PlanDirective
            | MessageKind::FailureReportRequest
            | MessageKind::FailureReport
            | MessageKind::MegramWrite
            | MessageKind::FinalResult
            | MessageKind::Fault
            | MessageKind::Warning
            | MessageKind::ModelCall
            | MessageKind::AuditQuery
            | MessageKind::AuditReport => {}
        }
    }

    /// What the bus refused, and what passed although the table of contracts does not list it: that did not come through
    /// a port.
    fn boundary(&mut self, event: &AuditEvent) {
        let AuditEvent { run_id, seq, from, kind, .. } = event;
        if let (Some(role), Some(refused), Some(reason)) =
            (text(event, "role"), text(event, "refused"), text(event, "reason"))
        {
            let place = format!("run {run_id}, message {seq}: {role} published {refused}");
            match reason {
                "boundary" => {
                    self.violations.push(format!("{place}, which its contract does not list; refused"))
                }
                "second_final_result" => self.anomalies.push(format!("{place} a second time; refused")),
                _ => {
                    let full = text(event, "full").unwrap_or("a role");
                    self.anomalies
                        .push(format!("{place}, but the mailbox of {full} was full; the run failed"));
                }
            }
        }
        if !artoo_bus::contract::may_publish(*from, *kind) {
            let kind = kind.name();
            self.violations
                .push(format!("run {run_id}, message {seq}: {from} published {kind} past the bus"));
        }
    }

    fn gap(&mut self, line: &GapLine, inside: bool) {
        match &line.gap {
            Gap::Lagged { run_id, last_seq, .. } => {
                self.settle_suspect();
                self.runs.entry(*run_id).or_default().skip_to(*last_seq);
            }
            // Says what the line before is; the gap itself is reported below.
            Gap::TornLine { .. } => self.suspect = None,
            Gap::HeadMismatch { .. } | Gap::HeadMissing => self.settle_suspect(),
        }
        if inside {
            self.anomalies.push(format!("line {} of the log: {}", line.line, line.gap));
        }
    }

    fn settle_suspect(&mut self) {
        if let Some(number) = self.suspect.take() {
            self.anomalies
                .push(format!("line {number} of the log cannot be read; check it with: artoo audit verify"));
        }
    }
}

/// A fact that is a text.
pub(crate) fn text<'a>(event: &'a AuditEvent, fact: &str) -> Option<&'a str> {
    event.facts.get(fact).and_then(Value::as_str)
}

/// A fact that is a number.
pub(crate) fn number(event: &AuditEvent, fact: &str) -> Option<f64> {
    event.facts.get(fact).and_then(Value::as_f64)
}
