//! `search`: asks a search engine.

use std::fmt::Write as _;
use std::sync::Arc;

use artoo_tools::{Captured, Given, PageLimits, Tool, ToolContext, ToolEffect, ToolError, ToolReport};
use artoo_types::{Arguments, Excerpt, ToolName};
use async_trait::async_trait;
use reqwest::Url;
use serde_json::{Value, json};

use super::page_text::joined;
use crate::WebError;

/// Results that are asked for.
const MOST: usize = 8;
/// Characters of a title or a snippet that are passed on.
const LONGEST: usize = 400;

/// A search engine.
///
/// # Contract
///
/// What it answers was really searched for: an engine that refuses, asks whether somebody is a robot, or answers in a way that
/// cannot be read, is an error. An empty list means that the engine itself says that there is nothing. Links lead to the pages
/// themselves, not to the engine. Nothing but the query is sent.
#[async_trait]
pub trait SearchProvider: Send + Sync {
    /// Its name, for the listing.
    fn name(&self) -> &str;

    /// The address that is asked, which is where results are from.
    fn origin(&self) -> String;

    /// At most `most` results.
    ///
    /// # Errors
    ///
    /// [`WebError`] with the class of the failure; nearly always `environmental`.
    async fn search(
        &self,
        query: &str,
        most: usize,
        limits: PageLimits,
    ) -> Result<Vec<SearchResult>, WebError>;
}

/// One page that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What the engine shows of it.
    pub snippet: String,
}

/// Asks a search engine and lists what it found. The pages themselves are `fetch`'s.
#[derive(Clone)]
pub struct Search {
    provider: Arc<dyn SearchProvider>,
}

impl Search {
    /// The tool, with the engine that it asks.
    pub fn new(provider: Arc<dyn SearchProvider>) -> Self {
        Self { provider }
    }
}

#[async_trait]
impl Tool for Search {
    fn name(&self) -> ToolName {
        ToolName::new("search")
    }

    fn summary(&self) -> &str {
        "search the web"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Network
    }

    /// A listing is for reading.
    fn output_is_answer(&self) -> bool {
        false
    }

    fn excerpt(&self) -> Excerpt {
        Excerpt::Head
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "maxLength": 200, "description": "a few words" },
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        let cancelled = cx.cancel.cancelled();
        let got = tokio::select! {
            got = self.ask(arguments, cx) => got,
            () = cancelled => Err(ToolError::Cancelled.into()),
        };
        got.unwrap_or_else(ToolReport::from)
    }
}

impl Search {
    async fn ask(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, WebError> {
        let query = joined(Given::new(arguments, &["query"])?.text("query")?);
        let found = self.provider.search(&query, MOST, cx.limits.page).await?;
        let text = listing(self.provider.name(), &query, &found);
        let output = Captured::Foreign { origin: self.provider.origin(), bytes: text.into_bytes() };
        Ok(ToolReport { output, ..ToolReport::text("") })
    }
}

fn listing(provider: &str, query: &str, found: &[SearchResult]) -> String {
    let mut text = format!("results: {}; from: {provider}; for: {query}\n", found.len());
    for (at, result) in found.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}. {}\n   {}\n", at + 1, short(&result.title), result.url);
        if !result.snippet.trim().is_empty() {
            let _ = writeln!(text, "   {}", short(&result.snippet));
        }
    }
    text
}

fn short(text: &str) -> String {
    let text = joined(text);
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// The address of a page, if a text is one.
pub(super) fn page_address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| url.to_string())
}

/// The address of an engine, as an operator wrote it.
pub(super) fn engine(address: &str) -> Result<Url, WebError> {
    page_address(address)
        .and_then(|address| Url::parse(&address).ok())
        .ok_or_else(|| WebError::Setup { reason: format!("`{address}` is no address of a search engine") })
}

impl std::fmt::Debug for Search {
    /// Without the provider, which may hold a key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("provider", &self.provider.name()).finish()
    }
}
