//! Test doubles of models: a scripted model, and a recorder and replayer of real sessions.
//!
//! They implement the public [`LlmClient`](crate::LlmClient), so code under test cannot tell them from a real
//! model.

mod answer;
mod expect;
mod record;
mod recording;
mod redact;
mod replay;
mod scripted;

pub use answer::Answer;
pub use expect::Expect;
pub use record::Recorder;
pub use redact::Redaction;
pub use replay::Replayer;
pub use scripted::ScriptedModel;
