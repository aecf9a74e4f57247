//! Which tools and programs failed in every call of a subtask, and which worked.

use std::collections::BTreeMap;

use artoo_types::{BlockedProgram, CallEnding, SubTaskOutcome, ToolCall, ToolName};

use crate::failed_calls::{target_of, tells, was_started};

/// The exit status of a shell that did not find a program.
const NOT_FOUND: i32 = 127;

/// A tool, or a program started by a tool that runs commands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Means {
    pub(crate) tool: ToolName,
    pub(crate) program: Option<BlockedProgram>,
}

impl Means {
    /// What a call failed by, or what led it. If the shell did not find one of several programs and nobody knows which,
    /// none is blamed.
    fn of(call: &ToolCall) -> Self {
        let mut named = BlockedProgram::all_in(&target_of(call));
        let led = match (&call.lacked, &call.ending) {
            (Some(program), _) => Some(BlockedProgram { tool: call.tool.clone(), program: program.clone() }),
            (None, CallEnding::Exited { status: NOT_FOUND }) if named.len() > 1 => None,
            (None, _) if named.is_empty() => None,
            (None, _) => Some(named.swap_remove(0)),
        };
        Self { tool: call.tool.clone(), program: led.filter(|_| call.began()) }
    }
}

/// The means with which no call of a subtask succeeded, though one failed for a known cause, and the others used
/// for it.
///
/// Only its own calls speak against a means. One that did what it should is no cause of a failure that a reader
/// found in the answer, and removing it would leave the next plan without what it needs: an editor that edited,
/// an interpreter that ran the tests. What failed with it is blocked call by call. A call that was cancelled or
/// refused says nothing, and neither does one that ended badly for a cause that nobody knows: a test suite that
/// is red, a search without a hit.
pub(crate) fn in_vain(outcome: &SubTaskOutcome) -> (Vec<Means>, Vec<Means>) {
    let mut calls: BTreeMap<Means, Calls> = BTreeMap::new();
    for call in outcome.tool_calls.iter().filter(|call| was_started(call)) {
        let of_it = calls.entry(Means::of(call)).or_default();
        of_it.succeeded |= call.succeeded();
        let has_a_cause = call.failure.as_ref().is_some_and(|failure| tells(failure.class));
        of_it.failed |= call.ending != CallEnding::Cancelled && has_a_cause;
    }
    let (in_vain, others): (Vec<_>, Vec<_>) =
        calls.into_iter().partition(|(_, calls)| calls.failed && !calls.succeeded);
    let means = |pairs: Vec<(Means, Calls)>| pairs.into_iter().map(|(means, _)| means).collect();
    (means(in_vain), means(others))
}

/// How the calls with a means ended.
#[derive(Default)]
struct Calls {
    succeeded: bool,
    failed: bool,
}

#[cfg(test)]
mod tests {
    use artoo_types::{CallId, ToolKind};
    use uuid::Uuid;

    use super::*;

    fn blamed(command: &str, status: i32, lacked: Option<&str>) -> Option<String> {
        let arguments = [("command".to_owned(), command.into())].into_iter().collect();
        let at = chrono::DateTime::UNIX_EPOCH.fixed_offset();
        let call = ToolCall::new(
            CallId::new(Uuid::nil()),
            ToolKind::Shell.into(),
            arguments,
            CallEnding::Exited { status },
            at,
        );
        let call = ToolCall { lacked: lacked.map(str::to_owned), ..call };
        Means::of(&call).program.map(|program| program.program)
    }

    /// `xxd` was missing, and `file`, which had worked, was blamed for it.
    #[test]
    fn lesson_the_program_that_is_missing_is_blamed_and_no_other() {
        assert_eq!(blamed("file x; xxd y", 127, Some("xxd")).as_deref(), Some("xxd"));
        assert_eq!(blamed("file x | xxd | head", 0, Some("xxd")).as_deref(), Some("xxd"));
        assert_eq!(blamed("file x; xxd y", 127, None), None);
        assert_eq!(blamed("xxd y", 127, None).as_deref(), Some("xxd"));
        assert_eq!(blamed("file x; xxd y", 1, None).as_deref(), Some("file"));
    }
}
