//! The executor's prompt: the constant part with the tools, and the changing part with the step.

use std::fmt::Write as _;

use artoo_llm_client::{Origin, fenced, fenced_output, inline};
use artoo_types::{CallEnding, HeldEnd, ToolCall};
use serde_json::Value;

use crate::model_executor::{GUIDED_PROMPT, SYSTEM_PROMPT};
use crate::{AttemptContext, ToolSpec, means::Means};

/// What only GNU find knows, in the rules for a small model.
const GNU_ADVICE: &str = " For sizes and times use find -printf and sort -n, not ls.";
/// The option by which an example is known to need GNU find.
const GNU_OPTION: &str = " -printf ";

/// The constant part: the rules, then one line a tool. The names of the arguments are in the schema already; a small model does not
/// look there.
pub(crate) fn system(guided: bool, cx: &AttemptContext, tools: &[ToolSpec]) -> String {
    let rules = match (guided, is_gnu(cx)) {
        (false, _) => SYSTEM_PROMPT.to_owned(),
        (true, true) => GUIDED_PROMPT.to_owned(),
        (true, false) => without_gnu(GUIDED_PROMPT),
    };
    let mut text = format!("{}\n\nTools:\n", rules.trim_end());
    for tool in tools {
        let names = if guided { format!(" {}", argument_names(&tool.arguments)) } else { String::new() };
        let _ = writeln!(text, "- {}{names}: {}", tool.name, tool.summary);
    }
    text
}

fn is_gnu(cx: &AttemptContext) -> bool {
    cx.surroundings.platform == "linux"
}

/// The rules without the advice and the examples that only GNU find understands. An example is two lines, its step and its call.
fn without_gnu(rules: &str) -> String {
    let rules = rules.replace(GNU_ADVICE, "");
    let lines: Vec<&str> = rules.lines().collect();
    let needs_gnu =
        |line: Option<&&str>| line.is_some_and(|line| line.starts_with('{') && line.contains(GNU_OPTION));
    let kept = lines.iter().enumerate().filter(|(number, line)| {
        let is_step = line.starts_with("Step: ");
        !(needs_gnu(Some(*line)) || is_step && needs_gnu(lines.get(number + 1)))
    });
    kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
}

/// The changing part. The order is from the most constant to the most changing. A small model is not told the platform: its examples
/// fit it.
pub(crate) fn step(guided: bool, cx: &AttemptContext, means: &Means) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    let folder = inline(&cx.surroundings.working_folder.display().to_string());
    let platform = if guided { String::new() } else { format!(" ({})", inline(&cx.surroundings.platform)) };
    line(&mut text, format_args!("Working folder: {folder}{platform}"));
    // A small model that sees the path puts it behind the variable.
    text.push_str("Workspace for new files: $WORKSPACE\n");
    if !cx.subtask.context.trim().is_empty() {
        line(&mut text, format_args!("{}", cx.subtask.context.trim()));
    }
    line(&mut text, format_args!("Step: {}", cx.subtask.intent));
    let told: Vec<_> = cx.subtask.success_criteria.iter().map(|criterion| criterion.text.as_str()).collect();
    line(&mut text, format_args!("It is done when: {}", told.join("; ")));
    if !means.used.is_empty() {
        line(
            &mut text,
            format_args!("Somebody already did this with {}. Do it in another way.", means.used.join(", ")),
        );
    }
    if let Some(told) = means.told(&cx.subtask.intent) {
        line(&mut text, format_args!("{told}"));
    }
    for call in &cx.earlier {
        let made = inline(&format!("{} {}", call.tool, call.target()));
        line(&mut text, format_args!("Earlier call: {made}\n{}", result(call)));
    }
    if let Some(correction) = &cx.correction {
        let wrong = fenced(Origin::ToolOutput, &correction.what_was_wrong);
        line(&mut text, format_args!("The attempt before fell short:\n{wrong}"));
        line(&mut text, format_args!("Now: {}", correction.what_to_do));
    }
    text
}

/// What the model is told after a call. `told` is what is new about the means that are left; the step stands with it, because
/// it is far above by then.
pub(crate) fn after(call: &ToolCall, intent: &str, told: Option<String>) -> String {
    let told = told.map(|told| format!("\nStep: {intent}\n{told}")).unwrap_or_default();
    format!("{}{told}\nCall a tool, or answer if this shows what the step asks for.", result(call))
}

/// A call's result as the model sees it: how it ended, why it failed, what it put out.
fn result(call: &ToolCall) -> String {
    let mut text = match &call.ending {
        CallEnding::Exited { status } => format!("It ended with exit status {status}."),
        CallEnding::Signalled { signal } => format!("It was ended by signal {signal}."),
        CallEnding::Returned => "It ended.".to_owned(),
        CallEnding::TimedOut => "It took too long and was stopped.".to_owned(),
        CallEnding::Cancelled => "It was cancelled.".to_owned(),
        CallEnding::Refused => "It was refused.".to_owned(),
    };
    if call.held.as_ref().is_some_and(|held| held.came == HeldEnd::Tried) {
        text.push_str(" It was only tried, where nothing of it lasts.");
    }
    if let Some(failure) = &call.failure {
        // A reason quotes what the tool complained of, and that may be anything.
        let _ = write!(text, "\n{}", fenced(Origin::ToolOutput, &failure.reason));
        if let Some(hint) = &failure.hint {
            let _ = write!(text, "\n{}.", inline(hint));
        }
    }
    if !call.output.shown.trim().is_empty() {
        let _ = write!(text, "\n{}", fenced_output(call.output.origin.as_deref(), &call.output.shown));
    } else if call.failure.is_none() {
        text.push_str(" It put out nothing.");
    }
    if !call.stderr.shown.trim().is_empty() {
        let _ = write!(text, "\nErrors:\n{}", fenced(Origin::ToolOutput, &call.stderr.shown));
    }
    text
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

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::context;

    #[test]
    fn the_guided_rules_name_what_the_machine_has() {
        let mut cx = context("Count the files");
        let linux = system(true, &cx, &[]);
        assert!(linux.starts_with(GUIDED_PROMPT.trim_end()), "{linux}");
        cx.surroundings.platform = "macos".to_owned();
        let other = system(true, &cx, &[]);
        assert!(!other.contains("printf"), "{other}");
        // Whole examples go: each step still has its call.
        let steps = other.lines().filter(|line| line.starts_with("Step: ")).count();
        let calls = other.lines().filter(|line| line.starts_with("{\"tool\"")).count();
        assert_eq!((steps, calls), (4, 4), "{other}");
        assert!(other.contains("Quote paths with blanks. For CSV and JSON"), "{other}");
    }

    #[test]
    fn the_platform_stands_beside_the_folder() {
        let cx = context("Count the files");
        let means = Means::default();
        assert!(step(false, &cx, &means).contains("\nWorking folder: /home/ada/work (linux)\n"));
        assert!(step(true, &cx, &means).contains("\nWorking folder: /home/ada/work\n"));
    }
}
