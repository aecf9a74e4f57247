//! Drift detection: roles whose behaviour in the window differs from their history in the log.

use std::collections::{BTreeMap, VecDeque};

use artoo_types::{AuditEvent, DriftAlert, DriftMeasure, MessageKind, Role, Share};

use crate::fact_access::{count, flag, text};
use crate::thresholds::{DRIFT_CASES, DRIFT_ERRORS, DRIFT_HISTORY, DRIFT_RECENT, DRIFT_SHIFT};

/// Rates of bad outcomes by role and measure.
pub(crate) struct Drift {
    compared: Compared,
    pairs: BTreeMap<(Role, DriftMeasure), Pair>,
}

/// The period compared with the history before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// The window.
    Window,
    /// The last cases of each role, if the window is the whole log.
    LastCases,
}

#[derive(Default)]
struct Pair {
    before: Share,
    now: Share,
    /// The cases of `now`, if they leave it again.
    recent: VecDeque<bool>,
}

impl Drift {
    pub(crate) fn new(compared: Compared) -> Self {
        Self { compared, pairs: BTreeMap::new() }
    }

    pub(crate) fn event(&mut self, event: &AuditEvent, inside: bool) {
        for (measure, bad) in cases(event).into_iter().flatten() {
            let pair = self.pairs.entry((event.from, measure)).or_default();
            match self.compared {
                Compared::Window if inside => add(&mut pair.now, bad),
                Compared::Window => add(&mut pair.before, bad),
                Compared::LastCases => pair.slide(bad),
            }
        }
    }

    pub(crate) fn alerts(&self) -> Vec<DriftAlert> {
        let drifted = self.pairs.iter().filter(|(_, pair)| drifted(pair.before, pair.now));
        drifted
            .map(|((role, measure), pair)| DriftAlert {
                role: *role,
                measure: *measure,
                before: pair.before,
                now: pair.now,
            })
            .collect()
    }
}

impl Pair {
    fn slide(&mut self, bad: bool) {
        add(&mut self.now, bad);
        self.recent.push_back(bad);
        if self.recent.len() > DRIFT_RECENT
            && let Some(old) = self.recent.pop_front()
        {
            self.now.all -= 1;
            self.now.bad -= u64::from(old);
            add(&mut self.before, old);
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
