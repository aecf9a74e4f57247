//! The words of a Megram: one bounded line, because it may stand in a prompt years later.

use std::collections::BTreeSet;

use artoo_ggs_core::Decision;
use artoo_types::{BlockedTarget, TerminalState};

use crate::Round;

/// Characters that a quoted part may have.
const PART: usize = 160;

pub(super) fn failed_call(pair: &BlockedTarget, reason: &str, intent: &str) -> String {
    let purpose = if intent.is_empty() { String::new() } else { format!(" It was to: {}.", line(intent)) };
    format!("{} with {} failed: {}.{purpose}", pair.tool, line(&pair.target), line(reason))
}

pub(super) fn breakthrough(pair: &BlockedTarget, criterion: &str) -> String {
    format!(
        "{} with {} worked where other tools had failed. It met: {}.",
        pair.tool,
        line(&pair.target),
        line(criterion)
    )
}

pub(super) fn ending(intent: &str, round: &Round, decision: &Decision, terminal: TerminalState) -> String {
    let how = match terminal {
        TerminalState::Accept => "Done",
        TerminalState::Success => "Mostly done",
        TerminalState::Abandon => "Not finished",
    };
    let mut text = format!("{how}: {}.", line(intent));
    let tools: BTreeSet<_> = round
        .outcomes
        .iter()
        .flat_map(|outcome| &outcome.tool_calls)
        .map(|call| call.tool.as_str())
        .collect();
    if !tools.is_empty() {
        text.push_str(&format!(" Tools: {}.", tools.into_iter().collect::<Vec<_>>().join(", ")));
    }
    if let Some(criterion) = &decision.failed_criterion {
        text.push_str(&format!(" Not met: {}.", line(criterion)));
    }
    text
}

pub(super) fn fault(intent: &str, reason: &str) -> String {
    format!("Not finished: {}. {}", line(intent), line(reason))
}

/// On one line, without a full stop, cut at a character.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = words.trim_end_matches('.').chars().take(PART).collect();
    if cut.len() < words.trim_end_matches('.').len() {
        cut.push('…');
    }
    cut
}
