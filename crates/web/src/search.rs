//! `search` tool and the trait of search engines.

use std::fmt::Write as _;
use std::sync::Arc;

use artoo_tools::{Captured, Given, PageLimits, Tool, ToolContext, ToolEffect, ToolError, ToolReport};
use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use reqwest::Url;
use serde_json::{Value, json};

use super::page_text::joined;
use crate::WebError;

/// Number of results requested.
const MOST: usize = 8;
/// Maximum characters of a title or a snippet.
const LONGEST: usize = 400;

/// A search engine.
///
/// # Contract
///
/// A result means that a search took place: an engine that refuses, asks for proof of a human, or returns an
/// unreadable response is an error. An empty list means that the engine itself reports no results. Links lead
/// to the pages themselves, not to the engine. Nothing but the query is sent.
#[async_trait]
pub trait SearchProvider: Send + Sync {
    /// Its name, for the listing.
    fn name(&self) -> &str;

    /// The address of the engine, which is the origin of the results.
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
    /// The excerpt that the engine shows.
    pub snippet: String,
}

/// Queries a search engine and lists the results. `fetch` gets the pages themselves.
#[derive(Clone)]
pub struct Search {
    provider: Arc<dyn SearchProvider>,
}

impl Search {
    /// The tool with its engine.
    pub fn new(provider: Arc<dyn SearchProvider>) -> Self {
        Self { provider }
    }
}

#[async_trait]
impl Tool for Search {
    fn name(&self) -> ToolName {
        ToolKind::Search.into()
    }

    fn summary(&self) -> &str {
        "search the web"
    }

    fn description(&self) -> &str {
        "Search the web. The output lists pages with addresses; fetch reads one."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Network
    }

    /// A listing is no answer by itself.
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

/// Normalises a text to a page address, if it is one.
pub(super) fn page_address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| url.to_string())
}

/// Parses the address of an engine from the configuration.
pub(super) fn engine(address: &str) -> Result<Url, WebError> {
    page_address(address)
        .and_then(|address| Url::parse(&address).ok())
        .ok_or_else(|| WebError::Setup { reason: format!("`{address}` is no address of a search engine") })
}

impl std::fmt::Debug for Search {
    /// Omits the provider, which may hold a key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("provider", &self.provider.name()).finish()
    }
}
