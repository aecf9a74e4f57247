//! Faults: what ends a run that no verdict ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Remedy, Role};

/// A fault of a role, a model, the bus or the person's patience. Any role to R7, which ends the run with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Whose fault.
    pub role: Role,
    /// What kind.
    pub kind: FaultKind,
    /// What failed, on what and why.
    pub message: String,
    /// The next step for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What a front end has for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

impl Fault {
    /// Whether every step matched, and only the verdict on the whole did not come: R4b asks its judge about
    /// nothing else.
    pub fn leaves_it_done(&self) -> bool {
        self.role == Role::MetaValidator
            && matches!(self.kind, FaultKind::Unjudged | FaultKind::Provider | FaultKind::Configuration)
    }
}

/// Kinds of faults. Each maps to an exit code in one table, in the binary.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The model or the way to it failed.
    Provider,
    /// The model's answers were not usable.
    Answer,
    /// A judge gave no verdict, though it was asked twice: what was done is not checked, and nothing says that it is wrong.
    Unjudged,
    /// The configuration is wrong.
    Configuration,
    /// The request itself cannot be worked on: empty, or far too long.
    Request,
    /// A role did not answer within its deadline.
    Deadline,
    /// A role panicked.
    Panic,
    /// A mailbox overflowed, or a message broke its contract.
    Bus,
    /// The journal or the evidence folder could not be written.
    Storage,
    /// The whole run took longer than the user allowed.
    Timeout,
    /// The user interrupted the run.
    Cancelled,
    /// The terminal of the run was closed.
    HungUp,
    /// The user asked the program to quit.
    Quit,
    /// Somebody asked the program to end.
    Terminated,
    /// A plan needed the person's consent, and it was refused, or nobody was there to give it.
    Refused,
    /// The user was asked something, and chose to end the run instead of answering.
    Declined,
    /// What is asked for cannot be done, as the planner sees it. R7 makes an ordinary `abandon` of it.
    Impossible,
    /// The person has to say something before there can be a plan; the hint is the question. R7 makes an ordinary `abandon` of it.
    NeedsPerson,
    /// A limit of the user's is reached (tokens, money, replans, time), or nobody is there to say that the run goes on. R7 makes an ordinary `abandon` of it.
    Budget,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Whether a person, the system or the clock of the run cut it short, and nothing in it failed.
    pub const fn cuts_short(self) -> bool {
        match self {
            Self::Timeout
            | Self::Cancelled
            | Self::HungUp
            | Self::Quit
            | Self::Terminated
            | Self::Declined => true,
            Self::Provider
            | Self::Answer
            | Self::Unjudged
            | Self::Configuration
            | Self::Request
            | Self::Deadline
            | Self::Panic
            | Self::Bus
            | Self::Storage
            | Self::Refused
            | Self::Impossible
            | Self::NeedsPerson
            | Self::Budget => false,
        }
    }
}

/// Something the person should know that ends nothing. Any role to the observers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// Who noticed.
    pub role: Role,
    /// What.
    pub message: String,
}
