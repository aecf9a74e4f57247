//! State of one run while the auditor reads the log.

use std::time::Duration;

use artoo_types::{Anomaly, AuditEvent, GapTrend, IdKind, MessageKind, RunId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use crate::convergence::Convergence;
use crate::fact_access::{count, text};
use crate::fan_in::FanIn;
use crate::identity::{Identity, Limits, duplicate, id};

/// One run, folded. As JSON it leaves out what is as in a new one: an index holds one of each run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunRecord {
    last_seq: u64,
    #[serde(skip_serializing_if = "is_default")]
    last_at: Option<DateTime<FixedOffset>>,
    #[serde(skip_serializing_if = "is_default")]
    requested: bool,
    /// Number of unanswered questions to the person: a run may wait for an answer indefinitely.
    #[serde(skip_serializing_if = "is_default")]
    asking: u64,
    #[serde(skip_serializing_if = "is_default")]
    final_results: u64,
    /// Whether a budget was spent, and whether R7 requested a failure report from the planner.
    #[serde(skip_serializing_if = "is_default")]
    spent: bool,
    #[serde(skip_serializing_if = "is_default")]
    told: bool,
    #[serde(skip_serializing_if = "is_default")]
    convergence: Convergence,
    /// `None` once messages are missing: an apparently missing message may be among them.
    #[serde(skip_serializing_if = "is_default")]
    whole: Option<Whole>,
    /// Whether any message of the run is missing from the log.
    #[serde(skip_serializing_if = "is_default")]
    holes: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Checks that need every message of a run up to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Whole {
    fan_in: FanIn,
    identity: Identity,
    limits: Limits,
}

impl RunRecord {
    /// Processes a message; returns its anomalies.
    pub(crate) fn event(&mut self, event: &AuditEvent) -> Vec<Anomaly> {
        let mut odd = Vec::new();
        odd.extend(self.sequence(event));
        self.last_at = Some(event.at);
        self.watch(event, &mut odd);
        odd
    }

    /// Messages up to this one are missing, as recorded by a gap.
    pub(crate) fn skip_to(&mut self, seq: u64) {
        self.last_seq = self.last_seq.max(seq);
        self.lose();
    }

    /// Whether the run was lost without a final result between these two times, as far as the log can tell.
    pub(crate) fn lost(
        &self,
        run_id: RunId,
        since: Option<DateTime<FixedOffset>>,
        now: DateTime<FixedOffset>,
        silence: Duration,
    ) -> Option<Anomaly> {
        let last_at = self.last_at?;
        let lost_at = last_at.checked_add_signed(chrono::Duration::from_std(silence).ok()?)?;
        let silent = lost_at <= now && since.is_none_or(|since| lost_at >= since);
        (self.requested && self.final_results == 0 && self.asking == 0 && !self.holes && silent)
            .then_some(Anomaly::NoFinalResult { run_id, last_at })
    }

    /// The anomaly of the run's progress so far.
    pub(crate) fn astray(&self, run_id: RunId) -> Option<Anomaly> {
        self.convergence.astray(run_id)
    }

    /// Trend of the loss, after at least two rounds.
    pub(crate) fn trend(&self, run_id: RunId) -> Option<GapTrend> {
        self.convergence.trend(run_id)
    }

    fn lose(&mut self) {
        self.holes = true;
        self.whole = None;
    }

    fn sequence(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        let (last, seq, run_id) = (self.last_seq, event.seq, event.run_id);
        self.last_seq = last.max(seq);
        if last == 0 && seq == 1 {
            self.whole = Some(Whole::default());
        }
        if seq <= last {
            return Some(duplicate(event, IdKind::Message));
        }
        let (first_seq, last_seq) = (last + 1, seq - 1);
        (first_seq <= last_seq).then(|| {
            self.lose();
            Anomaly::MessagesMissing { run_id, first_seq, last_seq }
        })
    }

    /// The kind of the fault that ended the run. A spent budget is a fault, though the result does not name
    /// it: R7 requests the planner's failure report before it abandons a run by a rule, so an abandonment
    /// without one is due to the budget.
    fn ended_by<'a>(&self, event: &'a AuditEvent) -> Option<&'a str> {
        let undecided = text(event, "directive") == Some("abandon") && !self.told;
        text(event, "fault").or((self.spent && undecided).then_some("budget"))
    }

    fn watch(&mut self, event: &AuditEvent, odd: &mut Vec<Anomaly>) {
        let whole = self.whole.as_mut();
        match event.kind {
            MessageKind::UserRequest => {
                self.requested = true;
                if let Some(whole) = whole {
                    odd.extend(whole.identity.request(event));
                    whole.limits.request(event);
                }
            }
            MessageKind::DispatchManifest => {
                if let Some(whole) = whole {
                    whole.fan_in.manifest(event);
                }
            }
            MessageKind::SubTask => odd.extend(whole.and_then(|whole| whole.identity.subtask(event))),
            MessageKind::ToolStarted => {
                odd.extend(whole.and_then(|whole| whole.identity.call_started(event)));
            }
            MessageKind::ToolFinished => {
                odd.extend(whole.and_then(|whole| whole.identity.call_finished(event)));
            }
            MessageKind::ApprovalRequested
            | MessageKind::ClarificationRequested
            | MessageKind::PlanApprovalRequested
            | MessageKind::ContinuationRequested => {
                self.asking = self.asking.saturating_add(1);
            }
            MessageKind::ApprovalDecided
            | MessageKind::ClarificationAnswered
            | MessageKind::PlanApprovalDecided
            | MessageKind::ContinuationDecided => {
                self.asking = self.asking.saturating_sub(1);
            }
            MessageKind::Fault => self.spent |= text(event, "fault") == Some("budget"),
            MessageKind::FailureReportRequest => self.told = true,
            MessageKind::CorrectionSignal => {
                odd.extend(whole.and_then(|whole| whole.limits.correction(event)));
            }
            MessageKind::SubTaskOutcome => {
                if let Some(whole) = whole {
                    odd.extend(whole.identity.outcome(event));
                    whole.fan_in.outcome(id(event, "subtask_id"));
                }
            }
            MessageKind::OutcomeSummary => {
                let counted = count(event, "outcomes").unwrap_or(0);
                odd.extend(whole.and_then(|whole| whole.fan_in.decision(event, counted)));
            }
            MessageKind::ReplanRequest => {
                let (failed, matched) =
                    (count(event, "failed").unwrap_or(0), count(event, "matched").unwrap_or(0));
                let counted = failed.saturating_add(matched);
                odd.extend(whole.and_then(|whole| whole.fan_in.decision(event, counted)));
            }
            MessageKind::PlanDirective => {
                odd.extend(whole.and_then(|whole| whole.limits.directive(event)));
                odd.extend(self.convergence.directive(event));
            }
            MessageKind::FinalResult => {
                self.final_results += 1;
                if self.final_results > 1 {
                    let (run_id, seq) = (event.run_id, event.seq);
                    odd.push(Anomaly::SecondFinalResult { run_id, seq, refused: false });
                    return;
                }
                let fault = self.ended_by(event);
                odd.extend(self.whole.as_mut().and_then(|whole| whole.fan_in.end(event, fault)));
                odd.extend(self.convergence.end(event, fault));
                // Frees memory, which would add up over a year of runs.
                self.whole = None;
            }
            MessageKind::ControlSettings
            | MessageKind::PersonNote
            | MessageKind::TaskSpec
            | MessageKind::MemoryQuery
            | MessageKind::MemoryReply
            | MessageKind::GuardQuery
            | MessageKind::GuardReply
            | MessageKind::Plan
            | MessageKind::DirectAnswer
            | MessageKind::ToolOutput
            | MessageKind::ExecutionResult
            | MessageKind::VerdictReached
            | MessageKind::FailureReport
            | MessageKind::MegramWrite
            | MessageKind::DreamReport
            | MessageKind::Warning
            | MessageKind::ModelCall
            | MessageKind::AuditQuery
            | MessageKind::AuditReport => {}
        }
    }
}
