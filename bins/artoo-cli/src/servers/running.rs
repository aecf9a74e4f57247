//! The servers that this program has started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use artoo_mcp::{Connection, McpError, ServerConfig, ServerState, ServerTable, StartContext};
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

/// The servers that run, kept from one request of a conversation to the next. Dropped, they are killed.
#[derive(Default)]
pub(crate) struct RunningServers {
    open: Vec<Open>,
    /// Ends all of them.
    cancel: CancellationToken,
}

struct Open {
    config: ServerConfig,
    folder: PathBuf,
    /// The values of variables that a client passed.
    values: BTreeMap<OsString, OsString>,
    connection: Arc<Connection>,
}

impl RunningServers {
    /// Ends everything that is started with it.
    pub(crate) fn cancel(&self) -> CancellationToken {
        self.cancel.clone()
    }

    /// The connections to these servers: those that run, and new ones to the others, which are started at the same time. A server that
    /// cannot be started is told by its error.
    pub(crate) async fn connect(
        &mut self,
        configs: &[ServerConfig],
        cx: &StartContext,
    ) -> Vec<Result<Arc<Connection>, McpError>> {
        self.open.retain(|open| match open.connection.state() {
            ServerState::Running { .. } => true,
            ServerState::Ended { .. } => false,
        });
        let connections = join_all(configs.iter().map(|config| {
            let known = self.known(config, cx);
            async move {
                match known {
                    Some(connection) => Ok(connection),
                    None => Connection::start(config.clone(), cx).await,
                }
            }
        }))
        .await;
        for (config, connection) in configs.iter().zip(&connections) {
            if let Ok(connection) = connection
                && self.known(config, cx).is_none()
            {
                let (config, connection) = (config.clone(), Arc::clone(connection));
                let (folder, values) = (cx.folder.clone(), values(&config, cx));
                self.open.push(Open { config, folder, values, connection });
            }
        }
        connections
    }

    fn known(&self, config: &ServerConfig, cx: &StartContext) -> Option<Arc<Connection>> {
        let values = values(config, cx);
        let is_it =
            |open: &&Open| open.config == *config && open.folder == cx.folder && open.values == values;
        Some(Arc::clone(&self.open.iter().find(is_it)?.connection))
    }

    /// The connections that are open, in the order in which they were opened.
    pub(crate) fn connections(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.open.iter().map(|open| &open.connection)
    }

    /// Ends all servers, and waits until their processes are gone.
    pub(crate) async fn close(&mut self) {
        join_all(self.open.drain(..).map(|open| async move { open.connection.close().await })).await;
        self.cancel.cancel();
        self.cancel = CancellationToken::new();
    }
}

/// The values of the variables that its configuration names.
fn values(config: &ServerConfig, cx: &StartContext) -> BTreeMap<OsString, OsString> {
    let table = ServerTable::from(config);
    let is_named = |name: &str| {
        let variable = format!("${{{name}}}");
        table.env.values().chain(table.headers.values()).any(|value| value.contains(&variable))
    };
    let named = cx.environment.iter().filter(|(name, _)| name.to_str().is_some_and(is_named));
    named.map(|(name, value)| (name.clone(), value.clone())).collect()
}
