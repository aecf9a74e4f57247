//! Success rates of each tool and each model in the window.

use std::collections::BTreeMap;

use artoo_types::{Anomaly, AuditEvent, MessageKind, ModelRecord, ToolHealth, ToolRecord};
use serde::{Deserialize, Serialize};

use crate::fact_access::{flag, text};
use crate::thresholds::{ENOUGH_CALLS, FAILING_SHARE, NAMES, UNUSABLE_SHARE};

/// Name under which all names after the first [`NAMES`] are counted.
const OTHERS: &str = "(others)";

/// The counts of some lines. Those of two stretches of a log add up to the counts of both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Health {
    execution_failures: u64,
    environmental_retries: u64,
    logical_retries: u64,
    tools: ByName<ToolRecord>,
    models: ByName<ModelRecord>,
}

/// A record of each name, with the place at which the name came up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ByName<R>(BTreeMap<String, (usize, R)>);

impl<R> Default for ByName<R> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl Health {
    /// Counts the tool and model data of an event.
    pub(crate) fn count(&mut self, event: &AuditEvent) {
        if event.kind == MessageKind::CorrectionSignal {
            match text(event, "class") {
                Some("environmental") => self.environmental_retries += 1,
                Some("logical") => self.logical_retries += 1,
                _ => {}
            }
        } else if event.kind == MessageKind::ExecutionResult {
            self.execution_failures += u64::from(text(event, "status") == Some("failed"));
        } else if event.kind == MessageKind::ToolFinished {
            tool(self.tools.of(text(event, "tool")), event);
        } else if event.kind == MessageKind::ModelCall {
            model(self.models.of(text(event, "model")), event);
        }
    }

    /// Adds the counts of the lines that follow.
    pub(crate) fn add(&mut self, next: Self) {
        self.execution_failures += next.execution_failures;
        self.environmental_retries += next.environmental_retries;
        self.logical_retries += next.logical_retries;
        self.tools.add(next.tools, add_tool);
        self.models.add(next.models, add_model);
    }

    /// The counts as a report has them: of the first [`NAMES`] tools and models by name, of the others together.
    pub(crate) fn finish(self) -> ToolHealth {
        ToolHealth {
            execution_failures: self.execution_failures,
            environmental_retries: self.environmental_retries,
            logical_retries: self.logical_retries,
            tools: self.tools.finish(add_tool),
            models: self.models.finish(add_model),
        }
    }
}

impl<R: Default> ByName<R> {
    fn of(&mut self, name: Option<&str>) -> &mut R {
        let (name, place) = (name.unwrap_or("(unnamed)"), self.0.len());
        &mut self.0.entry(name.to_owned()).or_insert_with(|| (place, R::default())).1
    }

    fn in_order(self) -> Vec<(String, R)> {
        let mut names: Vec<_> = self.0.into_iter().collect();
        names.sort_by_key(|(_, (place, _))| *place);
        names.into_iter().map(|(name, (_, record))| (name, record)).collect()
    }

    fn add(&mut self, next: Self, sum: impl Fn(&mut R, &R)) {
        for (name, record) in next.in_order() {
            sum(self.of(Some(&name)), &record);
        }
    }

    fn finish(self, sum: impl Fn(&mut R, &R)) -> BTreeMap<String, R> {
        let mut named = BTreeMap::new();
        for (place, (name, record)) in self.in_order().into_iter().enumerate() {
            let name = if place < NAMES { name } else { OTHERS.to_owned() };
            sum(named.entry(name).or_default(), &record);
        }
        named
    }
}

fn add_tool(sum: &mut ToolRecord, more: &ToolRecord) {
    let ToolRecord { calls, failed, timed_out, refused } = *more;
    sum.calls += calls;
    sum.failed += failed;
    sum.timed_out += timed_out;
    sum.refused += refused;
}

fn add_model(sum: &mut ModelRecord, more: &ModelRecord) {
    let ModelRecord { calls, failed, shaped, unusable } = *more;
    sum.calls += calls;
    sum.failed += failed;
    sum.shaped += shaped;
    sum.unusable += unusable;
}

/// The tools and models that fail often.
pub(crate) fn anomalies(health: &ToolHealth) -> Vec<Anomaly> {
    let often = |bad: u64, all: u64, share: f64| all >= ENOUGH_CALLS && bad as f64 >= share * all as f64;
    let mut found = Vec::new();
    for (name, &ToolRecord { calls, failed, .. }) in &health.tools {
        if often(failed, calls, FAILING_SHARE) {
            found.push(Anomaly::ToolFailing { tool: name.clone(), calls, failed });
        }
    }
    for (name, &ModelRecord { calls, failed, shaped, unusable }) in &health.models {
        if often(failed, calls, FAILING_SHARE) {
            found.push(Anomaly::ModelFailing { model: name.clone(), calls, failed });
        }
        if often(unusable, shaped, UNUSABLE_SHARE) {
            found.push(Anomaly::ModelUnusable { model: name.clone(), shaped, unusable });
        }
    }
    found
}

fn tool(record: &mut ToolRecord, event: &AuditEvent) {
    match text(event, "ending") {
        Some("refused" | "cancelled") => record.refused += 1,
        ending => {
            record.calls += 1;
            record.failed += u64::from(text(event, "class").is_some());
            record.timed_out += u64::from(ending == Some("timed_out"));
        }
    }
}

fn model(record: &mut ModelRecord, event: &AuditEvent) {
    record.calls += 1;
    record.failed += u64::from(flag(event, "ok") == Some(false));
    // Old lines lack this fact.
    if let Some(usable) = flag(event, "usable") {
        record.shaped += 1;
        record.unusable += u64::from(!usable);
    }
}
