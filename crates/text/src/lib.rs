//! Words, scripts without blanks between words, and names of files in texts of any language.
//!
//! What a word is depends on what it is for; a crate that needs another rule than these has its own, beside what it is for.
//!
//! *Architecture invariant*: text in, text out. No file is looked at, no language is guessed, and nothing is allocated.

mod file_names;
mod script;
mod words;

pub use file_names::{file_names, file_paths, last_part, without_marks};
pub use script::is_unspaced;
pub use words::{alphanumeric_words, spaced_words};
