//! What a directive says to the planner, in plain words: what not to repeat. What the judges found stands with the
//! steps.

use std::fmt::Write as _;

use artoo_case_file::visibility::Limit;
use artoo_llm_client::inline;
use artoo_types::PlanDirective;

use crate::replan;

/// How much of a call or an intent is shown.
const SHOWN: Limit = Limit { items: usize::MAX, characters: 300 };

/// Lines about what the next plan may not repeat; empty if nothing is refused and the way is not a dead end.
pub(crate) fn directed(directive: &PlanDirective) -> String {
    let mut text = String::new();
    if replan::is_second_dead_end(directive) {
        text.push_str("The plan before that one failed in the same way, so plan another way, not the same in other words.\n");
    }
    for tool in &directive.blocked_tools {
        line(&mut text, format_args!("The tool {tool} failed at this, so it is not there any more."));
    }
    for blocked in &directive.blocked_programs {
        let program = &blocked.program;
        line(
            &mut text,
            format_args!("The program {program} failed at this, so commands with it are refused."),
        );
    }
    for blocked in &directive.blocked_approaches {
        let approach = shown(&blocked.approach);
        line(
            &mut text,
            format_args!(
                "The tool {} failed at this, so use it in another way for: {approach}",
                blocked.tool
            ),
        );
    }
    if !directive.blocked_targets.is_empty() {
        text.push_str("These calls failed or were not allowed, and are refused if they are made again:\n");
    }
    for target in &directive.blocked_targets {
        line(&mut text, format_args!("- {}: {}", target.tool, shown(&target.target)));
    }
    text
}

/// The beginning on one line: a label, which may hold words of a tool and must not act as a line of the prompt.
fn shown(text: &str) -> String {
    inline(&SHOWN.cut(text))
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
