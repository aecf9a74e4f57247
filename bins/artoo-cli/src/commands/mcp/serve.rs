//! `artoo mcp serve`: other agents hand work to artoo.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use artoo_mcp_server::{Listening, McpServer, ServeError, Token};
use tokio_util::sync::CancellationToken;

use crate::args::McpServeArgs;
use crate::commands::Loaded;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::hosting;

/// Serves other agents until they leave, or a signal comes.
pub(super) fn serve(context: &mut Context<'_>, args: &McpServeArgs) -> Result<Exit, CommandError> {
    let folders = folders(context, args)?;
    if let Some(address) = args.http {
        return over_http(context, address, folders);
    }
    if context.streams.stdin {
        context.terminal.note("this speaks with another agent, and that agent starts it: see docs/mcp.md");
    }
    hosting::serve(context, |host| McpServer::new(host).within(folders).serve_stdio())
}

fn over_http(
    context: &mut Context<'_>,
    address: SocketAddr,
    folders: Vec<PathBuf>,
) -> Result<Exit, CommandError> {
    let path = Loaded::load(context, Given::default())?.settings.data_dir.join("mcp").join("token");
    let token = Token::in_file(&path).map_err(|error| explained(&error))?;
    let listening = Listening::on(address).map_err(|error| explained(&error))?;
    context.terminal.note(&format!("listening at {}", listening.url()));
    context.terminal.note(&format!(
        "each request needs the header `Authorization: Bearer TOKEN`, with the token in {}",
        path.display()
    ));
    hosting::serve(context, |host| {
        listening.serve(McpServer::new(host).within(folders), token, CancellationToken::new())
    })
}

/// The real paths of the folders that runs may work in.
fn folders(context: &Context<'_>, args: &McpServeArgs) -> Result<Vec<PathBuf>, CommandError> {
    let real = |folder: &PathBuf| {
        let folder = context.folders.whole(folder)?;
        let real = folder
            .canonicalize()
            .and_then(|real| if real.is_dir() { Ok(real) } else { Err(io::ErrorKind::NotADirectory.into()) });
        real.map_err(|error| {
            CommandError::usage(format!("--folder {} cannot be used", folder.display()))
                .because(error)
                .hint("name a folder that exists")
        })
    };
    args.folder.iter().map(real).collect()
}

fn explained(error: &ServeError) -> CommandError {
    let make = match error {
        ServeError::NotLoopback(_) => CommandError::usage,
        ServeError::Connection(_) | ServeError::Listen { .. } | ServeError::Token { .. } => {
            CommandError::failed
        }
    };
    make(error.to_string()).hint(error.hint())
}
