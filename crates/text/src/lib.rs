//! Words, scripts without blanks between words, and names of files in texts of any language.
//!
//! What a word is depends on what it is for; a crate that needs another rule than these has its own, beside what it is for.
//!
//! ```
//! use artoo_text::{file_paths, is_unspaced, spaced_words};
//! assert!(spaced_words("Count “lines” in docs/a.txt!").eq(["Count", "lines", "in", "docs/a.txt"]));
//! assert!(file_paths("Copy `docs/notes.txt` (1.5GB) to b.md.").eq(["docs/notes.txt", "b.md"]));
//! assert!("文件".chars().all(is_unspaced));
//! ```
//!
//! *Architecture invariant*: text in, text out. No file is looked at, no language is guessed, and nothing is allocated.

mod file_names;
mod script;
mod words;

pub use file_names::{file_names, file_paths, is_name_pattern, last_part, without_marks};
pub use script::is_unspaced;
pub use words::{alphanumeric_words, spaced_words};
