//! Command line arguments: types only, without the behaviour of the commands.

mod cli;
mod examples;
mod group;
mod key_value;
mod mcp;
mod memory;
mod model;
mod moment;
mod parse;
mod permissions;
mod policy;
mod quoted;
mod records;
mod run;
mod sandbox;
mod sessions;
mod setup;
mod short_help;
mod single_word;

pub(crate) use cli::{AcpArgs, Cli, Command, CommonArgs, CompletionArgs, ConfigCommand, DoctorArgs};
pub(crate) use group::Group;
pub(crate) use key_value::KeyValue;
pub(crate) use mcp::{McpAddArgs, McpCommand, McpListArgs, McpServeArgs};
pub(crate) use memory::{ListArgs, MemoryCommand, RememberArgs};
pub(crate) use model::ModelCommand;
pub(crate) use moment::Moment;
pub(crate) use parse::{Parsed, WIDEST, parse};
pub(crate) use permissions::PermissionArgs;
pub(crate) use policy::PolicyCommand;
pub(crate) use records::{
    AuditCommand, DeleteHow, ReportArgs, ResumeArgs, RunName, RunPage, RunsCommand, TailArgs, UndoArgs,
};
pub(crate) use run::RunArgs;
pub(crate) use sandbox::SandboxArgs;
pub(crate) use sessions::SessionsCommand;
pub(crate) use setup::SetupArgs;

#[cfg(test)]
mod tests;
