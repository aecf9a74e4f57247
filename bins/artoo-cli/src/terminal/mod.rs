//! The terminal: what it can show, text made safe and fitted for it, and the one writer.

mod errors;
mod exact;
mod keys;
mod look;
mod neutral;
mod paged;
mod paint;
mod remedies;
#[cfg(test)]
mod seen;
mod size;
mod width;
mod writer;

pub(crate) use errors::{ErrorStream, Field};
pub(crate) use exact::{exact, exact_ends};
pub(crate) use keys::{KeyByKey, restore, take_again};
pub(crate) use look::{Look, Streams};
pub(crate) use neutral::{neutral, neutral_json, neutral_line};
pub(crate) use paged::paged;
pub(crate) use paint::{Paint, Style};
pub(crate) use remedies::worded;
#[cfg(test)]
pub(crate) use seen::Seen;
pub(crate) use size::{Size, size_of_stderr};
pub(crate) use width::{clip, pad, width};
pub(crate) use writer::Terminal;
