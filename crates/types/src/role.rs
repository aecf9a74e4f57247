//! Who speaks on the bus.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sender or receiver of messages: the specification's eight roles, and the three parties around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// R1: carries the request into the system.
    Perceiver,
    /// R2: plans.
    Planner,
    /// R3: runs one subtask with tools.
    Executor,
    /// R4a: judges one subtask's result; the fast loop's sensor and controller.
    AgentValidator,
    /// R4b: the fan-in gate; the medium loop's sensor.
    MetaValidator,
    /// R5: memory.
    SharedMemory,
    /// R6: observes, tells the operator alone.
    Auditor,
    /// R7: the Goal Gradient Solver; the medium loop's controller.
    Ggs,
    /// The runtime's scheduler of subtasks.
    Dispatcher,
    /// The runtime's watch over a run: deadlines, panics, cancellation.
    Supervisor,
    /// The person, or the program that embeds artoo.
    User,
}

impl Role {
    /// Every role, in the specification's order, then the parties around them.
    pub const ALL: [Self; 11] = [
        Self::Perceiver,
        Self::Planner,
        Self::Executor,
        Self::AgentValidator,
        Self::MetaValidator,
        Self::SharedMemory,
        Self::Auditor,
        Self::Ggs,
        Self::Dispatcher,
        Self::Supervisor,
        Self::User,
    ];

    /// The specification's short code, for example `R4a`; `-` for the parties it does not number.
    pub fn code(self) -> &'static str {
        match self {
            Self::Perceiver => "R1",
            Self::Planner => "R2",
            Self::Executor => "R3",
            Self::AgentValidator => "R4a",
            Self::MetaValidator => "R4b",
            Self::SharedMemory => "R5",
            Self::Auditor => "R6",
            Self::Ggs => "R7",
            Self::Dispatcher | Self::Supervisor | Self::User => "-",
        }
    }

    /// The name on the wire and in configuration, for example `agent_validator`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Perceiver => "perceiver",
            Self::Planner => "planner",
            Self::Executor => "executor",
            Self::AgentValidator => "agent_validator",
            Self::MetaValidator => "meta_validator",
            Self::SharedMemory => "shared_memory",
            Self::Auditor => "auditor",
            Self::Ggs => "ggs",
            Self::Dispatcher => "dispatcher",
            Self::Supervisor => "supervisor",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
