//! Log layer that writes one readable line per event to standard error.

use std::sync::Arc;

use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::Secrets;
use super::entry::{Entry, remember};
use crate::terminal::{Paint, StderrWriter, Style, neutral_line};

/// Writes lines such as `warning: the record for undo could not be closed: permission denied (run 0197...)`.
pub(super) struct Plain {
    errors: Arc<StderrWriter>,
    paint: Paint,
    secrets: Secrets,
    /// Whether a line names the run, the role and the call around it.
    detailed: bool,
}

impl Plain {
    pub(super) fn new(errors: Arc<StderrWriter>, colour: bool, secrets: Secrets, detailed: bool) -> Self {
        Self { errors, paint: Paint::new(colour), secrets, detailed }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Plain {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        remember(attributes, id, &context);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let entry = Entry::of(event, &context);
        let (style, label) = label(entry.level);
        let text = self.secrets.redactor().apply(&sentence(&entry, self.detailed)).into_owned();
        self.errors.log(format!("{} {}", self.paint.text(style, label), neutral_line(&text)));
    }
}

fn label(level: Level) -> (Style, &'static str) {
    match level {
        Level::ERROR => (Style::Bad, "error:"),
        Level::WARN => (Style::Notice, "warning:"),
        Level::INFO => (Style::Faint, "info:"),
        _ => (Style::Faint, "debug:"),
    }
}

/// The message, the errors, then the other fields; in detail, what is around it; also the target for levels below warning.
fn sentence(entry: &Entry, detailed: bool) -> String {
    let mut text = entry.message.clone();
    let (errors, others): (Vec<_>, Vec<_>) = entry.fields.iter().partition(|(name, _)| *name == "error");
    for (_, error) in errors {
        text.push_str(&format!(": {error}"));
    }
    let around = entry.spans.iter().filter(|_| detailed);
    let mut others: Vec<String> =
        others.into_iter().chain(around).map(|(name, value)| format!("{name} {value}")).collect();
    if entry.level > Level::WARN {
        others.push(entry.target.to_owned());
    }
    if !others.is_empty() {
        text.push_str(&format!(" ({})", others.join(", ")));
    }
    text
}
