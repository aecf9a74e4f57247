//! Extraction of level, target, message and fields from a `tracing` event.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// An event, with the spans in which it happened.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) level: Level,
    pub(super) target: &'static str,
    pub(super) message: String,
    /// In the order of the logging macro.
    pub(super) fields: Fields,
    /// What the spans around it name: the run, the role, the call. The outermost first; without what the event names itself.
    pub(super) spans: Fields,
}

/// Names and their values.
type Fields = Vec<(&'static str, String)>;

/// The fields of a span, kept with it.
struct SpanFields(Fields);

/// Keeps the fields of a span that begins, for the events in it.
pub(super) fn remember<S: Subscriber + for<'a> LookupSpan<'a>>(
    attributes: &Attributes<'_>,
    id: &Id,
    context: &Context<'_, S>,
) {
    let Some(span) = context.span(id) else { return };
    let mut kept = span.extensions_mut();
    // Both layers remember; one of them is enough.
    if kept.get_mut::<SpanFields>().is_none() {
        let mut fields = Recorded::default();
        attributes.record(&mut fields);
        kept.insert(SpanFields(fields.others));
    }
}

impl Entry {
    pub(super) fn of<S: Subscriber + for<'a> LookupSpan<'a>>(
        event: &Event<'_>,
        context: &Context<'_, S>,
    ) -> Self {
        let metadata = event.metadata();
        let mut recorded = Recorded::default();
        event.record(&mut recorded);
        let Recorded { message, others: fields } = recorded;
        let mut spans: Fields = Vec::new();
        for span in context.event_scope(event).into_iter().flatten() {
            let kept = span.extensions();
            // The innermost one that has a name says what it is.
            let is_said = |name| fields.iter().chain(&spans).any(|(said, _)| *said == name);
            let new = kept.get::<SpanFields>().map_or(&[][..], |SpanFields(all)| all);
            let new: Fields = new.iter().filter(|(name, _)| !is_said(*name)).cloned().collect();
            spans.splice(0..0, new);
        }
        Self { level: *metadata.level(), target: metadata.target(), message, fields, spans }
    }
}

#[derive(Default)]
struct Recorded {
    message: String,
    others: Fields,
}

impl Visit for Recorded {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            name => self.others.push((name, value.to_owned())),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
