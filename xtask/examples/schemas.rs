//! Prints the JSON Schema of one of the formats owned by artoo's libraries: `schemas envelope`,
//! `schemas audit`, `schemas events`, `schemas explanation`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the schema is its output")]

use artoo_types::{AuditEvent, Envelope};
use schemars::schema_for;

fn main() -> std::process::ExitCode {
    let schema = match std::env::args().nth(1).as_deref() {
        Some("envelope") => schema_for!(Envelope).to_value(),
        Some("audit") => schema_for!(AuditEvent).to_value(),
        Some("events") => artoo_runtime::events::schema(),
        Some("explanation") => artoo_runtime::explain::schema(),
        _ => {
            eprintln!("usage: schemas envelope|audit|events|explanation");
            return std::process::ExitCode::from(2);
        }
    };
    println!("{schema}");
    std::process::ExitCode::SUCCESS
}
