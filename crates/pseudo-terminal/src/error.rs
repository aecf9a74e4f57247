//! Errors of a pseudo-terminal.

use std::io;
use std::time::Duration;

/// Error of a [`PseudoTerminal`](crate::PseudoTerminal).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal cannot be created.
    #[error("no pseudo-terminal can be made: {0}")]
    Open(#[source] io::Error),
    /// The programs' end cannot be duplicated, or the size cannot be set.
    #[error("the pseudo-terminal cannot be used: {0}")]
    Use(#[source] io::Error),
    /// Input cannot be written to the terminal.
    #[error("nothing can be typed on the pseudo-terminal: {0}")]
    Type(#[source] io::Error),
    /// The expected output did not appear in time.
    #[error("it was not shown within {patience:?}; on the screen:\n{screen}")]
    NeverShown {
        /// The timeout.
        patience: Duration,
        /// The text on the screen at the timeout.
        screen: String,
    },
}
