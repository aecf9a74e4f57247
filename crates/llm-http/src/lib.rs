//! HTTP clients for language models: [`OpenAiCompatible`] (hosted OpenAI, Ollama, llama-server, vLLM, LM
//! Studio and others) and [`Anthropic`].
//!
//! ```
//! use artoo_llm_http::{HttpConfig, OpenAiCompatible};
//! let model = OpenAiCompatible::new(HttpConfig::new("localhost:11434", "qwen2.5-coder:1.5b"))?;
//! assert_eq!(model.endpoint(), "http://localhost:11434/v1/chat/completions");
//! # Ok::<(), artoo_llm_client::LlmError>(())
//! ```
//!
//! *Architecture invariant*: this crate knows no role and no prompt. It reads neither the environment nor the
//! wall clock: addresses and keys come in through [`HttpConfig`] (the one exception must be requested by
//! name: [`ProxyPolicy::System`]). Nothing else in the workspace opens a socket to a model.
//!
//! A call is one POST with a streamed response. Around it, each in its own module: connect, first-byte and
//! idle timeouts (`patience`) and the connection limit (`transport`); the program's only retry loop (`model`);
//! and what the server has refused, remembered per client (`adapt`): features of the protocol (`dialect`) and
//! sizes (`limits`), which are read from its refusals (`overrun`, `wordings`). What the server sends is read whole or
//! not at all (`reader`): an answer that did not end for a known reason (`finish`) is a failed call.

mod adapt;
mod anthropic;
mod arguments;
mod arrival;
mod base_url;
mod body;
mod client;
mod config;
#[cfg(test)]
mod conversation;
mod counts;
mod decode;
mod dialect;
#[cfg(feature = "test-util")]
pub mod doubles;
mod encoding;
mod error_body;
mod finish;
mod jitter;
mod json_prefix;
mod limits;
mod model;
mod openai;
mod overrun;
mod patience;
mod proxy;
mod reader;
mod reported;
mod secret;
mod sse;
mod surrogates;
mod tool_call;
mod transport;
mod wordings;

pub use anthropic::Anthropic;
pub use config::{HttpConfig, ProxyPolicy, StructuredMode, Timeouts};
pub use jitter::Jitter;
pub use openai::{
    ListedModel, OpenAiCompatible, is_on_this_machine, is_served, listed_models, served_models,
};
pub use secret::ApiKey;
