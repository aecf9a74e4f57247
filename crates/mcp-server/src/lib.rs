//! artoo as a server of the [Model Context Protocol](https://modelcontextprotocol.io): other agents hand it work.
//!
//! [`McpServer`] offers tools: `run_task` begins a run at a [`Host`](artoo_front_end::Host) and reports its progress, `answer` answers a
//! question of it, `undo` takes back what a run did to files, and `explain`, `list_runs`, `show_run` and `recall` look things up. A client
//! that supports tasks gets a task; one that supports elicitation is asked there; any other gets the question as the result of the call.
//! A question that nobody answers is a no, and the result says so. Design: `docs/design/front-ends.md`.
//!
//! *Architecture invariant*: nothing here decides about a run, and no word of a client grants more than the user's own answer would. Over
//! HTTP, nothing is answered without the token.
//!
//! ```no_run
//! # async fn example(host: std::sync::Arc<dyn artoo_front_end::Host>) -> Result<(), artoo_mcp_server::ServeError> {
//! artoo_mcp_server::McpServer::new(host).serve_stdio().await
//! # }
//! ```

mod arguments;
mod ask;
mod definitions;
mod error;
mod follow;
mod http;
mod progress;
mod report;
mod server;
mod token;
mod waiting;

pub use error::ServeError;
pub use http::Listening;
pub use server::McpServer;
pub use token::Token;
