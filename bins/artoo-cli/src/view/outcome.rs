//! Rendering of a run's end: the result for standard output, the footer for standard error.

use std::path::Path;
use std::time::Duration;

use artoo_runtime::events::{Cumulative, Event, Line, RoleUsage};
use artoo_snapshot::Undoable;
use artoo_types::{Errand, Fault, FileChange, PartialOutput, TerminalState};
use serde_json::Value;

use super::labels;
use super::layout::Frame;
use super::markdown::markdown;
use super::short_id;
use super::units::{counted, money, seconds, spent};
use crate::terminal::{Style, neutral, neutral_json, neutral_line, pad};

/// Maximum number of listed files; a command may write thousands.
const FILES_LISTED: usize = 20;
/// After this time, the user is notified of the end.
const LONG: Duration = Duration::from_secs(30);

/// The content of a run's last line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Id of the run, as in its first and last lines.
    pub(crate) run_id: String,
    errand: Errand,
    /// The terminal state; `None` if a fault ended the run.
    pub(crate) directive: Option<TerminalState>,
    /// The fault, if any.
    pub(crate) error: Option<Fault>,
    summary: String,
    /// The deliverable.
    pub(super) output: Value,
    structured: Option<Value>,
    structured_error: Option<String>,
    partial: Vec<PartialOutput>,
    files: Vec<FileChange>,
    /// Notes of the user that no role has taken into account: suggested as the next request.
    pub(crate) unused_notes: Vec<String>,
    usage: Cumulative,
    /// The longest chain of model calls that followed one another.
    depth: u32,
    roles: Vec<RoleUsage>,
    replans: u32,
    elapsed: Duration,
    /// The exit code.
    pub(crate) exit_code: u8,
}

impl Outcome {
    /// The outcome, if this is a run's last line.
    pub(crate) fn of(line: &Line) -> Option<Self> {
        let Event::RunFinished {
            errand,
            directive,
            error,
            summary,
            output,
            structured,
            structured_error,
            partial,
            files,
            unused_notes,
            usage,
            depth,
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
            errand: *errand,
            directive: *directive,
            error: error.clone(),
            summary: summary.clone(),
            output: output.clone(),
            structured: structured.as_deref().cloned(),
            structured_error: structured_error.as_deref().map(str::to_owned),
            partial: partial.clone(),
            files: files.clone(),
            unused_notes: unused_notes.to_vec(),
            usage: usage.clone(),
            depth: *depth,
            roles: roles.clone(),
            replans: *replans,
            elapsed: Duration::from_millis(*elapsed_ms),
            exit_code: *exit_code,
        })
    }
}

/// The result. In a pipe (`bare`), an accepted output is printed alone, so that other programs can use it;
/// anything less than `accept` is always labelled.
pub(crate) fn result(outcome: &Outcome, frame: Frame, bare: bool) -> String {
    let is_rendered = frame.markdown && outcome.output.is_string();
    let shown = |text: &str| if is_rendered { markdown(text, frame) } else { neutral(text).into_owned() };
    let output = labels::value_text(&outcome.output).map(|text| shown(&text));
    let mut parts: Vec<String> = Vec::new();
    match (outcome.directive, &outcome.error) {
        // No role judged it, so it is not labelled as accepted.
        (Some(TerminalState::Accept), None) if !outcome.errand.is_task() => {
            parts.push(neutral(&outcome.summary).into_owned());
            parts.extend(output);
        }
        (Some(TerminalState::Accept), None) => {
            if !bare || output.is_none() {
                parts.push(accepted(outcome, frame));
            }
            parts.extend(output);
        }
        (Some(TerminalState::Success), None) => {
            parts.push(fell_short(frame, Style::Notice, frame.sign("~ ", "success: "), &outcome.summary));
            parts.extend(output.filter(|_| !repeats(&outcome.output, &outcome.partial)));
            parts.push(partial(outcome));
        }
        (Some(TerminalState::Abandon), None) => {
            parts.push(fell_short(frame, Style::Bad, frame.sign("✗ ", "abandon: "), &outcome.summary));
            parts.push(partial(outcome));
        }
        // The error is printed on standard error; here are only the partial outputs.
        (_, Some(_)) | (None, None) => parts.push(partial(outcome)),
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return String::new();
    }
    format!("{}\n", parts.join("\n\n"))
}

/// The tick of an accepted run, for standard error while standard output gets
/// the bare result; `None` for any other end.
pub(crate) fn tick(outcome: &Outcome, frame: Frame) -> Option<String> {
    match (outcome.directive, &outcome.error) {
        (Some(TerminalState::Accept), None) => Some(accepted(outcome, frame)),
        _ => None,
    }
}

/// The JSON output for the given schema; `None` if there is none.
pub(crate) fn structured(outcome: &Outcome) -> Option<String> {
    let json = serde_json::to_string_pretty(outcome.structured.as_ref()?).ok()?;
    Some(format!("{}\n", neutral_json(&json)))
}

/// Why there is no JSON output although the run was accepted.
pub(crate) fn unstructured(outcome: &Outcome, frame: Frame) -> Option<String> {
    let why = outcome.structured_error.as_ref()?;
    let told = format!("{}There is no JSON of the schema: {}", frame.sign("✗ ", ""), neutral_line(why));
    Some(frame.paint.text(Style::Bad, &told))
}

/// Whether the output only lists the partial outputs, which are shown with labels anyway.
fn repeats(output: &Value, partial: &[PartialOutput]) -> bool {
    let is_listed = |item: &Value| {
        partial.iter().any(|part| {
            item == &part.output
                || (item.get("intent").and_then(Value::as_str) == Some(&part.intent)
                    && item.get("output") == Some(&part.output))
        })
    };
    is_listed(output) || output.as_array().is_some_and(|items| items.iter().all(is_listed))
}

fn accepted(outcome: &Outcome, frame: Frame) -> String {
    head(frame, Style::Good, frame.sign("✓ ", ""), "accept", &outcome.summary)
}

fn head(frame: Frame, style: Style, mark: &str, label: &str, summary: &str) -> String {
    let summary = neutral(summary);
    let label = frame.paint.text(style, &format!("{mark}{label}"));
    if summary.trim().is_empty() { label } else { format!("{label}\n{}", summary.trim()) }
}

/// The first line of the summary as the heading, then the rest.
fn fell_short(frame: Frame, style: Style, mark: &str, summary: &str) -> String {
    let summary = summary.trim();
    let (wrong, rest) = summary.split_once('\n').unwrap_or((summary, ""));
    head(frame, style, mark, &neutral_line(wrong), rest)
}

/// The outputs of the steps, each with its trust level; without what the summary already says.
fn partial(outcome: &Outcome) -> String {
    let label = |number: usize| match outcome.partial.as_slice() {
        [_] => "output".to_owned(),
        _ => format!("step {number}"),
    };
    let row = |(number, part): (usize, &PartialOutput)| {
        let text = labels::value_text(&part.output)?;
        if says(&outcome.summary, &text) {
            return None;
        }
        let text: Vec<String> = neutral(&text).lines().map(|line| format!("    {line}")).collect();
        Some(format!("{} ({}):\n{}", label(number), labels::trust(part.status), text.join("\n")))
    };
    (1..).zip(&outcome.partial).filter_map(row).collect::<Vec<_>>().join("\n")
}

/// Whether a line of the summary is exactly this text.
fn says(summary: &str, text: &str) -> bool {
    let open_ended = |text: &str| text.trim().trim_end_matches('.').to_owned();
    let said =
        |line: &str| open_ended(line.split_once(": ").map_or(line, |(_, said)| said)) == open_ended(text);
    summary.lines().any(said)
}

/// The desktop notification after a long run: only artoo's own words, none of the model's.
pub(crate) fn call(outcome: &Outcome) -> Option<String> {
    let told = || format!("artoo: {}, {}", ending(outcome), seconds(outcome.elapsed));
    (outcome.elapsed >= LONG).then(told)
}

/// How to undo the run's changes; `None` if there are none.
pub(crate) fn undo_line(outcome: &Outcome, state: Undoable, frame: Frame) -> Option<String> {
    if outcome.files.is_empty() {
        return None;
    }
    let id = short_id(&outcome.run_id);
    let how =
        if state == Undoable::Yes { format!("artoo undo {id}") } else { labels::undo(state)?.to_owned() };
    Some(frame.paint.text(Style::Faint, &format!("undo: {how}")))
}

/// The end of the run in words.
pub(crate) fn ending(outcome: &Outcome) -> &'static str {
    match (&outcome.error, outcome.directive) {
        (Some(fault), _) => labels::fault(fault.kind),
        (None, Some(_)) if !outcome.errand.is_task() => "a command",
        (None, None) => "ended by a fault",
        (None, Some(TerminalState::Accept)) if outcome.structured_error.is_some() => {
            "accept, without the JSON"
        }
        (None, Some(state)) => labels::terminal(state),
    }
}

/// Cost of the run and where it is recorded.
pub(crate) fn footer(outcome: &Outcome, folder: &Path, frame: Frame) -> Vec<String> {
    let mut parts = vec![
        ending(outcome).to_owned(),
        seconds(outcome.elapsed),
        counted(outcome.usage.calls, "model call", "model calls"),
        spent(&outcome.usage),
    ];
    if outcome.replans > 0 {
        parts.push(counted(u64::from(outcome.replans), "replan", "replans"));
    }
    let mut lines = vec![parts.join(frame.sign(" · ", ", "))];
    if frame.verbose {
        lines.extend(depth(outcome));
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
    lines.extend(changed(outcome, frame));
    lines.push(format!("recorded: {}", neutral_line(&folder.display().to_string())));
    lines.iter().map(|line| frame.paint.text(Style::Faint, line)).collect()
}

/// How many model calls had to follow one another; `None` for a run without any.
pub(crate) fn depth(outcome: &Outcome) -> Option<String> {
    let calls = counted(u64::from(outcome.depth), "model call", "model calls");
    (outcome.depth > 0).then(|| format!("  sequential depth: {calls}, one after the other"))
}

/// The changed files.
pub(crate) fn file_lines(outcome: &Outcome, frame: Frame) -> Vec<String> {
    changed(outcome, frame).iter().map(|line| frame.paint.text(Style::Faint, line)).collect()
}

fn changed(outcome: &Outcome, frame: Frame) -> Vec<String> {
    let listed = if frame.verbose { outcome.files.len() } else { FILES_LISTED };
    let line = |file: &FileChange| {
        format!("{}: {}", file.change.name(), neutral_line(&file.path.display().to_string()))
    };
    let mut lines: Vec<String> = outcome.files.iter().take(listed).map(line).collect();
    let more = outcome.files.len().saturating_sub(listed);
    if more > 0 {
        lines.push(format!("and {more} more; all of them: artoo undo {} --dry-run", outcome.run_id));
    }
    lines
}
