//! What the auditor writes and reports. Source: specification v0.8, R6.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Anomaly, BoundaryViolation, DriftAlert, MessageKind, Role, RunId, UnitInterval};

/// One line of the audit log. Each line carries the hash of the one before, so that a missing or edited line shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEvent {
    /// Position in the log, from 1.
    pub line: u64,
    /// When the message was sent.
    pub at: DateTime<FixedOffset>,
    /// The run.
    pub run_id: RunId,
    /// The message's number in its run.
    pub seq: u64,
    /// Its sender.
    pub from: Role,
    /// Its kind.
    pub kind: MessageKind,
    /// What the reports are computed from: a short fact by kind, redacted; never a whole payload.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub facts: serde_json::Map<String, serde_json::Value>,
    /// SHA-256 of the line before, in hexadecimal; 64 zeros for the first.
    pub prev_hash: String,
}

/// The operator asks for a report. User to R6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditQuery {
    /// From when; `None` is from the first line.
    pub since: Option<DateTime<FixedOffset>>,
}

/// R6 to the user, computed from the log for a window. Asking resets nothing.
///
/// The specification's lists of descriptions are typed here, so that a program can tell one from another; each prints as a
/// sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditReport {
    /// Why it was made.
    pub trigger: AuditTrigger,
    /// Where the window begins; `None` is an empty log.
    pub window_start: Option<DateTime<FixedOffset>>,
    /// When it was made.
    pub window_end: DateTime<FixedOffset>,
    /// Runs seen.
    pub tasks_observed: u64,
    /// Corrections seen.
    pub total_corrections: u64,
    /// How the loss of each run moved, where it had at least two rounds.
    pub gap_trends: Vec<GapTrend>,
    /// Messages that broke the contract table.
    pub boundary_violations: Vec<BoundaryViolation>,
    /// Roles that behave unlike their own history.
    pub drift_alerts: Vec<DriftAlert>,
    /// Anything else out of order, the most important first.
    pub anomalies: Vec<Anomaly>,
    /// Violations and anomalies beyond the first hundred of their kind, which are counted and not listed.
    pub omitted: u64,
    /// How well tools and models worked.
    pub tool_health: ToolHealth,
    /// The periodic reports of the window. A periodic report has none.
    #[serde(default, skip_serializing_if = "PeriodicReports::is_empty")]
    pub periodic: PeriodicReports,
}

impl AuditReport {
    /// A report of a window in which nothing was seen.
    pub fn empty(
        trigger: AuditTrigger,
        window_start: Option<DateTime<FixedOffset>>,
        window_end: DateTime<FixedOffset>,
    ) -> Self {
        Self {
            trigger,
            window_start,
            window_end,
            tasks_observed: 0,
            total_corrections: 0,
            gap_trends: Vec::new(),
            boundary_violations: Vec::new(),
            drift_alerts: Vec::new(),
            anomalies: Vec::new(),
            omitted: 0,
            tool_health: ToolHealth::default(),
            periodic: PeriodicReports::default(),
        }
    }

    /// How many findings it has: violations, anomalies and drift alerts, those that are only counted included.
    pub fn findings(&self) -> u64 {
        let listed = self.boundary_violations.len() + self.anomalies.len() + self.drift_alerts.len();
        self.omitted.saturating_add(listed as u64)
    }
}

/// The periodic reports of a window, as the log keeps them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodicReports {
    /// How many were made.
    pub made: u64,
    /// How many of them found something.
    pub with_findings: u64,
    /// The reports themselves, oldest first: at most the newest hundred.
    pub reports: Vec<AuditReport>,
}

impl PeriodicReports {
    /// Whether none was made.
    pub fn is_empty(&self) -> bool {
        self.made == 0
    }
}

/// Why a report was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuditTrigger {
    /// The timer.
    Periodic,
    /// The operator.
    OnDemand,
}

/// How the loss of one run moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapTrend {
    /// The run.
    pub task_id: RunId,
    /// Its trend.
    pub trend: Trend,
    /// D of each round, the first one first.
    pub d: Vec<UnitInterval>,
}

/// A direction of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// The loss fell.
    Improving,
    /// It hardly moved.
    Stable,
    /// It rose.
    Worsening,
    /// It went one way and came back.
    Oscillating,
}

impl Trend {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Improving => "improving",
            Self::Stable => "stable",
            Self::Worsening => "worsening",
            Self::Oscillating => "oscillating",
        }
    }
}

/// Counts of failures by kind, by tool and by model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolHealth {
    /// Execution results with status `failed`.
    pub execution_failures: u64,
    /// Corrections of class `environmental`.
    pub environmental_retries: u64,
    /// Corrections of class `logical`.
    pub logical_retries: u64,
    /// Each tool. A name that nobody knew beforehand is a hash.
    pub tools: BTreeMap<String, ToolRecord>,
    /// Each model.
    pub models: BTreeMap<String, ModelRecord>,
}

/// How the calls of one tool ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRecord {
    /// Calls that were carried out.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that failed because they took too long.
    pub timed_out: u64,
    /// Calls that were refused or cancelled, and so say nothing about the tool.
    pub refused: u64,
}

/// How the calls of one model ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// Calls.
    pub calls: u64,
    /// Those without an answer.
    pub failed: u64,
    /// Answers that had to have a shape.
    pub shaped: u64,
    /// Those that did not have it.
    pub unusable: u64,
}
