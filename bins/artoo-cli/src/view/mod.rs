//! Rendering of runs for the user: pure functions from the lines of [`artoo_runtime::events`] to text.
//!
//! All output is neutral: characters from models, tools and files that act on the terminal are made visible.

mod consent;
mod control;
mod events;
mod explanation;
mod frame;
mod glance;
mod live;
mod markdown;
mod memory;
mod outcome;
mod records;
mod session;
mod units;
mod what_if;
mod words;

pub(crate) use artoo_types::short_id;
pub(crate) use consent::{details, first_screen};
pub(crate) use explanation::explanation;
pub(crate) use frame::Frame;
pub(crate) use live::Live;
pub(crate) use memory::held as memory_held;
pub(crate) use outcome::{
    Outcome, call, ending, file_lines, footer, result, structured, tick, undo_line, unstructured,
};
pub(crate) use records::{check_lines, no_end, obstacle_line, run_row, taken_back_line};
pub(crate) use session::{changed_file, session_markdown, session_page, session_row};
pub(crate) use units::{bytes, counted, seconds};
pub(crate) use what_if::what_if;
pub(crate) use words::{advice, megram};

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
