//! Steering: what of the tools a turn may use, once the means are taken away that were used, blocked, or came to nothing.
//!
//! Refusing a call after it was made costs a small model a turn, and it often makes the same call again. So the schema of
//! the turn itself leaves out what would be refused: a decoder that is constrained cannot even begin it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use artoo_types::{BlockedProgram, BlockedTarget, CallEnding, ToolCall, ToolName};
use serde_json::json;

use super::matter::Matter;
use crate::{AttemptContext, ToolSpec};

/// Failures of one program after which another one is due. A refused call counts as this many: asking for it again shows
/// that the model is stuck with it.
const STRIKES: u32 = 2;

/// What a turn may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Means {
    /// The programs or tools by which the answer was derived before; empty for a first derivation.
    pub(crate) used: Vec<String>,
    /// The program that a command must begin with; `None` where the choice is free, or nothing else is left.
    pub(crate) program: Option<&'static str>,
    /// Tools that are not offered.
    out: BTreeSet<ToolName>,
}

impl Means {
    /// What is left in this attempt after these calls of the subtask, those of earlier attempts included.
    pub(crate) fn left(cx: &AttemptContext, calls: &[ToolCall]) -> Self {
        let avoid = &cx.subtask.avoid;
        let mut used: Vec<String> = Vec::new();
        for call in avoid {
            let programs = BlockedProgram::all_in(call);
            let names = programs.into_iter().map(|pair| pair.program);
            let of_tool = (call.tool.as_str() != "shell").then(|| call.tool.to_string());
            used.extend(names.chain(of_tool));
        }
        used.sort();
        used.dedup();
        let (stuck_programs, mut out) = stuck(calls);
        let taken = |program: &str| {
            used.iter().any(|other| other == program)
                || cx.blocked.iter().any(|other| other.program == program)
        };
        let matter = Matter::of(&cx.subtask.intent);
        // A look at names that brought nothing and was corrected: contents want another program.
        let misled = matter == Matter::Contents && cx.correction.is_some() && !cx.earlier.is_empty();
        let steered = misled
            || !avoid.is_empty()
            || !stuck_programs.is_empty()
            || cx.blocked.iter().any(|pair| Matter::is_capable(&pair.program));
        let mut program = None;
        // What makes or alters something seldom has a second way; there the rules at the call are all.
        if steered && !cx.subtask.is_about_a_deed() {
            let mut free = matter.programs(&cx.programs).filter(|program| !taken(program));
            program = free.find(|program| !stuck_programs.contains(*program));
        }
        if !avoid.is_empty() {
            out.insert(ToolName::new("write_file"));
            out.extend(avoid.iter().map(|call| call.tool.clone()).filter(|tool| tool.as_str() != "shell"));
        }
        Self { used, program, out }
    }

    /// The tools that are left, and `shell` bound to the program.
    pub(crate) fn offer(&self, tools: &[ToolSpec]) -> Vec<ToolSpec> {
        let mut tools: Vec<ToolSpec> =
            tools.iter().filter(|tool| !self.out.contains(&tool.name)).cloned().collect();
        let Some(program) = self.program else { return tools };
        for tool in tools.iter_mut().filter(|tool| tool.name.as_str() == "shell") {
            let command = Arc::make_mut(&mut tool.arguments).pointer_mut("/properties/command");
            if let Some(command) = command.and_then(serde_json::Value::as_object_mut) {
                // The tool's own pattern, for example that quotes are closed, holds for the rest of the command.
                let own = command.get("pattern").and_then(serde_json::Value::as_str).unwrap_or_default();
                let rest = own.strip_prefix('^').unwrap_or(own);
                let pattern = format!("^{program} {rest}");
                command.insert("pattern".to_owned(), json!(pattern));
            }
        }
        tools
    }

    /// What the model is told of the program, with its form where small models get it wrong without one.
    pub(crate) fn told(&self, intent: &str) -> Option<String> {
        let program = self.program?;
        let form =
            Matter::of(intent).form(program, intent).map(|form| format!(" {form}")).unwrap_or_default();
        Some(format!("A command must begin with {program}.{form}"))
    }
}

/// Whether a call brought nothing to go on with: it was refused, or it failed and complained. A search without a hit ends
/// with status 1 and complains of nothing.
pub(crate) fn came_to_nothing(call: &ToolCall) -> bool {
    match call.ending {
        CallEnding::Refused => true,
        CallEnding::Exited { .. } => call.failure.is_some() && !call.stderr.shown.trim().is_empty(),
        CallEnding::Returned
        | CallEnding::Signalled { .. }
        | CallEnding::TimedOut
        | CallEnding::Cancelled => call.failure.is_some(),
    }
}

/// Programs and other tools that the model is stuck with.
fn stuck(calls: &[ToolCall]) -> (BTreeSet<String>, BTreeSet<ToolName>) {
    let mut strikes: BTreeMap<String, u32> = BTreeMap::new();
    let mut tools = BTreeSet::new();
    for call in calls.iter().filter(|call| came_to_nothing(call) && call.began()) {
        let refused = call.ending == CallEnding::Refused;
        let target = BlockedTarget::of(&call.tool, &call.arguments);
        match BlockedProgram::all_in(&target).into_iter().next() {
            Some(leading) => {
                *strikes.entry(leading.program).or_default() += if refused { STRIKES } else { 1 }
            }
            None if refused && call.tool.as_str() != "shell" => {
                tools.insert(call.tool.clone());
            }
            None => {}
        }
    }
    let programs = strikes.into_iter().filter(|(_, count)| *count >= STRIKES).map(|(program, _)| program);
    (programs.collect(), tools)
}
