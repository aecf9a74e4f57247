//! Errors of the bus, and failures of a run.

use artoo_types::{MessageKind, Role, RunId};

/// Why the bus refused something. A refused message was not delivered and has no sequence number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    /// The role's contract does not list this kind. The attempt is recorded in the run.
    #[error("{role} may not publish {}", kind.name())]
    Boundary {
        /// The publisher.
        role: Role,
        /// The kind of the message.
        kind: MessageKind,
    },
    /// The run already has its one final result. The attempt is recorded in the run.
    #[error("run {run_id} already has its final result; {role} published another")]
    SecondFinalResult {
        /// The run.
        run_id: RunId,
        /// The publisher.
        role: Role,
    },
    /// The plan was already reported to R7. The attempt is recorded in the run.
    #[error("the plan of run {run_id} was reported already; {role} reported it again")]
    SecondReport {
        /// The run.
        run_id: RunId,
        /// The publisher.
        role: Role,
    },
    /// A receiver's mailbox is full. The run is marked as failed ([`crate::RunBus::failure`]).
    #[error("the mailbox of {role} is full")]
    Overflow {
        /// The receiver.
        role: Role,
    },
    /// The run is closed, or the sender's port was dropped.
    #[error("{role} cannot publish: its port or run {run_id} is closed")]
    Closed {
        /// The run.
        run_id: RunId,
        /// The publisher.
        role: Role,
    },
    /// A run with this id is already open.
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
    /// The run is closed and opens no ports.
    #[error("run {run_id} is closed")]
    RunClosed {
        /// The run.
        run_id: RunId,
    },
}

impl BusError {
    /// The next step, if there is one.
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

/// Why a run failed on the bus, as opposed to a single refused publish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunFailure {
    /// A mailbox overflowed: a message that its receiver needed was refused.
    #[error("the mailbox of {role} overflowed when {from} published {}", kind.name())]
    Overflow {
        /// The receiver.
        role: Role,
        /// The publisher.
        from: Role,
        /// The kind of the message.
        kind: MessageKind,
    },
    /// A recorder panicked. It is not called again, so the record ends here.
    #[error("a recorder of the run panicked at message {seq}; the record ends before it")]
    Recorder {
        /// The first message that it did not record.
        seq: u64,
    },
}
