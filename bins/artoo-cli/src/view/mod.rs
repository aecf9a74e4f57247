//! Rendering of runs for the user: pure functions from the lines of [`artoo_runtime::events`] to text.
//!
//! All output is neutral: characters from models, tools and files that act on the terminal are made visible.

mod approval;
mod call_words;
mod changed_files;
mod detail;
mod ending;
mod explanation;
mod labels;
mod last_line;
mod layout;
mod list;
mod live;
mod loss;
mod markdown;
mod memory;
mod near;
mod odds;
mod outcome;
mod plain;
mod preview;
mod records;
mod session;
mod steps;
mod story;
mod units;
mod waiting;
mod what_if;

pub(crate) use approval::{details, first_screen};
pub(crate) use artoo_types::short_id;
pub(crate) use ending::{
    depth, file_lines, footer, left_behind, result, structured, tick, undo_line, unstructured,
};
pub(crate) use explanation::explanation;
pub(crate) use labels::{advice, megram};
pub(crate) use layout::Frame;
pub(crate) use list::{Cell, Place, end, id_digits, list};
pub(crate) use live::Live;
pub(crate) use memory::held as memory_held;
pub(crate) use outcome::{Outcome, call, ending};
pub(crate) use records::{
    check_lines, commit_taken_back_line, no_end, obstacle_line, run_list, taken_back_line,
};
pub(crate) use session::{changed_file, session_list, session_markdown, session_page};
pub(crate) use story::Story;
pub(crate) use units::{age, bytes, counted, seconds};
pub(crate) use waiting::Moment;
pub(crate) use what_if::what_if;

#[cfg(test)]
mod result_tests;
#[cfg(test)]
mod sample_run;
#[cfg(test)]
mod tests;
