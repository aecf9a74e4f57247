//! The table of contracts: who may publish which kind of message, and who receives it.
//!
//! The table is data in this one place. The bus enforces it, the auditor checks it, the docs print it. Observers and
//! taps receive every kind and are not listed.

use std::fmt::Write as _;

use artoo_types::{MessageKind, Role};

use crate::RoleSet;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Which kind of message.
    pub kind: MessageKind,
    /// Who may publish it.
    pub from: RoleSet,
    /// Whose mailbox it goes to, except that nobody receives what it sent itself. Empty: observers only.
    pub to: RoleSet,
}

/// The row of a kind.
///
/// ```
/// use artoo_bus::contract::contract;
/// use artoo_types::{MessageKind, Role};
/// assert_eq!(contract(MessageKind::MegramWrite).from.to_string(), "ggs");
/// ```
pub const fn contract(kind: MessageKind) -> Contract {
    use MessageKind as Kind;
    use Role::{
        AgentValidator, Auditor, Dispatcher, Executor, Ggs, MetaValidator, Perceiver, Planner, SharedMemory, Supervisor,
        User,
    };
    const OBSERVERS: &[Role] = &[];
    let (from, to): (&[Role], &[Role]) = match kind {
        Kind::UserRequest => (&[User], &[Perceiver]),
        Kind::TaskSpec => (&[Perceiver], &[Planner, MetaValidator, Ggs, Dispatcher]),
        Kind::MemoryQuery => (&[Planner], &[SharedMemory]),
        Kind::MemoryReply => (&[SharedMemory], &[Planner]),
        Kind::Plan => (&[Planner], &[Dispatcher]),
        Kind::DispatchManifest => (&[Dispatcher], &[MetaValidator, Planner]),
        Kind::SubTask => (&[Dispatcher], &[Executor, AgentValidator]),
        Kind::ToolStarted | Kind::ToolOutput | Kind::ToolFinished => (&[Executor], OBSERVERS),
        Kind::ApprovalRequested => (&[Executor], &[User]),
        Kind::ApprovalDecided => (&[User], &[Executor]),
        Kind::ExecutionResult => (&[Executor], &[AgentValidator]),
        Kind::VerdictReached => (&[AgentValidator, MetaValidator], OBSERVERS),
        Kind::CorrectionSignal => (&[AgentValidator], &[Executor]),
        Kind::SubTaskOutcome => (&[AgentValidator, Dispatcher], &[MetaValidator, Dispatcher, Planner]),
        Kind::OutcomeSummary | Kind::ReplanRequest => (&[MetaValidator], &[Ggs]),
        Kind::PlanDirective => (&[Ggs], &[Planner, Executor, Dispatcher]),
        Kind::FailureReportRequest => (&[Ggs], &[Planner]),
        Kind::FailureReport => (&[Planner], &[Ggs]),
        Kind::MegramWrite => (&[Ggs], &[SharedMemory]),
        Kind::FinalResult => (&[Ggs], &[User, Supervisor]),
        // Any role may fail, and R7 ends the run for it. R7's own failure is the supervisor's to report; the auditor
        // takes part in nothing.
        Kind::Fault => return row(kind, RoleSet::ALL.without(Ggs).without(Auditor), RoleSet::of(&[Ggs])),
        Kind::Warning => return row(kind, RoleSet::ALL.without(Auditor), RoleSet::EMPTY),
        Kind::ModelCall => (&[Perceiver, Planner, Executor, AgentValidator, MetaValidator], OBSERVERS),
        Kind::AuditQuery => (&[User], &[Auditor]),
        Kind::AuditReport => (&[Auditor], &[User]),
    };
    row(kind, RoleSet::of(from), RoleSet::of(to))
}

/// Whether a role may publish a kind.
pub const fn may_publish(role: Role, kind: MessageKind) -> bool {
    contract(kind).from.contains(role)
}

/// The mailboxes that a kind goes to when this role sends it.
pub const fn receivers(from: Role, kind: MessageKind) -> RoleSet {
    contract(kind).to.without(from)
}

/// The whole table, in the order in which a run meets the kinds.
pub fn table() -> impl Iterator<Item = Contract> {
    MessageKind::ALL.iter().copied().map(contract)
}

/// The table as Markdown, for the docs.
pub fn markdown() -> String {
    let mut text = String::from("| kind | from | to |\n|---|---|---|\n");
    for row in table() {
        let to = if row.to.is_empty() { "(observers)".to_owned() } else { row.to.to_string() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `{}` | {} | {to} |", row.kind.name(), row.from);
    }
    text
}

const fn row(kind: MessageKind, from: RoleSet, to: RoleSet) -> Contract {
    Contract { kind, from, to }
}
