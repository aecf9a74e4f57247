//! An editor: a client of the Agent Client Protocol.

use std::ops::{Deref, DerefMut};
use std::process::Command;

use serde_json::{Value, json};

use crate::json_rpc::Peer;

/// The editor, with the agent that it has started.
pub(super) struct Editor(Peer);

impl Editor {
    pub(super) fn start(command: &mut Command) -> Self {
        Self(Peer::start(command))
    }

    /// Chooses an option of a request for permission.
    pub(super) fn choose(&mut self, request: &Value, option: &str) {
        self.answer(request, &json!({"outcome": {"outcome": "selected", "optionId": option}}));
    }

    /// The updates of a kind that have come so far.
    pub(super) fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self.seen.iter().map(|message| &message["params"]["update"]);
        updates.filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// All that the agent has said as its answer.
    pub(super) fn said(&self) -> String {
        self.updates("agent_message_chunk")
            .iter()
            .filter_map(|update| update["content"]["text"].as_str())
            .collect()
    }

    /// Leaves, and waits until the agent has ended: its exit code.
    pub(super) fn leave(self) -> Option<i32> {
        self.0.leave()
    }
}

impl Deref for Editor {
    type Target = Peer;
    fn deref(&self) -> &Peer {
        &self.0
    }
}

impl DerefMut for Editor {
    fn deref_mut(&mut self) -> &mut Peer {
        &mut self.0
    }
}
