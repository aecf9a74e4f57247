//! A model for tests that follows a script.
//!
//! It enters by the public seam, [`LlmClient`](crate::LlmClient), so code under test cannot tell it from a real model.

mod answer;
mod expect;
mod scripted;

pub use answer::Answer;
pub use expect::Expect;
pub use scripted::ScriptedModel;
