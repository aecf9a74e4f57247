//! Test fixtures: requests, turns and runs.

use std::{fmt::Write as _, sync::Arc};

use artoo_bus::doubles::Scene;
use artoo_llm_client::{LlmClient, MessageRole, Request, doubles::ScriptedModel};
use artoo_perceiver::{DefaultPerceiver, Dialogue, PerceiveError, Perceived, Perceiver as _, conformance};
use artoo_types::{TaskSpec, Turn, UserRequest};

pub(crate) fn request(text: &str, turns: &[(&str, &str)]) -> UserRequest {
    let turn = |(input, result): &(&str, &str)| Turn::new(*input, *result);
    UserRequest { turns: turns.iter().map(turn).collect(), ..conformance::request(text) }
}

pub(crate) fn client(model: &Arc<ScriptedModel>) -> Arc<dyn LlmClient> {
    Arc::clone(model) as _
}

/// The task of a request without a person to ask.
pub(crate) async fn perceive(
    request: &UserRequest,
    model: &Arc<ScriptedModel>,
) -> Result<TaskSpec, PerceiveError> {
    match DefaultPerceiver.perceive(request, &Dialogue::new(false), &client(model)).await? {
        Perceived::Task(task) => Ok(task),
        Perceived::Unclear(questions) => panic!("{questions:?}"),
    }
}

/// The messages sent to a model, without the constant part.
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

/// An open run that records all its messages.
pub(crate) fn scene() -> Scene {
    Scene::new("2026-03-14T09:26:53+08:00".parse().unwrap()).unwrap()
}
