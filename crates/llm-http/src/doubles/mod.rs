//! Mock server for both wire formats and every kind of failure.
//!
//! It listens on a free loopback port and answers from a closure. It is small and fast enough for benchmarks.
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use artoo_llm_client::{LlmClient, Request};
//! use artoo_llm_http::{HttpConfig, OpenAiCompatible};
//! use artoo_llm_http::doubles::{MockServer, Reply};
//!
//! let server = MockServer::start(|call| match call.ordinal {
//!     0 => Reply::status(429, "slow down").header("retry-after", "0"),
//!     _ => Reply::text("hello"),
//! })
//! .await?;
//! let model = OpenAiCompatible::new(HttpConfig::new(server.base_url(), "mock"))?;
//! let answer = model.complete(&Request::new("test", "", "hi")).await?;
//! assert_eq!((answer.text.as_str(), answer.usage.requests), ("hello", 2));
//! assert_eq!(server.stats().requests, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod connection;
mod decoded;
mod reply;
mod server;
mod wire;

pub use decoded::{Format, decoded};
pub use reply::{Reply, Step};
pub use server::{Call, MockServer, Stats};
