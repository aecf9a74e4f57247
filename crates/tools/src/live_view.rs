//! Live view of a command's output for a person, redacted.

use std::sync::{Arc, Mutex};

use artoo_redaction::{Redactor, Stream};
use artoo_sandbox::Channel;

use crate::utf8_decoder::LiveText;
use crate::{OnOutput, ToolContext};

/// Both streams of a command, if they are watched.
pub(crate) struct LiveOutput {
    on_output: Option<Arc<OnOutput>>,
    stdout: Mutex<LiveView>,
    stderr: Mutex<LiveView>,
}

impl LiveOutput {
    pub(crate) fn of(cx: &ToolContext) -> Self {
        let view = || Mutex::new(LiveView::new(cx.evidence.redactor()));
        Self { on_output: cx.on_output.clone(), stdout: view(), stderr: view() }
    }

    pub(crate) fn show(&self, channel: Channel, bytes: &[u8]) {
        let view = match channel {
            Channel::Stdout => &self.stdout,
            Channel::Stderr => &self.stderr,
        };
        if let (Some(on_output), Ok(mut view)) = (&self.on_output, view.lock()) {
            view.show(bytes, on_output.as_ref());
        }
    }

    pub(crate) fn finish(self) {
        for view in [self.stdout, self.stderr] {
            if let (Some(on_output), Ok(view)) = (&self.on_output, view.into_inner()) {
                view.finish(on_output.as_ref());
            }
        }
    }
}

/// Redacted text of one stream while it arrives: a view can be recorded like anything else. It is no
/// evidence.
pub(crate) struct LiveView {
    text: LiveText,
    stream: Stream,
}

impl LiveView {
    pub(crate) fn new(redactor: &Redactor) -> Self {
        Self { text: LiveText::default(), stream: redactor.stream() }
    }

    pub(crate) fn show(&mut self, bytes: &[u8], on_output: &OnOutput) {
        let mut clean = Vec::new();
        self.stream.push(bytes, &mut clean);
        tell(&self.text.push(&clean), on_output);
    }

    pub(crate) fn finish(mut self, on_output: &OnOutput) {
        let mut clean = Vec::new();
        self.stream.finish(&mut clean);
        tell(&self.text.push(&clean), on_output);
    }
}

fn tell(text: &str, on_output: &OnOutput) {
    if !text.is_empty() {
        on_output(text);
    }
}
