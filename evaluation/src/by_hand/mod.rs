//! A model played by hand: every question of a run is written to a folder, and its answer is read from there.
//!
//! There is no time limit for answering. A run that meets an unanswered question ends there; once the answer
//! is beside the question, the same run is repeated from its beginning, and the questions answered before get
//! the same answers at once. So none of artoo's timeouts expires, the game can be interrupted and continued,
//! and its record is also what a replay plays: a [`Cassette`].
//!
//! Machine-specific paths are replaced by neutral ones on the way to the folder and back, see [`Places`].

mod answer;
mod cassette;
mod conversation;
mod folder;
mod places;
mod question;
mod server;

pub use answer::{Answer, Call, Tokens};
pub use cassette::{Cassette, Exchange};
pub use folder::Folder;
pub use places::Places;
pub use question::Question;
pub use server::{Asked, Match, Reply, Server};
