//! The end of a run: the result for standard output, the footer for standard error.

use std::path::Path;
use std::time::Duration;

use artoo_runtime::events::{Cumulative, Event, Line, RoleUsage};
use artoo_types::{Fault, FileChange, PartialOutput, TerminalState, UnmetCriterion};
use serde_json::Value;

use super::frame::Frame;
use super::units::{counted, money, seconds, spent};
use super::words;
use crate::terminal::{Style, neutral, neutral_line, pad};

/// Files that are listed; a command may write thousands.
const FILES_LISTED: usize = 20;

/// What the last line of a run says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// The run, as its first and last lines name it.
    pub(crate) run_id: String,
    /// How it ended; `None` where a fault ended it.
    pub(crate) directive: Option<TerminalState>,
    /// The fault.
    pub(crate) error: Option<Fault>,
    summary: String,
    output: Value,
    unmet: Vec<UnmetCriterion>,
    partial: Vec<PartialOutput>,
    files: Vec<FileChange>,
    usage: Cumulative,
    roles: Vec<RoleUsage>,
    replans: u32,
    elapsed: Duration,
    /// The exit code.
    pub(crate) exit_code: u8,
}

impl Outcome {
    /// The outcome, if this is the last line.
    pub(crate) fn of(line: &Line) -> Option<Self> {
        let Event::RunFinished {
            directive,
            error,
            summary,
            output,
            unmet,
            partial,
            files,
            usage,
            roles,
            replans,
            elapsed_ms,
            exit_code,
            ..
        } = &line.event
        else {
            return None;
        };
        Some(Self {
            run_id: line.run_id.to_string(),
            directive: *directive,
            error: error.clone(),
            summary: summary.clone(),
            output: output.clone(),
            unmet: unmet.clone(),
            partial: partial.clone(),
            files: files.clone(),
            usage: usage.clone(),
            roles: roles.clone(),
            replans: *replans,
            elapsed: Duration::from_millis(*elapsed_ms),
            exit_code: *exit_code,
        })
    }
}

/// The result. In a pipe (`bare`), an accepted output comes alone, so that other programs can use it; anything less than
/// `accept` is labelled wherever it goes.
pub(crate) fn result(outcome: &Outcome, frame: Frame, bare: bool) -> String {
    let output = words::value_text(&outcome.output).map(|text| neutral(&text).into_owned());
    let mut parts: Vec<String> = Vec::new();
    match (outcome.directive, &outcome.error) {
        (Some(TerminalState::Accept), None) => {
            if !bare || output.is_none() {
                parts.push(head(frame, Style::Good, "✓", "accept", &outcome.summary));
            }
            parts.extend(output);
        }
        (Some(TerminalState::Success), None) => {
            let label = format!("success, but not accepted: {} unmet", criteria(outcome));
            parts.push(head(frame, Style::Notice, "~", &label, &outcome.summary));
            parts.push(unmet(&outcome.unmet));
            let output = output.filter(|_| !repeats(&outcome.output, &outcome.partial));
            parts.extend(output.map(|output| format!("output, with what is unmet above:\n{output}")));
            parts.push(partial(&outcome.partial));
        }
        (Some(TerminalState::Abandon), None) => {
            // A run that ends before anything was judged knows of no criterion.
            let label = match outcome.unmet.as_slice() {
                [] => "abandon".to_owned(),
                [_, ..] => format!("abandon: {} unmet", criteria(outcome)),
            };
            parts.push(head(frame, Style::Bad, "✗", &label, &outcome.summary));
            parts.push(unmet(&outcome.unmet));
            parts.extend(output.map(|output| format!("what there is:\n{output}")));
            parts.push(partial(&outcome.partial));
        }
        // What went wrong is said on standard error; here is only what there is to save.
        (_, Some(_)) | (None, None) => parts.push(partial(&outcome.partial)),
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return String::new();
    }
    format!("{}\n", parts.join("\n\n"))
}

/// The tick of an accepted run, for standard error where standard output holds the bare result; `None` for any other end.
pub(crate) fn tick(outcome: &Outcome, frame: Frame) -> Option<String> {
    match (outcome.directive, &outcome.error) {
        (Some(TerminalState::Accept), None) => {
            Some(head(frame, Style::Good, "✓", "accept", &outcome.summary))
        }
        _ => None,
    }
}

/// Whether the output only lists the partial outputs, which are shown with their labels anyway.
fn repeats(output: &Value, partial: &[PartialOutput]) -> bool {
    output.as_array().is_some_and(|items| {
        items.iter().all(|item| {
            partial.iter().any(|part| {
                item.get("intent").and_then(Value::as_str) == Some(&part.intent)
                    && item.get("output") == Some(&part.output)
            })
        })
    })
}

fn criteria(outcome: &Outcome) -> String {
    counted(outcome.unmet.len() as u64, "criterion", "criteria")
}

fn head(frame: Frame, style: Style, mark: &str, label: &str, summary: &str) -> String {
    let summary = neutral(summary);
    let label = frame.paint.text(style, &format!("{mark} {label}"));
    if summary.trim().is_empty() { label } else { format!("{label}\n{}", summary.trim()) }
}

fn unmet(unmet: &[UnmetCriterion]) -> String {
    if unmet.is_empty() {
        return String::new();
    }
    let rows: Vec<String> = unmet
        .iter()
        .map(|unmet| format!("  - {}: {}", neutral_line(&unmet.criterion), neutral_line(&unmet.reason)))
        .collect();
    format!("unmet:\n{}", rows.join("\n"))
}

fn partial(partial: &[PartialOutput]) -> String {
    let rows: Vec<String> = partial
        .iter()
        .map(|part| {
            let text = words::value_text(&part.output).unwrap_or_else(|| "(nothing)".to_owned());
            let text: Vec<String> = neutral(&text).lines().map(|line| format!("    {line}")).collect();
            format!("  [{}] {}\n{}", words::trust(part.status), neutral_line(&part.intent), text.join("\n"))
        })
        .collect();
    if rows.is_empty() { String::new() } else { format!("partial outputs:\n{}", rows.join("\n")) }
}

/// What it cost and where it is recorded.
pub(crate) fn footer(outcome: &Outcome, folder: &Path, frame: Frame) -> Vec<String> {
    let end = match (&outcome.error, outcome.directive) {
        (Some(fault), _) => words::fault(fault.kind),
        (None, None) => "ended by a fault",
        (None, Some(state)) => words::terminal(state),
    };
    let mut parts = vec![
        end.to_owned(),
        seconds(outcome.elapsed),
        counted(outcome.usage.calls, "model call", "model calls"),
        spent(&outcome.usage),
    ];
    if outcome.replans > 0 {
        parts.push(counted(u64::from(outcome.replans), "replan", "replans"));
    }
    let mut lines = vec![parts.join(" · ")];
    if frame.verbose {
        lines.extend(outcome.roles.iter().map(|role| {
            format!(
                "  {} {:>3}  {:>8} read  {:>8} written{}",
                pad(role.role.name(), 16),
                role.usage.calls,
                role.usage.prompt_tokens,
                role.usage.completion_tokens,
                role.usage.cost.as_ref().map(|cost| format!("  {}", money(cost))).unwrap_or_default()
            )
        }));
    }
    let listed = if frame.verbose { outcome.files.len() } else { FILES_LISTED };
    lines.extend(outcome.files.iter().take(listed).map(|file| {
        format!("{}: {}", words::change(file.change), neutral_line(&file.path.display().to_string()))
    }));
    let more = outcome.files.len().saturating_sub(listed);
    if more > 0 {
        lines.push(format!("and {more} more; all of them: artoo runs undo {} --dry-run", outcome.run_id));
    }
    lines.push(format!("recorded: {}", neutral_line(&folder.display().to_string())));
    lines.iter().map(|line| frame.paint.text(Style::Faint, line)).collect()
}
