//! Capability probe of a model server: one call with tools, one with a JSON schema.

use std::sync::Arc;

use artoo_llm_client::{
    JsonSchema, LlmClient, LlmError, ModelProfile, ProfileOverrides, Request, ToolCalling, ToolDefinition,
};
use artoo_llm_http::{HttpConfig, OpenAiCompatible};
use serde_json::{Value, json};

/// Sends two requests and returns the capabilities that differ from what the model's name suggests.
pub(super) async fn probe(config: HttpConfig) -> Result<ProfileOverrides, LlmError> {
    let known = ModelProfile::of(&config.model);
    // The request uses every capability, regardless of what is known.
    let rich = ModelProfile { tool_calling: ToolCalling::Native, structured: true, ..known.clone() };
    let room = rich.room(ROOM);
    let client = OpenAiCompatible::new(HttpConfig { profile: Some(rich), ..config })?;

    let called = client.complete(&about_tools().with_max_tokens(room)).await?;
    let is_native = client.takes_tools() && !called.calls.is_empty();
    let tool_calling = if is_native { ToolCalling::Native } else { ToolCalling::Json };

    let answered = client.complete(&about_schemas().with_max_tokens(room)).await?;
    let structured = client.structured() && fits(&answered.text);
    Ok(ProfileOverrides {
        tool_calling: (tool_calling != known.tool_calling).then_some(tool_calling),
        structured: (structured != known.structured).then_some(structured),
        ..ProfileOverrides::default()
    })
}

/// Token limit; enough for either answer.
const ROOM: u32 = 256;

fn about_tools() -> Request {
    let tool = ToolDefinition {
        name: "read_clock".to_owned(),
        description: "Tells the time.".to_owned(),
        parameters: Arc::new(json!({"type": "object", "properties": {}, "additionalProperties": false})),
    };
    let request = Request::new("setup", "You call tools.", "Call the tool read_clock now.");
    request.with_tools(Arc::new([tool]))
}

/// The prompt does not ask for JSON, so that a server that ignores the schema is detected.
fn about_schemas() -> Request {
    let schema = json!({
        "type": "object",
        "properties": {"greeting": {"type": "string"}},
        "required": ["greeting"],
        "additionalProperties": false,
    });
    let schema = JsonSchema { name: "greeting".to_owned(), schema: Arc::new(schema) };
    Request::new("setup", "You are polite.", "Say hello.").with_schema(schema)
}

fn fits(answer: &str) -> bool {
    serde_json::from_str::<Value>(answer.trim())
        .is_ok_and(|value| value.get("greeting").is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use artoo_llm_http::doubles::{Call, MockServer, Reply};

    const GREETING: &str = "{\"greeting\": \"hello\"}";

    fn asks_for(call: &Call, part: &str) -> bool {
        call.body.get(part).is_some()
    }

    async fn found(model: &str, reply: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> ProfileOverrides {
        let server = MockServer::start(reply).await.unwrap();
        probe(HttpConfig::new(server.base_url(), model)).await.unwrap()
    }

    #[tokio::test]
    async fn only_what_is_otherwise_than_known_is_said() {
        let able = |call: &Call| match asks_for(call, "tools") {
            true => Reply::calls([("a", "read_clock", json!({}))]),
            false => Reply::text(GREETING),
        };
        assert_eq!(found("qwen3:8b", able).await, ProfileOverrides::default());
        let native =
            ProfileOverrides { tool_calling: Some(ToolCalling::Native), ..ProfileOverrides::default() };
        assert_eq!(found("mock", able).await, native);
    }

    #[tokio::test]
    async fn a_server_that_refuses_and_one_that_ignores_are_found_out() {
        let poor = ProfileOverrides {
            tool_calling: Some(ToolCalling::Json),
            structured: Some(false),
            ..ProfileOverrides::default()
        };
        let refusing =
            |call: &Call| match ["tools", "response_format"].iter().find(|part| asks_for(call, part)) {
                Some(part) => Reply::status(400, format!("{part} is not supported")),
                None => Reply::text(GREETING),
            };
        assert_eq!(found("qwen3:8b", refusing).await, poor);
        assert_eq!(found("qwen3:8b", |_| Reply::text("Hello!")).await, poor);
    }

    #[tokio::test]
    async fn a_server_that_fails_says_nothing() {
        let server = MockServer::start(|_| Reply::status(401, "no")).await.unwrap();
        assert!(probe(HttpConfig::new(server.base_url(), "qwen3:8b")).await.is_err());
    }
}
