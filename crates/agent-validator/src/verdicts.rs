//! The verdicts on one result: rules first, then checks, then the judge.

use std::{sync::Arc, time::Duration};

use artoo_checks::{Record, Subject, evaluate, missing_subject, overlooked, too_deep, unborne, unfound};
use artoo_judging::decided;
use artoo_llm_client::{LlmClient, Origin, outside};
use artoo_types::{
    Check, Criterion, CriterionVerdict, ExecutionStatus, FailureClass, Finding, Judge as DecidedBy, ToolCall,
};

use crate::{CommandRun, Judge, JudgeContext, RunCommand, commands};

/// Decides every criterion of `cx.subtask`, in order. `reached` sees each verdict when all have fallen.
///
/// A result that is not `completed` can never match: every criterion fails by rule, with the failure's class. Nor can one
/// that neither a call nor an earlier step shows: its output is a claim that nothing bears out, even where it has the
/// right form. A blank answer is put to no judge.
///
/// A figure or a file name in an answer that stands nowhere, and what the words of the step say against an answer, fails by rule where the model is
/// guided. Elsewhere code may be wrong there: the judge is told of it ([`JudgeContext::doubt`]), and asked about the criteria that check a form alone, too.
///
/// A command that a criterion names is run, for `deadline` at most. What it cannot decide is put to the judge, who is told why.
///
/// A judge that errs, panics, does not answer within `deadline` for each criterion or points at a call of another subtask gives failures of
/// class `unknown`. `kept` are the verdicts of the attempt before, where nothing has changed since: what a judge decided then is not judged
/// again, and what was run then is not run again.
pub async fn verdicts(
    cx: &JudgeContext<'_>,
    judge: &dyn Judge,
    runner: &dyn RunCommand,
    model: &Arc<dyn LlmClient>,
    deadline: Duration,
    kept: &[CriterionVerdict],
    reached: impl FnMut(&CriterionVerdict) + Send,
) -> Vec<CriterionVerdict> {
    let criteria = &cx.subtask.success_criteria;
    let guided = model.profile().guided;
    let flaw = flaw(cx);
    let mut doubts = if flaw.is_none() { Doubts::of(cx, guided) } else { Doubts::default() };
    let flaw = flaw.or_else(|| doubts.whole.take_if(|_| guided).map(logical));
    let mut decisions = Vec::new();
    let kept = kept.iter().map(Some).chain(std::iter::repeat(None));
    for (criterion, before) in criteria.iter().zip(kept) {
        // What a rule said was about the attempt, not about what it made.
        let stands = |before: &&CriterionVerdict| {
            before.criterion == criterion.text && before.judge != DecidedBy::Rule
        };
        let before = before.filter(stands);
        let kept = before.map(|before| Decision::By(before.judge, before.finding.clone()));
        decisions.push(match (&flaw, commands::named(criterion)) {
            (Some(finding), _) => Decision::By(DecidedBy::Rule, finding.clone()),
            (None, Some(command)) => match kept {
                Some(decision) => decision,
                None => by_running(command, runner.run(command, deadline).await),
            },
            (None, None) => {
                let decision = by_code(criterion, cx, &doubts, guided);
                let kept = kept.filter(|_| before.is_some_and(|before| before.judge == DecidedBy::Model));
                if let Decision::Ask(_) = decision { kept.unwrap_or(decision) } else { decision }
            }
        });
    }
    let asked: Vec<Criterion> = decisions.iter().zip(criteria).filter_map(to_ask).collect();
    let mut judged = Vec::new();
    if !asked.is_empty() {
        let cx = JudgeContext { doubt: doubts.told(), ..*cx };
        let deadline = deadline.saturating_mul(u32::try_from(asked.len()).unwrap_or(u32::MAX));
        let judging = async { judge.judge(&asked, &cx, model).await };
        judged = decided(judging, asked.len(), deadline, record(&cx)).await;
    }
    let mut judged = judged.into_iter();
    let found = decisions.into_iter().filter_map(|decision| match decision {
        Decision::By(judge, finding) => Some((judge, finding)),
        Decision::Ask(_) => judged.next(),
    });
    let verdict = |(criterion, (judge, finding)): (&Criterion, (DecidedBy, Finding))| CriterionVerdict {
        criterion: criterion.text.clone(),
        mode: criterion.mode,
        judge,
        finding,
    };
    let verdicts: Vec<CriterionVerdict> = criteria.iter().zip(found).map(verdict).collect();
    verdicts.iter().for_each(reached);
    verdicts
}

/// What code saw that speaks against an answer, and that may be wrong.
#[derive(Debug, Default)]
struct Doubts {
    /// Of the answer as a whole.
    whole: Option<String>,
    /// A figure or a name that stands nowhere, of the first criterion that it matters to.
    figure: Option<String>,
}

impl Doubts {
    fn of(cx: &JudgeContext<'_>, guided: bool) -> Self {
        let criteria = &cx.subtask.success_criteria;
        Self {
            whole: overlooked_or_too_deep(cx),
            figure: criteria.iter().find_map(|criterion| unshown(criterion, cx, guided)),
        }
    }

    /// What the judge is told.
    fn told(&self) -> Option<&str> {
        self.whole.as_deref().or(self.figure.as_deref())
    }
}

/// What code makes of a criterion.
#[derive(Debug)]
enum Decision {
    By(DecidedBy, Finding),
    /// A judge is to be asked, and told this.
    Ask(Option<String>),
}

/// What a judge is asked.
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

fn by_code(criterion: &Criterion, cx: &JudgeContext<'_>, doubts: &Doubts, guided: bool) -> Decision {
    if let Some(reason) = absent(criterion, cx) {
        return Decision::By(DecidedBy::Rule, logical(reason));
    }
    let unshown = doubts.figure.as_ref().and_then(|_| unshown(criterion, cx, guided));
    if guided && let Some(reason) = unshown {
        return Decision::By(DecidedBy::Rule, logical(reason));
    }
    let Some(check) = &criterion.check else { return Decision::Ask(None) };
    let subject = Subject { output: &cx.result.output, tool_calls: &cx.result.tool_calls, answers: &[] };
    match evaluate(check, &subject, cx.world) {
        // Its form is met, by something that code has seen nowhere, or that answers another step.
        Finding::Pass { .. } if unshown.is_some() || doubts.whole.is_some() || only_sums_up(cx) => {
            Decision::Ask(None)
        }
        finding @ (Finding::Pass { .. } | Finding::Fail { .. }) => Decision::By(DecidedBy::Check, finding),
    }
}

pub(crate) fn record<'a>(cx: &JudgeContext<'a>) -> Record<'a> {
    Record { tool_calls: &cx.result.tool_calls, earlier: &cx.subtask.earlier }
}

/// What is wrong with the result as a whole, whatever the criterion. It may look at every file of a folder, so it is asked once.
fn flaw(cx: &JudgeContext<'_>) -> Option<Finding> {
    if cx.result.status != ExecutionStatus::Completed || cx.result.failure.is_some() {
        return Some(unfinished(cx));
    }
    if !cx.result.tool_calls.iter().any(ToolCall::showed) && !only_sums_up(cx) {
        return Some(without_a_call(cx));
    }
    // A second derivation is believed where it agrees with the first, and two that found nothing in the wrong place agree.
    if !cx.subtask.avoid.is_empty() && unfound(&cx.result.output, &cx.result.tool_calls) {
        let reason = "it says that there is nothing, and no call came back with nothing: search for what was asked about";
        return Some(logical(reason.to_owned()));
    }
    None
}

/// What the answer leaves out or names too much, by the words of the step: a guided model's answer fails by it, another's judge is told.
fn overlooked_or_too_deep(cx: &JudgeContext<'_>) -> Option<String> {
    if cx.subtask.is_about_a_deed() {
        return None;
    }
    let (answer, step) = (&cx.result.output, &cx.subtask);
    // The context has the request, of which a step may have lost a limit.
    overlooked(answer, &step.intent, &cx.result.tool_calls, cx.world)
        .or_else(|| too_deep(answer, &step.intent, cx.world))
        .or_else(|| too_deep(answer, &outside(Origin::Memory, &step.context), cx.world))
}

/// Whether the step did no more than to sum up what others found, as it may. A deed needs a call, and so does a second derivation.
fn only_sums_up(cx: &JudgeContext<'_>) -> bool {
    !cx.subtask.earlier.is_empty()
        && cx.subtask.avoid.is_empty()
        && cx.result.tool_calls.is_empty()
        && !cx.subtask.is_about_a_deed()
}

/// Why there is no answer to look at: it is blank, or a figure of a file that is not there.
fn absent(criterion: &Criterion, cx: &JudgeContext<'_>) -> Option<String> {
    // "Is it there?" may be answered with no, "how many lines has it?" not with 0.
    let asks_for_a_figure = matches!(criterion.check, Some(Check::OutputNumber { .. }));
    let is_zero = cx.result.output.trim() == "0";
    if (asks_for_a_figure || is_zero)
        && let Some(reason) =
            missing_subject(&cx.result.output, &cx.subtask.intent, &cx.result.tool_calls, cx.world)
    {
        return Some(reason);
    }
    let is_blank = criterion.check.is_none() && cx.result.output.trim().is_empty();
    is_blank.then(|| "the answer is empty".to_owned())
}

/// What of the output stands nowhere. A check of its form would be met all the same, and a judge sees what he wants to see.
fn unshown(criterion: &Criterion, cx: &JudgeContext<'_>, guided: bool) -> Option<String> {
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
            // What memory says was shown by no call of this run, and was not asked for.
            let context = outside(Origin::Memory, &cx.subtask.context);
            format!("{} {context} {}", cx.subtask.intent, criterion.text)
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
            | Check::CommandSucceeds { .. }
            | Check::SameAnswer { .. },
        ) => return None,
    };
    // What another step found has the form of an answer to this one, too: whether it is one, a reader has to say, and from what.
    let counts = criterion.check.is_none() || (guided && only_sums_up(cx));
    let earlier = if counts { &*cx.subtask.earlier } else { &[] };
    unborne(&cx.result.output, cx.result.verbatim, Record { earlier, ..record(cx) }, &named)
}

fn logical(reason: String) -> Finding {
    Finding::Fail { failure_class: FailureClass::Logical, reason, evidence: None }
}

fn without_a_call(cx: &JudgeContext<'_>) -> Finding {
    let failure = cx.result.tool_calls.last().and_then(|call| call.failure.as_ref());
    Finding::Fail {
        failure_class: failure.map_or(FailureClass::Logical, |failure| failure.class),
        reason: match failure {
            Some(failure) => {
                format!("no call showed anything, so nothing bears out the result: {}", failure.reason)
            }
            None => "no tool was called, so nothing shows the result".to_owned(),
        },
        evidence: None,
    }
}

fn unfinished(cx: &JudgeContext<'_>) -> Finding {
    let (failure_class, reason) = match &cx.result.failure {
        Some(failure) => (failure.class, failure.reason.clone()),
        None => (FailureClass::Unknown, "the attempt did not finish".to_owned()),
    };
    Finding::Fail { failure_class, reason, evidence: None }
}
