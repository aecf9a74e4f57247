//! `artoo run`.

mod always;
mod answer;
mod ask;
mod drive;
mod findings;
mod given;
mod pager;
mod prepare;
mod request;
mod schema;
mod show;

pub(crate) use answer::is_yes;
pub(crate) use ask::from_stdin;

use crate::args::RunArgs;
use crate::commands::Loaded;
use crate::error::{CommandError, Exit};
use crate::program::Context;

/// Works on one request.
pub(crate) fn run(context: &mut Context<'_>, args: &RunArgs) -> Result<Exit, CommandError> {
    let text = request::read(args.request.as_deref(), context.streams, &mut std::io::stdin().lock())?;
    let mut loaded = Loaded::load(context, given::given(args)?)?;
    let prepared = prepare::prepare(context, args, &mut loaded, text)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::failed("cannot start the threads of a run").because(error))?;
    let exit = runtime.block_on(drive::drive(context, args, prepared));
    // A model that computes or a server that stalls must not keep the program.
    runtime.shutdown_background();
    exit
}
