//! Test fixtures: messages and buses.

use std::sync::Arc;

use artoo_bus::{Bus, BusLimits, ManualClock, RunBus};
use artoo_types::{
    Message, MessageKind, Role, RunId, Surroundings, TaskSpec, ToolOutput, UserRequest, Warning,
};
use uuid::Uuid;

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new("2026-03-01T12:00:00+01:00".parse().unwrap()))
}

pub(crate) fn bus_with(mailbox: usize) -> Bus {
    Bus::new(clock(), BusLimits { mailbox })
}

pub(crate) fn run_id(n: u128) -> RunId {
    RunId::new(Uuid::from_u128(n))
}

pub(crate) fn run() -> RunBus {
    bus_with(65_536).open(run_id(1)).unwrap()
}

pub(crate) fn warning(text: &str) -> Warning {
    Warning { role: Role::Planner, message: text.to_owned() }
}

pub(crate) fn task_spec(text: &str) -> TaskSpec {
    TaskSpec::verbatim(text)
}

pub(crate) fn user_request(text: &str) -> UserRequest {
    UserRequest {
        text: text.to_owned(),
        errand: artoo_types::Errand::Task,
        surroundings: Surroundings {
            now: "2026-03-01T12:00:00+01:00".parse().unwrap(),
            zone: "Europe/Berlin".into(),
            working_folder: "/w".into(),
            workspace: "/w".into(),
            home: "/h".into(),
            platform: "linux".into(),
        },
        turns: Vec::new(),
        instructions: Vec::new(),
        constraints: artoo_types::Constraints::default(),
        limits: Default::default(),
        prices: Default::default(),
        person_present: false,
    }
}

pub(crate) fn tool_output(n: u128) -> ToolOutput {
    ToolOutput {
        subtask_id: artoo_types::SubTaskId::new(Uuid::from_u128(n)),
        call_id: artoo_types::CallId::new(Uuid::from_u128(n)),
        text: n.to_string(),
    }
}

/// The golden message of a kind.
pub(crate) fn sample(kind: MessageKind) -> Message {
    let path = format!("{}/../types/tests/golden/{}.json", env!("CARGO_MANIFEST_DIR"), kind.name());
    let payload: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    serde_json::from_value(serde_json::json!({ "kind": kind, "payload": payload })).unwrap()
}
