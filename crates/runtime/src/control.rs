//! Control socket of a run: another process of the same user can answer its questions, send notes and stop
//! it.
//!
//! A run listens on a socket in its folder. Messages are closed JSON objects, one per line; each gets one
//! reply. Only processes of the run's user are accepted, and none that the run itself started: a command must
//! not answer the question that holds it back.

mod error;
mod listen;
mod message;
mod peer;
mod peer_auth;
mod socket_path;

pub use error::ControlError;
pub use listen::{AnsweredAt, Listening, listen};
pub use message::{Order, Said};
pub use peer::Peer;

/// Maximum length of a message in bytes.
const MAX_LINE: usize = 16 * 1024;

/// The socket's name in a run's folder.
const NAME: &str = "control";
