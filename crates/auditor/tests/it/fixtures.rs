//! Test fixtures: logs, buses and messages.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use artoo_auditor::{AuditLog, Entry, Facts, What};
use artoo_bus::{Bus, BusLimits, ManualClock};
use artoo_types::{Message, MessageKind, Role, RunId};
use chrono::{DateTime, FixedOffset};
use serde_json::Value;
use uuid::Uuid;

pub(crate) fn noon() -> DateTime<FixedOffset> {
    "2026-03-01T12:00:00+01:00".parse().unwrap()
}

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(noon()))
}

pub(crate) fn bus(clock: &Arc<ManualClock>) -> Bus {
    Bus::new(clock.clone(), BusLimits::default())
}

pub(crate) fn run_id(n: u128) -> RunId {
    RunId::new(Uuid::from_u128(n))
}

pub(crate) fn event(run: u128, seq: u64) -> Entry {
    let what = What::Event {
        run_id: run_id(run),
        seq,
        from: Role::Planner,
        kind: MessageKind::Plan,
        facts: Facts::from_iter([("round".to_owned(), seq.into())]),
    };
    Entry { at: noon(), what }
}

pub(crate) fn append(log: &mut AuditLog, entries: impl IntoIterator<Item = Entry>) {
    let mut entries: VecDeque<_> = entries.into_iter().collect();
    log.append(&mut entries).unwrap();
    assert!(entries.is_empty());
}

/// A closed log with this many lines, all written by one process.
pub(crate) fn a_log(folder: &Path, lines: u64) {
    let (mut log, _) = AuditLog::open(folder, noon()).unwrap();
    append(&mut log, (1..=lines).map(|seq| event(1, seq)));
}

/// The golden message of a kind.
pub(crate) fn golden(kind: MessageKind) -> Message {
    from_payload(kind, golden_payload(kind))
}

pub(crate) fn golden_payload(kind: MessageKind) -> Value {
    let path = format!("{}/../types/tests/golden/{}.json", env!("CARGO_MANIFEST_DIR"), kind.name());
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn from_payload(kind: MessageKind, payload: Value) -> Message {
    serde_json::from_value(serde_json::json!({ "kind": kind, "payload": payload })).unwrap()
}

/// The golden message of a kind with some of its fields replaced.
pub(crate) fn golden_with(kind: MessageKind, fields: Value) -> Message {
    let mut payload = golden_payload(kind);
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    from_payload(kind, payload)
}
