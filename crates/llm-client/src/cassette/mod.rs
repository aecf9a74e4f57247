//! Sessions on disk: [`Recorder`] writes every call of a client into a folder, [`Replayer`] answers from it.
//!
//! Both are an [`LlmClient`](crate::LlmClient), so a run cannot tell them from a model.

mod record;
mod recording;
mod redact;
mod replay;

pub use record::Recorder;
pub use redact::Redaction;
pub use replay::Replayer;
