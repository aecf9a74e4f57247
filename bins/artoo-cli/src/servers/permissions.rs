//! What a server may do, in words.

use artoo_mcp::{ServerConfig, Transport};
use artoo_tools::ServerReach;

/// What the kernel and the configuration let a server do: `read only`, `write in /home/ada/notes`.
pub(crate) fn may_do(server: &ServerConfig) -> String {
    let folders: Vec<String> = server.folders().iter().map(|folder| folder.display().to_string()).collect();
    match (server.reach(), &server.transport) {
        (ServerReach::Nothing, _) => "read only".to_owned(),
        (ServerReach::Folders, _) => format!("write in {}", folders.join(", ")),
        (ServerReach::Elsewhere, Transport::Http(_)) => "act elsewhere".to_owned(),
        (ServerReach::Elsewhere, Transport::Stdio(_)) if folders.is_empty() => "use the network".to_owned(),
        (ServerReach::Elsewhere, Transport::Stdio(_)) => {
            format!("use the network, and write in {}", folders.join(", "))
        }
    }
}
