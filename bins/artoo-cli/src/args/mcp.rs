//! Arguments of `artoo mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::examples;

/// The Model Context Protocol.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Add a server of tools to the configuration: a program, or an address
    ///
    /// It is started once, and what it says of its tools is shown and asked about.
    #[command(after_help = examples::MCP_ADD)]
    Add(McpAddArgs),
    /// List the configured servers, and what each may do
    #[command(alias = "ls", after_help = examples::MCP_LIST)]
    List(McpListArgs),
    /// Show a server: how it is reached, what it may do, its approved tools
    Show(McpServerName),
    /// Start a server, say whether it works, and ask about its new tools
    Test(McpTestArgs),
    /// Log in to a server that asks for it, in your browser
    Login(McpServerName),
    /// Forget the login to a server
    Logout(McpServerName),
    /// Take a server out of the configuration, with its login and approvals
    #[command(aliases = ["delete", "rm"])]
    Remove(McpServerName),
    /// Let other agents hand work to artoo
    ///
    /// It speaks the Model Context Protocol on standard input and output, or over HTTP.
    #[command(after_help = examples::MCP_SERVE)]
    Serve(McpServeArgs),
}

/// The server that a command is about.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpServerName {
    /// Its name in the configuration: `[mcp.servers.NAME]`
    #[arg(value_name = "SERVER")]
    pub(crate) name: String,
}

/// `artoo mcp add`.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpAddArgs {
    /// A name for it: small letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The address of the server, instead of a program
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// A header of each request, `NAME: VALUE`; a secret as `${VARIABLE}`
    #[arg(long, value_name = "HEADER", requires = "url")]
    pub(crate) header: Vec<String>,
    /// A variable that the program gets, `NAME=VALUE`; a secret as `${VARIABLE}`
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// A folder in which the program may write; may be given several times [default: none]
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    pub(crate) folder: Vec<PathBuf>,
    /// Let the program use the network
    #[arg(long, conflicts_with = "url")]
    pub(crate) network: bool,
    /// Approve what the server says of its tools without a question
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// The program and its arguments, behind `--`
    #[arg(value_name = "COMMAND", last = true)]
    pub(crate) command: Vec<String>,
}

/// `artoo mcp list`.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpListArgs {
    /// Print one JSON object per server
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo mcp test`.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpTestArgs {
    /// The server.
    #[command(flatten)]
    pub(crate) of: McpServerName,
    /// Approve what the server says of its tools without a question
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// `artoo mcp serve`.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpServeArgs {
    /// Serve over HTTP on this machine instead, at this loopback address
    ///
    /// Each request needs the token, whose file is named at the start.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:7878")]
    pub(crate) http: Option<SocketAddr>,
    /// Let runs work in this folder and below it alone; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
}
