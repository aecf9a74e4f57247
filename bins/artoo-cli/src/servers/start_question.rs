//! What a user is shown of servers before they are started: everything that somebody else chose.

use artoo_anchored_files::id_of;
use artoo_front_end::Confirmation;
use artoo_mcp::{McpError, Pins, ServerConfig, ServerTable};

use super::client_servers::VALUE;
use crate::dispatch::Context;
use crate::run::BeforeRun;

/// What such servers may do.
pub(super) const RIGHTS: &str =
    "A program would run without network and write nowhere; an address would be sent what stands below it:";

/// What stands in place of a value that a client passes.
pub(super) const OF_CLIENT: &str = "(a value of the client)";

/// A server line by line: what is started or reached, and each variable and header that it gets.
pub(super) fn start_lines(server: &ServerConfig) -> Vec<String> {
    let table = ServerTable::from(server);
    // What a client passes may be a secret of its own.
    let shown = |value: &str| if value.contains(VALUE) { OF_CLIENT.to_owned() } else { value.to_owned() };
    let what = match (&table.command, &table.url) {
        (Some(command), _) => format!("{command} {}", table.args.join(" ")),
        (None, Some(url)) => format!("the address {url}"),
        (None, None) => String::new(),
    };
    let mut lines = vec![format!("{}: {}", server.name, what.trim_end())];
    lines.extend(
        table.env.iter().map(|(name, value)| format!("    with the variable {name} = {}", shown(value))),
    );
    lines.extend(
        table.headers.iter().map(|(name, value)| format!("    with the header {name}: {}", shown(value))),
    );
    lines
}

/// The servers that a client passes and the user has agreed to, once for each content.
pub(super) fn agreed_of_client(
    context: &mut Context<'_>,
    servers: Vec<ServerConfig>,
    pins: &Pins,
    asked: &dyn BeforeRun,
) -> Result<Vec<ServerConfig>, McpError> {
    let mut agreed = Vec::new();
    for server in servers {
        let lines = start_lines(&server);
        let content = id_of(format!("of a client: {}", lines.join("\n")).as_bytes());
        let answer = match pins.offered(&content)? {
            Some(answer) => answer,
            None if asked.is_there() => {
                let about = format!("the client passes a server of tools. {RIGHTS}");
                let question = "start it? the answer holds until one of these lines changes".to_owned();
                let answer = asked.confirm(context.terminal, Confirmation { about, lines, question });
                pins.answer_offer(&content, answer)?;
                answer
            }
            None => false,
        };
        if answer {
            agreed.push(server);
        } else {
            asked.warn(context.terminal, &format!("the server {} of the client is not started", server.name));
        }
    }
    Ok(agreed)
}
