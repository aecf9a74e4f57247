//! Keeps secrets out of records.
//!
//! A [`Redactor`] is told the values that are known to be secret and knows by itself what keys, tokens, private keys and
//! assigned passwords look like. It is applied where a record is written (journal, evidence folder, `--json`, recordings), and
//! never to what a check, a judge or a model is shown: what is decided is decided by the true text. In the record stands
//! `[redacted: KIND]` in its place.
//!
//! ```
//! use artoo_redaction::Redactor;
//! let redactor = Redactor::new().secret("hunter22hunter22");
//! assert_eq!(redactor.apply("it is hunter22hunter22."), "it is [redacted: secret].");
//! assert_eq!(redactor.apply("nothing is secret here"), "nothing is secret here");
//! ```
//!
//! Source: `docs/design/trust.md`.
//!
//! *Architecture invariant*: no clock, no file, no async, no role, no environment: what is secret is handed in. Time is linear in
//! the text, and of a stream no more is held than a line of at most 64 KiB, the lines of one key, or 64 lines of a manifest.

mod assigned;
mod beside;
mod blocks;
mod context;
mod environment;
mod flags;
mod forms;
mod found;
mod hashes;
mod headers;
mod json;
mod kind;
mod line;
mod manifest;
mod names;
mod pairs;
mod pem;
mod prefixes;
mod records;
mod redactor;
mod shapes;
mod stream;
mod table;
mod values;

pub use environment::{secrets_of, too_short};
pub use json::JsonWriter;
pub use redactor::Redactor;
pub use stream::Stream;
pub use values::SHORTEST_SECRET;
