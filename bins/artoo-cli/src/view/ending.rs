//! Rendering of a run's end: the result for standard output, the footer for standard error.

use std::path::Path;

use artoo_front_end::Worth;
use artoo_snapshot::Undoable;
use artoo_types::{Confidence, PartialOutput};
use serde_json::Value;

use super::layout::Frame;
use super::markdown::markdown;
use super::odds::odds;
use super::outcome::{Outcome, ending, plain_ending};
use super::story::{Met, Story};
use super::units::{counted, money, seconds, spent};
use super::{changed_files, labels, short_id};
use crate::terminal::{Style, neutral, neutral_json, neutral_line, pad};

/// Maximum number of files that are named in a sentence.
const NAMED: usize = 8;

/// The result: the answer, then what was checked of it. In a pipe (`bare`), an accepted answer is printed alone, so that other
/// programs can use it. The label of anything less stands before it, always.
pub(crate) fn result(outcome: &Outcome, story: &Story, frame: Frame, bare: bool) -> String {
    let is_rendered = frame.markdown && outcome.output.is_string();
    let shown = |text: &str| if is_rendered { markdown(text, frame) } else { neutral(text).into_owned() };
    let output = labels::value_text(&outcome.output).map(|text| shown(&text));
    let mut parts: Vec<String> = Vec::new();
    match outcome.worth() {
        Worth::Command => {
            parts.push(neutral(&outcome.summary).into_owned());
            parts.extend(output);
        }
        Worth::Accepted => {
            let is_alone = bare && output.is_some();
            parts.extend(output);
            if !is_alone {
                parts.push(accepted(outcome, story, frame));
            }
        }
        Worth::Unconfirmed(confidence) => {
            parts.push(unconfirmed(confidence, frame));
            parts.extend(output);
            parts.push(doubt(confidence));
        }
        Worth::Knowledge => {
            let label = format!("{}{}", frame.sign("~ ", ""), neutral_line(&outcome.summary));
            parts.push(frame.paint.text(Style::Notice, &label));
            parts.extend(output);
        }
        Worth::Incomplete => {
            parts.push(fell_short(frame, Style::Notice, frame.sign("~ ", ""), &outcome.summary));
            parts.extend(output.filter(|_| !repeats(&outcome.output, &outcome.partial)));
            parts.push(partial(outcome, story));
        }
        Worth::Unfinished => {
            parts.push(fell_short(frame, Style::Bad, frame.sign("✗ ", ""), &outcome.summary));
            parts.push(partial(outcome, story));
        }
        // The error is printed on standard error; here are only the partial outputs.
        Worth::Fault => parts.push(partial(outcome, story)),
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return String::new();
    }
    format!("{}\n", parts.join("\n\n"))
}

/// The tick of an accepted run, for standard error while standard output gets
/// the bare result; `None` for any other end.
pub(crate) fn tick(outcome: &Outcome, story: &Story, frame: Frame) -> Option<String> {
    match outcome.worth() {
        Worth::Accepted => Some(accepted(outcome, story, frame)),
        Worth::Command
        | Worth::Unconfirmed(_)
        | Worth::Knowledge
        | Worth::Incomplete
        | Worth::Unfinished
        | Worth::Fault => None,
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

/// That it is done, and what was checked of it. If no verdict was seen, the summary says what there is to say.
fn accepted(outcome: &Outcome, story: &Story, frame: Frame) -> String {
    let Met { code, model } = story.met();
    let criteria = counted(code + model, "criterion", "criteria");
    let is_or_are = if code + model == 1 { "is" } else { "are" };
    let by = match (code, model) {
        (0, 0) => return head(frame, Style::Good, frame.sign("✓ ", ""), "Done", &outcome.summary),
        (_, 0) => "checked by code".to_owned(),
        (0, _) => "judged by a model".to_owned(),
        (code, model) => format!("{code} checked by code, {model} judged by a model"),
    };
    let label = format!("{}Done: {criteria} {is_or_are} met ({by})", frame.sign("✓ ", ""));
    frame.paint.text(Style::Good, &label)
}

/// The warning before an answer that may be wrong, with how often such answers are right.
fn unconfirmed(confidence: &Confidence, frame: Frame) -> String {
    let odds = odds(confidence).map(|odds| format!(" ({odds})")).unwrap_or_default();
    frame.paint.text(Style::Notice, &format!("{}NOT CONFIRMED{odds}", frame.sign("~ ", "")))
}

/// Why an answer may be wrong, and what to do about it.
fn doubt(confidence: &Confidence) -> String {
    let why = neutral_line(&confidence.why);
    format!("Why: {why}\nNext: check it yourself, or ask a more capable model.")
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

/// The outputs of the steps, each with its trust level; without what the summary already says. Steps with the same output share it.
fn partial(outcome: &Outcome, story: &Story) -> String {
    let label = |part: &PartialOutput| match (
        outcome.partial.as_slice(),
        story.steps().number(Some(part.subtask_id)),
    ) {
        ([_], _) => "output".to_owned(),
        (_, Some(number)) => format!("step {number}"),
        // A step of an earlier plan has no number any more.
        (_, None) => format!("step \"{}\"", neutral_line(&part.intent)),
    };
    let mut shown: Vec<(Vec<String>, &'static str, String)> = Vec::new();
    for part in &outcome.partial {
        let Some(text) = labels::value_text(&part.output).filter(|text| !says(&outcome.summary, text)) else {
            continue;
        };
        let trust = labels::trust(part.status);
        match shown.iter_mut().find(|(_, known, same)| *known == trust && *same == text) {
            Some((names, ..)) => names.push(label(part)),
            None => shown.push((vec![label(part)], trust, text)),
        }
    }
    let row = |(names, trust, text): &(Vec<String>, &str, String)| {
        let text: Vec<String> = neutral(text).lines().map(|line| format!("    {line}")).collect();
        let numbers: Option<Vec<&str>> = names.iter().map(|name| name.strip_prefix("step ")).collect();
        let names = match numbers {
            Some(several) if several.len() > 1 => format!("steps {}", several.join(", ")),
            Some(_) | None => names.join(", "),
        };
        format!("{names} ({trust}):\n{}", text.join("\n"))
    };
    shown.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// Whether a line of the summary is exactly this text.
fn says(summary: &str, text: &str) -> bool {
    let open_ended = |text: &str| text.trim().trim_end_matches('.').to_owned();
    let said =
        |line: &str| open_ended(line.split_once(": ").map_or(line, |(_, said)| said)) == open_ended(text);
    summary.lines().any(said)
}

/// How to undo the run's changes; `None` if there are none.
pub(crate) fn undo_line(outcome: &Outcome, state: Undoable, frame: Frame) -> Option<String> {
    if (outcome.files.is_empty() && outcome.build_output.is_empty()) || outcome.fell_short() {
        return None;
    }
    let id = short_id(&outcome.run_id);
    let how =
        if state == Undoable::Yes { format!("artoo undo {id}") } else { labels::undo(state)?.to_owned() };
    Some(frame.paint.text(Style::Faint, &format!("undo: {how}")))
}

/// Cost of the run and where it is recorded.
pub(crate) fn footer(outcome: &Outcome, story: &Story, folder: &Path, frame: Frame) -> Vec<String> {
    // How it ended stands in the result; a fault does not.
    let ending = match (frame.verbose, outcome.worth()) {
        (true, _) | (false, Worth::Command | Worth::Fault) => Some(ending(outcome)),
        (false, Worth::Accepted) => outcome.structured_error.as_ref().map(|_| plain_ending(outcome)),
        (false, Worth::Unconfirmed(_) | Worth::Knowledge | Worth::Incomplete | Worth::Unfinished) => None,
    };
    let mut parts: Vec<String> = ending.map(str::to_owned).into_iter().collect();
    parts.extend([
        seconds(outcome.elapsed),
        counted(outcome.usage.calls, "model call", "model calls"),
        spent(&outcome.usage),
    ]);
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
    if !outcome.fell_short() {
        lines.extend(changed(outcome, story, frame));
    }
    lines.push(format!("recorded: {}", neutral_line(&folder.display().to_string())));
    lines.iter().map(|line| frame.paint.text(Style::Faint, line)).collect()
}

/// How many model calls had to follow one another; `None` for a run without any.
pub(crate) fn depth(outcome: &Outcome) -> Option<String> {
    let calls = counted(u64::from(outcome.depth), "model call", "model calls");
    (outcome.depth > 0).then(|| format!("  sequential depth: {calls}, one after the other"))
}

/// The changed files.
pub(crate) fn file_lines(outcome: &Outcome, story: &Story, frame: Frame) -> Vec<String> {
    changed(outcome, story, frame).iter().map(|line| frame.paint.text(Style::Faint, line)).collect()
}

fn changed(outcome: &Outcome, story: &Story, frame: Frame) -> Vec<String> {
    let rows = changed_files::rows(&outcome.files, &story.renames(), story.folder(), frame.verbose);
    let is_all = rows.len() >= outcome.files.len().saturating_sub(story.renames().len());
    let built = changed_files::built(&outcome.build_output, story.folder());
    let mut lines: Vec<String> = rows.iter().chain(&built).map(|row| neutral_line(row)).collect();
    if !is_all {
        lines.push(format!("all of them: artoo undo {} --dry-run", short_id(&outcome.run_id)));
    }
    lines
}

/// What a run that fell short has changed, and how to take it back; `None` if it changed nothing that is known.
pub(crate) fn left_behind(outcome: &Outcome, story: &Story, undo: Undoable, frame: Frame) -> Option<String> {
    if !outcome.fell_short() || outcome.files.is_empty() {
        return None;
    }
    let names = changed_files::names(&outcome.files, &story.renames(), story.folder());
    let mut named: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    named.extend(more.as_deref());
    let verb = if names.len() == 1 { "was" } else { "were" };
    let files = counted(names.len() as u64, "file", "files");
    let (id, it) = (short_id(&outcome.run_id), if names.len() == 1 { "it" } else { "them" });
    let back = if undo == Undoable::Yes {
        format!("; artoo undo {id} takes {it} back")
    } else {
        labels::undo(undo).map(|undo| format!("; {undo}")).unwrap_or_default()
    };
    let text = format!("{files} {verb} changed: {}{back}.", named.join(", "));
    Some(frame.paint.text(Style::Strong, &neutral_line(&text)))
}
