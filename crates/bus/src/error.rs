//! What can go wrong on the bus.

use artoo_types::{MessageKind, Role, RunId};

/// Why the bus refused something. A refused message was delivered to nobody and has no sequence number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    /// The role's contract does not list this kind. The attempt is on record in the run.
    #[error("{role} may not publish {}", kind.name())]
    Boundary {
        /// Who tried.
        role: Role,
        /// What.
        kind: MessageKind,
    },
    /// The run already has its one final result. The attempt is on record in the run.
    #[error("run {run_id} already has its final result; {role} published another")]
    SecondFinalResult {
        /// The run.
        run_id: RunId,
        /// Who tried.
        role: Role,
    },
    /// The plan was reported to R7 already. The attempt is on record in the run.
    #[error("the plan of run {run_id} was reported already; {role} reported it again")]
    SecondReport {
        /// The run.
        run_id: RunId,
        /// Who tried.
        role: Role,
    },
    /// A receiver's mailbox is full. The run is marked as failed ([`crate::RunBus::failure`]).
    #[error("the mailbox of {role} is full")]
    Overflow {
        /// Whose mailbox.
        role: Role,
    },
    /// The run is closed, or the sender's port was dropped.
    #[error("{role} cannot publish: its port or run {run_id} is closed")]
    Closed {
        /// The run.
        run_id: RunId,
        /// Who tried.
        role: Role,
    },
    /// A run with this id is open already.
    #[error("run {run_id} is already open")]
    RunOpen {
        /// The run.
        run_id: RunId,
    },
    /// The role already has a live port in this run.
    #[error("{role} already has a port in run {run_id}")]
    PortOpen {
        /// The run.
        run_id: RunId,
        /// The role.
        role: Role,
    },
    /// The run is closed: it gives out no ports.
    #[error("run {run_id} is closed")]
    RunClosed {
        /// The run.
        run_id: RunId,
    },
}

impl BusError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Boundary { .. } => Some("the table of contracts is in docs/design/bus.md"),
            Self::SecondFinalResult { .. } => Some("a run ends once; drop the state of the run when it has"),
            Self::SecondReport { .. } => Some("report each plan once, when all its outcomes are there"),
            Self::Overflow { .. } => {
                Some("the receiver has stopped reading; raise BusLimits::mailbox if it is only slow")
            }
            Self::PortOpen { .. } => Some("drop the role's first port before opening another"),
            Self::Closed { .. } | Self::RunOpen { .. } | Self::RunClosed { .. } => None,
        }
    }
}

/// What made a run fail on the bus, beyond the one publisher that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunFailure {
    /// A mailbox overflowed: a message was refused that its receiver needed.
    #[error("the mailbox of {role} overflowed when {from} published {}", kind.name())]
    Overflow {
        /// Whose mailbox.
        role: Role,
        /// Who published.
        from: Role,
        /// What.
        kind: MessageKind,
    },
    /// A recorder panicked. It is not called again, so the record ends here.
    #[error("a recorder of the run panicked at message {seq}; the record ends before it")]
    Recorder {
        /// The first message that it did not record.
        seq: u64,
    },
}
