//! A question as a request for permission, and the client's choice as an answer.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use artoo_front_end::{Choice, ChoiceMeaning, choices, question_text};
use artoo_runtime::UserQuestion;

use crate::{diffs, tool_calls};

/// The request for a question that is answered by a choice; `None` for a clarification.
pub(crate) fn request(session: SessionId, question: &UserQuestion) -> Option<RequestPermissionRequest> {
    let offered: Vec<PermissionOption> = choices(question).iter().map(option).collect();
    let mut content = vec![diffs::noted(question_text(question))];
    let call = match question {
        UserQuestion::Clarification(_) => return None,
        UserQuestion::Plan(asked) => asking(format!("plan-{}", asked.round), "Run this plan?", content),
        UserQuestion::Continuation(asked) => {
            asking(format!("continuation-{}", asked.number), "Go on?", content)
        }
        UserQuestion::Effect(asked) => {
            // The change list comes first: it is what a yes makes real.
            content.splice(..0, diffs::of_preview(&asked.changes));
            let paths = asked.changes.iter().map(|change| &change.path);
            let arguments = serde_json::json!({ "command": asked.command });
            let fields = ToolCallUpdateFields::new()
                .title(tool_calls::title(&artoo_types::ToolKind::Shell.into(), &arguments))
                .kind(tool_calls::kind(&asked.tool))
                .status(ToolCallStatus::Pending)
                .locations(tool_calls::locations_of(paths))
                .content(content);
            ToolCallUpdate::new(asked.call_id.to_string(), fields)
        }
    };
    Some(RequestPermissionRequest::new(session, call, offered))
}

/// A question that belongs to no call, as a call of its own.
pub(crate) fn asking(id: String, title: &str, content: Vec<ToolCallContent>) -> ToolCallUpdate {
    let fields =
        ToolCallUpdateFields::new().title(title.to_owned()).status(ToolCallStatus::Pending).content(content);
    ToolCallUpdate::new(id, fields)
}

fn option(choice: &Choice) -> PermissionOption {
    let kind = match choice.meaning {
        ChoiceMeaning::Once(_) => PermissionOptionKind::AllowOnce,
        ChoiceMeaning::Lasting(_) | ChoiceMeaning::Rule(_) => PermissionOptionKind::AllowAlways,
        ChoiceMeaning::No(_) => PermissionOptionKind::RejectOnce,
    };
    PermissionOption::new(choice.name, choice.label.clone(), kind)
}

/// What the client chose. Anything that was not offered is a no.
pub(crate) fn chosen(question: &UserQuestion, outcome: &RequestPermissionOutcome) -> Option<ChoiceMeaning> {
    let RequestPermissionOutcome::Selected(selected) = outcome else { return None };
    let name = selected.option_id.to_string();
    choices(question).into_iter().find(|choice| choice.name == name).map(|choice| choice.meaning)
}
