//! The loop between the port and the behaviour.

use std::sync::Arc;

use artoo_bus::Port;
use artoo_llm_client::{LlmClient, metered};
use artoo_types::{Message, Role};

use crate::Perceiver;

/// Perceives the run's request and publishes a `TaskSpec`, or a `Fault`: one of them, however often the request comes.
/// Returns when the run is closed. A panic of the behaviour is not caught: the supervisor reports it.
pub async fn run(mut port: Port, perceiver: Arc<dyn Perceiver>, model: Arc<dyn LlmClient>) {
    let sender = port.sender();
    let model = metered(model, Role::Perceiver, None, move |call| {
        if let Err(error) = sender.publish(call) {
            tracing::debug!(%error, "a model call was not recorded");
        }
    });
    let mut perceived = false;
    while let Some(envelope) = port.recv().await {
        let Message::UserRequest(request) = envelope.message.as_ref() else { continue };
        if std::mem::replace(&mut perceived, true) {
            continue;
        }
        let sent = match perceiver.perceive(request, &model).await {
            Ok(spec) => port.publish(spec),
            Err(error) => port.publish(error.fault()),
        };
        if let Err(error) = sent {
            // A closed run needs no answer; an overflow is reported by the bus itself.
            tracing::debug!(%error, "the perceiver could not publish");
        }
    }
}
