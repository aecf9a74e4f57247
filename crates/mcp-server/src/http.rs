//! The server over HTTP, on this machine alone.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::{McpServer, ServeError, Token};

/// The path at which the server is.
const PATH: &str = "/mcp";

/// How many connections are served at a time.
const MOST_CONNECTIONS: usize = 64;

type Service = StreamableHttpService<McpServer, LocalSessionManager>;
type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A server that listens and answers nobody yet.
#[derive(Debug)]
pub struct Listening {
    listener: std::net::TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Listens on a loopback address; port 0 is any that is free.
    ///
    /// # Errors
    /// [`ServeError::NotLoopback`], [`ServeError::Listen`].
    ///
    /// ```
    /// let listening = artoo_mcp_server::Listening::on("127.0.0.1:0".parse()?)?;
    /// assert!(listening.url().starts_with("http://127.0.0.1:") && listening.url().ends_with("/mcp"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(address: SocketAddr) -> Result<Self, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let failed = |source| ServeError::Listen { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// The address for clients.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients that have the token, until `end` is cancelled.
    ///
    /// # Errors
    /// [`ServeError::Listen`] outside of a runtime with IO.
    pub async fn serve(
        self,
        server: McpServer,
        token: Token,
        end: CancellationToken,
    ) -> Result<(), ServeError> {
        let address = self.address;
        let listener = TcpListener::from_std(self.listener);
        let listener = listener.map_err(|source| ServeError::Listen { address, source })?;
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(["localhost", "127.0.0.1", "::1"])
            // A page of a browser is a client only if it is served by this machine, and only with the token.
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
            .enforce_origin_validation()
            .with_cancellation_token(end.child_token());
        let make = move || Ok(server.clone());
        let service = StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config);
        let room = Arc::new(tokio::sync::Semaphore::new(MOST_CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
            let stream = tokio::select! {
                () = end.cancelled() => return Ok(()),
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        tracing::debug!(%error, "a connection was not accepted");
                        continue;
                    }
                },
            };
            let (service, token, end) = (service.clone(), token.clone(), end.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = end.cancelled() => {}
                    () = connection(stream, service, token) => {}
                }
                drop(place);
            });
        }
    }
}

async fn connection(stream: TcpStream, service: Service, token: Token) {
    let answer = service_fn(|request: Request<Incoming>| {
        let (service, token) = (service.clone(), token.clone());
        async move { Ok::<_, Infallible>(answered(request, &service, &token).await) }
    });
    let served =
        http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer);
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection of a client failed");
    }
}

/// Without the token, nothing is looked at.
async fn answered(request: Request<Incoming>, service: &Service, token: &Token) -> Answer {
    let header = request.headers().get(AUTHORIZATION).map(http::HeaderValue::as_bytes);
    if !token.is_in(header) {
        return refused(StatusCode::UNAUTHORIZED, "the token is missing or wrong\n");
    }
    if request.uri().path() != PATH {
        return refused(StatusCode::NOT_FOUND, "the server is at /mcp\n");
    }
    service.handle(request).await
}

fn refused(status: StatusCode, why: &'static str) -> Answer {
    let mut response = Response::new(http_body_util::Full::new(Bytes::from_static(why.as_bytes())).boxed());
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
    }
    response
}
