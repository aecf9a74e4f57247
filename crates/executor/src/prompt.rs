//! Prompt text of the executor: one line per tool, the step, and the results of calls.

use std::fmt::Write as _;

use artoo_case_file::Unmet;
use artoo_case_file::visibility::{Fact, Form, Limit, Reader, Viewer, form};
use artoo_llm_client::{
    ModelProfile, Origin, advice, call_line, earlier_results, fenced, fenced_output, inline, laws, lessons,
    user_statements,
};
use artoo_types::{
    CallEnding, Check, CorrectionSignal, Criterion, FailureClass, HeldEnd, SubTaskOutcome, ToolCall,
};

use crate::endings::{ASK_USER, ASKING, GIVE_UP, GIVING_UP};
use crate::{AttemptContext, ToolSpec, User};

/// Follows a result when turns are plain text.
pub(crate) const GO_ON: &str = "Call a tool, or answer if this shows what the step asks for.";

/// Room for the findings of earlier steps, as a multiple of the room for one tool output.
pub(crate) const OUTPUTS: usize = 3;

/// One line per tool. The arguments are in the schema of a turn.
pub(crate) fn tools(tools: &[ToolSpec]) -> String {
    let mut text = String::new();
    for tool in tools {
        line(&mut text, format_args!("- {}: {}", tool.name, tool.description));
    }
    text
}

/// The turns in JSON that ask the user and give up, where a question reaches this user.
pub(crate) fn ends_in_json(user: User) -> String {
    let mut text = String::new();
    let question = match user {
        User::Present => {
            line(&mut text, format_args!("- {{\"{ASK_USER}\": \"QUESTION\"}}: {ASKING}"));
            ""
        }
        User::Absent => ", \"question\": \"for needs_person: what the user has to answer\"",
    };
    let kinds = user.kinds_in_words();
    line(
        &mut text,
        format_args!(
            "- {{\"{GIVE_UP}\": \"REASON\", \"kind\": KIND{question}}}: {GIVING_UP} Kinds are {kinds}."
        ),
    );
    text
}

/// The variable part, ordered from the most constant to the most variable.
pub(crate) fn step(cx: &AttemptContext, profile: &ModelProfile) -> String {
    let platform = format!(" ({})", inline(&cx.surroundings.platform));
    let mut text = place(cx, &platform);
    if shown(Fact::Environment, profile).is_shown() {
        text.push_str(&cx.environment.block(&cx.programs));
    }
    text.push_str(&advice(&cx.instructions, profile));
    task(&mut text, cx, profile);
    text.push_str(&in_this_run(&cx.tools));
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    earlier(&mut text, cx);
    if let Some(said) = cx.said_before.as_deref().filter(|said| !said.trim().is_empty()) {
        line(&mut text, format_args!("Your answer was:\n{}", fenced(Origin::SubTask, said)));
    }
    if let Some(signal) = &cx.correction {
        text.push_str(&correction(signal, cx.environment.user()));
    }
    text
}

/// What tools have to say of this run, which their descriptions do not.
fn in_this_run(tools: &[ToolSpec]) -> String {
    let mut text = String::new();
    for tool in tools {
        let told = tool.in_this_run.iter().flat_map(|told| told.lines().enumerate());
        for (number, told) in told {
            let mark = if number == 0 { format!("{}: ", tool.name) } else { "- ".to_owned() };
            line(&mut text, format_args!("{mark}{}", inline(told)));
        }
    }
    text
}

/// How a kind of fact is shown to this model.
fn shown(fact: Fact, profile: &ModelProfile) -> Form {
    form(Viewer::Executor, Reader::of(profile.guided), fact)
}

/// Time and place.
pub(crate) fn opening(cx: &AttemptContext, platform: &str) -> String {
    format!("{}\n{}", cx.surroundings.now_line(), place(cx, platform))
}

fn place(cx: &AttemptContext, platform: &str) -> String {
    let mut text = String::new();
    let folder = inline(&cx.surroundings.working_folder.display().to_string());
    line(&mut text, format_args!("Working folder: {folder}{platform}"));
    // A small model that sees the path appends it to the variable.
    text.push_str("Folder for results that belong nowhere else: $WORKSPACE\n");
    text
}

/// The step, with the laws, its context and what memory knows, and its criteria.
pub(crate) fn task(text: &mut String, cx: &AttemptContext, profile: &ModelProfile) {
    text.push_str(&laws(&cx.subtask.briefing.laws));
    if !cx.subtask.context.trim().is_empty() {
        line(text, format_args!("{}", cx.subtask.context.trim()));
    }
    text.push_str(&lessons(&cx.subtask.briefing.lessons));
    text.push_str(&earlier_results(&cx.subtask.earlier, OUTPUTS * profile.shown_bytes()));
    text.push_str(&done_before(&cx.background.before, shown(Fact::EarlierCalls, profile).limit()));
    if !profile.guided {
        text.push_str(&fell_short(&cx.background.fell_short, shown(Fact::Findings, profile).limit()));
    }
    text.push_str(&user_statements(&cx.background.statements, shown(Fact::UserStatements, profile).limit()));
    line(text, format_args!("Step: {}", cx.subtask.intent));
    let judged_by = cx.subtask.success_criteria.iter().chain(&cx.task_criteria);
    let told: Vec<_> = judged_by
        .filter(|one| profile.guided || !is_any_output(one))
        .map(|one| criterion(one, profile))
        .collect();
    if profile.guided {
        line(text, format_args!("It is done when: {}", told.join("; ")));
    } else {
        text.push_str(&listed("It is done when:", &told));
    }
}

/// Lines below a heading; nothing without any.
fn listed(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("{heading}\n{lines}")
}

/// What the judges found unmet after the plan before this one.
fn fell_short(unmet: &[Unmet], limit: Limit) -> String {
    let (_, newest) = limit.newest(unmet);
    if newest.is_empty() {
        return String::new();
    }
    let line = |unmet: &Unmet| {
        let (criterion, reason) = (limit.cut(&unmet.criterion), limit.cut(&unmet.reason));
        format!("{}: {}", inline(&criterion), inline(&reason))
    };
    let lines: Vec<String> = newest.iter().map(line).collect();
    format!("The plan before this one fell short:\n{}\n", fenced(Origin::ToolOutput, &lines.join("\n")))
}

/// The calls of earlier plans of the run, and what they changed: what is done need not be done again.
fn done_before(before: &[SubTaskOutcome], limit: Limit) -> String {
    let calls: Vec<&ToolCall> = before.iter().flat_map(|outcome| &outcome.tool_calls).collect();
    let (left_out, newest) = limit.newest(&calls);
    if newest.is_empty() {
        return String::new();
    }
    let mut lines = Vec::new();
    if left_out > 0 {
        lines.push(format!("[... {left_out} earlier calls ...]"));
    }
    lines.extend(newest.iter().map(|call| call_line(call, limit)));
    format!(
        "Calls made before in this run. What they changed is still there; look again where you need what they put out:\n{}\n",
        fenced(Origin::Arguments, &lines.join("\n"))
    )
}

/// Whether every answer meets it: a capable model need not be told.
fn is_any_output(criterion: &Criterion) -> bool {
    criterion.check.as_ref().is_some_and(Check::is_any_output)
}

/// A criterion in words, with the form that its check demands of the answer. A weak model copies the form
/// instead of answering.
fn criterion(criterion: &Criterion, profile: &ModelProfile) -> String {
    // Every answer passes the check for any output, so it demands no form.
    let form = match criterion.check.as_ref().filter(|check| !check.is_any_output()) {
        Some(Check::OutputNumber { .. }) => "the answer is one number and nothing else".to_owned(),
        Some(Check::OutputEquals { value, .. }) => format!("the answer is {value:?}"),
        Some(Check::OutputContains { value, .. }) => format!("the answer has {value:?}"),
        Some(Check::OutputMatches { pattern }) => {
            format!("the answer matches the regular expression {pattern}")
        }
        Some(
            Check::ExitStatus { .. }
            | Check::OutputLines { .. }
            | Check::OutputLists { .. }
            | Check::JsonPointer { .. }
            | Check::FileExists { .. }
            | Check::FileAbsent { .. }
            | Check::FileContains { .. }
            | Check::FileHash { .. }
            | Check::FileNewer { .. }
            | Check::FileUnchanged { .. }
            | Check::FileJson { .. }
            | Check::Table { .. }
            | Check::SameLines { .. }
            | Check::CommandSucceeds { .. },
        )
        | None => return criterion.text.clone(),
    };
    if profile.guided { criterion.text.clone() } else { format!("{} ({form})", criterion.text) }
}

/// The calls of earlier attempts, with their results.
pub(crate) fn earlier(text: &mut String, cx: &AttemptContext) {
    for call in &cx.earlier {
        let made = inline(&format!("{} {}", call.tool, call.target()));
        line(text, format_args!("Earlier call: {made}\n{}", result(call)));
    }
}

/// What was wrong with the previous attempt, and what must become true. Whether its answer was meant as a question, the model
/// says with its next call.
pub(crate) fn correction(signal: &CorrectionSignal, user: User) -> String {
    let mut text = String::new();
    let wrong = fenced(Origin::ToolOutput, &signal.what_was_wrong);
    line(&mut text, format_args!("Your result was not accepted:\n{wrong}"));
    let way = match signal.failure_class {
        FailureClass::Logical | FailureClass::Denied | FailureClass::Unknown => {
            "Correct it. If this approach cannot lead there, take another one."
        }
        FailureClass::Environmental => "The computer was in the way. Use another path or other parameters.",
        FailureClass::Forbidden => "What was tried is never allowed, whoever agrees. Find a way without it.",
    };
    line(&mut text, format_args!("{way}"));
    if signal.unmet.is_empty() {
        // From a validator that names none.
        line(&mut text, format_args!("{}", signal.what_to_do));
    }
    let unmet: Vec<String> = signal.unmet.iter().map(|unmet| inline(unmet)).collect();
    text.push_str(&listed("This has to become true:", &unmet));
    match user {
        User::Present => text.push_str("If you need the user's answer first, call ask_user.\n"),
        User::Absent => {}
    }
    text
}

/// [`correction`] for a weak model.
pub(crate) fn guided_correction(text: &mut String, cx: &AttemptContext) {
    if let Some(correction) = &cx.correction {
        let wrong = fenced(Origin::ToolOutput, &correction.what_was_wrong);
        line(text, format_args!("The attempt before fell short:\n{wrong}"));
        line(text, format_args!("Now: {}", correction.what_to_do));
    }
}

/// A call's result as the model sees it: how it ended, why it failed, and its output.
pub(crate) fn result(call: &ToolCall) -> String {
    let mut text = how_it_ended(call);
    if call.held.as_ref().is_some_and(|held| held.came == HeldEnd::Tried) {
        text.push_str(" It was only tried, where nothing of it lasts.");
    }
    if let Some(failure) = &call.failure {
        // The reason quotes the tool's error message, which may be any text.
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
        let _ = write!(text, "\nIts stderr:\n{}", fenced(Origin::ToolOutput, &call.stderr.shown));
    }
    text
}

/// One sentence on how a call ended.
pub(crate) fn how_it_ended(call: &ToolCall) -> String {
    match &call.ending {
        CallEnding::Exited { status } => format!("It ended with exit status {status}."),
        CallEnding::Signalled { signal } => format!("It was ended by signal {signal}."),
        CallEnding::Returned => "It ended.".to_owned(),
        CallEnding::TimedOut => "It took too long and was stopped.".to_owned(),
        CallEnding::Cancelled => "It was cancelled.".to_owned(),
        CallEnding::Refused => "It was refused.".to_owned(),
    }
}

/// Writing to a string cannot fail.
pub(crate) fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::context;

    #[test]
    fn the_platform_stands_beside_the_folder() {
        let cx = context("Count the files");
        assert!(step(&cx, &ModelProfile::default()).starts_with("Working folder: /home/ada/work (linux)\n"));
    }

    #[test]
    fn a_correction_shows_what_was_said() {
        let mut cx = context("Count the files");
        cx.said_before = Some("There are 4.".to_owned());
        assert!(
            step(&cx, &ModelProfile::default())
                .contains("Your answer was:\n<<<data: subtask result\nThere are 4.\ndata>>>\n")
        );
    }
}
