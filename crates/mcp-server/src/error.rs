//! Errors of the connection.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not begin as the protocol says, or its connection failed.
    #[error("the connection to the client failed: {0}")]
    Connection(String),
    /// The address is not one of this machine alone.
    #[error("{0} can be reached from other machines, and only loopback addresses are served")]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The token cannot be read or written.
    #[error("the token in {} cannot be used: {source}", .path.display())]
    Token {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ServeError {
    /// What a user can do about it.
    ///
    /// ```
    /// use artoo_mcp_server::ServeError;
    ///
    /// let error = ServeError::NotLoopback("192.0.2.1:80".parse().unwrap());
    /// assert_eq!(error.hint(), "listen on 127.0.0.1, and let a tunnel of yours lead there");
    /// ```
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Connection(_) => "check what the client was told to start",
            Self::NotLoopback(_) => "listen on 127.0.0.1, and let a tunnel of yours lead there",
            Self::Listen { .. } => "another program may listen there: choose another port, or 0 for any",
            Self::Token { .. } => "check the owner and the permissions of the file",
        }
    }
}
