//! The changing part of the planner's prompt.

use std::{fmt::Write as _, path::Path};

use artoo_llm_client::{Origin, fenced, inline};
use artoo_types::{MemoryAction, MemoryReply, OutcomeStatus, Polarity, SubTaskOutcome};

use crate::{FailureContext, PlanContext, Previous, Violation};

/// The most characters of one output or reason that are shown.
const SHOWN: usize = 300;

/// What R2 is told before it plans. The order is from the most constant to the most changing.
pub(crate) fn planning(cx: &PlanContext) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    line(&mut text, format_args!("Platform: {}", cx.surroundings.platform));
    let path = |path: &Path| inline(&path.display().to_string());
    line(&mut text, format_args!("Working folder: {}", path(&cx.surroundings.working_folder)));
    line(&mut text, format_args!("Workspace for new files: {}", path(&cx.surroundings.workspace)));
    let tools: Vec<_> = cx.inventory.tools.iter().map(|tool| tool.name.as_str()).collect();
    line(&mut text, format_args!("Tools: {}", tools.join(", ")));
    if !cx.inventory.programs.is_empty() {
        line(&mut text, format_args!("Programs: {}", cx.inventory.programs.join(", ")));
    }
    memory(&mut text, &cx.memory);
    if let Some(previous) = &cx.previous {
        rounds(&mut text, previous);
    }
    let _ = write!(text, "Request: {}", cx.spec.intent);
    text
}

/// What R2 is told when its plan broke rules.
pub(crate) fn refusal(violations: &[Violation]) -> String {
    let mut text = "This plan cannot be used:\n".to_owned();
    for violation in violations {
        line(&mut text, format_args!("- {}", inline(&violation.to_string())));
    }
    text.push_str("Write the whole plan again without these faults.");
    text
}

/// What R2 is told before it writes the story of a failure.
pub(crate) fn failure(cx: &FailureContext) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    line(&mut text, format_args!("Request: {}", cx.spec.intent));
    line(&mut text, format_args!("Why it ends: {}", inline(&cx.request.reason)));
    for unmet in &cx.request.unmet {
        // A reason quotes what a tool said, and that may be anything.
        let reason = fenced(Origin::ToolOutput, &cut(&unmet.reason));
        line(&mut text, format_args!("Not met: {}\n{reason}", inline(&unmet.criterion)));
    }
    for partial in &cx.request.partial {
        let output = partial.output.as_str().map_or_else(|| partial.output.to_string(), str::to_owned);
        line(&mut text, format_args!("Step: {}", inline(&partial.intent)));
        line(&mut text, format_args!("{}", fenced(Origin::SubTask, &cut(&output))));
    }
    text
}

fn memory(text: &mut String, memory: &MemoryReply) {
    let advice = match memory.potentials.action {
        MemoryAction::Ignore => return,
        MemoryAction::Exploit => "SHOULD PREFER what worked before.",
        MemoryAction::Avoid => "MUST NOT repeat what failed before.",
        MemoryAction::Caution => "Proceed with care: earlier results were mixed.",
    };
    line(text, format_args!("Memory: {advice}"));
    for sop in &memory.sops {
        let rule = match sop.polarity {
            Polarity::Practice => "SHOULD PREFER",
            Polarity::Constraint => "MUST NOT",
        };
        line(text, format_args!("{rule}:\n{}", fenced(Origin::Memory, &cut(&sop.content))));
    }
}

fn rounds(text: &mut String, previous: &Previous) {
    let directive = &previous.directive;
    line(text, format_args!("\nAn earlier plan fell short."));
    for outcome in &previous.outcomes {
        // A label here: a replan may have words of a tool in it, and they give no directive.
        let intent = inline(&outcome.intent);
        match outcome.status {
            OutcomeStatus::Matched => line(text, format_args!("Done, do not plan it again: {intent}")),
            OutcomeStatus::Failed => line(text, format_args!("Failed: {intent}\n{}", reason(outcome))),
            OutcomeStatus::Skipped => line(text, format_args!("Not run: {intent}")),
        }
    }
    line(text, format_args!("Directive: {}", directive.rationale));
    for tool in &directive.blocked_tools {
        line(text, format_args!("MUST NOT use the tool {tool}."));
    }
    for blocked in &directive.blocked_programs {
        line(text, format_args!("MUST NOT use the program {}.", blocked.program));
    }
    for target in &directive.blocked_targets {
        line(text, format_args!("MUST NOT repeat {}: {}", target.tool, inline(&cut(&target.target))));
    }
    for blocked in &directive.blocked_approaches {
        line(
            text,
            format_args!("MUST NOT use {} in the same way for: {}", blocked.tool, inline(&blocked.approach)),
        );
    }
    line(text, format_args!("Plan only what is still missing.\n"));
}

fn reason(outcome: &SubTaskOutcome) -> String {
    fenced(Origin::ToolOutput, &cut(outcome.failure_reason.as_deref().unwrap_or("no reason was given")))
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
