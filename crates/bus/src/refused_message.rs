//! Records of refused messages.
//!
//! A refusal is itself a message: a `Warning` from the supervisor, numbered like any other, so that the
//! journal, the views and the auditor see it without a second channel, and so that a replay of the journal
//! sees it too.

use std::fmt;

use artoo_types::{Envelope, Message, MessageKind, Role, Warning};

const MARK: &str = "refused by the bus: ";

/// A message that the bus refused.
///
/// ```
/// use artoo_bus::{Refusal, RefusalReason};
/// use artoo_types::{MessageKind, Role};
/// let refusal = Refusal { role: Role::Executor, kind: MessageKind::FinalResult, reason: RefusalReason::Boundary };
/// assert_eq!(refusal.to_string(), "refused by the bus: executor published final_result, which its contract does not list");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The publisher.
    pub role: Role,
    /// Its kind.
    pub kind: MessageKind,
    /// The reason.
    pub reason: RefusalReason,
}

/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// The contract of the role does not list the kind.
    Boundary,
    /// The run already has its final result.
    SecondFinalResult,
    /// The plan was already reported to R7.
    SecondReport,
    /// This role's mailbox was full.
    Overflow(Role),
}

impl Refusal {
    /// The refusal that an envelope reports; `None` for every other envelope.
    ///
    /// Only the bus's own reports count: a role cannot publish as the supervisor.
    pub fn of(envelope: &Envelope) -> Option<Self> {
        if envelope.from != Role::Supervisor {
            return None;
        }
        let warning = envelope.message.payload::<Warning>()?;
        Self::parse(&warning.message).filter(|refusal| refusal.role == warning.role)
    }

    pub(crate) fn warning(self) -> Message {
        Warning { role: self.role, message: self.to_string() }.into()
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, why) = text.strip_prefix(MARK)?.split_once(", ")?;
        let (role, kind) = head.split_once(" published ")?;
        let role = role_of(role)?;
        let kind = MessageKind::ALL.iter().copied().find(|known| known.name() == kind)?;
        let reason = match why {
            "which its contract does not list" => RefusalReason::Boundary,
            "but the run already had its final result" => RefusalReason::SecondFinalResult,
            "but its plan was reported already" => RefusalReason::SecondReport,
            full => RefusalReason::Overflow(role_of(
                full.strip_prefix("but the mailbox of ")?.strip_suffix(" was full")?,
            )?),
        };
        Some(Self { role, kind, reason })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{} published {}, {}", self.role, self.kind.name(), self.reason)
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boundary => f.write_str("which its contract does not list"),
            Self::SecondFinalResult => f.write_str("but the run already had its final result"),
            Self::SecondReport => f.write_str("but its plan was reported already"),
            Self::Overflow(role) => write!(f, "but the mailbox of {role} was full"),
        }
    }
}

fn role_of(name: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|role| role.name() == name)
}
