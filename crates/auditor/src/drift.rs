//! Roles that behave unlike their own history: the window against the log before it.

use std::collections::BTreeMap;

use artoo_types::{AuditEvent, MessageKind, Role};
use serde_json::Value;

use crate::report::text;

/// Fewer observations than this in the window, or before it, and nothing is said.
const WINDOW: u64 = 10;
const HISTORY: u64 = 30;
/// The share must differ by this much, and by three standard errors.
const SHIFT: f64 = 0.2;

/// Shares of bad outcomes by role.
#[derive(Default)]
pub(crate) struct Drift {
    shares: BTreeMap<(Role, &'static str), (Share, Share)>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    bad: u64,
    all: u64,
}

impl Share {
    fn of(self) -> f64 {
        self.bad as f64 / self.all as f64
    }
}

impl Drift {
    pub(crate) fn event(&mut self, event: &AuditEvent, inside: bool) {
        let Some((what, bad)) = outcome(event) else { return };
        let (before, now) = self.shares.entry((event.from, what)).or_default();
        let share = if inside { now } else { before };
        share.all += 1;
        share.bad += u64::from(bad);
    }

    pub(crate) fn alerts(&self) -> Vec<String> {
        let drifted = |before: Share, now: Share| {
            if before.all < HISTORY || now.all < WINDOW {
                return false;
            }
            let (p, q) = (before.of(), now.of());
            // The error of both samples under their common share; no failure ever before would make it zero.
            let common = (before.bad + now.bad) as f64 / (before.all + now.all) as f64;
            let error = (common * (1.0 - common) * (1.0 / before.all as f64 + 1.0 / now.all as f64)).sqrt();
            (q - p).abs() >= SHIFT && (q - p).abs() >= 3.0 * error
        };
        self.shares
            .iter()
            .filter(|(_, (before, now))| drifted(*before, *now))
            .map(|((role, what), (before, now))| {
                format!(
                    "{role}: {what} in {:.0} % of {} cases, before {:.0} % of {}",
                    100.0 * now.of(),
                    now.all,
                    100.0 * before.of(),
                    before.all
                )
            })
            .collect()
    }
}

/// What an event says of how its sender works, and whether it is bad.
fn outcome(event: &AuditEvent) -> Option<(&'static str, bool)> {
    if event.kind == MessageKind::ExecutionResult {
        return Some(("failed results", text(event, "status") == Some("failed")));
    }
    if event.kind == MessageKind::VerdictReached {
        return Some(("failing verdicts", event.facts.get("pass").and_then(Value::as_bool) == Some(false)));
    }
    if event.kind == MessageKind::ModelCall {
        return Some(("failed model calls", event.facts.get("ok").and_then(Value::as_bool) == Some(false)));
    }
    None
}
