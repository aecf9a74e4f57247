//! Uniqueness of ids, and limits of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use artoo_types::{Anomaly, AuditEvent, CallId, IdKind, RunLimit, SubTaskId};
use serde::{Deserialize, Serialize};

use crate::fact_access::{count, text};

/// The ids of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    requests: u64,
    handed_out: BTreeSet<SubTaskId>,
    ended: BTreeSet<SubTaskId>,
    called: BTreeSet<CallId>,
    returned: BTreeSet<CallId>,
}

impl Identity {
    pub(crate) fn request(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        self.requests += 1;
        (self.requests > 1).then(|| duplicate(event, IdKind::Run))
    }

    pub(crate) fn subtask(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        once(&mut self.handed_out, id(event, "subtask_id"), event, IdKind::SubTask)
    }

    pub(crate) fn outcome(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        once(&mut self.ended, id(event, "subtask_id"), event, IdKind::Outcome)
    }

    pub(crate) fn call_started(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        once(&mut self.called, id(event, "call_id"), event, IdKind::ToolCall)
    }

    pub(crate) fn call_finished(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        once(&mut self.returned, id(event, "call_id"), event, IdKind::ToolCall)
    }
}

/// The limits of one run, and its counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limits {
    max_replans: Option<u64>,
    max_retries: Option<u64>,
    replans: u64,
    corrections: BTreeMap<SubTaskId, u64>,
}

impl Limits {
    pub(crate) fn request(&mut self, event: &AuditEvent) {
        self.max_replans = count(event, "max_replans");
        self.max_retries = count(event, "max_retries");
    }

    pub(crate) fn directive(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        self.replans += 1;
        exceeded(event, RunLimit::Replans, self.max_replans, self.replans)
    }

    pub(crate) fn correction(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        let corrections = self.corrections.entry(id(event, "subtask_id")?).or_default();
        *corrections += 1;
        exceeded(event, RunLimit::Corrections, self.max_retries, *corrections)
    }
}

/// A fact that is an id.
pub(crate) fn id<I: FromStr>(event: &AuditEvent, fact: &str) -> Option<I> {
    text(event, fact)?.parse().ok()
}

fn once<I: Ord>(seen: &mut BTreeSet<I>, id: Option<I>, event: &AuditEvent, of: IdKind) -> Option<Anomaly> {
    (!seen.insert(id?)).then(|| duplicate(event, of))
}

pub(crate) fn duplicate(event: &AuditEvent, of: IdKind) -> Anomaly {
    Anomaly::DuplicateId { run_id: event.run_id, seq: event.seq, of }
}

/// Reported once, at the first step beyond the limit.
fn exceeded(event: &AuditEvent, limit: RunLimit, allowed: Option<u64>, seen: u64) -> Option<Anomaly> {
    let allowed = allowed?;
    (seen == allowed.saturating_add(1)).then_some(Anomaly::LimitExceeded {
        run_id: event.run_id,
        limit,
        allowed,
        seen,
    })
}
