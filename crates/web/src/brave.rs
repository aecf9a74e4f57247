//! Search provider: Brave's API, which needs a key.

use std::fmt;

use artoo_tools::PageLimits;
use async_trait::async_trait;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::address::AddressRule;
use super::client::Web;
use super::page_text::page_text;
use super::search::{SearchProvider, SearchResult, engine, page_address};
use crate::WebError;

/// The endpoint.
const ADDRESS: &str = "https://api.search.brave.com/res/v1/web/search";
const KEY_HEADER: HeaderName = HeaderName::from_static("x-subscription-token");

/// An API key that cannot be printed.
#[derive(Clone)]
pub struct SearchKey(SecretString);

impl SearchKey {
    /// A key of visible ASCII characters; surrounding whitespace is removed.
    ///
    /// # Errors
    ///
    /// [`WebError::Setup`] if it is empty or has other characters. The error does not quote it.
    pub fn new(key: impl Into<String>) -> Result<Self, WebError> {
        let key = SecretString::from(key.into());
        let trimmed = key.expose_secret().trim();
        if trimmed.is_empty() || !trimmed.bytes().all(|byte| byte.is_ascii_graphic()) {
            let reason = "the key of the search engine is empty or has characters that no key has".to_owned();
            return Err(WebError::Setup { reason });
        }
        Ok(Self(SecretString::from(trimmed)))
    }

    fn header(&self) -> Result<HeaderValue, WebError> {
        let mut value = HeaderValue::from_str(self.0.expose_secret()).map_err(|_| WebError::Setup {
            reason: "the key of the search engine cannot be sent in a header".to_owned(),
        })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for SearchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// Queries Brave's API, or another server with the same API.
#[derive(Debug, Clone)]
pub struct Brave {
    web: Web,
    address: String,
    key: SearchKey,
}

impl Brave {
    /// Queries Brave with this key.
    pub fn new(key: SearchKey) -> Self {
        Self { web: Web::new(AddressRule::public()), address: ADDRESS.to_owned(), key }
    }

    /// Uses a compatible server at another address. It gets the key.
    #[must_use]
    pub fn at(mut self, address: impl Into<String>, web: Web) -> Self {
        (self.address, self.web) = (address.into(), web);
        self
    }

    /// Uses this client.
    #[must_use]
    pub fn through(mut self, web: Web) -> Self {
        self.web = web;
        self
    }
}

#[async_trait]
impl SearchProvider for Brave {
    fn name(&self) -> &str {
        "brave"
    }

    fn origin(&self) -> String {
        self.address.clone()
    }

    async fn search(
        &self,
        query: &str,
        most: usize,
        limits: PageLimits,
    ) -> Result<Vec<SearchResult>, WebError> {
        let mut url = engine(&self.address)?;
        url.query_pairs_mut().append_pair("q", query).append_pair("count", &most.to_string());
        let headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("application/json")),
            (KEY_HEADER, self.key.header()?),
        ]);
        // A redirect would receive the key.
        let received = self.web.get(url, headers, PageLimits { redirects: 0, ..limits }).await?;
        match received.status {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::UNPROCESSABLE_ENTITY => {
                return Err(WebError::SearchKey { provider: self.name().to_owned() });
            }
            status => return Err(WebError::Status { url: self.origin(), status: status.as_u16() }),
        }
        let answer: Option<Value> = serde_json::from_slice(&received.body).ok();
        answer
            .and_then(|answer| results(&answer, most))
            .ok_or_else(|| WebError::UnknownShape { provider: self.name().to_owned() })
    }
}

/// The results, or `None` if the response has an unknown format. A search response has a `query`; without
/// results, it has no `web`.
fn results(answer: &Value, most: usize) -> Option<Vec<SearchResult>> {
    let results = match answer.pointer("/web/results") {
        Some(results) => results.as_array()?.as_slice(),
        None => {
            answer.get("query")?;
            &[]
        }
    };
    let found = results.iter().filter_map(|result| {
        let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
        // The search words are marked up with HTML.
        let plain = |name: &str| page_text(text(name), None).text;
        Some(SearchResult {
            url: page_address(text("url"))?,
            title: plain("title"),
            snippet: plain("description"),
        })
    });
    Some(found.take(most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_shows_nowhere() {
        let brave = Brave::new(SearchKey::new(" canary\n").unwrap());
        let shown = format!("{brave:?} {:?}", brave.key.header());
        assert!(!shown.contains("canary"), "{shown}");
        for bad in ["", " ", "canary key", "canary\r\nx: y"] {
            let error = SearchKey::new(bad).unwrap_err().to_string();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn another_form_is_no_empty_answer() {
        assert_eq!(results(&json!({"type": "search", "query": {"original": "x"}}), 8), Some(Vec::new()));
        assert_eq!(results(&json!({"web": {"results": []}}), 8), Some(Vec::new()));
        for other in [json!({}), json!([]), json!({"web": {"results": {}}}), json!("x")] {
            assert_eq!(results(&other, 8), None, "{other}");
        }
    }
}
