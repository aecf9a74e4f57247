//! `artoo acp`: artoo in an editor.

use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::hosting;

/// Serves the editor that started this program until it leaves.
pub(crate) fn run(context: &mut Context<'_>) -> Result<Exit, CommandError> {
    if context.streams.stdin {
        context.terminal.note("this speaks with an editor, and an editor starts it: see docs/editors.md");
    }
    hosting::serve(context, |host| artoo_acp::serve(host, artoo_acp::Transport::stdio()))
}
