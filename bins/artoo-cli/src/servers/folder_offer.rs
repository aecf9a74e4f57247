//! `.mcp.json`: servers that a folder offers. Nothing of it is started unasked.

use std::io::{self, Read as _};
use std::path::Path;

use artoo_anchored_files::open_regular;
use artoo_front_end::Confirmation;
use artoo_mcp::{McpError, McpJson, Pins, ServerConfig};

use super::start_question::{OF_CLIENT, RIGHTS, start_lines};
use crate::dispatch::Context;
use crate::run::BeforeRun;

/// Its name.
const NAME: &str = ".mcp.json";
/// A longer file is none.
const MOST_BYTES: u64 = 1024 * 1024;

/// The servers that the folder offers and the user has agreed to, once for each content of the file.
pub(super) fn servers(
    context: &mut Context<'_>,
    folder: &Path,
    pins: &Pins,
    asked: &dyn BeforeRun,
) -> Vec<ServerConfig> {
    let path = folder.join(NAME);
    let content = match read(&path) {
        Ok(Some(content)) => content,
        Ok(None) => return Vec::new(),
        Err(error) => {
            asked.warn(context.terminal, &format!("{} is not read: {error}", path.display()));
            return Vec::new();
        }
    };
    match agreed(context, &path, &content, pins, asked) {
        Ok(servers) => servers,
        Err(error) => {
            asked.warn(context.terminal, &format!("{}: {error}", path.display()));
            Vec::new()
        }
    }
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    Ok(Some(content))
}

fn agreed(
    context: &mut Context<'_>,
    path: &Path,
    content: &[u8],
    pins: &Pins,
    asked: &dyn BeforeRun,
) -> Result<Vec<ServerConfig>, McpError> {
    let read = McpJson::read(content)?;
    if read.servers.iter().all(Result::is_err) {
        // There is nothing to agree to.
        for error in read.servers.into_iter().filter_map(Result::err) {
            asked.warn(context.terminal, &format!("{}: {error}", path.display()));
        }
        return Ok(Vec::new());
    }
    let answer = match pins.offered(&read.content)? {
        Some(answer) => answer,
        None if asked.is_there() => {
            let answer = asked.confirm(context.terminal, confirmation(path, &read));
            pins.answer_offer(&read.content, answer)?;
            answer
        }
        None => {
            let offers = format!("{} offers servers of tools, and none is started", path.display());
            asked.warn(context.terminal, &offers);
            context.terminal.hint("run artoo at a terminal once: it asks whether to start them");
            false
        }
    };
    if !answer {
        return Ok(Vec::new());
    }
    let mut servers = Vec::new();
    for server in read.servers {
        match server {
            // A folder gets no value of a client.
            Ok(server) if start_lines(&server).iter().any(|line| line.contains(OF_CLIENT)) => {
                asked.warn(context.terminal, &format!("{}: {} is not started", path.display(), server.name));
            }
            Ok(server) => servers.push(server),
            Err(error) => asked.warn(context.terminal, &format!("{}: {error}", path.display())),
        }
    }
    Ok(servers)
}

fn confirmation(path: &Path, read: &McpJson) -> Confirmation {
    let lines = |server: &Result<ServerConfig, McpError>| match server {
        Ok(server) => start_lines(server),
        Err(error) => vec![error.to_string()],
    };
    Confirmation {
        about: format!("{} offers servers of tools. {RIGHTS}", path.display()),
        lines: read.servers.iter().flat_map(lines).collect(),
        question: "start them here? the answer holds until the file changes".to_owned(),
    }
}
