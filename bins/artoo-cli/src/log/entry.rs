//! Extraction of level, target, message and fields from a `tracing` event.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::{Event, Level};

/// A log event as text.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) level: Level,
    pub(super) target: &'static str,
    pub(super) message: String,
    /// In the order of the logging macro.
    pub(super) fields: Vec<(&'static str, String)>,
}

impl Entry {
    pub(super) fn of(event: &Event<'_>) -> Self {
        let metadata = event.metadata();
        let mut entry = Self {
            level: *metadata.level(),
            target: metadata.target(),
            message: String::new(),
            fields: Vec::new(),
        };
        event.record(&mut entry);
        entry
    }
}

impl Visit for Entry {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            name => self.fields.push((name, value.to_owned())),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
