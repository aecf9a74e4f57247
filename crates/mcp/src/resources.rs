//! Resources and prompts of a server: texts that a person asks for by their address or name.

use std::collections::BTreeMap;
use std::sync::Arc;

use artoo_consent::Consent;
use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
};
use serde_json::{Map, Value};

use crate::definition::short;
use crate::listing;
use crate::requests::CallView;
use crate::tool_answer::{resource, text_of};
use crate::{Connection, McpError};

/// The most bytes of a resource or a prompt that become text.
const MOST_TEXT: usize = 1024 * 1024;

/// A resource that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceEntry {
    /// Its address, by which it is read.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is, in the server's words, on one line.
    pub description: Option<String>,
    /// For example `text/plain`.
    pub media_type: Option<String>,
}

/// A prompt that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptEntry {
    /// Its name, by which it is asked for.
    pub name: String,
    /// What it is for, in the server's words, on one line.
    pub description: Option<String>,
    /// Its arguments: each name, and whether it must be given.
    pub arguments: Vec<(String, bool)>,
}

impl Connection {
    /// The resources that it offers; none from a server that has none.
    ///
    /// # Errors
    ///
    /// What keeps the list from being read.
    pub async fn resources(&self) -> Result<Vec<ResourceEntry>, McpError> {
        if self.peer.peer_info().is_some_and(|info| info.capabilities.resources.is_none()) {
            return Ok(Vec::new());
        }
        let entries = listing::resources(self, &self.alone()).await?;
        Ok(entries.iter().filter_map(resource_entry).collect())
    }

    /// The content of a resource as text, at most 1 MiB; of what is no text only what it is.
    ///
    /// # Errors
    ///
    /// What keeps it from being read.
    pub async fn read_resource(&self, uri: &str) -> Result<String, McpError> {
        const DOING: &str = "read a resource";
        let view = self.alone();
        let answer = self.ask(DOING, &view, |round| {
            let mut params = ReadResourceRequestParams::new(uri);
            params.input_responses = round.input_responses;
            params.request_state = round.request_state;
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        });
        let answer = answer.await?;
        let contents =
            answer.get("contents").and_then(Value::as_array).ok_or_else(|| self.no_answer(DOING))?;
        Ok(bounded(contents.iter().map(resource)))
    }

    /// The prompts that it offers; none from a server that has none.
    ///
    /// # Errors
    ///
    /// What keeps the list from being read.
    pub async fn prompts(&self) -> Result<Vec<PromptEntry>, McpError> {
        if self.peer.peer_info().is_some_and(|info| info.capabilities.prompts.is_none()) {
            return Ok(Vec::new());
        }
        let entries = listing::prompts(self, &self.alone()).await?;
        Ok(entries.iter().filter_map(prompt_entry).collect())
    }

    /// A prompt with these arguments, as text, at most 1 MiB. `consent` answers what the server asks about it.
    ///
    /// # Errors
    ///
    /// What keeps it from being read.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: &BTreeMap<String, String>,
        consent: Arc<dyn Consent>,
    ) -> Result<String, McpError> {
        const DOING: &str = "give a prompt";
        let view = CallView::alone(consent, self.config.limits.call);
        let given: Map<String, Value> =
            arguments.iter().map(|(name, value)| (name.clone(), Value::from(value.clone()))).collect();
        let answer = self.ask(DOING, &view, |round| {
            let mut params = GetPromptRequestParams::new(name).with_arguments(given.clone());
            params.input_responses = round.input_responses;
            params.request_state = round.request_state;
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        });
        let answer = answer.await?;
        let messages =
            answer.get("messages").and_then(Value::as_array).ok_or_else(|| self.no_answer(DOING))?;
        Ok(bounded(messages.iter().filter_map(|message| message.get("content")).map(text_of)))
    }

    fn alone(&self) -> CallView {
        CallView::alone(Arc::new(artoo_consent::Nobody), self.config.limits.call)
    }
}

fn resource_entry(entry: &Value) -> Option<ResourceEntry> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let uri = text("uri").filter(|uri| uri.len() <= 2_000 && !uri.chars().any(char::is_control))?.to_owned();
    Some(ResourceEntry {
        name: text("title").or(text("name")).map(short).unwrap_or_else(|| uri.clone()),
        description: text("description").map(short),
        media_type: text("mimeType").map(short),
        uri,
    })
}

fn prompt_entry(entry: &Value) -> Option<PromptEntry> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let name =
        text("name").filter(|name| name.len() <= 128 && !name.chars().any(char::is_control))?.to_owned();
    let argument = |argument: &Value| {
        let name = argument.get("name").and_then(Value::as_str)?;
        Some((short(name), argument.get("required") == Some(&Value::Bool(true))))
    };
    let arguments = entry.get("arguments").and_then(Value::as_array).into_iter().flatten();
    Some(PromptEntry {
        name,
        description: text("description").map(short),
        arguments: arguments.filter_map(argument).collect(),
    })
}

/// The texts, one below the other, up to what is taken.
fn bounded(texts: impl Iterator<Item = String>) -> String {
    let mut whole = texts.collect::<Vec<_>>().join("\n");
    if whole.len() > MOST_TEXT {
        let end = whole.floor_char_boundary(MOST_TEXT);
        let more = whole.len().saturating_sub(end);
        whole.truncate(end);
        whole.push_str(&format!("\n[... {more} more bytes ...]"));
    }
    whole
}
