//! Build output: files that a program makes anew at will, which git ignores.
//!
//! A file is build output if git ignores it, tracks nothing at its path, and it lies in a folder that carries the mark of its
//! tool ([`marks`]) or that a call of this run made. All rules count as they were before the run ([`BuildRules`]), so no call
//! can make build output of what was there. Design: `docs/design/build-output.md`.

mod counted;
mod git_config;
mod git_ignores;
mod git_index;
mod judge;
mod marks;
mod other_names;
mod rules_before;
mod user_ignores;

pub(crate) use counted::Counted;
pub(crate) use judge::{BuildJudge, BuildPaths};
pub use rules_before::BuildRules;
