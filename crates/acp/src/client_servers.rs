//! Servers of tools that the client passes for a session.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::McpServer;
use artoo_front_end::{ClientServer, ClientServerKind};

use crate::error::invalid;

/// The servers, for the host.
///
/// # Errors
/// A server of a transport that was not offered.
pub(crate) fn read(servers: Vec<McpServer>) -> Result<Vec<ClientServer>, Error> {
    servers.into_iter().map(one).collect()
}

fn one(server: McpServer) -> Result<ClientServer, Error> {
    match server {
        McpServer::Stdio(program) => Ok(ClientServer {
            name: program.name,
            kind: ClientServerKind::Program {
                command: program.command.display().to_string(),
                arguments: program.args,
                variables: program.env.into_iter().map(|variable| (variable.name, variable.value)).collect(),
            },
        }),
        McpServer::Http(address) => Ok(ClientServer {
            name: address.name,
            kind: ClientServerKind::Address {
                url: address.url,
                headers: address.headers.into_iter().map(|header| (header.name, header.value)).collect(),
            },
        }),
        McpServer::Sse(old) => {
            Err(invalid(format!("the server {} speaks sse, which the protocol has given up", old.name)))
        }
        _ => Err(invalid("a server is of a transport that was not offered")),
    }
}
