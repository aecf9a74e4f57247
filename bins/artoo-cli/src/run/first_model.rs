//! Whether a person is asked for a model because none is set up.

use super::ask::person_present;
use super::given;
use crate::args::RunArgs;
use crate::commands::Loaded;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit, Kind};
use crate::setup::{self, FirstRun};

/// Whether an error is that no model is set up, and a person is there to choose one.
pub(super) fn can_be_asked_for(context: &Context<'_>, args: &RunArgs, error: &CommandError) -> bool {
    let is_there = person_present(context.streams, args.json, args.quiet) && !args.detached;
    is_there && error.kind() == Kind::NoModel
}

/// Asks for a model before a conversation, if none is set up and a person is there. Returns the exit code if the program
/// ends with that.
///
/// # Errors
/// The choice cannot be asked for or written.
pub(crate) fn choose_if_none(
    context: &mut Context<'_>,
    args: &RunArgs,
) -> Result<Option<Exit>, CommandError> {
    if args.replay.is_some() {
        return Ok(None);
    }
    let models = given(args)
        .and_then(|given| Loaded::load(context, given))
        .and_then(|mut loaded| loaded.models(context));
    match models {
        Err(error) if can_be_asked_for(context, args, &error) => {}
        // Any other error is that of the first request.
        Ok(_) | Err(_) => return Ok(None),
    }
    Ok(match setup::first_run(context)? {
        // Without a model, the conversation can still run commands and look at past runs.
        FirstRun::Chosen | FirstRun::Declined => None,
        FirstRun::EndOfInput => Some(Exit::OK),
        FirstRun::Interrupted(exit) => Some(exit),
    })
}
