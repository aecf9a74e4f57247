//! Lists the models that a server offers.

use artoo_llm_client::LlmError;
use serde_json::Value;

use super::{ChatCompletions, ENDPOINT};
use crate::HttpConfig;
use crate::base_url::{Endpoint, resolve};
use crate::model::Wire;
use crate::patience::Patience;
use crate::reported::instead;
use crate::transport::Transport;

/// Asks an OpenAI-compatible server for the names of its models, in its order. One request without retries,
/// so that a check whether a server is there does not wait for them. `config.model` is ignored.
///
/// # Errors
///
/// [`LlmError::Configuration`] for an invalid address, proxy or key; [`LlmError::Unreachable`] and
/// [`LlmError::TimedOut`] if there is no response; [`LlmError::Status`] if the server refuses, as many do
/// that serve only one model; [`LlmError::Protocol`] if the response is not a list. A server without models
/// gives an empty list.
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use artoo_llm_http::{HttpConfig, doubles::{MockServer, Reply}, served_models};
///
/// let list = r#"{"object": "list", "data": [{"id": "qwen3:4b"}, {"id": "gemma3:1b"}]}"#;
/// let server = MockServer::start(move |_| Reply::body("application/json", list)).await?;
/// assert_eq!(served_models(&HttpConfig::new(server.base_url(), "")).await?, ["qwen3:4b", "gemma3:1b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn served_models(config: &HttpConfig) -> Result<Vec<String>, LlmError> {
    let url = resolve(&config.base_url, &Endpoint { path: "models", ..ENDPOINT })?;
    let patience = Patience::with_server(config.timeouts, &url);
    let headers = ChatCompletions::headers(config.api_key.as_ref())?;
    let transport = Transport::new(config, url, headers, patience)?;
    let answer = transport.get().await?;
    listed(&answer).ok_or_else(|| match instead(&answer) {
        Some(bad) => transport.bad(bad).error,
        None => transport.not_an_answer("not a list of models"),
    })
}

/// The names in a list of models, in the forms that servers send: OpenAI's `data`, `models` as Ollama, LM Studio
/// and Google have it, or the bare list. A server without models may leave the list out or send null for it.
fn listed(answer: &Value) -> Option<Vec<String>> {
    let list = match answer {
        Value::Array(list) => list.as_slice(),
        Value::Object(fields) => {
            let is_list = fields.is_empty() || fields.get("object").is_some_and(|object| object == "list");
            match fields.get("data").or_else(|| fields.get("models")) {
                Some(Value::Array(list)) => list.as_slice(),
                Some(Value::Null) => &[],
                None if is_list => &[],
                Some(_) | None => return None,
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    list.iter().map(name).collect()
}

/// The name of a listed model; Google writes `models/` before it.
fn name(listed: &Value) -> Option<String> {
    let named = ["id", "model", "key", "name"].iter().find_map(|field| listed.get(field)?.as_str());
    let name = listed.as_str().or(named)?;
    Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
}

/// Whether a server with these models serves `model`. Ollama lists a model without a tag as `:latest`.
/// ```
/// use artoo_llm_http::is_served;
///
/// let listed = ["qwen3:latest".to_owned(), "gemma3:1b".to_owned()];
/// assert_eq!(["qwen3", "gemma3:1b", "gemma3"].map(|model| is_served(&listed, model)), [true, true, false]);
/// ```
pub fn is_served(listed: &[String], model: &str) -> bool {
    let model = model.strip_prefix("models/").unwrap_or(model);
    listed.iter().any(|known| known == model || known.strip_suffix(":latest") == Some(model))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_as_servers_send_them() {
        let table = [
            (json!({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}), Some(vec!["a", "b"])),
            (json!({"object": "list", "data": null}), Some(vec![])),
            (json!({"object": "list", "data": []}), Some(vec![])),
            (json!({"object": "list"}), Some(vec![])),
            (json!({"data": null}), Some(vec![])),
            (json!({"models": null}), Some(vec![])),
            (json!({}), Some(vec![])),
            (json!([]), Some(vec![])),
            (json!([{"id": "a", "name": "A"}]), Some(vec!["a"])),
            (json!(["a", "b"]), Some(vec!["a", "b"])),
            (json!({"models": [{"name": "a:latest", "model": "a:latest"}]}), Some(vec!["a:latest"])),
            (json!({"models": [{"type": "llm", "key": "a", "display_name": "A"}]}), Some(vec!["a"])),
            (json!({"models": [{"name": "models/gemini-2.5-pro"}]}), Some(vec!["gemini-2.5-pro"])),
            (json!({"data": [{"id": "models/gemini-2.5-pro"}]}), Some(vec!["gemini-2.5-pro"])),
            (json!({"data": "a"}), None),
            (json!({"data": [1, 2]}), None),
            (json!([1, 2]), None),
            (json!({"hello": "world"}), None),
            (json!({"error": {"message": "no"}}), None),
            (json!("a"), None),
            (json!(null), None),
        ];
        for (answer, expected) in table {
            let expected = expected.map(|names| names.into_iter().map(str::to_owned).collect());
            assert_eq!(listed(&answer), expected, "{answer}");
        }
    }
}
