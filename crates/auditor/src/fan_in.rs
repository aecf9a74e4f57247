//! Fan-in check: whether R4b waited for every outcome.

use std::collections::BTreeSet;

use artoo_types::{Anomaly, AuditEvent, SubTaskId};
use serde::{Deserialize, Serialize};

use crate::fact_access::count;

/// The outcomes of one run's rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FanIn {
    round: Option<Round>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Round {
    number: u32,
    /// Subtasks of this plan.
    own: u64,
    /// Outcomes of earlier plans that are counted again.
    kept: u64,
    arrived: BTreeSet<SubTaskId>,
}

impl FanIn {
    /// Processes a manifest, which says how many outcomes to expect. A duplicate manifest changes nothing.
    pub(crate) fn manifest(&mut self, event: &AuditEvent) {
        let number = u32::try_from(count(event, "round").unwrap_or(0)).unwrap_or(u32::MAX);
        if self.round.as_ref().is_none_or(|round| round.number < number) {
            let (own, kept) = (count(event, "subtasks").unwrap_or(0), count(event, "kept").unwrap_or(0));
            self.round = Some(Round { number, own, kept, arrived: BTreeSet::new() });
        }
    }

    pub(crate) fn outcome(&mut self, subtask: Option<SubTaskId>) {
        if let (Some(round), Some(subtask)) = (&mut self.round, subtask) {
            round.arrived.insert(subtask);
        }
    }

    /// Processes a decision of R4b on this many outcomes.
    pub(crate) fn decision(&mut self, event: &AuditEvent, counted: u64) -> Option<Anomaly> {
        let round = self.round.take()?;
        let arrived = counted.min((round.arrived.len() as u64).saturating_add(round.kept));
        (arrived < round.own.saturating_add(round.kept)).then(|| round.incomplete(event, arrived))
    }

    /// Processes the end of the run, with the kind of its fault if there was one. An interrupted run has no
    /// further outcomes; a role that hung, panicked or lost a message leaves a hole.
    pub(crate) fn end(&mut self, event: &AuditEvent, fault: Option<&str>) -> Option<Anomaly> {
        let round = self.round.take()?;
        let arrived = round.arrived.len() as u64;
        let hole = matches!(fault, None | Some("deadline" | "panic" | "bus"));
        (hole && arrived < round.own).then(|| round.incomplete(event, arrived.saturating_add(round.kept)))
    }
}

impl Round {
    fn incomplete(&self, event: &AuditEvent, arrived: u64) -> Anomaly {
        Anomaly::FanInIncomplete {
            run_id: event.run_id,
            round: self.number,
            expected: self.own.saturating_add(self.kept),
            arrived,
            decided: event.kind,
        }
    }
}
