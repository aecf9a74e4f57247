//! Logging in to a server at an address, where it asks for that: the user agrees in a browser, and artoo keeps what it is given.

use std::io;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationRequest, AuthorizationSession, WWWAuthenticateParams,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::config::address;
use crate::http::{causes, manager};
use crate::login_store::LoginStore;
use crate::start_context::ExpandedTransport;
use crate::{McpError, ServerConfig, StartContext, Transport};

/// How long a person may take in the browser.
const PATIENCE: Duration = Duration::from_secs(600);
/// The longest head of a request from the browser, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// The path to which the browser is sent back.
const CALLBACK: &str = "/callback";

/// Shows a person the page on which they agree.
pub trait OpenPage: Send + Sync {
    /// Opens it in a browser, or prints its address. It returns at once.
    ///
    /// # Errors
    ///
    /// The page could be shown in no way.
    fn open(&self, page: &str) -> io::Result<()>;
}

/// What artoo is to a server that knows it already. Most need nothing of it: artoo registers itself.
#[derive(Clone, Debug, Default)]
pub struct KnownClient {
    /// The id that the server's operator gave out.
    pub id: Option<String>,
    /// The secret with it, if there is one.
    pub secret: Option<String>,
    /// The address at which a description of artoo lies, which some servers take for its id.
    pub description_url: Option<String>,
    /// What is asked for; what the server suggests if empty.
    pub scopes: Vec<String>,
}

/// Logs in to a server: opens its page, waits for up to ten minutes until the person has agreed there, and keeps the login in a file of mode
/// 0600 in [`StartContext::logins`]. `challenge` is what the server refused with ([`McpError::Login`]). The browser comes back to a port of
/// the loopback that is open only meanwhile.
///
/// # Errors
///
/// [`McpError::Authorization`], and [`McpError::Io`] where there is no folder for logins or no port.
pub async fn login(
    config: &ServerConfig,
    challenge: Option<&str>,
    known: KnownClient,
    pages: &dyn OpenPage,
    cx: &StartContext,
) -> Result<(), McpError> {
    let failed = |error: AuthError| not_given((config, cx), causes(&error));
    let url = url(config, cx)?;
    if cx.logins.is_none() {
        return Err(not_given((config, cx), "there is no folder for logins".to_owned()));
    }
    let listener = TcpListener::bind(("127.0.0.1", 0))
        .await
        .map_err(|error| not_given((config, cx), error.to_string()))?;
    let port = listener.local_addr().map_err(|error| not_given((config, cx), error.to_string()))?.port();
    let redirect = format!("http://127.0.0.1:{port}{CALLBACK}");

    let mut manager = manager(config, &url, cx).await?;
    let resolved = manager.resolve_metadata_from_challenge(challenge).await.map_err(failed)?;
    manager.set_metadata(resolved.metadata);
    let known = KnownClient { scopes: scopes(known.scopes, challenge, &url, cx), ..known };
    let session = AuthorizationSession::new(manager, request(redirect, challenge, known)).await;
    let session = session.map_err(|(_, error)| failed(error))?;
    let page = session.get_authorization_url();
    pages
        .open(page)
        .map_err(|error| not_given((config, cx), format!("its page could not be opened: {error}")))?;
    let come_back = tokio::select! {
        come_back = timeout(PATIENCE, come_back(&listener, port)) => come_back,
        () = cx.cancel.cancelled() => return Err(McpError::Cancelled { server: config.name.to_string() }),
    };
    let come_back = come_back
        .map_err(|_| not_given((config, cx), "nobody agreed within ten minutes".to_owned()))?
        .map_err(|reason| not_given((config, cx), reason))?;
    let AuthorizationCallback { code, csrf_token, issuer, .. } =
        AuthorizationCallback::from_redirect_url(&come_back).map_err(failed)?;
    session.handle_callback_with_issuer(&code, &csrf_token, issuer.as_deref()).await.map_err(failed)?;
    Ok(())
}

/// Forgets the login to a server. Whether there was one.
///
/// # Errors
///
/// [`McpError::Io`] if its file stays.
pub fn logout(config: &ServerConfig, cx: &StartContext) -> Result<bool, McpError> {
    let Some(folder) = &cx.logins else { return Ok(false) };
    let store = LoginStore::new(folder, &url(config, cx)?);
    store.remove().map_err(|source| McpError::Io {
        action: "remove a login from",
        path: folder.clone(),
        source,
    })
}

/// Whether a login to a server is kept. It may have run out.
pub fn has_login(config: &ServerConfig, cx: &StartContext) -> bool {
    let kept = cx.logins.as_deref().zip(url(config, cx).ok());
    kept.is_some_and(|(folder, url)| LoginStore::new(folder, &url).is_there())
}

fn url(config: &ServerConfig, cx: &StartContext) -> Result<Url, McpError> {
    match (ExpandedTransport::of(config, cx)?.0, &config.transport) {
        (ExpandedTransport::Http { url, .. }, Transport::Http(_)) => address(config, &url),
        (
            ExpandedTransport::Http { .. } | ExpandedTransport::Stdio { .. },
            Transport::Stdio(_) | Transport::Http(_),
        ) => Err(not_given((config, cx), "it is a program of this machine, which needs none".to_owned())),
    }
}

fn not_given((config, cx): (&ServerConfig, &StartContext), reason: String) -> McpError {
    let reason = cx.redactor.apply(&reason);
    McpError::Authorization { server: config.name.to_string(), reason: crate::definition::short(&reason) }
}

/// What is asked for: where a login has too few rights, what it has and what it lacks. Otherwise the server says what it suggests.
fn scopes(known: Vec<String>, challenge: Option<&str>, url: &Url, cx: &StartContext) -> Vec<String> {
    let lacked = challenge.map(|header| WWWAuthenticateParams::parse(header, url));
    let lacked = lacked.filter(WWWAuthenticateParams::is_insufficient_scope).and_then(|wanted| wanted.scope);
    let (true, Some(lacked)) = (known.is_empty(), lacked) else { return known };
    let has = cx.logins.as_deref().and_then(|folder| LoginStore::new(folder, url).granted());
    let mut all = has.unwrap_or_default();
    for scope in lacked.split_whitespace() {
        if !all.iter().any(|one| one == scope) {
            all.push(scope.to_owned());
        }
    }
    all
}

fn request(redirect: String, challenge: Option<&str>, known: KnownClient) -> AuthorizationRequest {
    let mut request =
        AuthorizationRequest::new(redirect).with_client_name("artoo").with_initial_scope_selection();
    if let Some(challenge) = challenge {
        request = request.with_challenge(challenge);
    }
    if !known.scopes.is_empty() {
        request = request.with_scopes(known.scopes);
    }
    if let Some(url) = known.description_url {
        request = request.with_client_metadata_url(url);
    }
    if let Some(id) = known.id {
        request = request.with_preregistered_client(id);
        if let Some(secret) = known.secret {
            request = request.with_client_secret(secret);
        }
    }
    request
}

/// The address with which the browser comes back. Others that ask at the port are told nothing.
async fn come_back(listener: &TcpListener, port: u16) -> Result<String, String> {
    loop {
        let (stream, _) = listener.accept().await.map_err(|error| error.to_string())?;
        // A browser may open a connection and send nothing.
        let Ok(Some(target)) = timeout(Duration::from_secs(10), head(stream)).await else { continue };
        let Ok(url) = Url::parse(&format!("http://127.0.0.1:{port}{target}")) else { continue };
        if url.path() != CALLBACK {
            continue;
        }
        let named =
            |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        if let Some(error) = named("error") {
            return Err(named("error_description").unwrap_or(error));
        }
        if named("code").is_some() {
            return Ok(url.to_string());
        }
    }
}

/// The target of a request, after it was answered.
async fn head(mut stream: TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(buffer.get(..read)?);
        if head.len() > LONGEST_HEAD {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&head).into_owned();
    let mut words = text.lines().next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let is_callback = method == "GET" && target.starts_with(CALLBACK);
    let (status, body) = if is_callback {
        ("200 OK", "<!doctype html><title>artoo</title><p>You can close this page and go back to artoo.")
    } else {
        ("404 Not Found", "")
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // Whether the page is seen does not matter.
    let _ = stream.write_all(answer.as_bytes()).await;
    is_callback.then(|| target.to_owned())
}
