//! Success rates of each tool and each model in the window.

use std::collections::BTreeMap;

use artoo_types::{Anomaly, AuditEvent, MessageKind, ModelRecord, ToolHealth, ToolRecord};

use crate::fact_access::{flag, text};
use crate::thresholds::{ENOUGH_CALLS, FAILING_SHARE, NAMES, UNUSABLE_SHARE};

/// Name under which all names after the first [`NAMES`] are counted.
const OTHERS: &str = "(others)";

/// Counts the tool and model data of an event.
pub(crate) fn count(health: &mut ToolHealth, event: &AuditEvent) {
    if event.kind == MessageKind::CorrectionSignal {
        match text(event, "class") {
            Some("environmental") => health.environmental_retries += 1,
            Some("logical") => health.logical_retries += 1,
            _ => {}
        }
    } else if event.kind == MessageKind::ExecutionResult {
        health.execution_failures += u64::from(text(event, "status") == Some("failed"));
    } else if event.kind == MessageKind::ToolFinished {
        tool(record(&mut health.tools, text(event, "tool")), event);
    } else if event.kind == MessageKind::ModelCall {
        model(record(&mut health.models, text(event, "model")), event);
    }
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

fn record<'a, R: Default>(records: &'a mut BTreeMap<String, R>, name: Option<&str>) -> &'a mut R {
    let name = name.unwrap_or("(unnamed)");
    let name = if records.len() < NAMES || records.contains_key(name) { name } else { OTHERS };
    records.entry(name.to_owned()).or_default()
}
