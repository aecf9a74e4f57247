//! Arguments of `artoo mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::examples;

/// The Model Context Protocol.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Let other agents hand work to artoo: speak the Model Context Protocol on standard input and output, or over HTTP
    #[command(after_help = examples::MCP_SERVE)]
    Serve(McpServeArgs),
}

/// `artoo mcp serve`.
#[derive(Debug, Args)]
pub(crate) struct McpServeArgs {
    /// Serve over HTTP on this machine instead, at this loopback address. Each request needs the token, whose file is named at the start
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:7878")]
    pub(crate) http: Option<SocketAddr>,
    /// Let runs work in this folder and below it alone; may be given several times [default: every folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
}
