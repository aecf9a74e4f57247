//! What the auditor writes and reports. Source: specification v0.8, R6.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{MessageKind, Role, RunId};

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditReport {
    /// Why it was made.
    pub trigger: AuditTrigger,
    /// Where the window begins; `None` is an empty log.
    pub window_start: Option<DateTime<FixedOffset>>,
    /// Runs seen.
    pub tasks_observed: u64,
    /// Corrections seen.
    pub total_corrections: u64,
    /// How the loss of each run moved.
    pub gap_trends: Vec<GapTrend>,
    /// Messages that broke the contract table.
    pub boundary_violations: Vec<String>,
    /// Roles that behave unlike their own history.
    pub drift_alerts: Vec<String>,
    /// Anything else out of order: thrashing, gaps in the log, runs without an end.
    pub anomalies: Vec<String>,
    /// Failures of tools.
    pub tool_health: ToolHealth,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GapTrend {
    /// The run.
    pub task_id: RunId,
    /// Its trend.
    pub trend: Trend,
}

/// A direction of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// The loss fell.
    Improving,
    /// It hardly moved.
    Stable,
    /// It rose.
    Worsening,
}

/// Counts of failures by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolHealth {
    /// Execution results with status `failed`.
    pub execution_failures: u64,
    /// Corrections of class `environmental`.
    pub environmental_retries: u64,
    /// Corrections of class `logical`.
    pub logical_retries: u64,
}
