//! What the commands of a run may do, for the roles that plan and do the work.

use artoo_sandbox::{Network, PrivateNetwork, SandboxMode};
use artoo_types::{CommandNetwork, Workplace, Writes};

use crate::RunRequest;

/// What the commands of a run may do.
pub(crate) fn workplace(request: &RunRequest) -> Workplace {
    Workplace {
        writes: match request.sandbox {
            SandboxMode::ReadOnly => Writes::Nowhere,
            SandboxMode::WorkspaceWrite => Writes::GivenFolders,
            SandboxMode::FullAccess => Writes::Everywhere,
        },
        network: command_network(request),
        granted: request.granted.clone(),
    }
}

/// The network that the commands of a run are in, for its whole life.
fn command_network(request: &RunRequest) -> CommandNetwork {
    match (request.sandbox, request.network) {
        (SandboxMode::FullAccess, _) | (_, Network::Granted) => CommandNetwork::Machine,
        (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Network::Denied) => {
            if PrivateNetwork::is_expected() {
                CommandNetwork::OwnLoopback
            } else {
                CommandNetwork::Nothing
            }
        }
    }
}
