//! A model that is played by hand: every question of a run is put into a folder, and its answer is read from there.
//!
//! Nobody has to be quick. A run that meets a question without an answer ends there; once the answer lies beside the question, the same run
//! is made again from its beginning, and the questions that were answered before get the same answers at once. So no time-out of artoo is
//! met, the game can be left and taken up again, and what was played is at the same time what a replay plays: a [`Cassette`].
//!
//! Paths of the machine are replaced by neutral ones on the way to the folder and back, see [`Places`].

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
