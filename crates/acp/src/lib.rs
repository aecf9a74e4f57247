//! artoo as an agent of the [Agent Client Protocol](https://agentclientprotocol.com), version 1: an editor starts `artoo`, and its user
//! works with it there.
//!
//! [`serve`] speaks the protocol over a [`Transport`], and begins runs at a [`Host`](artoo_front_end::Host). A prompt is a run. Its plan,
//! its calls and its result become updates of the session; each question about effects becomes a request for permission, with the same
//! answers as at the terminal. Design: `docs/design/front-ends.md`.
//!
//! *Architecture invariant*: nobody else knows the protocol, and nothing here decides about a run. What an answer means is the runtime's;
//! a request that the client does not answer is a no.
//!
//! ```no_run
//! # async fn example(host: std::sync::Arc<dyn artoo_front_end::Host>) -> Result<(), artoo_acp::AcpError> {
//! artoo_acp::serve(host, artoo_acp::Transport::stdio()).await
//! # }
//! ```

mod agent;
mod clarification;
mod client_servers;
mod commands;
mod confirm;
mod diffs;
mod error;
mod history;
mod initialize;
mod open_files;
mod open_sessions;
mod permission;
mod prompt;
mod tool_calls;
mod transport;
mod turn;
mod updates;

pub use agent::serve;
pub use error::AcpError;
pub use transport::Transport;
