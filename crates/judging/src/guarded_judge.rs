//! Guards around a judge: deadline, panics, a second question, and verification that its passes rest on evidence.

use std::{future::Future, panic::AssertUnwindSafe, time::Duration};

use artoo_checks::{Record, invalid_pass};
use artoo_llm_client::{LlmError, Silence};
use artoo_types::{Evidence, FailureClass, Fault, FaultKind, Finding, Judge, Role};
use futures_util::FutureExt as _;

use crate::supporting_call::{quoted, stands_in};

/// The number of verdicts up to which the time of one question grows. The supervisor ends a run whose judge has
/// been silent for four times the deadline of one verdict.
const TIMED: usize = 3;

/// Why there is no verdict. It says nothing about the result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The model failed.
    #[error("no verdict could be had: {0}")]
    Model(#[from] LlmError),
    /// The judge exceeded its time limit.
    #[error("the judge gave no verdict within {} s", .allowed.as_secs())]
    Late {
        /// The time limit.
        allowed: Duration,
    },
    /// The judge panicked.
    #[error("the judge panicked")]
    Panicked,
    /// The judge returned more or fewer verdicts than criteria.
    #[error("the judge gave {given} verdicts on {asked} criteria")]
    Miscounted {
        /// Number of verdicts.
        given: usize,
        /// Number of criteria.
        asked: usize,
    },
}

impl JudgeError {
    /// The fault with which a run ends if a judge of `role` gives no verdict. What the provider or the configuration is
    /// to blame for is a fault of that kind; everything else leaves the result unjudged.
    pub fn fault(&self, role: Role) -> Fault {
        let provider = self.of_the_provider();
        let (hint, remedy) = match self {
            Self::Model(error) => (error.hint(), error.remedy()),
            Self::Late { .. } | Self::Panicked | Self::Miscounted { .. } => (None, None),
        };
        Fault {
            role,
            kind: provider.unwrap_or(FaultKind::Unjudged),
            message: match provider {
                Some(_) => self.to_string(),
                None => format!("{self}, though the judge was asked twice"),
            },
            hint: hint
                .or(provider.is_none().then_some("check the result yourself, or ask again"))
                .map(str::to_owned),
            remedy,
        }
    }

    /// The kind of the fault, if the provider of the judge's model or its configuration is to blame.
    pub fn of_the_provider(&self) -> Option<FaultKind> {
        let Self::Model(error) = self else { return None };
        error.fault_of_the_provider()
    }
}

/// How long a judge is waited for, and who is told that it is asked again.
#[derive(Clone, Copy)]
pub struct Waiting<'a> {
    /// How long a judge may be silent over one verdict. A question about several has as many times more, at most three.
    pub deadline: Duration,
    /// What is heard of the judge's model.
    pub silence: &'a Silence,
    /// Called with the reason when no verdict came and the judge is asked again.
    pub asked_again: &'a (dyn Fn(&JudgeError) + Send + Sync),
}

impl std::fmt::Debug for Waiting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// Asks a judge about `count` criteria, and returns who decided each of them.
///
/// A judge that returns an error, panics, is silent for too long, or returns more or fewer findings than criteria has
/// given no verdict. It is asked the same once more, with the same time.
///
/// Default reject: a pass that is [`invalid_pass`] (it points at no call that ran, at nothing, or says the
/// opposite) is no usable verdict. The judge is asked once more about all criteria, and what it says then takes
/// the place of such passes alone. Those that are still unusable become a failure of class `unknown`, by rule,
/// which is neither evidence nor a lesson. The quotation of a pass is taken from the record of the call: a
/// judge's own words are replaced by the part of the record that shares most of them.
///
/// `judge` has to call the judge's function inside the future that it returns, since an implementation may panic
/// before it returns its own.
///
/// # Errors
/// Why the second question had no verdict either. The result is then neither met nor failed.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use std::time::Duration;
/// use artoo_checks::Record;
/// use artoo_judging::{JudgeError, Waiting, decided};
/// use artoo_llm_client::Silence;
///
/// let silence = Silence::default();
/// let waiting = Waiting { deadline: Duration::ZERO, silence: &silence, asked_again: &|error| println!("{error}") };
/// let silent = decided(std::future::pending, 1, waiting, Record::default()).await;
/// assert!(matches!(silent, Err(JudgeError::Late { .. })));
/// # });
/// ```
pub async fn decided<F>(
    judge: impl Fn() -> F,
    count: usize,
    waiting: Waiting<'_>,
    record: Record<'_>,
) -> Result<Vec<(Judge, Finding)>, JudgeError>
where
    F: Future<Output = Result<Vec<Finding>, JudgeError>>,
{
    let factor = u32::try_from(count.clamp(1, TIMED)).unwrap_or(1);
    let allowed = waiting.deadline.saturating_mul(factor);
    let ask = || async {
        let found = findings(judge(), count, (allowed, waiting.silence)).await?;
        Ok(found.into_iter().map(|finding| grounded(finding, record)).collect::<Vec<_>>())
    };
    let usable = match ask().await {
        Ok(first) if first.iter().all(Result::is_ok) => first,
        Ok(first) => match ask().await {
            Ok(second) => first.into_iter().zip(second).map(|(one, other)| one.or(other)).collect(),
            // That nothing more came takes back nothing that was said.
            Err(_) => first,
        },
        Err(error) => {
            (waiting.asked_again)(&error);
            ask().await?
        }
    };
    let may_stand = |verdict: Result<Finding, &'static str>| match verdict {
        Ok(finding) => (Judge::Model, finding),
        Err(reason) => (Judge::Rule, unusable(reason)),
    };
    Ok(usable.into_iter().map(may_stand).collect())
}

/// The findings of one question, if there is one for each criterion.
async fn findings(
    judging: impl Future<Output = Result<Vec<Finding>, JudgeError>>,
    count: usize,
    (allowed, silence): (Duration, &Silence),
) -> Result<Vec<Finding>, JudgeError> {
    match silence.at_most(allowed, AssertUnwindSafe(judging).catch_unwind()).await {
        Some(Ok(Ok(findings))) if findings.len() == count => Ok(findings),
        Some(Ok(Ok(findings))) => Err(JudgeError::Miscounted { given: findings.len(), asked: count }),
        Some(Ok(Err(error))) => Err(error),
        Some(Err(_)) => Err(JudgeError::Panicked),
        None => Err(JudgeError::Late { allowed }),
    }
}

/// The finding with a quotation from the record, or the reason why it is rejected.
fn grounded(finding: Finding, record: Record<'_>) -> Result<Finding, &'static str> {
    let quoting = match &finding {
        Finding::Pass { evidence: Evidence::ToolCall { call_id, excerpt } } => {
            record.tool_calls.iter().find(|call| call.call_id == *call_id).map(|call| (call, excerpt))
        }
        Finding::Pass { evidence: Evidence::Observation { .. } } | Finding::Fail { .. } => None,
    };
    if let Some((call, excerpt)) = quoting {
        if stands_in(call, excerpt) {
            return invalid_pass(&finding, record).map_or(Ok(finding), Err);
        }
        let from_the_record = || Finding::Pass { evidence: quoted(call, excerpt) };
        return invalid_pass(&finding, record).map_or_else(|| Ok(from_the_record()), Err);
    }
    invalid_pass(&finding, record).map_or(Ok(finding), Err)
}

fn unusable(reason: &str) -> Finding {
    Finding::failure(FailureClass::Unknown, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, atomic::AtomicU32, atomic::Ordering};

    use artoo_types::{EarlierResult, ToolCall};
    use tokio::time::Instant;

    use super::*;
    use crate::conformance::call;

    const MINUTE: Duration = Duration::from_secs(60);

    type Said = Result<Vec<Finding>, JudgeError>;

    /// What comes of a judge that says `said(1)`, and if it is asked again `said(2)`; how often it was asked, and
    /// how often somebody was told that it was asked again.
    async fn asked<F: Future<Output = Said>>(
        said: impl Fn(u32) -> F,
        count: usize,
        record: Record<'_>,
    ) -> (Result<Vec<(Judge, Finding)>, String>, u32, Vec<String>) {
        let (times, told) = (AtomicU32::new(0), Mutex::new(Vec::new()));
        let judge = || said(times.fetch_add(1, Ordering::Relaxed) + 1);
        let asked_again = |error: &JudgeError| told.lock().unwrap().push(error.to_string());
        let silence = Silence::default();
        let waiting = Waiting { deadline: MINUTE, silence: &silence, asked_again: &asked_again };
        let found = decided(judge, count, waiting, record).await.map_err(|error| error.to_string());
        (found, times.into_inner(), told.into_inner().unwrap())
    }

    async fn one(finding: Finding, tool_calls: &[ToolCall]) -> (Judge, Finding) {
        let said = |_| async { Ok(vec![finding.clone()]) };
        asked(said, 1, Record { tool_calls, earlier: &[] }).await.0.unwrap().remove(0)
    }

    fn pass(number: u128) -> Finding {
        let call_id = call(number, "", true).call_id;
        Finding::Pass { evidence: Evidence::ToolCall { call_id, excerpt: "3".to_owned() } }
    }

    fn fail() -> Finding {
        Finding::failure(FailureClass::Logical, "it is 4".to_owned())
    }

    fn broken() -> JudgeError {
        JudgeError::Model(LlmError::Configuration { reason: "no model".to_owned() })
    }

    /// Real work, finding 2: a judge that answered after 180 s failed the criterion, and the next plan was forbidden
    /// its program. A verdict that does not come is asked for again, and is none if it does not come then.
    #[tokio::test(start_paused = true)]
    async fn lesson_a_missing_verdict_is_asked_for_again_and_is_no_failure() {
        let calls = [call(1, "3\n", true)];
        let record = Record { tool_calls: &calls, earlier: &[] };
        let missing = |how: u32| async move {
            match how {
                0 => Err(broken()),
                1 => panic!("a judge of somebody else"),
                2 => std::future::pending().await,
                _ => Ok(Vec::new()),
            }
        };
        let reasons = [
            "no verdict could be had: the model is configured wrongly: no model",
            "the judge panicked",
            "the judge gave no verdict within 60 s",
            "the judge gave 0 verdicts on 1 criteria",
        ];
        for (how, reason) in (0..).zip(reasons) {
            let late = |time| async move { if time == 1 { missing(how).await } else { Ok(vec![fail()]) } };
            let told = vec![reason.to_owned()];
            assert_eq!(asked(late, 1, record).await, (Ok(vec![(Judge::Model, fail())]), 2, told.clone()));
            let begun = Instant::now();
            assert_eq!(asked(|_| missing(how), 1, record).await, (Err(reason.to_owned()), 2, told));
            assert!(begun.elapsed() <= 2 * MINUTE, "{how}: the wait is bounded");
        }
        // Several verdicts have more time, up to a bound.
        for (count, minutes) in [(2, 4), (3, 6), (9, 6)] {
            let begun = Instant::now();
            assert!(asked(|_| missing(2), count, record).await.0.is_err());
            assert_eq!(begun.elapsed(), minutes * MINUTE);
        }
    }

    /// A pass that points at nothing is asked for again. Only such a verdict is replaced: a judge that rejects is not
    /// asked until it passes.
    #[tokio::test(start_paused = true)]
    async fn an_unusable_pass_is_asked_for_again_and_then_rejected() {
        let calls = [call(1, "3\n", true), call(2, "4\n", true)];
        let record = Record { tool_calls: &calls, earlier: &[] };
        let reason = "the judge points at a call that was not made for this";
        let rejected = || (Judge::Rule, unusable(reason));
        let by_model = |finding| (Judge::Model, finding);
        let second = |second: fn() -> Said| {
            move |time| async move { if time == 1 { Ok(vec![fail(), pass(7)]) } else { second() } }
        };
        let table: [(fn() -> Said, _); 3] = [
            (|| Ok(vec![pass(1), pass(1)]), by_model(pass(1))),
            (|| Ok(vec![pass(1), pass(8)]), rejected()),
            (|| Err(broken()), rejected()),
        ];
        for (again, expected) in table {
            let found = asked(second(again), 2, record).await;
            assert_eq!(found, (Ok(vec![by_model(fail()), expected]), 2, Vec::new()));
        }
        let usable = |_| async { Ok(vec![fail(), pass(2)]) };
        assert_eq!(asked(usable, 2, record).await.1, 1, "nothing is asked again that can be used");
    }

    /// The result of an earlier step may be quoted, an empty quotation may not.
    #[tokio::test(start_paused = true)]
    async fn a_quotation_of_nothing_is_no_pass() {
        let output = "The requirement is not met.".to_owned();
        let earlier = [EarlierResult { intent: "Look".to_owned(), output, left_out_bytes: 0 }];
        let record = Record { tool_calls: &[], earlier: &earlier };
        let looked = |text: &str| Finding::Pass { evidence: Evidence::Observation { text: text.to_owned() } };
        let (quotes, says) = (looked("requirement is not met"), looked(" "));
        let said = |_| async { Ok(vec![quotes.clone(), says.clone()]) };
        let found = asked(said, 2, record).await.0.unwrap();
        assert_eq!(found.first(), Some(&(Judge::Model, quotes.clone())));
        assert_eq!(found.get(1).map(|(judge, _)| *judge), Some(Judge::Rule));
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_stand() {
        let calls = [call(1, "3\n", true), call(2, "", false)];
        assert_eq!(one(pass(1), &calls).await, (Judge::Model, pass(1)));
        // A call that failed may be evidence, too.
        let (judge, finding) = one(pass(2), &calls).await;
        assert!(judge == Judge::Model && matches!(finding, Finding::Pass { .. }), "{finding:?}");
        let looked = Finding::Pass { evidence: Evidence::Observation { text: "3 lines".to_owned() } };
        assert_eq!(one(looked.clone(), &[]).await, (Judge::Model, looked));
    }

    /// Decision 9: the quotation of a pass comes from the record, whichever judge decided; and text in the
    /// record is not the judge's own verdict.
    #[tokio::test(start_paused = true)]
    async fn a_pass_quotes_the_record() {
        let calls = [call(1, "a.txt\nThe requirement is not met.\n", true), call(2, "", true)];
        let table = [
            (1, "a.txt", "a.txt"),
            (1, "The requirement is not met.", "The requirement is not met."),
            (1, "it lists a.txt", "a.txt\nThe requirement is not met."),
            (2, "it ran", "shell do 2"),
            (1, "", "a.txt\nThe requirement is not met."),
        ];
        for (number, said, quoted) in table {
            let pass = |excerpt: &str| Finding::Pass {
                evidence: Evidence::ToolCall {
                    call_id: call(number, "", true).call_id,
                    excerpt: excerpt.to_owned(),
                },
            };
            assert_eq!(one(pass(said), &calls).await, (Judge::Model, pass(quoted)), "{said}");
        }
    }

    #[test]
    fn the_fault_says_what_to_do() {
        let fault = JudgeError::Late { allowed: MINUTE }.fault(Role::MetaValidator);
        assert_eq!((fault.role, fault.kind), (Role::MetaValidator, FaultKind::Unjudged));
        assert_eq!(fault.message, "the judge gave no verdict within 60 s, though the judge was asked twice");
        assert_eq!(fault.hint.as_deref(), Some("check the result yourself, or ask again"));
        assert_eq!(broken().fault(Role::AgentValidator).hint.as_deref(), Some("look at the configuration"));
    }
}
