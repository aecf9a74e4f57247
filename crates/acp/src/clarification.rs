//! A question that is answered in words, as a form of the client.

use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction, ElicitationContentValue,
    ElicitationFormMode, ElicitationSchema, ElicitationSessionScope, SessionId, StringPropertySchema,
};
use artoo_types::ClarificationRequested;

/// The one field of the form.
const ANSWER: &str = "answer";

/// The form of a question.
pub(crate) fn request(session: SessionId, asked: &ClarificationRequested) -> CreateElicitationRequest {
    let field = StringPropertySchema::new()
        .title("Your answer".to_owned())
        .description("Left empty, artoo goes on without an answer.".to_owned());
    let schema = ElicitationSchema::new().property(ANSWER, field, false);
    let mode = ElicitationFormMode::new(ElicitationSessionScope::new(session), schema);
    CreateElicitationRequest::new(mode, asked.questions.join("\n"))
}

/// What the user answered; empty means: go ahead.
pub(crate) fn answer(response: &CreateElicitationResponse) -> String {
    let ElicitationAction::Accept(accepted) = &response.action else { return String::new() };
    match accepted.content.as_ref().and_then(|content| content.get(ANSWER)) {
        Some(ElicitationContentValue::String(text)) => text.clone(),
        Some(_) | None => String::new(),
    }
}
