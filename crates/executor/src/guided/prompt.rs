//! The prompt of a weak model: rules with examples, and the names of arguments beside the tools.

use std::fmt::Write as _;

use artoo_llm_client::{ModelProfile, advice, earlier_results, inline, laws, lessons};
use artoo_types::ToolCall;
use serde_json::Value;

use super::GUIDED_PROMPT;
use super::code_block::Language;
use super::subject::Described;
use crate::AttemptContext;
use crate::prompt::{GO_ON, OUTPUTS, earlier, guided_correction, line, opening, result, task};

/// The part of the rules for a small model that only applies to GNU find.
const GNU_ADVICE: &str = " For sizes and times use find -printf '%s %p\\n' with sort -n, not ls.";

/// The constant part: the rules, then one line a tool. The schema already names the arguments, but a small
/// model ignores them there.
pub(crate) fn system(cx: &AttemptContext) -> String {
    let is_gnu = cx.surroundings.platform == "linux";
    let rules = if is_gnu { GUIDED_PROMPT.to_owned() } else { GUIDED_PROMPT.replace(GNU_ADVICE, "") };
    let mut text = format!("{}\n\nTools:\n", rules.trim_end());
    for tool in &cx.tools {
        let _ = writeln!(text, "- {} {}: {}", tool.name, argument_names(&tool.arguments), tool.summary);
    }
    text
}

/// The variable part, with the paths that the step names. The platform is left out: the examples already fit
/// it.
pub(crate) fn step(cx: &AttemptContext, named: Option<&str>, profile: &ModelProfile) -> String {
    let mut text = opening(cx, "");
    text.push_str(&advice(&cx.instructions, profile));
    task(&mut text, cx, profile);
    if let Some(named) = named {
        line(&mut text, format_args!("{}", names(named)));
    }
    earlier(&mut text, cx);
    guided_correction(&mut text, cx);
    text
}

/// The variable part where the command is derived: what is named, what came before, the task. The criteria are left out: a weak planner's lead away from the task, and what a judge looks for is in
/// the task. So is the word "step": a weak model numbers its comments by it.
///
/// A program is told the person's words alone: a weak planner translates some of them wrongly, and all that is told what
/// it made of them makes the same mistake. Of a part of a plan, what the planner says is needed. Each is
/// told the columns of a table in its own way.
pub(crate) fn derived_step(
    cx: &AttemptContext,
    described: &Described,
    profile: &ModelProfile,
    language: Language,
) -> String {
    let mut text = format!("{}\n", cx.surroundings.now_line());
    text.push_str(&advice(&cx.instructions, profile));
    text.push_str(&described.text);
    if let Some(columns) = described.table.as_ref().and_then(|file| file.table.columns(language, &file.name))
    {
        line(&mut text, format_args!("{columns}"));
    }
    if let Some(values) = described.told_values(language) {
        line(&mut text, format_args!("{values}"));
    }
    text.push_str(&laws(&cx.subtask.briefing.laws));
    let context = cx.subtask.context.trim();
    // A weak planner translates names, and loses some; its words lead to the wrong place then.
    let keeps_names = described.names.iter().all(|name| context.contains(name.as_str()));
    let is_told = is_told_more(language, cx.subtask.is_whole);
    if !context.is_empty() && keeps_names && is_told {
        line(&mut text, format_args!("{context}"));
    }
    if is_told {
        text.push_str(&lessons(&cx.subtask.briefing.lessons));
    }
    text.push_str(&earlier_results(&cx.subtask.earlier, OUTPUTS * profile.shown_bytes()));
    earlier(&mut text, cx);
    guided_correction(&mut text, cx);
    line(&mut text, format_args!("Task: {}", cx.subtask.intent));
    text
}

/// Whether a derivation in this language is told more than the request: a program that meets the whole of it
/// is not.
pub(super) fn is_told_more(language: Language, is_whole: bool) -> bool {
    match language {
        Language::Shell | Language::Sql => true,
        Language::Python => !is_whole,
    }
}

/// The variable part where the model says what a command means: the task, the command, and what came of it.
pub(crate) fn closing(task: &str, call: &ToolCall) -> String {
    format!("{task}Command: {}\n{}", inline(&call.target()), result(call))
}

/// The message to the model after a call; with `named` it repeats the paths that the step is about.
pub(crate) fn after(call: &ToolCall, named: Option<&str>) -> String {
    let mut text = result(call);
    if let Some(named) = named {
        let _ = write!(text, "\n{}", names(named));
    }
    let _ = write!(text, "\n{GO_ON}");
    text
}

fn names(named: &str) -> String {
    format!("Names to use, as they are: {}", inline(named))
}

fn argument_names(schema: &Value) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| if required.contains(&name.as_str()) { name.clone() } else { format!("{name}?") })
        .collect();
    format!("{{{}}}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::context;

    #[test]
    fn the_guided_rules_name_what_the_machine_has() {
        let mut cx = context("Count the files");
        cx.tools.clear();
        let linux = system(&cx);
        assert!(linux.starts_with(GUIDED_PROMPT.trim_end()), "{linux}");
        cx.surroundings.platform = "macos".to_owned();
        let other = system(&cx);
        assert!(linux.contains("printf") && !other.contains("printf"), "{other}");
        assert!(other.contains("Quote paths with blanks. For CSV and JSON"), "{other}");
    }
}
