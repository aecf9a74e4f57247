//! The servers that this program has started.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_mcp::{Connection, McpError, ServerConfig, ServerState, StartContext};
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
            let known = self.known(config, &cx.folder);
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
                && self.known(config, &cx.folder).is_none()
            {
                let (config, connection) = (config.clone(), Arc::clone(connection));
                self.open.push(Open { config, folder: cx.folder.clone(), connection });
            }
        }
        connections
    }

    fn known(&self, config: &ServerConfig, folder: &Path) -> Option<Arc<Connection>> {
        let found = self.open.iter().find(|open| open.config == *config && open.folder == folder)?;
        Some(Arc::clone(&found.connection))
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
