//! How often each tool and each model failed in the window.

use std::collections::BTreeMap;

use artoo_types::{AuditEvent, MessageKind};
use serde_json::Value;

use crate::report::text;

/// Below so many calls a rate says nothing.
const ENOUGH: u64 = 5;

/// Calls and failures by name.
#[derive(Default)]
pub(crate) struct Rates {
    tools: BTreeMap<String, Rate>,
    models: BTreeMap<String, Rate>,
}

#[derive(Clone, Copy, Default)]
struct Rate {
    calls: u64,
    failed: u64,
}

impl Rates {
    pub(crate) fn event(&mut self, event: &AuditEvent) {
        if event.kind == MessageKind::ToolFinished {
            count(&mut self.tools, text(event, "tool"), text(event, "class").is_some());
        }
        if event.kind == MessageKind::ModelCall {
            let ok = event.facts.get("ok").and_then(Value::as_bool).unwrap_or(true);
            count(&mut self.models, text(event, "model"), !ok);
        }
    }

    /// A sentence for each tool and model that failed at least half of the time.
    pub(crate) fn alerts(&self) -> Vec<String> {
        let often = |what: &'static str, rates: &BTreeMap<String, Rate>| {
            rates
                .iter()
                .filter(|(_, rate)| rate.calls >= ENOUGH && rate.failed * 2 >= rate.calls)
                .map(|(name, rate)| format!("{what} {name}: {} of {} calls failed", rate.failed, rate.calls))
                .collect::<Vec<_>>()
        };
        let mut alerts = often("tool", &self.tools);
        alerts.extend(often("model", &self.models));
        alerts
    }
}

fn count(rates: &mut BTreeMap<String, Rate>, name: Option<&str>, failed: bool) {
    let rate = rates.entry(name.unwrap_or("(unnamed)").to_owned()).or_default();
    rate.calls += 1;
    rate.failed += u64::from(failed);
}
