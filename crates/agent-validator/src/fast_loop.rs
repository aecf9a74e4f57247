//! Fast loop of one subtask, as a pure state machine: verdicts in, a correction or the outcome out.

use artoo_checks::plain_number;
use artoo_types::{
    Check, CorrectionSignal, Criterion, CriterionVerdict, ExecutionResult, ExecutionStatus, FailureClass,
    Finding, GapEntry, GaveUp, GiveUpKind, OutcomeStatus, SubTask, SubTaskOutcome, ToolCall,
};
use serde_json::Value;

/// The next step after an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Try again with this correction.
    Correct(CorrectionSignal),
    /// The subtask has ended.
    Done(SubTaskOutcome),
}

/// State of the attempts at one subtask.
///
/// ```
/// use artoo_agent_validator::{FastLoop, conformance};
/// use artoo_types::ExecutionResult;
///
/// let fast_loop = FastLoop::new(conformance::subtask("Count the files", &[]), 2);
/// let result = |attempt| ExecutionResult { attempt, ..conformance::result("3", Vec::new()) };
/// assert!(fast_loop.awaits(&result(1)));
/// assert!(!fast_loop.awaits(&result(2)));
/// ```
#[derive(Clone, Debug)]
pub struct FastLoop {
    subtask: SubTask,
    max_retries: u32,
    trajectory: Vec<GapEntry>,
    tool_calls: Vec<ToolCall>,
    said: Option<Said>,
    verdicts: Vec<CriterionVerdict>,
    ended: bool,
}

/// The output of an attempt, and the reason if it failed.
type Said = (String, Option<String>);

impl FastLoop {
    /// Starts the loop. `max_retries` corrections allow `max_retries + 1` attempts.
    pub fn new(subtask: SubTask, max_retries: u32) -> Self {
        Self {
            subtask,
            max_retries,
            trajectory: Vec::new(),
            tool_calls: Vec::new(),
            said: None,
            verdicts: Vec::new(),
            ended: false,
        }
    }

    /// The subtask.
    pub fn subtask(&self) -> &SubTask {
        &self.subtask
    }

    /// Whether this is the next expected attempt. A duplicate result of an attempt is not, nor is any result
    /// after the end.
    pub fn awaits(&self, result: &ExecutionResult) -> bool {
        !self.ended && result.subtask_id == self.subtask.subtask_id && result.attempt == self.attempt()
    }

    /// The result with the calls of every attempt so far, by which it is judged. An attempt that only
    /// corrects the findings of an earlier one has made no call of its own, and needs none.
    pub fn with_all_calls(&self, result: &ExecutionResult) -> ExecutionResult {
        let tool_calls = self.tool_calls.iter().chain(&result.tool_calls).cloned().collect();
        ExecutionResult { tool_calls, ..result.clone() }
    }

    /// The verdicts of the previous attempt if this one has the same output and ran no call, so that nothing
    /// is judged again.
    pub fn unchanged(&self, result: &ExecutionResult) -> &[CriterionVerdict] {
        if self.repeats(result) { &self.verdicts } else { &[] }
    }

    /// Processes an attempt and its verdicts. A result that is not [awaited](Self::awaits) is ignored.
    ///
    /// The outcome is `matched` only if the execution completed, there is at least one verdict, and every
    /// verdict passed. A failed execution, an infrastructure fault, missing consent and an unusable verdict end
    /// the subtask at once, and so does a corrected attempt that ran no call and has the same output as the
    /// one before; anything else is corrected while corrections are left.
    pub fn conclude(&mut self, result: &ExecutionResult, verdicts: Vec<CriterionVerdict>) -> Option<Step> {
        if !self.awaits(result) {
            return None;
        }
        self.tool_calls.extend(result.tool_calls.iter().cloned());
        let first_failure = verdicts.iter().find_map(|verdict| match &verdict.finding {
            Finding::Pass { .. } => None,
            Finding::Fail { failure_class, reason, .. } => {
                Some((verdict.criterion.clone(), *failure_class, reason.clone()))
            }
        });
        self.trajectory.push(entry(result.attempt, &verdicts));
        // The same correction once more would change nothing; another plan may.
        let stands_still = self.repeats(result);
        self.said = Some(said(result));
        self.verdicts.clone_from(&verdicts);
        let completed = result.status == ExecutionStatus::Completed && result.failure.is_none();
        Some(match first_failure {
            None if completed && !verdicts.is_empty() => {
                Step::Done(self.done(OutcomeStatus::Matched, result, verdicts, None))
            }
            None => {
                let reason = if completed { "nothing was judged" } else { "the attempt did not finish" };
                Step::Done(self.done(OutcomeStatus::Failed, result, verdicts, Some(reason.to_owned())))
            }
            Some((criterion, class, reason)) => {
                if stands_still || self.is_final(result, &verdicts) {
                    Step::Done(self.done(OutcomeStatus::Failed, result, verdicts, Some(reason)))
                } else {
                    Step::Correct(CorrectionSignal {
                        subtask_id: self.subtask.subtask_id,
                        attempt_number: result.attempt,
                        what_to_do: what_to_do(class, &unmet(&verdicts).join("; ")),
                        unmet: unmet(&verdicts),
                        failed_criterion: criterion,
                        failure_class: class,
                        what_was_wrong: all_reasons(&verdicts).unwrap_or(reason),
                    })
                }
            }
        })
    }

    /// Ends the subtask without a verdict, for this reason: its output is handed over as it is. `None` if the result is
    /// not [awaited](Self::awaits).
    pub fn unjudged(&mut self, result: &ExecutionResult, reason: &str) -> Option<SubTaskOutcome> {
        if !self.awaits(result) {
            return None;
        }
        self.tool_calls.extend(result.tool_calls.iter().cloned());
        let outcome = self.done(OutcomeStatus::Unjudged, result, Vec::new(), Some(reason.to_owned()));
        // Nobody said whether it was right to give up.
        Some(SubTaskOutcome { gave_up: None, ..outcome })
    }

    /// Whether a correction changed nothing: no call ran, and the output is the same as in the previous
    /// attempt.
    fn repeats(&self, result: &ExecutionResult) -> bool {
        self.said.as_ref() == Some(&said(result)) && !result.tool_calls.iter().any(ToolCall::ran)
    }

    /// The number of the next attempt, from 1.
    fn attempt(&self) -> u32 {
        u32::try_from(self.trajectory.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn is_final(&self, result: &ExecutionResult, verdicts: &[CriterionVerdict]) -> bool {
        let hopeless = |verdict: &CriterionVerdict| match &verdict.finding {
            Finding::Pass { .. } => false,
            Finding::Fail { failure_class, .. } => match failure_class {
                FailureClass::Denied | FailureClass::Unknown => true,
                FailureClass::Logical | FailureClass::Environmental | FailureClass::Forbidden => false,
            },
        };
        let corrections = u32::try_from(self.trajectory.len()).unwrap_or(u32::MAX).saturating_sub(1);
        (result.status == ExecutionStatus::Failed && !self.is_rash(result))
            || result.failure.as_ref().is_some_and(|failure| failure.infrastructure)
            || verdicts.iter().any(hopeless)
            || corrections >= self.max_retries
    }

    /// Whether the executor declared the step impossible before any call ran.
    fn is_rash(&self, result: &ExecutionResult) -> bool {
        let gave_up = result.failure.as_ref().and_then(|failure| failure.gave_up.as_ref());
        let is_final = |gave_up: &GaveUp| match gave_up.kind {
            GiveUpKind::Impossible => false,
            GiveUpKind::NeedsPerson | GiveUpKind::NeedsConsent => true,
        };
        gave_up.is_some_and(|gave_up| !is_final(gave_up)) && !self.tool_calls.iter().any(ToolCall::ran)
    }

    fn done(
        &mut self,
        status: OutcomeStatus,
        result: &ExecutionResult,
        criteria_verdicts: Vec<CriterionVerdict>,
        failure_reason: Option<String>,
    ) -> SubTaskOutcome {
        self.ended = true;
        let gave_up = result.failure.as_ref().and_then(|failure| failure.gave_up.clone());
        let gave_up = gave_up.filter(|_| !self.is_rash(result)).map(Box::new);
        SubTaskOutcome {
            output: output(&self.subtask, result),
            failure_reason,
            gave_up,
            gap_trajectory: self.trajectory.clone(),
            criteria_verdicts,
            tool_calls: self.tool_calls.clone(),
            samples: result.samples,
            ..SubTaskOutcome::of(&self.subtask, status)
        }
    }
}

fn said(result: &ExecutionResult) -> Said {
    (result.output.clone(), result.failure.as_ref().map(|failure| failure.reason.clone()))
}

/// The output of the subtask. For "48 app.log" it is the number, if a number was asked for.
fn output(subtask: &SubTask, result: &ExecutionResult) -> Value {
    let asks_for_a_number =
        |criterion: &Criterion| matches!(criterion.check, Some(Check::OutputNumber { .. }));
    if subtask.success_criteria.iter().any(asks_for_a_number)
        && let Some(number) = plain_number(&result.output, &subtask.intent)
    {
        return Value::String(number.to_owned());
    }
    if result.output.is_empty() { Value::Null } else { Value::String(result.output.clone()) }
}

fn entry(attempt: u32, verdicts: &[CriterionVerdict]) -> GapEntry {
    let unmet: Vec<&CriterionVerdict> = verdicts.iter().filter(|verdict| !verdict.passed()).collect();
    GapEntry {
        attempt,
        unmet_criteria: unmet.iter().map(|verdict| verdict.criterion.clone()).collect(),
        failure_class: unmet.first().and_then(|verdict| match &verdict.finding {
            Finding::Pass { .. } => None,
            Finding::Fail { failure_class, .. } => Some(*failure_class),
        }),
    }
}

/// The texts of the unmet criteria.
fn unmet(verdicts: &[CriterionVerdict]) -> Vec<String> {
    let unmet = verdicts.iter().filter(|verdict| !verdict.passed());
    unmet.map(|verdict| verdict.criterion.clone()).collect()
}

/// The reasons of all unmet criteria; `None` if there is only one reason.
fn all_reasons(verdicts: &[CriterionVerdict]) -> Option<String> {
    let mut said: Vec<(&str, &str)> = Vec::new();
    for verdict in verdicts {
        if let Finding::Fail { reason, .. } = &verdict.finding
            && !said.iter().any(|(_, before)| before == reason)
        {
            said.push((&verdict.criterion, reason));
        }
    }
    let lines = said.iter().map(|(criterion, reason)| format!("{criterion}: {reason}"));
    (said.len() > 1).then(|| lines.collect::<Vec<_>>().join("\n"))
}

fn what_to_do(class: FailureClass, criterion: &str) -> String {
    match class {
        FailureClass::Logical => {
            format!("Mend it, in another way where it needs one, so that this becomes true: {criterion}")
        }
        FailureClass::Environmental => {
            format!(
                "The computer was in the way. Use another path or other parameters, so that this becomes true: {criterion}"
            )
        }
        FailureClass::Forbidden => {
            format!(
                "What was tried is never allowed, whoever agrees. Take a way without it, so that this becomes true: {criterion}"
            )
        }
        FailureClass::Denied | FailureClass::Unknown => format!("Make this true: {criterion}"),
    }
}
