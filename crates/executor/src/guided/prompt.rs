//! The prompt of a weak model: rules with examples, the names of arguments beside the tools, and what of the means is left.

use std::fmt::Write as _;

use artoo_llm_client::ModelProfile;
use artoo_types::ToolCall;
use serde_json::Value;

use super::GUIDED_PROMPT;
use super::means::Means;
use crate::prompt::{GO_ON, correction, earlier, line, opening, result, task};
use crate::{AttemptContext, ToolSpec};

/// What only GNU find knows, in the rules for a small model.
const GNU_ADVICE: &str = " For sizes and times use find -printf and sort -n, not ls.";
/// The option by which an example is known to need GNU find.
const GNU_OPTION: &str = " -printf ";

/// The constant part: the rules, then one line a tool. The names of the arguments are in the schema already; a small model does not
/// look there.
pub(crate) fn system(cx: &AttemptContext, tools: &[ToolSpec]) -> String {
    let rules = if is_gnu(cx) { GUIDED_PROMPT.to_owned() } else { without_gnu(GUIDED_PROMPT) };
    let mut text = format!("{}\n\nTools:\n", rules.trim_end());
    for tool in tools {
        let _ = writeln!(text, "- {} {}: {}", tool.name, argument_names(&tool.arguments), tool.summary);
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

/// The changing part. The platform is left out: the examples fit it.
pub(crate) fn step(cx: &AttemptContext, means: &Means, profile: &ModelProfile) -> String {
    let mut text = opening(cx, "");
    task(&mut text, cx, profile);
    if !means.used.is_empty() {
        line(
            &mut text,
            format_args!("Somebody already did this with {}. Do it in another way.", means.used.join(", ")),
        );
    }
    if let Some(told) = means.told(&cx.subtask.intent) {
        line(&mut text, format_args!("{told}"));
    }
    earlier(&mut text, cx);
    correction(&mut text, cx);
    text
}

/// What the model is told after a call. `told` is what is new about the means that are left; the step stands with it, because
/// it is far above by then.
pub(crate) fn after(call: &ToolCall, intent: &str, told: Option<String>) -> String {
    let told = told.map(|told| format!("\nStep: {intent}\n{told}")).unwrap_or_default();
    format!("{}{told}\n{GO_ON}", result(call))
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
        let linux = system(&cx, &[]);
        assert!(linux.starts_with(GUIDED_PROMPT.trim_end()), "{linux}");
        cx.surroundings.platform = "macos".to_owned();
        let other = system(&cx, &[]);
        assert!(!other.contains("printf"), "{other}");
        // Whole examples go: each step still has its call.
        let steps = other.lines().filter(|line| line.starts_with("Step: ")).count();
        let calls = other.lines().filter(|line| line.starts_with("{\"tool\"")).count();
        assert_eq!((steps, calls), (4, 4), "{other}");
        assert!(other.contains("Quote paths with blanks. For CSV and JSON"), "{other}");
    }
}
