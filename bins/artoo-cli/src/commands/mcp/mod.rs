//! `artoo mcp`: tools of others, and other agents.

mod add;
mod configured;
mod list;
mod login;
mod remove;
mod serve;
mod show;
mod test;

use crate::args::McpCommand;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};

/// Runs the command.
pub(crate) fn run(context: &mut Context<'_>, command: &McpCommand) -> Result<Exit, CommandError> {
    match command {
        McpCommand::Add(args) => add::run(context, args),
        McpCommand::List(args) => list::run(context, args.json),
        McpCommand::Show(args) => show::run(context, &args.name),
        McpCommand::Test(args) => test::run(context, &args.of.name, args.yes),
        McpCommand::Login(args) => login::login(context, &args.name),
        McpCommand::Logout(args) => login::logout(context, &args.name),
        McpCommand::Remove(args) => remove::run(context, &args.name),
        McpCommand::Serve(args) => serve::serve(context, args),
    }
}
