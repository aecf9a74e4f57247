//! Models behind HTTP: [`OpenAiCompatible`] (hosted OpenAI, Ollama, llama-server, vLLM, LM Studio and others) and
//! [`Anthropic`].
//!
//! ```
//! use artoo_llm_http::{HttpConfig, OpenAiCompatible};
//! let model = OpenAiCompatible::new(HttpConfig::new("localhost:11434", "qwen2.5-coder:1.5b"))?;
//! assert_eq!(model.endpoint(), "http://localhost:11434/v1/chat/completions");
//! # Ok::<(), artoo_llm_client::LlmError>(())
//! ```
//!
//! *Architecture invariant*: this crate knows no role and no prompt. It reads neither the environment nor a clock
//! of the calendar: addresses and keys come in through [`HttpConfig`] (the one exception is asked for by name:
//! [`ProxyPolicy::System`]). Nothing else in the workspace opens a socket to a model.
//!
//! A call is one POST whose answer is streamed. Around it stand, each in a module of its own: connect, first-byte
//! and idle time-outs and the bound on connections (`transport`); the one retry loop of the program (`model`); and
//! what the server has shown not to take, remembered per client (`dialect`).

mod anthropic;
mod base_url;
mod body;
mod calls;
mod client;
mod config;
#[cfg(test)]
mod conversation;
mod decode;
mod dialect;
#[cfg(feature = "doubles")]
pub mod doubles;
mod error_body;
mod jitter;
mod model;
mod openai;
mod secret;
mod sse;
mod transport;

pub use anthropic::Anthropic;
pub use config::{HttpConfig, ProxyPolicy, StructuredMode, Timeouts};
pub use jitter::Jitter;
pub use openai::{OpenAiCompatible, served_models};
pub use secret::ApiKey;
