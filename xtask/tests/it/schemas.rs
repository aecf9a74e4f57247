//! The generated schemas in `docs/reference` match the code. `cargo xtask test` checks the configuration's
//! schema as well, which only the binary knows.

use artoo_types::{AuditEvent, Envelope};
use schemars::schema_for;
use serde_json::Value;
use xtask::schema;

fn check(file: &str, generated: &Value) -> xtask::Result<()> {
    let wanted = schema::pretty(file, &generated.to_string())?;
    let held = std::fs::read_to_string(schema::place(file)).unwrap_or_default();
    assert!(held == wanted, "docs/reference/{file} is stale; run `cargo xtask schema` and commit");
    Ok(())
}

#[test]
fn the_envelope() {
    check("envelope.schema.json", schema_for!(Envelope).as_value()).unwrap();
}

#[test]
fn the_audit_log() {
    check("audit.schema.json", schema_for!(AuditEvent).as_value()).unwrap();
}

#[test]
fn the_events() {
    check("events.schema.json", &artoo_runtime::events::schema()).unwrap();
}

#[test]
fn the_explanation() {
    check("explanation.schema.json", &artoo_runtime::explain::schema()).unwrap();
}
