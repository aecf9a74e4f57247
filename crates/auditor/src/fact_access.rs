//! Typed access to the facts of a log line. A fact of an unexpected type is treated as absent, whatever the
//! line says.

use artoo_types::{AuditEvent, MessageKind, Role, UnitInterval};
use serde::Deserialize;
use serde_json::Value;

/// A fact that is a text.
pub(crate) fn text<'a>(event: &'a AuditEvent, fact: &str) -> Option<&'a str> {
    event.facts.get(fact).and_then(Value::as_str)
}

/// A numeric fact.
pub(crate) fn number(event: &AuditEvent, fact: &str) -> Option<f64> {
    event.facts.get(fact).and_then(Value::as_f64)
}

/// A fact that is a count.
pub(crate) fn count(event: &AuditEvent, fact: &str) -> Option<u64> {
    event.facts.get(fact).and_then(Value::as_u64)
}

/// A boolean fact.
pub(crate) fn flag(event: &AuditEvent, fact: &str) -> Option<bool> {
    event.facts.get(fact).and_then(Value::as_bool)
}

/// A fact from 0 to 1.
pub(crate) fn unit(event: &AuditEvent, fact: &str) -> Option<UnitInterval> {
    number(event, fact).and_then(UnitInterval::new)
}

/// A fact that is a role.
pub(crate) fn role(event: &AuditEvent, fact: &str) -> Option<Role> {
    event.facts.get(fact).and_then(|value| Role::deserialize(value).ok())
}

/// A fact that is a kind of message.
pub(crate) fn kind(event: &AuditEvent, fact: &str) -> Option<MessageKind> {
    event.facts.get(fact).and_then(|value| MessageKind::deserialize(value).ok())
}
