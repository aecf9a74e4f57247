//! `fetch`: a page as text.

use std::fmt::Write as _;

use artoo_tools::{Captured, Given, Tool, ToolContext, ToolEffect, ToolError, ToolReport, blocking};
use artoo_types::{Arguments, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::charset::{Form, decoded};
use super::client::{Received, Web, for_people};
use super::page_text::{PageText, page_text};
use crate::WebError;

/// Gets a page and gives it as text: the address it came from in the end, the title, the text. What is text but no page
/// is given as it is; what is no text is refused. A server's refusal is a failure, and what it says with it is not kept.
#[derive(Debug, Clone)]
pub struct Fetch {
    web: Web,
}

impl Fetch {
    /// The tool, with the client that it asks.
    pub fn new(web: Web) -> Self {
        Self { web }
    }
}

#[async_trait]
impl Tool for Fetch {
    fn name(&self) -> ToolName {
        ToolKind::Fetch.into()
    }

    fn summary(&self) -> &str {
        "read a web page as text"
    }

    fn description(&self) -> &str {
        "Read a web page as text."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Network
    }

    /// A page is for reading, and what it says is others' word.
    fn output_is_answer(&self) -> bool {
        false
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "url": { "type": "string", "maxLength": 500, "description": "address of the page" },
                "links": { "type": "boolean", "description": "include the addresses of its links" },
            },
            "required": ["url"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        let cancelled = cx.cancel.cancelled();
        let got = tokio::select! {
            got = self.fetch(arguments, cx) => got,
            () = cancelled => Err(ToolError::Cancelled.into()),
        };
        got.unwrap_or_else(ToolReport::from)
    }
}

impl Fetch {
    async fn fetch(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, WebError> {
        let given = Given::new(arguments, &["url", "links"])?;
        let (url, links) = (self.web.address(given.text("url")?)?, given.flag("links")?);
        let received = self.web.get(url, for_people(), cx.limits.page).await?;
        let origin = received.url.to_string();
        if !received.status.is_success() {
            return Err(WebError::Status { url: origin, status: received.status.as_u16() });
        }
        let text = blocking(self.name(), move || Ok(text_of(&received, links))).await??;
        let output = Captured::Foreign { origin, bytes: text.into_bytes() };
        Ok(ToolReport { output, ..ToolReport::text("") })
    }
}

/// What is told of a page.
fn text_of(received: &Received, links: bool) -> Result<String, WebError> {
    let (form, text) = decoded(received)?;
    let page = match form {
        Form::Html => page_text(&text, links.then_some(&received.url)),
        Form::Plain => PageText { title: String::new(), text },
    };
    Ok(told(&page, received.url.as_str(), received.cut.then_some(received.body.len())))
}

fn told(page: &PageText, url: &str, cut: Option<usize>) -> String {
    let mut text = format!("address: {url}\n");
    if !page.title.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "title: {}", page.title);
    }
    let body = if page.text.trim().is_empty() { "[the page holds no text]" } else { page.text.as_str() };
    let _ = writeln!(text, "\n{}", body.trim_end());
    if let Some(bytes) = cut {
        let _ = writeln!(text, "[only the first {bytes} bytes of the page were read]");
    }
    text
}
