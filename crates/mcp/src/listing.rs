//! The lists of a server, page by page and bounded.

use std::collections::BTreeSet;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams,
};
use serde_json::Value;

use crate::definition::short;
use crate::requests::CallView;
use crate::{Connection, Definition, McpError};

/// The most pages of a list.
const PAGES: usize = 100;
/// The most entries of a list.
const ENTRIES: usize = 1_000;
/// The most bytes of a list, as JSON.
const BYTES: usize = 8 * 1024 * 1024;

/// The tools of a server.
#[derive(Debug, Default)]
pub(crate) struct ToolList {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) unusable: Vec<Unusable>,
}

/// A tool that no model can be offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Its name, as far as it has one.
    pub name: String,
    /// Why, in words.
    pub why: String,
}

/// All tools. One that is wrong is left out, and the others stay.
pub(crate) async fn tools(server: &Connection, view: &CallView) -> Result<ToolList, McpError> {
    let info = server.peer.peer_info();
    if info.is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(ToolList::default());
    }
    let entries = pages(server, view, "list its tools", "tools", |params| {
        ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params))
    })
    .await?;
    let (mut listed, mut names) = (ToolList::default(), BTreeSet::new());
    for entry in entries {
        let read = Definition::read(&entry).and_then(|definition| {
            let is_new = names.insert(definition.name.clone());
            is_new.then_some(definition).ok_or_else(|| "another tool has the same name".to_owned())
        });
        match read {
            Ok(definition) => listed.definitions.push(definition),
            Err(why) => {
                let name = entry.get("name").and_then(Value::as_str).map(short).unwrap_or_default();
                listed.unusable.push(Unusable { name, why });
            }
        }
    }
    Ok(listed)
}

/// All resources, as the protocol lists them.
pub(crate) async fn resources(server: &Connection, view: &CallView) -> Result<Vec<Value>, McpError> {
    pages(server, view, "list its resources", "resources", |params| {
        ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(params))
    })
    .await
}

/// All prompts, as the protocol lists them.
pub(crate) async fn prompts(server: &Connection, view: &CallView) -> Result<Vec<Value>, McpError> {
    pages(server, view, "list its prompts", "prompts", |params| {
        ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(params))
    })
    .await
}

async fn pages(
    server: &Connection,
    view: &CallView,
    doing: &'static str,
    what: &'static str,
    make: impl Fn(PaginatedRequestParams) -> ClientRequest,
) -> Result<Vec<Value>, McpError> {
    let (mut entries, mut seen, mut cursor, mut bytes) =
        (Vec::new(), BTreeSet::new(), None::<String>, 0_usize);
    let too_much = |limit: String| McpError::TooMuch { server: server.config.name.to_string(), what, limit };
    for _ in 0..PAGES {
        let at = cursor.clone();
        let page = server
            .ask(doing, view, |_| make(PaginatedRequestParams::default().with_cursor(at.clone())))
            .await?;
        bytes = bytes.saturating_add(page.to_string().len());
        if bytes > BYTES {
            return Err(too_much(format!("{} MiB", BYTES / (1024 * 1024))));
        }
        let listed = page.get(what).and_then(Value::as_array).ok_or_else(|| server.no_answer(doing))?;
        entries.extend(listed.iter().cloned());
        if entries.len() > ENTRIES {
            return Err(too_much(format!("{ENTRIES} entries")));
        }
        cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        match &cursor {
            // A list that leads back to itself has no end.
            Some(next) if seen.insert(next.clone()) => {}
            Some(_) => return Err(too_much("its pages lead back to an earlier one".to_owned())),
            None => return Ok(entries),
        }
    }
    Err(too_much(format!("{PAGES} pages")))
}
