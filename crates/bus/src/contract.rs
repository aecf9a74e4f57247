//! Contract table: which role may publish which kind of message, and which roles receive it.
//!
//! The table is data in this one place. The bus enforces it, the auditor checks it, the docs print it.
//! Observers and taps receive every kind and are not listed.

use std::fmt::Write as _;

use artoo_types::{MessageKind, Role};

use crate::RoleSet;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The kind of message.
    pub kind: MessageKind,
    /// Roles that may publish it.
    pub from: RoleSet,
    /// Roles whose mailboxes receive it, except its sender. Empty: observers only.
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
        AgentValidator, Auditor, Dispatcher, Executor, Ggs, MetaValidator, Perceiver, Planner, SharedMemory,
        Supervisor, User,
    };
    // Inline constants: the bus evaluates this for every message.
    let (from, to) = match kind {
        Kind::ControlSettings => const { sets(&[Supervisor], OBSERVERS) },
        Kind::UserRequest => const { sets(&[User], &[Perceiver]) },
        Kind::ClarificationRequested => const { sets(&[Perceiver, Planner, Executor], &[User]) },
        Kind::ClarificationAnswered => const { sets(&[User], &[Perceiver, Planner, Executor]) },
        // R2 and R4b find it in the case file.
        Kind::PersonNote => const { sets(&[User], OBSERVERS) },
        Kind::TaskSpec => const { sets(&[Perceiver], &[Planner, Ggs, Dispatcher]) },
        Kind::MemoryQuery => const { sets(&[Planner], &[SharedMemory]) },
        Kind::MemoryReply => const { sets(&[SharedMemory], &[Planner]) },
        Kind::Plan => const { sets(&[Planner], &[Dispatcher]) },
        Kind::DirectAnswer => const { sets(&[Planner], &[Ggs]) },
        Kind::PlanApprovalRequested => const { sets(&[Dispatcher], &[User]) },
        Kind::PlanApprovalDecided => const { sets(&[User], &[Dispatcher]) },
        Kind::ContinuationRequested => const { sets(&[Supervisor], &[User]) },
        // The supervisor sees every message.
        Kind::ContinuationDecided => const { sets(&[User], OBSERVERS) },
        Kind::DispatchManifest => const { sets(&[Dispatcher], &[MetaValidator]) },
        Kind::SubTask => const { sets(&[Dispatcher], &[Executor, AgentValidator]) },
        Kind::GuardQuery => const { sets(&[Executor], &[SharedMemory]) },
        Kind::GuardReply => const { sets(&[SharedMemory], &[Executor]) },
        Kind::ToolStarted | Kind::ToolOutput | Kind::ToolFinished => const { sets(&[Executor], OBSERVERS) },
        Kind::ApprovalRequested => const { sets(&[Executor], &[User]) },
        // The executor decides if the person has answered before, or no person is present.
        Kind::ApprovalDecided => const { sets(&[User, Executor], &[Executor]) },
        Kind::ExecutionResult => const { sets(&[Executor], &[AgentValidator]) },
        Kind::VerdictReached => const { sets(&[AgentValidator, MetaValidator], OBSERVERS) },
        Kind::CorrectionSignal => const { sets(&[AgentValidator], &[Executor]) },
        Kind::SubTaskOutcome => {
            const { sets(&[AgentValidator, Dispatcher], &[MetaValidator, Dispatcher, Ggs]) }
        }
        Kind::OutcomeSummary | Kind::ReplanRequest => const { sets(&[MetaValidator], &[Ggs]) },
        Kind::PlanDirective => const { sets(&[Ggs], &[Planner, Executor, Dispatcher]) },
        Kind::FailureReportRequest => const { sets(&[Ggs], &[Planner]) },
        Kind::FailureReport => const { sets(&[Planner], &[Ggs]) },
        Kind::MegramWrite => const { sets(&[Ggs], &[SharedMemory]) },
        Kind::DreamReport => const { sets(&[SharedMemory], OBSERVERS) },
        Kind::FinalResult => const { sets(&[Ggs], &[User, Supervisor]) },
        // Any role may fail, and R7 ends the run for it. R7's own failure is reported by the supervisor; the
        // auditor takes part in nothing.
        Kind::Fault => const { (RoleSet::ALL.without(Ggs).without(Auditor), RoleSet::of(&[Ggs])) },
        Kind::Warning => const { (RoleSet::ALL.without(Auditor), RoleSet::EMPTY) },
        // Shared memory uses a model to word a rule, outside of any run.
        Kind::ModelCall => {
            const { sets(&[Perceiver, Planner, Executor, AgentValidator, MetaValidator, SharedMemory], OBSERVERS) }
        }
        Kind::AuditQuery => const { sets(&[User], &[Auditor]) },
        Kind::AuditReport => const { sets(&[Auditor], &[User]) },
    };
    Contract { kind, from, to }
}

/// Whether a role may publish a kind.
pub const fn may_publish(role: Role, kind: MessageKind) -> bool {
    contract(kind).from.contains(role)
}

/// The mailboxes that receive a kind if this role sends it.
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
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `{}` | {} | {} |", row.kind.name(), names(row.from), names(row.to));
    }
    text
}

const OBSERVERS: &[Role] = &[];

const fn sets(from: &[Role], to: &[Role]) -> (RoleSet, RoleSet) {
    (RoleSet::of(from), RoleSet::of(to))
}

/// Lists a large set by what is not in it.
fn names(set: RoleSet) -> String {
    let others = RoleSet::of(&Role::ALL.into_iter().filter(|role| !set.contains(*role)).collect::<Vec<_>>());
    if set.is_empty() {
        "(observers)".to_owned()
    } else if set.iter().count() > 6 {
        format!("every role but {others}")
    } else {
        set.to_string()
    }
}
