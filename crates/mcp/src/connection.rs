//! A connection to one server, from its start to its end.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use artoo_consent::Nobody;
use artoo_tools::ServerReach;
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService,
    serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::Transport as Wire;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::time::{Instant, timeout_at};

use crate::child::Child;
use crate::end::{End, Why};
use crate::guarded_transport::GuardedTransport;
use crate::handler::{Handler, Shared};
use crate::http::{causes, transport};
use crate::line_limit::LineLimit;
use crate::listing::{self, ToolList};
use crate::requests::CallView;
use crate::start_context::ExpandedTransport;
use crate::{Definition, McpError, ServerConfig, ServerName, StartContext, Transport, Unusable};

/// A running server. Dropped, its program is killed with everything that it started; [`close`](Self::close) waits for that.
///
/// ```no_run
/// # async fn example(cx: artoo_mcp::StartContext) -> Result<(), artoo_mcp::McpError> {
/// use artoo_mcp::{Connection, ServerTable};
///
/// let table = ServerTable { command: Some("mcp-server-time".into()), ..ServerTable::default() };
/// let server = Connection::start(table.into_config("time".parse()?, &cx.home)?, &cx).await?;
/// for tool in server.definitions() {
///     println!("{}", tool.lines());
/// }
/// server.close().await;
/// # Ok(())
/// # }
/// ```
pub struct Connection {
    pub(crate) config: ServerConfig,
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) end: Arc<End>,
    /// The folders in which it may write, by their real paths.
    folders: Vec<PathBuf>,
    /// Places in them that the kernel keeps as they are.
    pub(crate) read_only: Vec<PathBuf>,
    protocol: String,
    listed: RwLock<Arc<ToolList>>,
    /// Held while the list is read.
    reading: tokio::sync::Mutex<()>,
    parts: Mutex<Option<Parts>>,
    /// What it refused a request with, if it wanted a login.
    pub(crate) challenge: Mutex<Option<String>>,
}

/// What ends with the connection.
struct Parts {
    service: RunningService<RoleClient, Handler>,
    child: Option<Child>,
}

/// Whether a server runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// It does.
    Running {
        /// The version of the protocol that it agreed to.
        protocol: String,
        /// What it calls itself, with its version.
        software: Option<String>,
    },
    /// It does not any more.
    Ended {
        /// Why, with the end of what it complained about.
        reason: String,
    },
}

/// Starts servers at the same time, each within its own limit. One that does not start keeps no other from starting. In the order that
/// was given.
pub async fn start_all(
    configs: Vec<ServerConfig>,
    cx: &StartContext,
) -> Vec<(ServerName, Result<Arc<Connection>, McpError>)> {
    let start = |config: ServerConfig| async {
        let name = config.name.clone();
        (name, Connection::start(config, cx).await)
    };
    futures_util::future::join_all(configs.into_iter().map(start)).await
}

/// How the talk begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// By asking for the newest version, and falling back.
    Newest,
    /// As before that version: some servers do not survive the question for it.
    Classic,
}

impl Connection {
    /// Starts a server and reads its lists, within [`ServerLimits::start`](crate::ServerLimits::start).
    ///
    /// # Errors
    ///
    /// What keeps it from running. Nothing of it is left then.
    pub async fn start(config: ServerConfig, cx: &StartContext) -> Result<Arc<Self>, McpError> {
        let config = config.checked()?;
        let until = Instant::now() + config.limits.start;
        let first = Self::begin(&config, Opening::Newest, until, cx).await;
        match first {
            // Some end, or answer with nothing at all, where they are asked for a version that they do not know.
            Err(McpError::Handshake { .. } | McpError::Ended { .. }) if Instant::now() < until => {
                let again = Self::begin(&config, Opening::Classic, until, cx).await;
                again.or(first)
            }
            first => first,
        }
    }

    async fn begin(
        config: &ServerConfig,
        opening: Opening,
        until: Instant,
        cx: &StartContext,
    ) -> Result<Arc<Self>, McpError> {
        let (expanded, redactor) = ExpandedTransport::of(config, cx)?;
        let end = Arc::new(End::new(matches!(config.transport, Transport::Stdio(_)), redactor));
        let opened = Self::open(config, expanded, opening, &end, cx);
        match timeout_at(until, opened).await {
            Ok(Err(error)) => {
                end.say(Why::Stopped);
                Err(error)
            }
            Ok(Ok(connection)) => Ok(connection),
            Err(_) => {
                let server = config.name.to_string();
                let after = config.limits.start;
                // What it complained about says more than that it took too long.
                let error = match end.complaints() {
                    Some(said) => McpError::Handshake {
                        server,
                        reason: format!(
                            "it did not answer within {} seconds; the last that it wrote to standard error: {said}",
                            after.as_secs()
                        ),
                    },
                    None => McpError::TimedOut { server, doing: "begin to talk", after },
                };
                end.say(Why::Stopped);
                Err(error)
            }
        }
    }

    async fn open(
        config: &ServerConfig,
        expanded: ExpandedTransport,
        opening: Opening,
        end: &Arc<End>,
        cx: &StartContext,
    ) -> Result<Arc<Self>, McpError> {
        let patience = config.limits.start / 3;
        match (expanded, &config.transport) {
            (ExpandedTransport::Stdio { command, args, env }, Transport::Stdio(stdio)) => {
                let (child, stdout, stdin) =
                    Child::start((config, stdio), (command, args, env), end, cx).await?;
                let wire = AsyncRwTransport::new_client(LineLimit::new(stdout, Arc::clone(end)), stdin);
                let wire = GuardedTransport::new(wire, Arc::clone(end), patience);
                Self::greet(config, wire, Some(child), opening, end, cx).await
            }
            (ExpandedTransport::Http { url, headers }, Transport::Http(_)) => {
                let (wire, events) = transport(config, (&url, &headers), cx).await?;
                let wire = GuardedTransport::new(wire, Arc::clone(end), patience);
                let connection = Self::greet(config, wire, None, opening, end, cx).await?;
                events.opened().await;
                Ok(connection)
            }
            (ExpandedTransport::Stdio { .. }, Transport::Http(_))
            | (ExpandedTransport::Http { .. }, Transport::Stdio(_)) => {
                Err(config.wrong("url", "does not go with the rest"))
            }
        }
    }

    async fn greet<T: Wire<RoleClient> + 'static>(
        config: &ServerConfig,
        wire: GuardedTransport<T>,
        child: Option<Child>,
        opening: Opening,
        end: &Arc<End>,
        cx: &StartContext,
    ) -> Result<Arc<Self>, McpError> {
        let folders: Vec<PathBuf> = config
            .folders()
            .iter()
            .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()))
            .collect();
        let shared = Arc::new(Shared::new(config.name.clone(), folders.clone()));
        let lifecycle = match opening {
            Opening::Newest => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
            Opening::Classic => ClientLifecycleMode::Initialize,
        };
        let ct = cx.cancel.child_token();
        let served =
            serve_client_with_lifecycle_and_ct(Handler(Arc::clone(&shared)), wire, lifecycle, ct).await;
        let service = match served {
            Ok(service) => service,
            Err(error) => return Err(not_begun(config, &error, end).await),
        };
        let peer = service.peer().clone();
        let info = peer.peer_info();
        let version = info.as_ref().map(|info| info.protocol_version.clone());
        let Some(version) = version.filter(|version| ProtocolVersion::KNOWN_VERSIONS.contains(version))
        else {
            let reason = "it speaks a version of the protocol that is not known".to_owned();
            return Err(McpError::Handshake { server: config.name.to_string(), reason });
        };
        let tells_changes = info
            .as_ref()
            .and_then(|info| info.capabilities.tools.as_ref())
            .is_some_and(|tools| tools.list_changed == Some(true));
        let connection = Arc::new(Self {
            config: config.clone(),
            peer,
            shared,
            end: Arc::clone(end),
            folders,
            read_only: cx.read_only.clone(),
            protocol: version.to_string(),
            listed: RwLock::default(),
            reading: tokio::sync::Mutex::default(),
            parts: Mutex::new(Some(Parts { service, child })),
            challenge: Mutex::default(),
        });
        connection.read_tools(config.limits.start).await?;
        if tells_changes && version >= ProtocolVersion::V_2026_07_28 {
            tokio::spawn(listen_for_changes(
                connection.peer.clone(),
                Arc::clone(&connection.shared),
                connection.end.over.clone(),
            ));
        }
        Ok(connection)
    }

    /// Its name.
    pub fn name(&self) -> &ServerName {
        &self.config.name
    }

    /// Its configuration.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// How far it reaches.
    pub fn reach(&self) -> ServerReach {
        self.config.reach()
    }

    /// The folders in which it may write, by their real paths.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether it runs.
    pub fn state(&self) -> ServerState {
        if self.end.is_over() {
            return ServerState::Ended { reason: self.end.words() };
        }
        let software = self.peer.peer_info().and_then(|info| info.server_info.clone());
        let software = software.map(|it| self.end.told(&format!("{} {}", it.name, it.version)));
        ServerState::Running { protocol: self.protocol.clone(), software }
    }

    /// The definitions of its tools, as it listed them last. Only those that a person approved may become tools.
    pub fn definitions(&self) -> Vec<Definition> {
        self.listed().definitions.clone()
    }

    /// The tools that it lists and that no model can be offered.
    pub fn unusable(&self) -> Vec<Unusable> {
        self.listed().unusable.clone()
    }

    /// What it refused the last request with that it wants a login for, or one with more rights. It goes to [`login`](crate::login()).
    pub fn wanted_login(&self) -> Option<String> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends it, and waits until its program and all that it started are gone.
    pub async fn close(&self) {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Parts { mut service, child }) = parts else { return };
        self.end.say(Why::Stopped);
        // A server that does not read any more cannot hold this up.
        let _ = service.close_with_timeout(Duration::from_secs(3)).await;
        if let Some(child) = child {
            child.gone().await;
        }
    }

    pub(crate) fn listed(&self) -> Arc<ToolList> {
        Arc::clone(&self.listed.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the list of its tools anew if the server says that it changed. Calls that come meanwhile wait for that.
    pub(crate) async fn read_changed_tools(&self) -> Result<(), McpError> {
        let _reading = self.reading.lock().await;
        if !self.shared.take_list_changed() {
            return Ok(());
        }
        let read = self.read_tools(self.config.limits.call).await;
        if read.is_err() {
            // It is read before the next call then.
            self.shared.note_list_changed();
        }
        read.map(drop)
    }

    /// Reads the list of its tools anew.
    pub(crate) async fn read_tools(&self, limit: Duration) -> Result<Arc<ToolList>, McpError> {
        let view = CallView::alone(Arc::new(Nobody), limit);
        let listed = Arc::new(listing::tools(self, &view).await?);
        *self.listed.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&listed);
        Ok(listed)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end.say(Why::Stopped);
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("name", &self.config.name).finish_non_exhaustive()
    }
}

/// Notes what a server of the newest version tells about its list, which it does on a stream of its own.
async fn listen_for_changes(
    peer: Peer<RoleClient>,
    shared: Arc<Shared>,
    over: tokio_util::sync::CancellationToken,
) {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let listen = async {
        let Ok(mut heard) = peer.listen(filter).await else { return };
        while let Ok(Some(_)) = heard.next().await {
            shared.note_list_changed();
        }
        // Who does not listen any more looks at the list before the next call.
        shared.note_list_changed();
    };
    tokio::select! {
        () = listen => {}
        () = over.cancelled() => {}
    }
}

/// Why the talk did not begin. The program may have ended in the same moment, and then says why.
async fn not_begun(config: &ServerConfig, error: &ClientInitializeError, end: &End) -> McpError {
    let server = config.name.to_string();
    if error.is_authorization_required() || error.auth_challenge().is_some() {
        return McpError::Login { server, challenge: error.auth_challenge().map(str::to_owned) };
    }
    if end.has_process
        && matches!(
            error,
            ClientInitializeError::ConnectionClosed(_)
                | ClientInitializeError::TransportError { .. }
                | ClientInitializeError::LegacyFallbackFailed { .. }
        )
    {
        // Bounded: who watches the program says so in any case.
        let _ = tokio::time::timeout(Duration::from_secs(2), end.over.cancelled()).await;
    }
    let reason = if end.is_over() { end.words() } else { end.told(&innermost(error)) };
    McpError::Handshake { server, reason }
}

/// What went wrong, without the parts of the library through which it came.
fn innermost(error: &ClientInitializeError) -> String {
    if let ClientInitializeError::TransportError { error, .. } = error {
        return causes(error.error.as_ref());
    }
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = error {
        return innermost(fallback);
    }
    error.to_string()
}
