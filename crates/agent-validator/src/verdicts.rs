//! Verdicts on one result: rules first, then checks, then the judge.

use std::sync::Arc;

use artoo_checks::{Record, Subject, computes_with, evaluate, is_unrelated, means_none, unsupported_claim};
use artoo_judging::{JudgeError, Waiting, decided};
use artoo_llm_client::LlmClient;
use artoo_types::{
    Check, Criterion, CriterionVerdict, ExecutionStatus, FailureClass, Finding, Judge as DecidedBy, ToolCall,
    ToolKind,
};

use crate::{CommandRun, Judge, JudgeContext, RunCommand, StepMentions, commands};

/// Decides every criterion of `cx.subtask`, in order. `reached` is called for each verdict once all are
/// decided.
///
/// A result that is not `completed` can never match: every criterion fails by rule, with the failure's class.
/// Neither can a result that no call and no earlier step supports, even if its output has the right form; nor
/// a change after which nothing is different; nor an answer that stays the same if the paths that the step
/// names cannot be read. A blank answer is not sent to a judge.
///
/// A number or a file name in an answer that occurs nowhere in the evidence fails by rule if the model is
/// guided. For other models it may be derived, and the judge of the whole is told.
///
/// A command that a criterion names is run for at most the deadline. If that does not decide the criterion, the
/// judge does, and is told why.
///
/// A judge that gives no verdict is asked once more: see [`decided`]. One that points at a call of another
/// subtask, twice, yields failures of class `unknown`. `kept` are the verdicts of the previous attempt if nothing
/// has changed since: a judge's verdict is not asked for again, and a command is not run again.
///
/// # Errors
/// The judge gave no verdict. Nothing is known of the result then, and `reached` was not called.
pub async fn verdicts(
    cx: &JudgeContext<'_>,
    judge: &dyn Judge,
    runner: &dyn RunCommand,
    model: &Arc<dyn LlmClient>,
    waiting: Waiting<'_>,
    kept: &[CriterionVerdict],
    reached: impl FnMut(&CriterionVerdict) + Send,
) -> Result<Vec<CriterionVerdict>, JudgeError> {
    let criteria = &cx.subtask.success_criteria;
    let guided = model.profile().guided;
    let flaw = flaw(cx);
    let mut decisions = Vec::new();
    let kept = kept.iter().map(Some).chain(std::iter::repeat(None));
    for (criterion, before) in criteria.iter().zip(kept) {
        // A rule's verdict was about the attempt, not about its results.
        let stands = |before: &&CriterionVerdict| {
            before.criterion == criterion.text && before.judge != DecidedBy::Rule
        };
        let before = before.filter(stands);
        let kept = before.map(|before| Decision::By(before.judge, before.finding.clone()));
        decisions.push(match (&flaw, commands::named(criterion)) {
            (Some(finding), _) => Decision::By(DecidedBy::Rule, finding.clone()),
            (None, Some(command)) => match kept {
                Some(decision) => decision,
                None => by_running(command, runner.run(command, waiting.deadline).await),
            },
            (None, None) => {
                let decision = by_code(criterion, cx, guided);
                let kept = kept.filter(|_| before.is_some_and(|before| before.judge == DecidedBy::Model));
                if let Decision::Ask(_) = decision { kept.unwrap_or(decision) } else { decision }
            }
        });
    }
    let asked: Vec<Criterion> = decisions.iter().zip(criteria).filter_map(to_ask).collect();
    let mut judged = Vec::new();
    if !asked.is_empty() {
        let judging = || async { judge.judge(&asked, cx, model).await };
        judged = decided(judging, asked.len(), waiting, record(cx)).await?;
    }
    let mut judged = judged.into_iter();
    let found = decisions.into_iter().filter_map(|decision| match decision {
        Decision::By(judge, finding) => Some((judge, finding)),
        Decision::Ask(_) => judged.next(),
    });
    let verdict = |(criterion, (judge, finding)): (&Criterion, (DecidedBy, Finding))| {
        CriterionVerdict::of(criterion, judge, finding)
    };
    let verdicts: Vec<CriterionVerdict> = criteria.iter().zip(found).map(verdict).collect();
    verdicts.iter().for_each(reached);
    Ok(verdicts)
}

/// How a criterion is decided.
#[derive(Debug)]
enum Decision {
    By(DecidedBy, Finding),
    /// By a judge, who is told this note.
    Ask(Option<String>),
}

/// The criterion as the judge is asked about it.
fn to_ask((decision, criterion): (&Decision, &Criterion)) -> Option<Criterion> {
    match decision {
        Decision::By(..) => None,
        Decision::Ask(None) => Some(criterion.clone()),
        Decision::Ask(Some(note)) => {
            Some(Criterion { text: format!("{} ({note})", criterion.text), ..criterion.clone() })
        }
    }
}

fn by_running(command: &str, run: CommandRun) -> Decision {
    match run {
        CommandRun::Ended { status, output } => {
            Decision::By(DecidedBy::Check, commands::finding(command, status, &output))
        }
        CommandRun::Undecided { reason } => {
            let note = format!(
                "code has not decided this by running `{command}`: {reason}. Look whether a call shows it"
            );
            Decision::Ask(Some(note))
        }
    }
}

fn by_code(criterion: &Criterion, cx: &JudgeContext<'_>, guided: bool) -> Decision {
    if let Some(reason) = absent(criterion, cx) {
        return Decision::By(DecidedBy::Rule, logical(reason));
    }
    if guided && let Some(reason) = unshown(criterion, cx) {
        return Decision::By(DecidedBy::Rule, logical(reason));
    }
    let Some(check) = &criterion.check else { return Decision::Ask(None) };
    let subject = Subject { output: &cx.result.output, tool_calls: &cx.result.tool_calls };
    Decision::By(DecidedBy::Check, evaluate(check, &subject, cx.world))
}

/// The evidence that a verdict may rest on. Calls whose output does not depend on the subject are excluded.
pub(crate) fn record<'a>(cx: &JudgeContext<'a>) -> Record<'a> {
    Record { tool_calls: cx.evidence, earlier: &cx.subtask.earlier }
}

/// The flaw of the result as a whole, which fails every criterion.
fn flaw(cx: &JudgeContext<'_>) -> Option<Finding> {
    if cx.result.status != ExecutionStatus::Completed || cx.result.failure.is_some() {
        return Some(unfinished(cx));
    }
    let showed = |calls: &[ToolCall]| calls.iter().any(ToolCall::showed);
    if !showed(&cx.result.tool_calls) && !only_sums_up(cx) {
        return Some(without_a_call(cx));
    }
    if changed_nothing(cx) {
        let reason = "nothing was created, changed or deleted, so it is not done";
        return Some(logical(reason.to_owned()));
    }
    // The last call may have been computed from the outputs of earlier ones.
    let rests_on = if cx.result.verbatim { cx.result.tool_calls.last() } else { None };
    let outputs: Vec<&str> = cx.evidence.iter().map(|call| call.output.shown.as_str()).collect();
    let is_independent = |call: &ToolCall| {
        let is_evidence = cx.evidence.iter().any(|other| other.call_id == call.call_id);
        // A value computed from the outputs of other calls depends on those.
        !is_evidence && !computes_with(&call.target(), &outputs)
    };
    let says_nothing = rests_on.map_or_else(|| !showed(cx.evidence), is_independent);
    // An answer may be computed from the results of earlier steps; and "nothing found" is also the output if
    // nothing can be read.
    if says_nothing && cx.subtask.earlier.is_empty() && !means_none(&cx.result.output) {
        let subject: Vec<String> = cx.subject.iter().map(|path| path.display().to_string()).collect();
        return Some(logical(format!(
            "the calls put out the same where {} cannot be read or is empty, so they say nothing about it: look there",
            subject.join(", ")
        )));
    }
    if follows_from_nothing(cx) {
        let reason = "the answer has no word or figure that a call put out: say by which it is so, in the \
                      same words, or give up if nothing shows it";
        return Some(logical(reason.to_owned()));
    }
    None
}

/// Whether an answer about something that is there has no word of any output. What is put out verbatim is an output, and
/// what earlier steps found is not among the calls. A question about nothing that is there ("Name a colour") may have an
/// answer that follows from no output; and that a file is nowhere is shown by an output that does not list it.
fn follows_from_nothing(cx: &JudgeContext<'_>) -> bool {
    let (subtask, result) = (cx.subtask, cx.result);
    if cx.subject.is_empty() || !subtask.earlier.is_empty() || result.verbatim || subtask.is_about_a_deed() {
        return false;
    }
    let asked = format!("{} {}", subtask.briefing.request, subtask.intent);
    let StepMentions { step, request } = cx.mentions;
    let has_none_to_make = [step, request].iter().all(|named| named.unmade_file(&[]).is_none());
    has_none_to_make && is_unrelated(&result.output, &result.tool_calls, &asked)
}

/// Whether a change was claimed but nothing changed, as far as changes are tracked. What an earlier plan of
/// this run changed may be what is claimed.
fn changed_nothing(cx: &JudgeContext<'_>) -> bool {
    let before = cx.background.before.iter().flat_map(|outcome| &outcome.tool_calls);
    let mut calls = before.chain(&cx.result.tool_calls);
    !cx.subtask.kind.is_find_out()
        && calls.all(|call| call.tool.kind().is_some_and(ToolKind::is_tracked) && !call.changed_files())
}

/// Whether the step only summarised the results of others, and was allowed to. A change needs a call.
fn only_sums_up(cx: &JudgeContext<'_>) -> bool {
    !cx.subtask.earlier.is_empty() && cx.result.tool_calls.is_empty() && !cx.subtask.is_about_a_deed()
}

/// Why there is no answer to look at: the output is blank, or a number about a file that does not exist.
fn absent(criterion: &Criterion, cx: &JudgeContext<'_>) -> Option<String> {
    // "Is it there?" may be answered with no, but "how many lines has it?" not with 0.
    let asks_for_a_figure = matches!(criterion.check, Some(Check::OutputNumber { .. }));
    let is_zero = cx.result.output.trim() == "0";
    if (asks_for_a_figure || is_zero)
        && let Some(reason) = cx.mentions.step.missing_subject(&cx.result.output, &cx.result.tool_calls)
    {
        return Some(reason);
    }
    let is_blank = criterion.check.is_none() && cx.result.output.trim().is_empty();
    is_blank.then(|| "the answer is empty".to_owned())
}

/// The part of a guided model's output that the evidence does not show: such a model computes nothing by
/// itself. A check of the form alone would pass it.
fn unshown(criterion: &Criterion, cx: &JudgeContext<'_>) -> Option<String> {
    let named = match &criterion.check {
        None if cx.subtask.is_about_a_deed() => return None,
        Some(Check::OutputNumber { .. }) => String::new(),
        None
        | Some(
            Check::OutputEquals { .. }
            | Check::OutputContains { .. }
            | Check::OutputMatches { .. }
            | Check::OutputLines { .. }
            | Check::OutputLists { .. }
            | Check::JsonPointer { .. },
        ) => {
            format!("{} {} {}", cx.subtask.intent, cx.subtask.context, criterion.text)
        }
        Some(
            Check::ExitStatus { .. }
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
        ) => return None,
    };
    // The result of another step may have the form of an answer to this one, too: only a reader can say
    // whether it is one, and derived from what.
    let counts = criterion.check.is_none() || only_sums_up(cx);
    let earlier = if counts { &*cx.subtask.earlier } else { &[] };
    // That there is nothing is put out where nothing can be read, too, so such a call depends on nothing; the judge
    // of the whole decides.
    let says_nothing = means_none(&cx.result.output) || cx.result.output.trim().parse() == Ok(0.0);
    let tool_calls = if says_nothing { &*cx.result.tool_calls } else { cx.evidence };
    unsupported_claim(&cx.result.output, cx.result.verbatim, Record { tool_calls, earlier }, &named)
        .map(|lacks| format!("{lacks}; let a tool find it out"))
}

fn logical(reason: String) -> Finding {
    Finding::failure(FailureClass::Logical, reason)
}

fn without_a_call(cx: &JudgeContext<'_>) -> Finding {
    let failure = cx.result.tool_calls.last().and_then(|call| call.failure.as_ref());
    let class = failure.map_or(FailureClass::Logical, |failure| failure.class);
    let reason = match failure {
        Some(failure) => {
            format!("no call showed anything, so nothing supports the result: {}", failure.reason)
        }
        None => "no tool was called, so nothing shows the result".to_owned(),
    };
    Finding::failure(class, reason)
}

fn unfinished(cx: &JudgeContext<'_>) -> Finding {
    let (failure_class, reason) = match &cx.result.failure {
        Some(failure) => (failure.class, failure.reason.clone()),
        None => (FailureClass::Unknown, "the attempt did not finish".to_owned()),
    };
    Finding::failure(failure_class, reason)
}
