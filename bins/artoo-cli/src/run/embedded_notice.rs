//! What is told before the first run of the embedded model.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt as _;

use super::prepare::Prepared;
use crate::args::RunArgs;
use crate::llm_clients::model_store;
use crate::setup::EXPECTATION;
use crate::terminal::{Terminal, wrap_whole_words};

/// The file beside the models that says that it was told.
const TOLD: &str = "expectation.told";

/// Tells what to expect of the embedded model, before its first run in a data folder.
pub(super) fn tell_once(terminal: &mut Terminal, args: &RunArgs, prepared: &Prepared) {
    if !prepared.embedded || args.replay.is_some() || args.quiet || args.json || args.detached {
        return;
    }
    let told = model_store(&prepared.settings.data_dir).folder().join(TOLD);
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(told) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return,
        // Where it cannot be kept that it was told, it is told each time.
        Ok(_) | Err(_) => {}
    }
    let text =
        format!("About the embedded model: {EXPECTATION} For real work, artoo setup chooses a larger one.");
    for line in wrap_whole_words(&text, terminal.look().columns.saturating_sub(1)) {
        terminal.advice(&line);
    }
}
