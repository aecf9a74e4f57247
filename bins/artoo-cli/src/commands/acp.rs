//! `artoo acp`: artoo in an editor.

use crate::args::{AcpArgs, SetupArgs};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::hosting;

/// Serves the editor that started this program until it leaves.
pub(crate) fn run(context: &mut Context<'_>, args: &AcpArgs) -> Result<Exit, CommandError> {
    if args.setup {
        return crate::setup::run(context, &SetupArgs { yes: false });
    }
    if context.streams.stdin {
        context.terminal.note("this speaks with an editor, and an editor starts it: see docs/editors.md");
    }
    hosting::serve(context, |host| artoo_acp::serve(host, artoo_acp::Transport::stdio()))
}
