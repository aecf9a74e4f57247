//! The clients against a local server that is slow, broken, wordy and wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod anthropic;
mod connections;
mod generation;
mod limits;
mod openai;
mod progress;
mod retries;
mod secrets;
mod streams;
mod structured;
mod tools;
mod trouble;
mod usage;

use std::time::Duration;

use artoo_llm_client::{Request, RetryPolicy};
use artoo_llm_http::doubles::MockServer;
use artoo_llm_http::{HttpConfig, Jitter, OpenAiCompatible, Timeouts};

/// A configuration for a test: timeouts that are never reached, three attempts without a wait between them,
/// no proxy.
fn config(server: &MockServer) -> HttpConfig {
    let long = Duration::from_secs(60);
    HttpConfig {
        timeouts: Timeouts { connect: long, first_byte: Some(long), idle: Some(long) },
        retry: RetryPolicy { attempts: 3, base: Duration::ZERO, max_delay: Duration::ZERO, budget: long },
        jitter: Jitter::fixed(0.0),
        ..HttpConfig::new(server.base_url(), "m")
    }
}

fn client(server: &MockServer) -> OpenAiCompatible {
    OpenAiCompatible::new(config(server)).unwrap()
}

fn request() -> Request {
    Request::new("test", "Answer.", "How many?")
}
