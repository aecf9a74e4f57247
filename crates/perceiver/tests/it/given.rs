//! Requests, turns and runs to test with.

use std::{fmt::Write as _, sync::Arc};

use artoo_bus::{Bus, BusLimits, ManualClock, RunBus};
use artoo_llm_client::{LlmClient, MessageRole, Request, doubles::ScriptedModel};
use artoo_perceiver::{Dialogue, FaithfulPerceiver, PerceiveError, Perceived, Perceiver as _, conformance};
use artoo_types::{Envelope, Message, RunId, TaskSpec, Turn, UserRequest};

pub(crate) fn request(text: &str, turns: &[(&str, &str)]) -> UserRequest {
    let turn =
        |(input, result): &(&str, &str)| Turn { input: (*input).to_owned(), result: (*result).to_owned() };
    UserRequest { turns: turns.iter().map(turn).collect(), ..conformance::request(text) }
}

pub(crate) fn client(model: &Arc<ScriptedModel>) -> Arc<dyn LlmClient> {
    Arc::clone(model) as _
}

/// The task of a request where nobody can be asked.
pub(crate) async fn perceive(
    request: &UserRequest,
    model: &Arc<ScriptedModel>,
) -> Result<TaskSpec, PerceiveError> {
    match FaithfulPerceiver.perceive(request, &Dialogue::new(false), &client(model)).await? {
        Perceived::Task(task) => Ok(task),
        Perceived::Unclear(questions) => panic!("{questions:?}"),
    }
}

/// What a model was sent, without the constant part.
pub(crate) fn changing(request: &Request) -> String {
    let mut text = String::new();
    for message in &request.messages {
        let speaker = match message.role {
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        writeln!(text, "--- {speaker}\n{}", message.content).unwrap();
    }
    text
}

/// An open run, and everything that is said in it.
pub(crate) struct Scene {
    pub(crate) bus: RunBus,
    seen: tokio::sync::mpsc::UnboundedReceiver<Arc<Envelope>>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let clock = ManualClock::new("2026-03-14T09:26:53+08:00".parse().unwrap());
        let bus = Bus::new(Arc::new(clock), BusLimits::default()).open(RunId::OPERATOR).unwrap();
        let (see, seen) = tokio::sync::mpsc::unbounded_channel();
        bus.record(Box::new(move |envelope| {
            let _ = see.send(Arc::clone(envelope));
        }));
        Self { bus, seen }
    }

    /// Closes the run and returns what was said in it that had not been read.
    pub(crate) fn close(mut self) -> Vec<Message> {
        self.bus.close();
        std::iter::from_fn(|| self.seen.try_recv().ok())
            .map(|envelope| Message::clone(&envelope.message))
            .collect()
    }
}
