//! Removes secrets from text before it is recorded.
//!
//! A [`Redactor`] is given the values and the files of private keys that are known to be secret, and recognises
//! keys, tokens, private keys and assigned passwords by their form. It is applied where a record is written (journal, evidence folder,
//! `--json`, recordings), and never to what a check, a judge or a model reads: decisions are made on the
//! original text. In a record, `[redacted: KIND]` replaces the secret.
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
//! *Architecture invariant*: no clock, no file, no async, no role, no environment: secret values are passed
//! in. Time is linear in the length of the text, and a stream buffers at most a line of 64 KiB, the lines of
//! one key, or 64 lines of a manifest.

mod assignment;
mod candidate;
mod command_flags;
mod context;
mod environment;
mod http_headers;
mod json_writer;
mod key_prefixes;
mod key_shapes;
mod key_structure;
mod kind;
mod known_keys;
mod known_values;
mod kubernetes;
mod learned_keys;
mod line;
mod multi_line;
mod name_value_fields;
mod password_files;
mod password_hashes;
mod pem;
mod redactor;
mod secret_names;
mod sentence;
mod space_separated;
mod split_strings;
mod stream;
mod table;

pub use environment::{names_a_secret, secrets_of, too_short};
pub use json_writer::JsonWriter;
pub use known_values::SHORTEST_SECRET;
pub use redactor::Redactor;
pub use stream::Stream;
