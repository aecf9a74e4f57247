//! What git commands of a run do to a repository: observed over layers, asked about as facts, carried out by code.
//!
//! A command may merge, rebase, switch, pick, stash, stage, and make branches and tags. What it left in `.git` is taken apart by what
//! each path is for ([`parts`], [`changes`]); whatever is not a move of git refuses the command. git itself checks the new objects in a
//! repository of artoo's own ([`checked`]), the facts are the question ([`facts`]), and a yes makes them real together with the changes
//! of files ([`carry_out`]). The state from before is recorded ([`record`]), so that an undo of the run takes it back.
//! Design: `docs/design/git-moves.md`.

mod carry_out;
mod changes;
mod checked;
mod facts;
mod notes;
mod observation;
mod parts;
mod problem;
pub(super) mod record;

pub(crate) use observation::{Moves, Observation, observe};
pub use problem::MoveProblem;
