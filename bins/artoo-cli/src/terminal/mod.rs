//! Terminal output: capabilities, sanitizing and fitting of text, and the single writer of both streams.

mod burst;
mod capabilities;
mod pager;
mod raw_mode;
#[cfg(test)]
mod recorded_output;
mod remedies;
mod sanitize;
mod size;
mod stderr;
mod style;
mod visible;
mod width;
mod writer;

pub(crate) use burst::{
    input_follows, input_or_its_end_follows, more_keys_follow, with_the_rest_of_its_burst,
};
pub(crate) use capabilities::{Look, Streams};
pub(crate) use pager::{given_to, paged};
pub(crate) use raw_mode::{RawModeGuard, restore, take_again, take_again_for_editor};
#[cfg(test)]
pub(crate) use recorded_output::Seen;
pub(crate) use remedies::worded;
pub(crate) use sanitize::{neutral, neutral_json, neutral_line};
pub(crate) use size::{Size, size_of_stderr};
pub(crate) use stderr::{Field, StderrWriter};
pub(crate) use style::{Paint, Style};
pub(crate) use visible::{exact, exact_ends};
pub(crate) use width::{clip, clip_at_word, hanging, pad, width, wrap, wrap_whole_words};
pub(crate) use writer::Terminal;
