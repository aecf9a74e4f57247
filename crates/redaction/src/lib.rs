//! Removes secrets from text before it is recorded.
//!
//! A [`Redactor`] is given the values that are known to be secret, and recognises keys, tokens, private keys
//! and assigned passwords by their form. It is applied where a record is written (journal, evidence folder,
//! `--json`, recordings), and never to what a check, a judge or a model reads: decisions are made on the
//! original text. In a record, `[redacted: KIND]` replaces the secret.
//!
//! Source: `docs/design/trust.md`.
//!
//! *Architecture invariant*: no clock, no file, no async, no role, no environment: secret values are passed
//! in. Time is linear in the length of the text, and a stream buffers at most a line of 64 KiB, the lines of
//! one key, or 64 lines of a manifest.

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
