//! One full, realistic example of every message, with every optional field set: a request to count and compare files.

mod control;
mod memory;
mod outcome;
pub(crate) mod plan;
mod request;
mod tools;
mod watch;

use std::sync::Arc;

use artoo_types::{CallId, Envelope, MegramId, Message, Role, RunId, SubTaskId, TaskId};
use chrono::{DateTime, FixedOffset};
use uuid::Uuid;

pub(crate) use tools::tool_call;
pub(crate) use watch::{audit_event, warning};

/// One example of each kind, in the order of `MessageKind::ALL`.
pub(crate) fn all() -> Vec<Message> {
    vec![
        control::settings().into(),
        request::user_request().into(),
        request::clarification_requested().into(),
        request::clarification_answered().into(),
        request::note().into(),
        request::task_spec().into(),
        memory::query().into(),
        memory::reply().into(),
        plan::plan().into(),
        plan::direct_answer().into(),
        plan::approval_requested().into(),
        plan::approval_decided().into(),
        request::continuation_requested().into(),
        request::continuation_decided().into(),
        plan::manifest().into(),
        plan::subtask().into(),
        memory::guard_query().into(),
        memory::guard_reply().into(),
        tools::started().into(),
        tools::output().into(),
        tools::finished().into(),
        tools::approval_requested().into(),
        tools::approval_decided().into(),
        outcome::execution_result().into(),
        outcome::verdict_reached().into(),
        outcome::correction().into(),
        outcome::failed().into(),
        outcome::summary().into(),
        outcome::replan_request().into(),
        control::plan_directive().into(),
        control::failure_report_request().into(),
        control::failure_report().into(),
        memory::write().into(),
        memory::dream().into(),
        control::final_result().into(),
        watch::fault().into(),
        watch::warning().into(),
        watch::model_call().into(),
        watch::audit_query().into(),
        watch::audit_report().into(),
    ]
}

/// `message` on its way, from the auditor.
pub(crate) fn envelope(message: Message) -> Envelope {
    Envelope {
        seq: 17,
        run_id: run_id(),
        at: time("2026-03-14T09:26:53.589+08:00"),
        elapsed_ms: 1250,
        from: Role::Auditor,
        message: Arc::new(message),
    }
}

fn uuid(last: u128) -> Uuid {
    Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 + last)
}

fn run_id() -> RunId {
    RunId::new(uuid(1))
}

fn subtask_id(number: u128) -> SubTaskId {
    SubTaskId::new(uuid(0x10 + number))
}

fn call_id(number: u128) -> CallId {
    CallId::new(uuid(0x30 + number))
}

fn megram_id(number: u128) -> MegramId {
    MegramId::new(uuid(0x50 + number))
}

fn task_id() -> TaskId {
    TaskId::from_text("Count the .txt files in docs")
}

fn time(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).unwrap()
}
