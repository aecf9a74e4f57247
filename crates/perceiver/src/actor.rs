//! The perceiver's actor: connects the bus port to the behaviour, and conducts the dialogue with the person.

use std::sync::Arc;

use artoo_bus::Port;
use artoo_llm_client::{LlmClient, metered};
use artoo_types::{ClarificationRequested, Constraints, Message, Role, TaskSpec, UserRequest, Warning};

use crate::{Dialogue, Perceived, Perceiver, default_perceiver::copied, dialogue::presentable};

/// Perceives the run's request and publishes one `TaskSpec` or one `Fault`, also if the request is delivered
/// more than once. If the behaviour cannot understand the request and a person is present, it first publishes
/// `ClarificationRequested` and waits; if no more questions are allowed, the request proceeds in the user's
/// own words, with a warning that names what is open.
///
/// Returns when the run is closed. A panic of the behaviour is not caught: the supervisor reports it.
pub async fn run(mut port: Port, perceiver: Arc<dyn Perceiver>, model: Arc<dyn LlmClient>) {
    let sender = port.sender();
    let model = metered(model, Role::Perceiver, None, move |call| {
        if let Err(error) = sender.publish(call) {
            tracing::debug!(%error, "a model call was not recorded");
        }
    });
    while let Some(envelope) = port.recv().await {
        let Message::UserRequest(request) = envelope.message.as_ref() else { continue };
        // Limits the turns for every perceiver to what the contract says, however many a caller sends.
        let request = UserRequest { turns: request.recent_turns().to_vec(), ..request.clone() };
        perceive(&mut port, perceiver.as_ref(), &request, &model).await;
        break;
    }
    // One request per run; later messages are ignored.
    while port.recv().await.is_some() {}
}

async fn perceive(
    port: &mut Port,
    perceiver: &dyn Perceiver,
    request: &UserRequest,
    model: &Arc<dyn LlmClient>,
) {
    let mut dialogue = Dialogue::new(request.person_present);
    loop {
        let message = match perceiver.perceive(request, &dialogue, model).await {
            Ok(Perceived::Task(task)) => stated(request, task).into(),
            Err(error) => error.fault().into(),
            Ok(Perceived::Unclear(questions)) => {
                let questions = presentable(questions);
                if dialogue.may_ask() && !questions.is_empty() {
                    let round = dialogue.rounds() + 1;
                    publish(
                        port,
                        ClarificationRequested { round, subtask_id: None, questions: questions.clone() }
                            .into(),
                    );
                    let Some(answer) = answered(port, round).await else { return };
                    dialogue = dialogue.with(questions, answer);
                    continue;
                }
                publish(port, open(&questions).into());
                let copied = copied(request, &dialogue).map(|task| stated(request, task));
                copied.map_or_else(|error| error.fault().into(), Message::from)
            }
        };
        return publish(port, message);
    }
}

/// The task with what the user stated beside the words, whatever the behaviour says of it.
fn stated(request: &UserRequest, task: TaskSpec) -> TaskSpec {
    let Constraints { scope, deadline } = request.constraints.clone();
    let constraints = Constraints {
        scope: scope.or(task.constraints.scope),
        deadline: deadline.or(task.constraints.deadline),
    };
    TaskSpec { constraints, ..task }
}

/// Waits for the answer to a round; `None` if the run is closed.
async fn answered(port: &mut Port, round: u32) -> Option<String> {
    loop {
        let envelope = port.recv().await?;
        if let Message::ClarificationAnswered(answered) = envelope.message.as_ref()
            && answered.round == round
            && answered.subtask_id.is_none()
        {
            return Some(answered.answer.clone());
        }
    }
}

fn open(questions: &[String]) -> Warning {
    let message = format!(
        "nobody can be asked (any more), so the request is worked on as it is; open: {}",
        if questions.is_empty() { "what it refers to".to_owned() } else { questions.join(" ") }
    );
    Warning { role: Role::Perceiver, message }
}

fn publish(port: &Port, message: Message) {
    if let Err(error) = port.publish(message) {
        // A closed run needs no answer; the bus itself reports an overflow.
        tracing::debug!(%error, "the perceiver could not publish");
    }
}
