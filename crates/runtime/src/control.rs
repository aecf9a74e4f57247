//! A run that is spoken to by another process of the same user: what the person answers, says, or wants to
//! end.
//!
//! A run listens on a socket in its folder. Messages are closed JSON objects, one a line; each is answered by
//! one. Nobody but the run's user is heard, and nothing that the run itself has started: a command must not
//! answer the question that holds it back.

mod error;
mod kin;
mod listen;
mod order;
mod peer;
mod place;

pub use error::ControlError;
pub use listen::{AnsweredAt, Listening, listen};
pub use order::{Order, Said};
pub use peer::Peer;

/// The longest message, in bytes.
const MAX_LINE: usize = 16 * 1024;

/// The name of the socket in a run's folder.
const NAME: &str = "control";
