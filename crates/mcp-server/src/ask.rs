//! How a question of a run reaches the user of the client.

use std::sync::Arc;

use artoo_front_end::{Choice, ChoiceMeaning, Host, choices, question_text};
use artoo_runtime::{Answer, Answerer, UserQuestion};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
};
use rmcp::service::Peer;
use rmcp::task_manager::TaskContext;
use serde_json::{Value, json};

/// The one field of the form.
const FIELD: &str = "answer";

/// Who is asked.
#[derive(Clone)]
pub(crate) enum Asks {
    /// The user of a client that waits for the call.
    Form(Peer<RoleServer>),
    /// The user of a client that looks at a task.
    Task(TaskContext),
    /// Nobody now: the question becomes the result of the call.
    Later,
}

impl Asks {
    /// Asks, and gives the answer to the run. A user who declines, and a client that fails, have said no. `number` tells the questions of a
    /// run apart.
    pub(crate) async fn ask(
        &self,
        host: &Arc<dyn Host>,
        answerer: &Answerer,
        question: &UserQuestion,
        number: u64,
    ) {
        let Some(form) = form(question) else { return no(answerer, question) };
        let answered = match self {
            Self::Form(peer) => peer.create_elicitation(form).await.ok(),
            Self::Task(context) => {
                let request = InputRequest::Elicitation(ElicitRequest::new(form));
                let answer = context.request_input(format!("question-{number}"), request).await;
                answer.ok().and_then(|answer| serde_json::from_value(answer).ok())
            }
            Self::Later => return,
        };
        match answered.as_ref().and_then(said) {
            Some(said) if give(host, answerer, question, (said, choices(question))).await.is_ok() => {}
            Some(_) | None => no(answerer, question),
        }
    }
}

/// The form of a question; `None` if it cannot be written, which no question is known to be.
fn form(question: &UserQuestion) -> Option<ElicitRequestParams> {
    let offered = choices(question);
    let field = if offered.is_empty() {
        json!({ "type": "string", "title": "Your answer" })
    } else {
        let options: Vec<Value> =
            offered.iter().map(|choice| json!({ "const": choice.name, "title": choice.label })).collect();
        json!({ "type": "string", "title": "Your answer", "oneOf": options })
    };
    let schema = json!({ "type": "object", "properties": { FIELD: field }, "required": [FIELD] });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    let message = question_text(question);
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// What the user has written in the form.
fn said(result: &ElicitResult) -> Option<&str> {
    match result.action {
        ElicitationAction::Accept => result.content.as_ref()?.get(FIELD)?.as_str(),
        ElicitationAction::Decline | ElicitationAction::Cancel => None,
        // A word of a later protocol is no yes.
        _ => None,
    }
}

/// The answers that another agent may give by itself: none of them writes a rule of the user's.
pub(crate) fn choices_of_agent(question: &UserQuestion) -> Vec<Choice> {
    let is_rule = |choice: &Choice| match choice.meaning {
        ChoiceMeaning::Rule(_) => true,
        ChoiceMeaning::Once(_) | ChoiceMeaning::Lasting(_) | ChoiceMeaning::No(_) => false,
    };
    choices(question).into_iter().filter(|choice| !is_rule(choice)).collect()
}

/// Gives an answer: the name of a choice, or words where the question is answered in words.
///
/// # Errors
/// It is none of the choices: nothing was answered.
pub(crate) async fn give(
    host: &Arc<dyn Host>,
    answerer: &Answerer,
    question: &UserQuestion,
    (said, offered): (&str, Vec<Choice>),
) -> Result<(), String> {
    let Some(choice) = offered.iter().find(|choice| choice.name == said.trim()) else {
        if offered.is_empty() {
            answerer.give(question, Answer::Words(said.to_owned()));
            return Ok(());
        }
        let names: Vec<&str> = offered.iter().map(|choice| choice.name).collect();
        return Err(format!("{said:?} is no answer to this question; there are {}", names.join(", ")));
    };
    match &choice.meaning {
        ChoiceMeaning::Once(answer) | ChoiceMeaning::Lasting(answer) | ChoiceMeaning::No(answer) => {
            answerer.give(question, answer.clone());
        }
        ChoiceMeaning::Rule(rule) => {
            let reason = "agreed to through another agent";
            host.allow_always(rule.clone(), reason.to_owned()).await.map_err(|error| error.to_string())?;
            match question {
                UserQuestion::Effect(asked) => answerer.allow_always(asked.call_id, rule.clone(), reason),
                UserQuestion::Clarification(_) | UserQuestion::Plan(_) | UserQuestion::Continuation(_) => {
                    answerer.give(question, Answer::Yes);
                }
            }
        }
    }
    Ok(())
}

/// Nobody has answered: a no, and to a question in words nothing.
pub(crate) fn no(answerer: &Answerer, question: &UserQuestion) {
    let answer = match question {
        UserQuestion::Clarification(_) => Answer::Words(String::new()),
        UserQuestion::Plan(_) | UserQuestion::Continuation(_) | UserQuestion::Effect(_) => Answer::No,
    };
    answerer.give(question, answer);
}
