//! The tools, as a client is told of them.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// All tools.
pub(crate) fn tools() -> Vec<Tool> {
    let changes = || ToolAnnotations::new().read_only(false);
    let looks = || ToolAnnotations::new().read_only(true).open_world(false);
    vec![
        tool(
            "run_task",
            "Work on a request with artoo: it plans, runs tools, checks each result, and says honestly how far it came. Each change \
             of files is tried first and can be undone. The result says what is confirmed and what is not. Where it asks something \
             (status `asking`), pass the user's answer on with `answer`.",
            &json!({
                "request": { "type": "string", "description": "what to do, in the user's words" },
                "folder": { "type": "string", "description": "absolute path of the folder to work in" },
                "approval_mode": {
                    "type": "string",
                    "enum": ["read-only", "ask", "auto", "never"],
                    "description": "read-only: nothing is changed. ask: every effect is a question. auto (default): what cannot be \
                                    taken back or cannot be known is a question. never: what would be a question is not done",
                },
                "session": { "type": "string", "description": "id of a session to go on with, from an earlier result" },
            }),
            &["request", "folder"],
            changes().destructive(true).open_world(true),
        ),
        tool(
            "answer",
            "Answer the question that a run asks (status `asking`), and go on with the run. Only the user may answer: pass on what \
             they say.",
            &json!({
                "run": { "type": "string", "description": "id of the run" },
                "answer": { "type": "string", "description": "the name of one of the choices, or words where there are none" },
            }),
            &["run", "answer"],
            changes().destructive(true).open_world(true),
        ),
        tool(
            "undo",
            "Take back what a run did to files: everything, or nothing with the reasons.",
            &run(),
            &["run"],
            changes().destructive(true).idempotent(true).open_world(false),
        ),
        tool(
            "explain",
            "Explain why a run went as it did: each round, what was decided and by which rule.",
            &run(),
            &["run"],
            looks(),
        ),
        tool(
            "list_runs",
            "List the newest runs.",
            &json!({ "limit": { "type": "integer", "minimum": 1, "maximum": 200, "description": "how many; 20 without it" } }),
            &[],
            looks(),
        ),
        tool("show_run", "Show what a run did, step by step.", &run(), &["run"], looks()),
        tool(
            "recall",
            "Say what artoo's memory would say to a request, and why.",
            &json!({ "about": { "type": "string", "description": "the words of a request, or the id of a run" } }),
            &["about"],
            looks(),
        ),
    ]
}

fn run() -> Value {
    json!({ "run": { "type": "string", "description": "id of the run, its beginning or end; `last` is the newest" } })
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
    annotations: ToolAnnotations,
) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.clone());
    schema.insert("required".to_owned(), required.into());
    schema.insert("additionalProperties".to_owned(), false.into());
    Tool::new(name, description, schema).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Call;

    #[test]
    fn every_tool_that_is_told_can_be_called() {
        for tool in tools() {
            let missing = Call::read(&tool.name, None);
            assert!(missing != Err(None), "{}", tool.name);
            let schema = tool.schema_as_json_value();
            assert_eq!(schema["additionalProperties"], false);
            for name in schema["required"].as_array().unwrap() {
                assert!(schema["properties"].get(name.as_str().unwrap()).is_some(), "{}: {name}", tool.name);
            }
        }
    }
}
