//! `Answer`: an answer of a scripted model.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::estimate::estimate_usage;
use crate::{Choice, Completion, LlmError, Request, StopReason, ToolUse, Usage};

/// One answer of a scripted model.
///
/// ```
/// use std::time::Duration;
/// use artoo_llm_client::doubles::Answer;
/// use serde_json::json;
///
/// let slow = Answer::json(json!({"verdict": "pass"})).after(Duration::from_millis(50));
/// ```
#[derive(Clone)]
pub struct Answer {
    kind: Kind,
    calls: Vec<ToolUse>,
    delay: Duration,
    stop: StopReason,
    usage: Option<Usage>,
    choices: Vec<Choice>,
}

#[derive(Clone)]
enum Kind {
    Text(Arc<str>),
    Computed(Arc<dyn Fn(&Request) -> String + Send + Sync>),
    Error(Arc<dyn Fn() -> LlmError + Send + Sync>),
    Hang,
    Panic(&'static str),
}

impl Answer {
    /// This text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::of(Kind::Text(text.into()))
    }

    /// This value as compact JSON, and nothing else.
    pub fn json(value: impl Into<serde_json::Value>) -> Self {
        Self::text(value.into().to_string())
    }

    /// A text computed from the request.
    pub fn with(compute: impl Fn(&Request) -> String + Send + Sync + 'static) -> Self {
        Self::of(Kind::Computed(Arc::new(compute)))
    }

    /// Calls of these tools with these arguments, and no text. Their ids are `call_1`, `call_2` and so on.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, serde_json::Value)>) -> Self {
        let call = |(number, (name, arguments)): (usize, (&str, serde_json::Value))| ToolUse {
            id: format!("call_{number}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        };
        Self { calls: (1..).zip(calls).map(call).collect(), ..Self::text("") }
    }

    /// An error. A closure, because errors cannot be cloned and an answer may be given many times.
    pub fn error(make: impl Fn() -> LlmError + Send + Sync + 'static) -> Self {
        Self::of(Kind::Error(Arc::new(make)))
    }

    /// No answer, ever: for deadlines and cancellation.
    pub fn hang() -> Self {
        Self::of(Kind::Hang)
    }

    /// A panic with this message: for supervisors.
    pub fn panic(message: &'static str) -> Self {
        Self::of(Kind::Panic(message))
    }

    /// Adds a delay in tokio's time, which a test may pause.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn stopped(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }

    /// Sets the usage. Without it the usage is estimated from the texts, and marked as such.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets the model's confidence in a field, in thousandths.
    #[must_use]
    pub fn sure(mut self, field: &str, permille: u16) -> Self {
        self.choices.push(Choice { field: field.to_owned(), permille });
        self
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            calls: Vec::new(),
            delay: Duration::ZERO,
            stop: StopReason::End,
            usage: None,
            choices: Vec::new(),
        }
    }

    /// Gives the answer.
    pub(super) async fn give(&self, request: &Request, model: &str) -> Result<Completion, LlmError> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        let text = match &self.kind {
            Kind::Text(text) => text.to_string(),
            Kind::Computed(compute) => compute(request),
            Kind::Error(make) => return Err(make()),
            Kind::Hang => std::future::pending().await,
            #[expect(clippy::panic, reason = "the test asked for a panic")]
            Kind::Panic(message) => panic!("{message}"),
        };
        let usage = self.usage.unwrap_or_else(|| estimate_usage(request, &text));
        let calls = self.calls.clone();
        let choices = self.choices.clone();
        Ok(Completion { calls, stop: self.stop, choices, ..Completion::of_text(text, usage, model) })
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.kind {
            Kind::Text(text) => return write!(f, "Answer({text:?})"),
            Kind::Computed(_) => "computed",
            Kind::Error(_) => "error",
            Kind::Hang => "hang",
            Kind::Panic(_) => "panic",
        };
        write!(f, "Answer({kind})")
    }
}
