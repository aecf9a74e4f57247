//! `fetch` tool: a web page as text.

use std::fmt::Write as _;

use artoo_types::{Arguments, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::charset::{Form, decoded};
use super::client::{Web, for_people};
use super::page_text::{PageText, page_text};
use crate::arguments::Given;
use crate::blocking::blocking;
use crate::{Captured, Tool, ToolContext, ToolEffect, ToolError, ToolReport};

/// Gets a page and returns it as text: its final address, the title, the text. Text that is not HTML is
/// returned verbatim; anything else is refused. An error status is a failure, and its body is not kept.
#[derive(Debug, Clone)]
pub struct Fetch {
    web: Web,
}

impl Fetch {
    /// The tool with its client.
    pub fn new(web: Web) -> Self {
        Self { web }
    }
}

#[async_trait]
impl Tool for Fetch {
    fn name(&self) -> ToolName {
        ToolName::new("fetch")
    }

    fn summary(&self) -> &str {
        "read a web page as text"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Network
    }

    /// A page is a foreign text, not an answer by itself.
    fn output_is_answer(&self) -> bool {
        false
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "url": { "type": "string", "maxLength": 500, "description": "its address" },
                "links": { "type": "boolean", "description": "with the addresses of its links; default false" },
            },
            "required": ["url"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        let cancelled = cx.cancel.cancelled();
        let got = tokio::select! {
            got = self.fetch(arguments, cx) => got,
            () = cancelled => Err(ToolError::Cancelled),
        };
        got.unwrap_or_else(ToolReport::from)
    }
}

impl Fetch {
    async fn fetch(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let given = Given::new(arguments, &["url", "links"])?;
        let (url, links) = (self.web.address(given.text("url")?)?, given.flag("links")?);
        let received = self.web.get(url, for_people(), cx.limits.page).await?;
        let origin = received.url.to_string();
        if !received.status.is_success() {
            return Err(ToolError::Status { url: origin, status: received.status.as_u16() });
        }
        let text = blocking(self.name(), move || {
            let (form, text) = decoded(&received)?;
            let page = match form {
                Form::Html => page_text(&text, links.then_some(&received.url)),
                Form::Plain => PageText { title: String::new(), text },
            };
            Ok(told(&page, received.url.as_str(), received.cut.then_some(received.body.len())))
        })
        .await?;
        let output = Captured::Foreign { origin, bytes: text.into_bytes() };
        Ok(ToolReport { output, ..ToolReport::text("") })
    }
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
