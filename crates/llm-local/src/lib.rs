//! The embedded model: a GGUF file on the CPU, with answers constrained to a JSON Schema, and the store of
//! its files.
//!
//! [`LocalModel`] is an [`LlmClient`](artoo_llm_client::LlmClient) that needs no key, no server and no
//! network. It loads at its first request, keeps the state after each constant system text, and cannot answer
//! outside a request's schema. [`store`] finds, downloads and verifies the files.
//!
//! ```no_run
//! # async fn demo() -> Result<(), artoo_llm_client::LlmError> {
//! use artoo_llm_client::{LlmClient, Request};
//! use artoo_llm_local::{LocalModel, LocalOptions};
//! let model = LocalModel::new(LocalOptions::new("/models/qwen.gguf", "qwen2.5-coder-1.5b"));
//! let answer = model.complete(&Request::new("demo", "You are terse.", "Say hello.")).await?;
//! println!("{}", answer.text);
//! # Ok(())
//! # }
//! ```
//!
//! *Architecture invariant*: this crate knows no role and no prompt. It reads no environment, no clock but
//! the monotonic one and no source of randomness, starts no process and never prints: paths, seeds and the
//! way to start a program come in from outside.
//!
//! # Why an engine of its own
//!
//! A fresh machine has neither cmake nor libclang, which the bindings of llama.cpp need, and candle's fast
//! kernels keep a second, larger copy of every matrix. Here the weights stay in the mapped file: one token
//! reads them row by row, and a longer prompt unpacks sixteen rows at a time into a temporary buffer.
//! `cargo run --release -p artoo-llm-local --example speed -- MODEL.gguf` measures the cost of a request.
//!
//! Supported are Qwen2 models (Qwen2.5 among them) with Q4_K and Q6_K matrices, which is what a Q4_K_M file
//! contains. The kernels use AVX-512 with its dot products of bytes (VNNI), AVX2, or portable Rust: the first that the
//! processor has. A batch gives each of its answers what it gets alone, to the bit; another processor may round otherwise.
//!
//! # Several answers at once
//!
//! Requests that are made together are decoded in a batch: a step of all of them reads every weight once. The prompt of
//! samples of one question ([`Request::sample`](artoo_llm_client::Request::sample)) is processed once, and its state is
//! copied for each. The example `speed` measures the cost of a further sample, too.
//!
//! # How an answer keeps to its schema
//!
//! The schema becomes a grammar (`llguidance`) that allows or forbids each token before one is chosen. The
//! JSON is compact; strings and lists without a bound get one from [`LocalOptions`]; tokens that the grammar
//! forces, such as the names of required fields, are taken without asking the model and processed together
//! with what follows.

mod bpe;
mod chat;
mod client;
mod confidence;
mod engine;
mod engine_thread;
mod error;
mod grammar;
mod options;
mod prefix_cache;
mod prefix_disk_cache;
mod sampler;
mod schema_bounds;
mod sequence;
mod session;
pub mod store;
mod vocab;

pub use client::LocalModel;
pub use options::LocalOptions;
