//! Servers that the client of a front end passes, with values of its own in place of variables.

use std::collections::BTreeMap;
use std::ffi::OsString;

use artoo_front_end::{ClientServer, ClientServerKind};
use artoo_mcp::{McpError, ServerConfig, ServerName, ServerTable};

/// How the names of variables begin that hold the values of a client.
pub(super) const VALUE: &str = "ARTOO_CLIENT_VALUE_";

/// The servers as configurations, and the variables that hold their values: a configuration holds no secret, whoever it comes from. One
/// that cannot be a server is told by its error.
pub(crate) fn with_variables(
    servers: &[ClientServer],
) -> (Vec<Result<ServerConfig, McpError>>, BTreeMap<OsString, OsString>) {
    let mut variables = BTreeMap::new();
    let configs = servers
        .iter()
        .map(|server| {
            let mut held = |value: &str| {
                let name = format!("{VALUE}{}", variables.len());
                variables.insert(OsString::from(&name), OsString::from(value));
                format!("${{{name}}}")
            };
            let mut values = |given: &[(String, String)]| -> BTreeMap<String, String> {
                given.iter().map(|(name, value)| (name.clone(), held(value))).collect()
            };
            let table = match &server.kind {
                ClientServerKind::Program { command, arguments, variables } => ServerTable {
                    command: Some(command.clone()),
                    args: arguments.clone(),
                    env: values(variables),
                    ..ServerTable::default()
                },
                ClientServerKind::Address { url, headers } => {
                    ServerTable { url: Some(url.clone()), headers: values(headers), ..ServerTable::default() }
                }
            };
            plain(server)?;
            let name = ServerName::made_of(&server.name).ok_or_else(|| McpError::Name {
                name: server.name.chars().take(64).collect(),
                problem: "no letter or digit of it can stay",
            })?;
            // It has no folders, so no home is needed.
            table.into_config(name, "/".as_ref())
        })
        .collect();
    (configs, variables)
}

/// A client names no variables of the user's: what it passes is meant as it stands.
fn plain(server: &ClientServer) -> Result<(), McpError> {
    let texts: Vec<&String> = match &server.kind {
        ClientServerKind::Program { command, arguments, .. } => {
            std::iter::once(command).chain(arguments).collect()
        }
        ClientServerKind::Address { url, .. } => vec![url],
    };
    if !texts.iter().any(|text| text.contains("${")) {
        return Ok(());
    }
    Err(McpError::Field {
        server: server.name.chars().take(64).collect(),
        field: "command".to_owned(),
        problem: "holds `${`, which stands for a variable here".to_owned(),
    })
}
