//! What the auditor remembers of one run while it reads the log.

use std::time::Duration;

use artoo_types::{AuditEvent, GapTrend, MessageKind, RunId, Trend};
use chrono::{DateTime, FixedOffset};

use crate::report::{number, text};

/// A change of the goal's part of the loss below this is no change. Source: specification v0.8, plateau threshold.
const PLATEAU: f64 = 0.1;

/// One run, folded.
#[derive(Default)]
pub(crate) struct RunRecord {
    last_seq: u64,
    last_at: Option<DateTime<FixedOffset>>,
    requested: bool,
    final_results: u64,
    /// Rounds whose loss was seen, and the sum of their gradients: how far alpha*D + beta*P moved since the first.
    rounds: u64,
    moved: f64,
    /// D of the last round, where its directive was `break_symmetry`.
    broke_at: Option<f64>,
}

impl RunRecord {
    /// Takes in a message; returns what is odd about it.
    pub(crate) fn event(&mut self, event: &AuditEvent) -> Vec<String> {
        let AuditEvent { run_id, seq, .. } = event;
        let mut odd = Vec::new();
        if *seq <= self.last_seq {
            odd.push(format!("run {run_id}: message {seq} is in the log twice or out of order"));
        } else if *seq > self.last_seq + 1 {
            let (first, last) = (self.last_seq + 1, seq - 1);
            odd.push(format!(
                "run {run_id}: messages {first} to {last} are missing from the log, and no gap says so"
            ));
        }
        self.last_seq = self.last_seq.max(*seq);
        self.last_at = Some(event.at);
        match event.kind {
            MessageKind::UserRequest => self.requested = true,
            MessageKind::PlanDirective => {
                self.round(event);
                odd.extend(self.thrashing(event));
            }
            MessageKind::FinalResult => {
                self.round(event);
                self.final_results += 1;
                if self.final_results > 1 {
                    odd.push(format!(
                        "run {run_id}: final result number {} (message {seq})",
                        self.final_results
                    ));
                }
            }
            MessageKind::ClarificationRequested
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
            | MessageKind::ExecutionResult
            | MessageKind::VerdictReached
            | MessageKind::CorrectionSignal
            | MessageKind::SubTaskOutcome
            | MessageKind::OutcomeSummary
            | MessageKind::ReplanRequest
            | MessageKind::FailureReportRequest
            | MessageKind::FailureReport
            | MessageKind::MegramWrite
            | MessageKind::Fault
            | MessageKind::Warning
            | MessageKind::ModelCall
            | MessageKind::AuditQuery
            | MessageKind::AuditReport => {}
        }
        odd
    }

    /// The messages up to this one are missing, and a gap says so.
    pub(crate) fn skip_to(&mut self, seq: u64) {
        self.last_seq = self.last_seq.max(seq);
    }

    /// What is odd about the end of the run.
    pub(crate) fn end(&self, run_id: RunId, now: DateTime<FixedOffset>, silence: Duration) -> Option<String> {
        let last = self.last_at?;
        let silent = now.signed_duration_since(last).to_std().is_ok_and(|time| time >= silence);
        (self.requested && self.final_results == 0 && silent)
            .then(|| format!("run {run_id}: no final result; nothing was heard of it since {last}"))
    }

    /// How the loss moved, where at least two rounds were seen.
    pub(crate) fn trend(&self, run_id: RunId) -> Option<GapTrend> {
        let trend = match self.moved {
            moved if moved < -PLATEAU => Trend::Improving,
            moved if moved > PLATEAU => Trend::Worsening,
            _ => Trend::Stable,
        };
        (self.rounds > 1).then_some(GapTrend { task_id: run_id, trend })
    }

    fn round(&mut self, event: &AuditEvent) {
        self.rounds += 1;
        self.moved += number(event, "grad_goal").unwrap_or(0.0);
    }

    /// Source: specification v0.8, R6: consecutive `break_symmetry` directives without D decreasing.
    fn thrashing(&mut self, event: &AuditEvent) -> Option<String> {
        let d = number(event, "D").filter(|_| text(event, "directive") == Some("break_symmetry"));
        let before = std::mem::replace(&mut self.broke_at, d);
        let (before, d) = (before?, d?);
        (d >= before).then(|| {
            format!(
                "ggs_thrashing: run {}: break_symmetry twice in a row and D went from {before} to {d}",
                event.run_id
            )
        })
    }
}
