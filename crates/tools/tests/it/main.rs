//! Calls the tools as the executor does: through the toolbox, with a context of temporary folders.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics and a skipped one says so"
)]

mod apps;
mod arguments;
mod autorun;
mod build_output;
mod by_execution;
mod change_records;
mod consents;
mod developer_tools;
mod edit_file;
mod escapes;
mod evidence;
mod fixture;
mod git_commit;
mod git_moves;
mod git_moves_hostile;
mod glob;
mod grep;
mod jobs;
mod kept_places;
mod line_diffs;
mod loopback;
mod mdfind;
mod previews;
mod private_keys;
mod protected_reads;
mod read_file;
mod rehearsal;
mod seen_files;
mod shell;
mod sockets;
mod toolbox;
mod trial_only;
mod undo_run;
mod what_stays;
mod write_file;
