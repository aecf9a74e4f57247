//! Gets one page: each hop through the same door, within limits.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Proxy, Response, StatusCode, Url, redirect};

use artoo_tools::{PageLimits, ToolError};

use super::address::AddressRule;
use super::dns::{Forbidden, Guarded, Names, SystemNames};
use crate::WebError;

/// Says honestly what it is. The first word is what servers expect of whoever reads pages.
const AGENT: &str = concat!("Mozilla/5.0 (compatible; artoo/", env!("CARGO_PKG_VERSION"), ")");
/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest address. Longer ones carry something away.
const LONGEST: usize = 2_000;

/// A client that gets pages and does nothing else: no cookies, no kept connections, no compression, no redirects but checked
/// ones, and no connection to an address that its rule forbids.
///
/// ```
/// use artoo_web::{AddressRule, Web};
///
/// let web = Web::new(AddressRule::public());
/// # let _ = web;
/// ```
#[derive(Clone)]
pub struct Web {
    rule: AddressRule,
    names: Arc<dyn Names>,
    proxy: Option<Proxy>,
    client: Arc<OnceLock<Client>>,
}

/// What a server sent.
#[derive(Debug)]
pub(crate) struct Received {
    /// The address that it came from in the end.
    pub(crate) url: Url,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
    /// There was more.
    pub(crate) cut: bool,
    pub(crate) status: StatusCode,
}

/// Why an address is not asked for.
enum Refusal {
    /// It is none of a page.
    Wrong(&'static str),
    /// The rule forbids it.
    Forbidden(WebError),
}

impl Web {
    /// A client that connects directly, and only where the rule allows it.
    pub fn new(rule: AddressRule) -> Self {
        Self { rule, names: Arc::new(SystemNames), proxy: None, client: Arc::default() }
    }

    /// Looks names up elsewhere.
    #[must_use]
    pub fn with_names(mut self, names: impl Names + 'static) -> Self {
        self.names = Arc::new(names);
        self
    }

    /// Goes through a proxy. The proxy looks names up, so the rule holds for numbers, and for names that are local by their form.
    ///
    /// # Errors
    ///
    /// When the address is none of a proxy.
    pub fn with_proxy(mut self, address: &str) -> Result<Self, WebError> {
        let proxy = Proxy::all(address)
            .map_err(|error| WebError::Setup { reason: format!("the proxy: {}", causes(&error)) })?;
        self.proxy = Some(proxy);
        Ok(self)
    }

    /// The address that a text means, if it may be asked for.
    pub(crate) fn address(&self, text: &str) -> Result<Url, WebError> {
        let wrong = |problem: &str| WebError::from(ToolError::argument("url", problem));
        let text = text.trim();
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(_) if !text.contains("://") && text.contains('.') => {
                Url::parse(&format!("https://{text}")).map_err(|_| wrong("is no address of a page"))?
            }
            Err(_) => return Err(wrong("is no address of a page; write https://HOST/PATH")),
        };
        self.check(url).map_err(|refusal| match refusal {
            Refusal::Wrong(problem) => wrong(problem),
            Refusal::Forbidden(error) => error,
        })
    }

    /// The door: each address that is asked for comes through here, first ones and redirects alike.
    fn check(&self, mut url: Url) -> Result<Url, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Wrong("must begin with https:// or http://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Wrong("must not hold a name or a password"));
        }
        if url.as_str().len() > LONGEST {
            return Err(Refusal::Wrong("is longer than 2000 characters"));
        }
        url.set_fragment(None);
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            return Err(Refusal::Wrong("has no host"));
        };
        let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let allowed = match number {
            Ok(address) => self.rule.allows(address),
            // Looked up by `Guarded`, or else by the proxy.
            Err(_) => self.proxy.is_none() || self.rule.allows_name(host),
        };
        if allowed {
            Ok(url)
        } else {
            let reason = format!("{host} is not a public address");
            Err(Refusal::Forbidden(WebError::Address { url: url.to_string(), reason }))
        }
    }

    /// Gets a page, following redirects.
    pub(crate) async fn get(
        &self,
        url: Url,
        headers: HeaderMap,
        limits: PageLimits,
    ) -> Result<Received, WebError> {
        let shown = url.to_string();
        let got = tokio::time::timeout(limits.time, self.follow(url, headers, limits)).await;
        got.unwrap_or(Err(WebError::TimedOut { url: shown, after: limits.time }))
    }

    async fn follow(
        &self,
        mut url: Url,
        headers: HeaderMap,
        limits: PageLimits,
    ) -> Result<Received, WebError> {
        let first = url.to_string();
        for _ in 0..=limits.redirects {
            url = self.check(url).map_err(|refusal| match refusal {
                // The first one is one of `address` or of an engine, so this is a redirect: the server's doing, not a wrong argument.
                Refusal::Wrong(problem) => {
                    WebError::Address { url: first.clone(), reason: format!("its redirect {problem}") }
                }
                Refusal::Forbidden(error) => error,
            })?;
            let request = self.client()?.get(url.clone()).headers(headers.clone());
            let response = request.send().await.map_err(|error| unreachable(&url, &error))?;
            let Some(target) = target(&response) else { return read(url, response, limits.bytes).await };
            url = url.join(&target).map_err(|_| WebError::Unreachable {
                url: url.to_string(),
                reason: "it redirects to what is no address".to_owned(),
            })?;
        }
        Err(WebError::Unreachable { url: first, reason: format!("more than {} redirects", limits.redirects) })
    }

    /// Made when it is first needed: reading the machine's certificates takes a while.
    fn client(&self) -> Result<&Client, WebError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let builder = artoo_tls::client()
            .user_agent(AGENT)
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .pool_max_idle_per_host(0);
        let builder = match &self.proxy {
            // The proxy's own address is the operator's choice, so it is not looked up under the rule.
            Some(proxy) => builder.no_proxy().proxy(proxy.clone()),
            None => builder
                .no_proxy()
                .dns_resolver(Arc::new(Guarded { names: Arc::clone(&self.names), rule: self.rule.clone() })),
        };
        let made = builder.build().map_err(|error| WebError::Setup { reason: causes(&error) })?;
        Ok(self.client.get_or_init(|| made))
    }
}

impl std::fmt::Debug for Web {
    /// Without the proxy, whose address may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Web").field("rule", &self.rule).finish_non_exhaustive()
    }
}

/// The headers of a request for a page.
pub(crate) fn for_people() -> HeaderMap {
    let accept = HeaderValue::from_static(
        "text/html,application/xhtml+xml,text/plain,application/json;q=0.9,*/*;q=0.5",
    );
    HeaderMap::from_iter([(ACCEPT, accept)])
}

fn target(response: &Response) -> Option<String> {
    let redirects = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    let location = response.headers().get(LOCATION).filter(|_| redirects.contains(&response.status()))?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

async fn read(url: Url, mut response: Response, most: usize) -> Result<Received, WebError> {
    let status = response.status();
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type =
        content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default();
    let (mut body, mut cut) = (Vec::new(), false);
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(&url, &error))? {
        let room = most - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            cut = true;
            break;
        }
    }
    Ok(Received { url, content_type, body, cut, status })
}

fn unreachable(url: &Url, error: &reqwest::Error) -> WebError {
    let mut cause = std::error::Error::source(error);
    while let Some(found) = cause {
        if let Some(forbidden) = found.downcast_ref::<Forbidden>() {
            return WebError::Address { url: url.to_string(), reason: forbidden.to_string() };
        }
        cause = found.source();
    }
    WebError::Unreachable { url: url.to_string(), reason: causes(error) }
}

/// What the library says, with its causes and without the address, which may hold what was searched for.
fn causes(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause = std::error::Error::source(error);
    while let Some(found) = cause {
        let part = found.to_string();
        if !text.ends_with(&part) {
            text = if text.is_empty() { part } else { format!("{text}: {part}") };
        }
        cause = found.source();
    }
    if text.is_empty() { "the request failed".to_owned() } else { text }
}
