//! git, as artoo itself runs it: a commit, and taking it back.
//!
//! A commit is made in a repository of artoo's own ([`scratch`]) that has the objects and the index of the user's, and of the user's
//! configuration the settings alone that decide about contents ([`settings`]). So no hook and no program that a configuration names
//! is started, whatever keys git learns. Once the person has agreed to exactly this commit, its objects become part of the user's
//! repository, and the branch and the index follow ([`carry_out`]). Each process of git is confined by the kernel ([`runner`]).
//! Design: `docs/design/commits.md`.

mod carry_out;
mod chain;
mod for_commands;
mod git_commit;
mod moves;
mod own_folder;
mod problem;
mod proposal;
mod record;
mod repository;
mod runner;
mod scratch;
mod settings;
mod state;
mod steps;
mod system_git;
mod take_back;
#[cfg(test)]
mod tests;

pub(crate) use for_commands::for_commands;
pub use git_commit::GitCommit;
pub use moves::MoveProblem;
pub(crate) use moves::{Moves, Observation, observe};
pub use problem::CommitProblem;
pub use state::repository_state;
pub use take_back::{CommitTakenBack, CommitsUndo};
