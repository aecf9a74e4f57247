//! Lists the models that a server offers.

use artoo_llm_client::LlmError;
use reqwest::Url;
use serde_json::Value;

use super::{ChatCompletions, ENDPOINT};
use crate::HttpConfig;
use crate::base_url::{Endpoint, is_loopback, is_near, resolve};
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
    let url = resolve(&config.base_url, &LIST)?;
    Ok(list(config, url).await?.into_iter().map(|model| model.name).collect())
}

/// A model in a server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedModel {
    /// Its name.
    pub name: String,
    /// The bytes of its file, if the server tells them.
    pub size: Option<u64>,
}

/// The models of a server as [`served_models`] has them, with their sizes where the server tells them. A server on
/// this machine or in its own network whose list has none is also asked for Ollama's and LM Studio's own list.
///
/// # Errors
///
/// As for [`served_models`]. An own list that cannot be had only leaves the sizes out.
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use artoo_llm_http::{HttpConfig, doubles::{MockServer, Reply}, listed_models};
///
/// let server = MockServer::start(|call| match call.path.as_str() {
///     "/api/tags" => Reply::body("application/json", r#"{"models": [{"name": "qwen3:4b", "size": 2500}]}"#),
///     _ => Reply::body("application/json", r#"{"data": [{"id": "qwen3:4b"}]}"#),
/// })
/// .await?;
/// let models = listed_models(&HttpConfig::new(server.base_url(), "")).await?;
/// assert_eq!((models[0].name.as_str(), models[0].size), ("qwen3:4b", Some(2500)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn listed_models(config: &HttpConfig) -> Result<Vec<ListedModel>, LlmError> {
    let url = resolve(&config.base_url, &LIST)?;
    let mut models = list(config, url.clone()).await?;
    for path in OWN_LISTS {
        if models.iter().any(|model| model.size.is_some()) || models.is_empty() || !is_near(&url) {
            break;
        }
        let mut own = url.clone();
        own.set_path(path);
        // Most servers have no such list.
        let told = list(config, own).await.unwrap_or_default();
        for model in &mut models {
            model.size = told.iter().find(|other| other.name == model.name).and_then(|other| other.size);
        }
    }
    Ok(models)
}

/// Whether an address leads to this machine. An invalid one does not.
/// ```
/// use artoo_llm_http::is_on_this_machine;
///
/// assert!(is_on_this_machine("localhost:11434") && !is_on_this_machine("https://api.openai.com/v1"));
/// ```
pub fn is_on_this_machine(base_url: &str) -> bool {
    resolve(base_url, &LIST).is_ok_and(|url| is_loopback(&url))
}

const LIST: Endpoint = Endpoint { path: "models", ..ENDPOINT };

/// The lists of Ollama and of LM Studio that tell sizes.
const OWN_LISTS: [&str; 2] = ["/api/tags", "/api/v1/models"];

/// Gets the list at an address.
async fn list(config: &HttpConfig, url: Url) -> Result<Vec<ListedModel>, LlmError> {
    let patience = Patience::with_server(config.timeouts, &url);
    let headers = ChatCompletions::headers(config.api_key.as_ref())?;
    let transport = Transport::new(config, url, headers, patience)?;
    let answer = transport.get().await?;
    listed(&answer).ok_or_else(|| match instead(&answer) {
        Some(bad) => transport.bad(bad).error,
        None => transport.not_an_answer("not a list of models"),
    })
}

/// The models in a list, in the forms that servers send: OpenAI's `data`, `models` as Ollama, LM Studio
/// and Google have it, or the bare list. A server without models may leave the list out or send null for it.
fn listed(answer: &Value) -> Option<Vec<ListedModel>> {
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
    list.iter().map(|model| Some(ListedModel { name: name(model)?, size: size(model) })).collect()
}

/// The name of a listed model; Google writes `models/` before it.
fn name(listed: &Value) -> Option<String> {
    let named = ["id", "model", "key", "name"].iter().find_map(|field| listed.get(field)?.as_str());
    let name = listed.as_str().or(named)?;
    Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
}

/// The bytes of a listed model, as Ollama, LM Studio and llama-server tell them.
fn size(listed: &Value) -> Option<u64> {
    ["/size", "/size_bytes", "/meta/size"].iter().find_map(|field| listed.pointer(field)?.as_u64())
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
            let expected: Option<Vec<String>> =
                expected.map(|names| names.into_iter().map(str::to_owned).collect());
            let names = listed(&answer).map(|models| models.into_iter().map(|model| model.name).collect());
            assert_eq!(names, expected, "{answer}");
        }
    }

    #[test]
    fn sizes_as_servers_tell_them() {
        let table = [
            (json!([{"name": "a", "size": 5}]), Some(5)),
            (json!({"models": [{"key": "a", "size_bytes": 6}]}), Some(6)),
            (
                json!({"models": [{"name": "a", "size": ""}], "data": [{"id": "a", "meta": {"size": 7}}]}),
                Some(7),
            ),
            (json!({"models": [{"name": "a", "size": ""}]}), None),
            (json!(["a"]), None),
        ];
        for (answer, expected) in table {
            assert_eq!(listed(&answer).unwrap()[0].size, expected, "{answer}");
        }
    }
}
