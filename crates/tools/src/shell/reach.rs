//! What a command may reach outside the files of this machine.

use artoo_sandbox::Network;
use artoo_types::{Effect, EffectKind};

use crate::ToolContext;
use crate::consent::Reading;

/// What one start of a command may reach. Outside of its run nothing, unless it was asked about and granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The machine's network.
    pub(crate) network: Network,
    /// Whether it is in the network of its run, if that has one.
    pub(crate) is_of_the_run: bool,
    /// Whether it may use the sockets that the user named.
    pub(crate) sockets: bool,
}

impl Reach {
    /// For programs that artoo starts for itself.
    pub(crate) const NOTHING: Self = Self { network: Network::Denied, is_of_the_run: false, sockets: false };
    /// The other commands of its run alone.
    pub(crate) const RUN: Self = Self { is_of_the_run: true, ..Self::NOTHING };

    /// The most that a command of this run may get.
    pub(crate) fn most(cx: &ToolContext) -> Self {
        Self { network: cx.network, sockets: !cx.sockets.is_empty(), ..Self::RUN }
    }

    /// What the words of a command ask for, with the effects to ask about.
    pub(crate) fn named(reading: &Reading, cx: &ToolContext) -> (Self, Vec<Effect>) {
        let machines = match cx.network {
            Network::Granted => reading.other_machines(),
            Network::Denied => Vec::new(),
        };
        let network = if machines.is_empty() { Network::Denied } else { Network::Granted };
        let sockets = !reading.sockets.is_empty();
        (
            Self { network, sockets, ..Self::RUN },
            machines.into_iter().chain(reading.sockets.clone()).collect(),
        )
    }

    /// The effects of getting from here to the most, for a command of which it is not known what it reaches.
    pub(crate) fn beyond(self, why: &str, cx: &ToolContext) -> Vec<Effect> {
        let most = Self::most(cx);
        let machines = (self.network != most.network).then(|| any_machine(why));
        let sockets = if self.sockets { &[][..] } else { &cx.sockets };
        machines
            .into_iter()
            .chain(sockets.iter().map(|socket| artoo_consent::socket_effect(socket, "")))
            .collect()
    }
}

/// The effect to ask about if it is unknown which machines would be reached.
fn any_machine(why: &str) -> Effect {
    let what = "any other machine".to_owned();
    Effect { kind: EffectKind::Network, what, word: String::new(), why: why.to_owned() }
}
