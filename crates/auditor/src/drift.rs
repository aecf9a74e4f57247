//! Drift detection: roles whose behaviour in the window differs from their history in the log.

use std::collections::{BTreeMap, VecDeque};

use artoo_types::{AuditEvent, DriftAlert, DriftMeasure, MessageKind, Role, Share};
use serde::{Deserialize, Serialize};

use crate::fact_access::{count, flag, text};
use crate::thresholds::{DRIFT_CASES, DRIFT_ERRORS, DRIFT_HISTORY, DRIFT_RECENT, DRIFT_SHIFT};

/// The cases of some lines, by role and measure. Those of two stretches of a log add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Of>", into = "Vec<Of>")]
pub(crate) struct Drift(BTreeMap<(Role, DriftMeasure), Cases>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cases {
    all: Share,
    /// The last [`DRIFT_RECENT`] of them; `true` is a bad outcome.
    recent: VecDeque<bool>,
}

/// The cases of one role and measure, as JSON.
#[derive(Serialize, Deserialize)]
struct Of {
    role: Role,
    measure: DriftMeasure,
    #[serde(flatten)]
    cases: Cases,
}

impl From<Vec<Of>> for Drift {
    fn from(all: Vec<Of>) -> Self {
        Self(all.into_iter().map(|of| ((of.role, of.measure), of.cases)).collect())
    }
}

impl From<Drift> for Vec<Of> {
    fn from(drift: Drift) -> Self {
        drift.0.into_iter().map(|((role, measure), cases)| Of { role, measure, cases }).collect()
    }
}

impl Drift {
    pub(crate) fn event(&mut self, event: &AuditEvent) {
        for (measure, bad) in cases(event).into_iter().flatten() {
            let cases = self.0.entry((event.from, measure)).or_default();
            add(&mut cases.all, bad);
            cases.recent(bad);
        }
    }

    /// Adds the cases of the lines that follow.
    pub(crate) fn add(&mut self, next: Self) {
        for (of, next) in next.0 {
            let cases = self.0.entry(of).or_default();
            cases.all = Share { bad: cases.all.bad + next.all.bad, all: cases.all.all + next.all.all };
            next.recent.into_iter().for_each(|bad| cases.recent(bad));
        }
    }

    /// What differs from these earlier cases.
    pub(crate) fn since(&self, before: &Self) -> Vec<DriftAlert> {
        let none = Share::default();
        self.alerts(|of, cases| (before.0.get(of).map_or(none, |cases| cases.all), cases.all))
    }

    /// What differs in the last cases of each role from those before them.
    pub(crate) fn of_late(&self) -> Vec<DriftAlert> {
        self.alerts(|_, cases| {
            let mut now = Share::default();
            cases.recent.iter().for_each(|bad| add(&mut now, *bad));
            let Share { bad, all } = cases.all;
            (Share { bad: bad.saturating_sub(now.bad), all: all.saturating_sub(now.all) }, now)
        })
    }

    fn alerts(&self, compared: impl Fn(&(Role, DriftMeasure), &Cases) -> (Share, Share)) -> Vec<DriftAlert> {
        let alert = |(of, cases): (&(Role, DriftMeasure), &Cases)| {
            let ((role, measure), (before, now)) = (*of, compared(of, cases));
            drifted(before, now).then_some(DriftAlert { role, measure, before, now })
        };
        self.0.iter().filter_map(alert).collect()
    }
}

impl Cases {
    fn recent(&mut self, bad: bool) {
        self.recent.push_back(bad);
        if self.recent.len() > DRIFT_RECENT {
            self.recent.pop_front();
        }
    }
}

fn add(share: &mut Share, bad: bool) {
    share.all += 1;
    share.bad += u64::from(bad);
}

fn drifted(before: Share, now: Share) -> bool {
    if before.all < DRIFT_HISTORY || now.all < DRIFT_CASES {
        return false;
    }
    let difference = (now.of() - before.of()).abs();
    // Standard error of the pooled proportion; with separate proportions it would be zero for a history
    // without failures.
    let common = (before.bad + now.bad) as f64 / (before.all + now.all) as f64;
    let error = (common * (1.0 - common) * (1.0 / before.all as f64 + 1.0 / now.all as f64)).sqrt();
    difference >= DRIFT_SHIFT && difference >= DRIFT_ERRORS * error
}

/// The measures that an event contributes to, and whether its outcome was bad.
fn cases(event: &AuditEvent) -> [Option<(DriftMeasure, bool)>; 2] {
    let case = |measure, bad| [Some((measure, bad)), None];
    let kind = event.kind;
    if kind == MessageKind::ExecutionResult {
        case(DriftMeasure::FailedResults, text(event, "status") == Some("failed"))
    } else if kind == MessageKind::VerdictReached {
        case(DriftMeasure::FailingVerdicts, flag(event, "pass") == Some(false))
    } else if kind == MessageKind::SubTaskOutcome && event.from == Role::AgentValidator {
        // The dispatcher's outcomes are of subtasks that did not run.
        case(DriftMeasure::CorrectedSubtasks, count(event, "attempts").is_some_and(|attempts| attempts > 1))
    } else if kind == MessageKind::OutcomeSummary || kind == MessageKind::ReplanRequest {
        case(DriftMeasure::ReplanRequests, kind == MessageKind::ReplanRequest)
    } else if kind == MessageKind::FinalResult {
        case(DriftMeasure::AbandonedRuns, text(event, "directive") == Some("abandon"))
    } else if kind == MessageKind::ModelCall {
        let usable = flag(event, "usable");
        [
            Some((DriftMeasure::FailedModelCalls, flag(event, "ok") == Some(false))),
            usable.map(|usable| (DriftMeasure::UnusableAnswers, !usable)),
        ]
    } else {
        [None, None]
    }
}
