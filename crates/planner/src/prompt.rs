//! The variable part of the planner's prompt.

use std::{fmt::Write as _, path::Path};

use artoo_case_file::visibility::{Fact, Limit, Reader, Viewer, form};
use artoo_llm_client::{
    ModelProfile, Origin, advice, call_line, fenced, granted_in_advance, inline, user_statements,
};
use artoo_types::{
    CommandNetwork, Constraints, EffectKind, Finding, OutcomeStatus, RepositoryState, SubTaskOutcome, Turn,
    UnmetCriterion, UserStatement, Workplace, Writes,
};
use serde_json::Value;

use crate::directed::directed;
use crate::{FailureContext, FolderListing, Listed, PlanContext, Previous, Recalled, Violation, replan};

/// Text about an interrupted run.
const RESUMED: &str = "What it had done is kept with its output, and later steps are shown it.";

/// Text for a plan that continues finished work.
const MISSING: &str = "Plan only what is still missing. Do not repeat what is done.";

/// Introduces the words that the person has added: the request ends with them.
const ADDED: &str = "While the work went on, the user added these words, and the request now ends with them. Where they contradict what \
comes before them, they count.";

/// How much of an output, a reason and a criterion is shown.
const SHOWN: Limit = form(Viewer::Planner, Reader::Capable, Fact::EarlierPlans).limit();
/// How much of what a judge found is shown.
const FINDINGS: Limit = form(Viewer::Planner, Reader::Capable, Fact::Findings).limit();
/// How many bytes of the listing the short question shows at most: it asks what the request takes, not how.
const SHORT_LISTING: usize = 2_000;
/// How much is shown of an earlier turn of the session.
const TURNS: Limit = form(Viewer::Planner, Reader::Capable, Fact::EarlierTurns).limit();
/// How much is shown of the calls of all earlier plans.
const CALLS: Limit = form(Viewer::Planner, Reader::Capable, Fact::EarlierCalls).limit();

/// The prompt before a whole plan: first what stays the same from run to run, last what changes with each call.
pub(crate) fn planning(cx: &PlanContext, profile: &ModelProfile) -> String {
    let mut text = String::new();
    place(&mut text, cx);
    inventory(&mut text, cx);
    advised(&mut text, cx, profile);
    earlier(&mut text, &cx.spec.earlier);
    so_far(&mut text, cx, Reader::Capable);
    folder(&mut text, &cx.listing, profile.shown_bytes());
    request(&mut text, cx);
    text.push_str(&cx.surroundings.now_line());
    text
}

/// The same for a weak model. It says the request in English and of what kind it is: that takes nothing of the machine, and
/// it plans about what it is shown instead of what is asked.
pub(crate) fn guided(cx: &PlanContext, profile: &ModelProfile) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    advised(&mut text, cx, profile);
    so_far(&mut text, cx, Reader::Guided);
    request(&mut text, cx);
    text.truncate(text.trim_end().len());
    text
}

/// The prompt of the short question. The conversation is shown if the model may answer about it.
pub(crate) fn short(cx: &PlanContext, profile: &ModelProfile, may_answer: bool) -> String {
    let mut text = String::new();
    place(&mut text, cx);
    programs(&mut text, cx);
    advised(&mut text, cx, profile);
    if may_answer {
        conversation(&mut text, &cx.turns);
    }
    so_far(&mut text, cx, Reader::Capable);
    folder(&mut text, &cx.listing, profile.shown_bytes().min(SHORT_LISTING));
    request(&mut text, cx);
    text.push_str(&cx.surroundings.now_line());
    text
}

/// The prompt of an answer from the model's knowledge.
pub(crate) fn answering(cx: &PlanContext, profile: &ModelProfile) -> String {
    let mut text = String::new();
    advised(&mut text, cx, profile);
    conversation(&mut text, &cx.turns);
    so_far(&mut text, cx, Reader::Capable);
    request(&mut text, cx);
    text.push_str(&cx.surroundings.now_line());
    text
}

/// The user's standing instructions, and what memory knows.
fn advised(text: &mut String, cx: &PlanContext, profile: &ModelProfile) {
    text.push_str(&advice(&cx.instructions, profile));
    text.push_str(&Recalled::of(&cx.memory, cx.run_id).for_the_plan);
}

/// What the user said in this run, and what was done in it.
fn so_far(text: &mut String, cx: &PlanContext, reader: Reader) {
    let limit = form(Viewer::Planner, reader, Fact::UserStatements).limit();
    text.push_str(&user_statements(&besides_notes(&cx.statements), limit));
    if let Some(previous) = &cx.previous {
        rounds(text, &cx.before, previous);
    } else if !cx.resumed.is_empty() {
        line(text, format_args!("\nAn earlier run of this request was cut off. {RESUMED}"));
        for outcome in &cx.resumed {
            line(text, format_args!("Done, do not plan it again: {}", inline(&outcome.intent)));
            output(text, outcome);
        }
        line(text, format_args!("{MISSING}\n"));
    }
}

/// The request, with what the user added to it.
fn request(text: &mut String, cx: &PlanContext) {
    if !cx.notes.is_empty() {
        line(text, format_args!("{ADDED}\n{}", fenced(Origin::Person, &cx.notes.join("\n"))));
    }
    line(text, format_args!("Request: {}", cx.spec.intent));
}

/// What the user said apart from the notes, with which the request ends.
fn besides_notes(statements: &[UserStatement]) -> Vec<UserStatement> {
    let is_other = |statement: &&UserStatement| !matches!(statement, UserStatement::Note(_));
    statements.iter().filter(is_other).cloned().collect()
}

/// The earlier requests whose results the user rejected.
fn earlier(text: &mut String, turns: &[Turn]) {
    for turn in turns {
        if let Some(how) = turn.rejected {
            told(text, turn, &format!("The result, after which the user {}:", how.words()));
        }
    }
}

/// The conversation, oldest turn first.
fn conversation(text: &mut String, turns: &[Turn]) {
    for turn in TURNS.newest(turns).1 {
        told(text, turn, "The result:");
    }
}

/// A turn of the conversation, with what its result is called.
fn told(text: &mut String, turn: &Turn, label: &str) {
    line(text, format_args!("Earlier the user asked: {}", inline(&TURNS.cut(&turn.input))));
    line(text, format_args!("{label}\n{}", fenced(Origin::SubTask, &TURNS.cut(&turn.result))));
}

/// Where the workers are, and what they may do there.
fn place(text: &mut String, cx: &PlanContext) {
    let path = |path: &Path| inline(&path.display().to_string());
    line(text, format_args!("Platform: {}", cx.surroundings.platform));
    line(text, format_args!("Working folder: {}", path(&cx.surroundings.working_folder)));
    line(text, format_args!("$WORKSPACE: {}", path(&cx.surroundings.workspace)));
    line(text, format_args!("{}", rights(&cx.workplace)));
    let Constraints { scope, deadline } = &cx.spec.constraints;
    if let Some(scope) = scope {
        line(text, format_args!("Nothing outside of {} may be changed: the user said so.", inline(scope)));
    }
    if let Some(deadline) = deadline {
        line(text, format_args!("It must be done by {}.", deadline.format("%Y-%m-%d %H:%M")));
    }
    let user = if cx.person_present {
        "The user is there and answers questions. A worker can ask them, too."
    } else {
        "The user is not there: a question ends the work."
    };
    line(text, format_args!("{user}"));
}

/// What the workers may do.
fn rights(workplace: &Workplace) -> String {
    let writes = match workplace.writes {
        Writes::Nowhere => "Workers may write to $TMPDIR only.",
        Writes::GivenFolders => {
            "Workers may write below the working folder, $WORKSPACE and $TMPDIR. Changes to what was there before this run need the user's consent."
        }
        Writes::Everywhere => {
            "Workers may write wherever the user may. Changes to what was there before this run need the user's consent."
        }
    };
    let network = match workplace.network {
        CommandNetwork::Nothing | CommandNetwork::OwnLoopback => "cannot reach other machines",
        CommandNetwork::Machine => "may use the network",
    };
    // New files need no consent.
    let granted = granted_in_advance(&workplace.granted, &[EffectKind::Creates]);
    format!("{writes}{granted} Their commands {network}.")
}

/// The repository that the working folder lies in.
fn repository(state: &RepositoryState) -> String {
    let branch = match &state.branch {
        Some(branch) => format!("the branch {} is checked out", inline(branch)),
        None => "no branch is checked out".to_owned(),
    };
    let changes = match state.has_changes {
        Some(true) => ", and tracked files have changes",
        Some(false) => ", and no tracked file has changes",
        None => "",
    };
    format!("The working folder is in a git repository: {branch}{changes}.")
}

/// The tools and programs of the workers.
fn inventory(text: &mut String, cx: &PlanContext) {
    text.push_str("Tools:\n");
    for tool in &cx.inventory.tools {
        line(text, format_args!("- {}: {}", tool.name, tool.summary));
    }
    programs(text, cx);
}

/// The programs that a command can start, a check's command as well.
fn programs(text: &mut String, cx: &PlanContext) {
    if !cx.inventory.programs.is_empty() {
        line(text, format_args!("Programs: {}", cx.inventory.programs.join(", ")));
    }
}

/// The listing of the working folder, limited to about this many bytes.
fn folder(text: &mut String, listing: &FolderListing, bytes: usize) {
    if let Some(state) = &listing.repository {
        line(text, format_args!("{}", repository(state)));
    }
    let (mut names, mut left_out) = (String::new(), 0_usize);
    for Listed { path, bytes: size } in &listing.listed {
        let entry = match size {
            Some(size) => format!("{} ({size} bytes)\n", inline(path)),
            None => format!("{}/\n", inline(path)),
        };
        if left_out == 0 && names.len() + entry.len() <= bytes {
            names.push_str(&entry);
        } else {
            left_out += 1;
        }
    }
    let mark = match (left_out, listing.has_more) {
        (0, false) => String::new(),
        (0, true) => "[... more ...]".to_owned(),
        (count, false) => format!("[... {count} more ...]"),
        (count, true) => format!("[... at least {count} more ...]"),
    };
    if listing.listed.is_empty() {
        line(text, format_args!("The working folder is empty, but for what is hidden or ignored by git."));
    } else {
        line(
            text,
            format_args!("In the working folder:\n{}", fenced(Origin::File, &format!("{names}{mark}"))),
        );
    }
}

/// The prompt after a plan that broke rules.
pub(crate) fn refusal(violations: &[Violation]) -> String {
    let mut text = "This plan cannot be used:\n".to_owned();
    for violation in violations {
        line(&mut text, format_args!("- {}", inline(&violation.to_string())));
    }
    text.push_str("Write the whole plan again without these faults.");
    text
}

/// The prompt for a failure report.
pub(crate) fn failure(cx: &FailureContext) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("Request: {}", cx.spec.intent));
    line(&mut text, format_args!("Why it ends: {}", inline(&cx.request.reason)));
    for unmet in &cx.request.unmet {
        not_met(&mut text, "Not met", unmet);
    }
    for partial in &cx.request.partial {
        line(&mut text, format_args!("Step: {}", inline(&partial.intent)));
        line(&mut text, format_args!("{}", excerpt(&partial.output)));
    }
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    text
}

/// The earlier plans, oldest first, with their calls, and what has to change.
fn rounds(text: &mut String, before: &[Previous], previous: &Previous) {
    let directive = &previous.directive;
    // The newest calls are shown, of whichever plan.
    let all = before.iter().chain([previous]).flat_map(|plan| &plan.outcomes);
    let calls: usize = all.map(|outcome| outcome.tool_calls.len()).sum();
    let mut left_out = calls.saturating_sub(CALLS.items);
    let count = before.len() + 1;
    line(
        text,
        format_args!(
            "\n{}",
            if count == 1 { "An earlier plan fell short." } else { "Earlier plans fell short." }
        ),
    );
    for (number, plan) in (1..).zip(before) {
        line(text, format_args!("Plan {number}:"));
        for outcome in &plan.outcomes {
            // A later plan accounts for what it keeps.
            if !previous.subtask_ids.contains(&outcome.subtask_id) {
                step(text, outcome, plan, &mut left_out);
            }
        }
        whole(text, plan);
    }
    if count > 1 {
        line(text, format_args!("Plan {count}:"));
    }
    for outcome in &previous.outcomes {
        step(text, outcome, previous, &mut left_out);
    }
    whole(text, previous);
    text.push_str(&directed(directive));
    let what = if falls_short_as_a_whole(previous) {
        "Do not repeat what is done: a step in the same words is dropped. Plan new steps that meet what is not met."
    } else {
        MISSING
    };
    line(text, format_args!("{what}\n"));
}

fn falls_short_as_a_whole(plan: &Previous) -> bool {
    plan.directive.unmet.iter().any(|unmet| unmet.subtask_id.is_none())
}

/// Whether the results together fell short for this reason.
fn is_of_the_whole(plan: &Previous, reason: &str) -> bool {
    plan.directive.unmet.iter().any(|unmet| unmet.subtask_id.is_none() && unmet.reason == reason)
}

/// A step of an earlier plan: how it ended, and what it did.
fn step(text: &mut String, outcome: &SubTaskOutcome, plan: &Previous, left_out: &mut usize) {
    // The intent is only a label here: a replan may contain words of a tool, and those must not act as a
    // directive.
    let intent = inline(&outcome.intent);
    match outcome.status {
        OutcomeStatus::Matched if replan::stands(outcome, plan) => {
            let label = if falls_short_as_a_whole(plan) {
                "Done, and kept with its output"
            } else {
                "Done, do not plan it again"
            };
            line(text, format_args!("{label}: {intent}"));
            output(text, outcome);
        }
        OutcomeStatus::Matched => {
            line(text, format_args!("Fell short: {intent}"));
            output(text, outcome);
            // What the results lack together is told once, at the end.
            let of_it = |unmet: &&UnmetCriterion| {
                unmet.subtask_id == Some(outcome.subtask_id) && !is_of_the_whole(plan, &unmet.reason)
            };
            plan.directive.unmet.iter().filter(of_it).for_each(|unmet| not_met(text, "Not met", unmet));
        }
        OutcomeStatus::Failed => {
            line(text, format_args!("Failed: {intent}\n{}", reason(outcome)));
            failed(text, outcome);
        }
        OutcomeStatus::Skipped => line(text, format_args!("Not run: {intent}")),
        OutcomeStatus::Unjudged => line(text, format_args!("Not judged: {intent}")),
    }
    calls(text, outcome, left_out);
}

/// What the results of a plan lack together.
fn whole(text: &mut String, plan: &Previous) {
    for unmet in plan.directive.unmet.iter().filter(|unmet| unmet.subtask_id.is_none()) {
        not_met(text, "Not met by the results together", unmet);
    }
}

/// The unmet criteria, each with its reason unless that is the one given for the step.
fn failed(text: &mut String, outcome: &SubTaskOutcome) {
    for verdict in &outcome.criteria_verdicts {
        let criterion = inline(&cut(&verdict.criterion));
        if let Finding::Fail { reason, .. } = &verdict.finding {
            line(text, format_args!("Not met: {criterion}"));
            if outcome.failure_reason.as_ref() != Some(reason) {
                line(text, format_args!("{}", fenced(Origin::ToolOutput, &cut(reason))));
            }
        }
    }
}

/// The calls of a step: how each ended, and what it changed.
fn calls(text: &mut String, outcome: &SubTaskOutcome, left_out: &mut usize) {
    let hidden = (*left_out).min(outcome.tool_calls.len());
    *left_out -= hidden;
    let mut shown: Vec<String> = Vec::new();
    if hidden > 0 {
        shown.push(format!("[... {hidden} earlier calls ...]"));
    }
    shown.extend(outcome.tool_calls.iter().skip(hidden).map(|call| call_line(call, CALLS)));
    if !shown.is_empty() {
        line(text, format_args!("Its calls:\n{}", fenced(Origin::Arguments, &shown.join("\n"))));
    }
}

fn output(text: &mut String, outcome: &SubTaskOutcome) {
    if !is_blank(&outcome.output) {
        line(text, format_args!("{}", excerpt(&outcome.output)));
    }
}

fn not_met(text: &mut String, label: &str, unmet: &UnmetCriterion) {
    // The reason quotes a tool's message, which may be any text.
    let reason = fenced(Origin::ToolOutput, &FINDINGS.cut(&unmet.reason));
    line(text, format_args!("{label}: {}\n{reason}", inline(&unmet.criterion)));
}

/// The beginning of an output, for the next step to build on.
fn excerpt(output: &Value) -> String {
    let output = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    fenced(Origin::SubTask, &cut(&output))
}

fn is_blank(output: &Value) -> bool {
    output.is_null() || output.as_str().is_some_and(|text| text.trim().is_empty())
}

fn reason(outcome: &SubTaskOutcome) -> String {
    fenced(Origin::ToolOutput, &cut(outcome.failure_reason.as_deref().unwrap_or("no reason was given")))
}

fn cut(text: &str) -> String {
    SHOWN.cut(text).into_owned()
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
