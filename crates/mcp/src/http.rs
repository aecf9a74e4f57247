//! A server at an address: which requests leave, and where they may be sent on to.

use std::collections::HashMap;
use std::error::Error;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rmcp::transport::auth::{AuthClient, AuthorizationManager};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};

use crate::config::address;
use crate::event_stream::{EventStream, EventStreamClient};
use crate::line_limit::LONGEST_MESSAGE;
use crate::login_store::LoginStore;
use crate::{McpError, ServerConfig, StartContext};

/// The most redirects that are followed, all of them to the same origin.
const REDIRECTS: usize = 5;

pub(crate) type HttpTransport = StreamableHttpClientTransport<EventStreamClient<AuthClient<Client>>>;

/// The way to a server at an address, with the login that is kept for it.
pub(crate) async fn transport(
    config: &ServerConfig,
    (url, headers): (&str, &[(String, String)]),
    cx: &StartContext,
) -> Result<(HttpTransport, EventStream), McpError> {
    let url = address(config, url)?;
    let client = client(config)?;
    let mut manager = manager(config, &url, cx).await?;
    if let Some(folder) = &cx.logins
        && LoginStore::new(folder, &url).is_there()
    {
        // A login that cannot be used is like none: the server asks for another one.
        let is_used = manager.initialize_from_store().await;
        if let Err(error) = is_used {
            tracing::debug!(server = %config.name, error = causes(&error), "a login is not used");
        }
    }
    let settings = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(custom(config, headers)?)
        .max_sse_event_size(LONGEST_MESSAGE)
        .max_json_response_size(LONGEST_MESSAGE)
        .reinit_on_expired_session(true);
    let stream = EventStream::default();
    let client = EventStreamClient { inner: AuthClient::new(client, manager), stream: stream.clone() };
    Ok((StreamableHttpClientTransport::with_client(client, settings), stream))
}

/// What asks for logins and renews them, for this address. It reaches addresses of this machine and its network only where the server
/// itself is there: the library sees to that for each name and each redirect.
pub(crate) async fn manager(
    config: &ServerConfig,
    url: &Url,
    cx: &StartContext,
) -> Result<AuthorizationManager, McpError> {
    let failed = |error: rmcp::transport::auth::AuthError| McpError::Authorization {
        server: config.name.to_string(),
        reason: causes(&error),
    };
    // It builds a client of its own.
    artoo_tls::install();
    let mut manager = AuthorizationManager::new(url.as_str()).await.map_err(failed)?;
    if let Some(folder) = &cx.logins {
        manager.set_credential_store(LoginStore::new(folder, url));
    }
    Ok(manager)
}

/// Follows no redirect to another origin: who is asked was the user's choice.
fn client(config: &ServerConfig) -> Result<Client, McpError> {
    let policy = Policy::custom(|attempt| {
        let Some(first) = attempt.previous().first() else { return attempt.stop() };
        if attempt.previous().len() > REDIRECTS {
            attempt.error(ForeignRedirect("it redirects again and again".to_owned()))
        } else if first.origin() == attempt.url().origin() {
            attempt.follow()
        } else {
            let to = attempt.url().origin().ascii_serialization();
            attempt.error(ForeignRedirect(format!("it redirects to {to}, which is not followed")))
        }
    });
    artoo_tls::client()
        .redirect(policy)
        .referer(false)
        .build()
        .map_err(|error| McpError::Handshake { server: config.name.to_string(), reason: causes(&error) })
}

/// A redirect that is not followed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct ForeignRedirect(String);

fn custom(
    config: &ServerConfig,
    headers: &[(String, String)],
) -> Result<HashMap<HeaderName, HeaderValue>, McpError> {
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let wrong = || config.wrong("headers", "has a name or a value that is none of a header");
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        custom.insert(key, value);
    }
    Ok(custom)
}

/// The last two causes of an error: those around them only say through which part of the library it came.
pub(crate) fn causes(error: &(dyn Error + 'static)) -> String {
    // The library says of this one what it is, and not what it comes from.
    if let Some(StreamableHttpError::Client(inner)) =
        error.downcast_ref::<StreamableHttpError<reqwest::Error>>()
    {
        return causes(inner);
    }
    let (mut before, mut last) = (String::new(), error.to_string());
    let mut cause = error.source();
    while let Some(found) = cause {
        let part = found.to_string();
        if part != last {
            before = std::mem::replace(&mut last, part);
        }
        cause = found.source();
    }
    if before.is_empty() || before.contains(&last) || last.contains(&before) || error.source().is_none() {
        last
    } else {
        format!("{before}: {last}")
    }
}
