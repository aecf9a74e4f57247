//! What can go wrong.

use std::io;
use std::time::Duration;

/// Why a terminal is of no use.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be made.
    #[error("no pseudo-terminal can be made: {0}")]
    Open(#[source] io::Error),
    /// Nobody can be given its other end, or another size.
    #[error("the pseudo-terminal cannot be used: {0}")]
    Use(#[source] io::Error),
    /// It cannot be typed on.
    #[error("nothing can be typed on the pseudo-terminal: {0}")]
    Type(#[source] io::Error),
    /// What was waited for did not come.
    #[error("it was not shown within {patience:?}; on the screen:\n{screen}")]
    NeverShown {
        /// How long somebody waited.
        patience: Duration,
        /// What was there instead.
        screen: String,
    },
}
