//! What a person sees of an output while it comes.

use artoo_redaction::{Redactor, Stream};

use crate::OnOutput;
use crate::live_text::LiveText;

/// What is seen of an output while it comes: text without secrets, which is as much of a record as any other. It is no evidence.
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
