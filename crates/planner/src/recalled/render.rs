//! Renders recalled memory as prompt text: code writes the labels, contents are fenced as data.

use artoo_llm_client::{Origin as Source, fenced, inline, polarity_label, provenance};
use artoo_types::{Entity, MemoryAction, MemoryReply, PairMemory, RecallReason};

use super::{Item, What};

/// The maximum length of one rule or experience, in characters.
const ITEM: usize = 500;
/// The maximum length of the name of a call or of a task, in characters.
const NAME: usize = 160;
/// The maximum number of shared words of two requests that are named.
const SHARED: usize = 4;

/// The text for the planner, pair by pair in the order of the reply. The advice on the intent itself is
/// included even if no entry of it was selected.
pub(super) fn to_the_planner(reply: &MemoryReply, selected: &[Item<'_>]) -> String {
    let mut text = String::new();
    for (at, pair) in reply.recalled.iter().enumerate() {
        let items: Vec<&Item<'_>> = selected.iter().filter(|item| item.at == at).collect();
        if !items.is_empty() || (at == 0 && pair.potentials.action != MemoryAction::Ignore) {
            text.push_str(&head(at, pair));
            items.iter().for_each(|item| text.push_str(&item.text));
        }
    }
    text
}

/// The subject of a pair, and memory's advice.
pub(super) fn head(at: usize, known: &PairMemory) -> String {
    let about = match (known.pair.call(), &known.reason) {
        (Some(call), reason) => {
            let name = inline(&cut(&call.target, NAME));
            format!(" of the call {} {name}{}", inline(call.tool.as_str()), why(reason))
        }
        (None, RecallReason::Asked) if at == 0 => String::new(),
        (None, RecallReason::Asked) if known.pair.entity == Entity::local() => {
            " of this kind of task".to_owned()
        }
        (None, RecallReason::Asked) => " of this kind of task in this folder".to_owned(),
        (None, reason @ RecallReason::Similar { .. }) => {
            format!(" of a similar task{}", why(reason))
        }
    };
    let advice = match known.potentials.action {
        MemoryAction::Ignore => "nothing is known.",
        MemoryAction::Exploit => "SHOULD PREFER what worked before.",
        MemoryAction::Avoid => "MUST NOT repeat what failed before.",
        MemoryAction::Caution => "Proceed with care: earlier results were mixed.",
    };
    let (attention, decision) = (known.potentials.attention, known.potentials.decision);
    format!("Memory{about}: {advice} (attention {attention:.2}, decision {decision:+.2})\n")
}

/// A rule or an experience, fenced.
pub(super) fn item(what: What<'_>) -> String {
    let (label, content) = match what {
        What::Rule(rule) => (polarity_label(rule.polarity).to_owned(), &rule.content),
        What::Experience(told) => (format!("{}:", provenance(told)), &told.content),
    };
    format!("{label}\n{}\n", fenced(Source::Memory, &cut(content, ITEM)))
}

/// Why a similar pair was recalled.
fn why(reason: &RecallReason) -> String {
    match reason {
        RecallReason::Asked => String::new(),
        RecallReason::Similar { shared, .. } if shared.is_empty() => String::new(),
        RecallReason::Similar { shared, .. } => {
            let shared: Vec<String> =
                shared.iter().take(SHARED).map(|word| inline(&cut(word, NAME))).collect();
            format!(" (both say: {})", shared.join(", "))
        }
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
