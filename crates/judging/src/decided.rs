//! What of a judge's work may stand.

use std::{future::Future, panic::AssertUnwindSafe, time::Duration};

use artoo_checks::unfounded;
use artoo_llm_client::LlmError;
use artoo_types::{Evidence, FailureClass, Finding, Judge, ToolCall};
use futures::FutureExt as _;

use crate::bearing::{quoted, stands_in};

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The model failed.
    #[error("no verdict could be had: {0}")]
    Model(#[from] LlmError),
}

/// Runs a judge, and says who decided.
///
/// Default reject: a judge that errs, panics, takes longer than `deadline` or whose pass is [`unfounded`] (it points at no call that
/// ran, at nothing, or says the opposite) gives a failure of class `unknown`, by rule. That is neither evidence nor a lesson. What a pass
/// quotes of a call stands in the record of that call: a judge's own words are replaced by the part of it that has most of them. The
/// judge's own function is to be called inside `judging`, since an implementation may panic before it returns its future.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use std::time::Duration;
/// use artoo_judging::decided;
/// use artoo_types::{FailureClass, Finding, Judge};
///
/// let silent = decided(std::future::pending(), Duration::ZERO, &[]).await;
/// assert!(matches!(silent, (Judge::Rule, Finding::Fail { failure_class: FailureClass::Unknown, .. })));
/// # });
/// ```
pub async fn decided(
    judging: impl Future<Output = Result<Finding, JudgeError>>,
    deadline: Duration,
    calls: &[ToolCall],
) -> (Judge, Finding) {
    match tokio::time::timeout(deadline, AssertUnwindSafe(judging).catch_unwind()).await {
        Ok(Ok(Ok(finding))) => match grounded(finding, calls) {
            Ok(finding) => (Judge::Model, finding),
            Err(reason) => unknown(reason.to_owned()),
        },
        Ok(Ok(Err(error))) => unknown(error.to_string()),
        Ok(Err(_)) => unknown("the judge panicked".to_owned()),
        Err(_) => unknown(format!("the judge gave no verdict within {} s", deadline.as_secs())),
    }
}

/// The finding as it may stand, or why it may not.
fn grounded(finding: Finding, calls: &[ToolCall]) -> Result<Finding, &'static str> {
    let quoting = match &finding {
        Finding::Pass { evidence: Evidence::ToolCall { call_id, excerpt } } => {
            calls.iter().find(|call| call.call_id == *call_id).map(|call| (call, excerpt))
        }
        Finding::Pass { evidence: Evidence::Observation { .. } } | Finding::Fail { .. } => None,
    };
    if let Some((call, excerpt)) = quoting {
        if stands_in(call, excerpt) {
            // A log may well say that something is not met; that is not what the judge says.
            let pointer = Evidence::ToolCall { call_id: call.call_id, excerpt: String::new() };
            return unfounded(&Finding::Pass { evidence: pointer }, calls).map_or(Ok(finding), Err);
        }
        let from_the_record = || Finding::Pass { evidence: quoted(call, excerpt) };
        return unfounded(&finding, calls).map_or_else(|| Ok(from_the_record()), Err);
    }
    unfounded(&finding, calls).map_or(Ok(finding), Err)
}

fn unknown(reason: String) -> (Judge, Finding) {
    (Judge::Rule, Finding::Fail { failure_class: FailureClass::Unknown, reason, evidence: None })
}

#[cfg(test)]
mod tests {
    use artoo_types::Evidence;

    use super::*;
    use crate::conformance::call;

    const MINUTE: Duration = Duration::from_secs(60);

    fn pass(number: u128) -> Finding {
        let call_id = call(number, "", true).call_id;
        Finding::Pass { evidence: Evidence::ToolCall { call_id, excerpt: "3".to_owned() } }
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_stand() {
        let calls = [call(1, "3\n", true), call(2, "", false)];
        assert_eq!(decided(async { Ok(pass(1)) }, MINUTE, &calls).await, (Judge::Model, pass(1)));
        // A call that failed may show something, too.
        let (judge, finding) = decided(async { Ok(pass(2)) }, MINUTE, &calls).await;
        assert!(judge == Judge::Model && matches!(finding, Finding::Pass { .. }), "{finding:?}");
        let looked = Finding::Pass { evidence: Evidence::Observation { text: "3 lines".to_owned() } };
        assert_eq!(decided(async { Ok(looked.clone()) }, MINUTE, &[]).await, (Judge::Model, looked));
    }

    /// Decision 9: what a pass quotes is on record, whoever judged; and what the record says is not the judge's word.
    #[tokio::test(start_paused = true)]
    async fn a_pass_quotes_the_record() {
        let calls = [call(1, "a.txt\nThe requirement is not met.\n", true), call(2, "", true)];
        let table = [
            (1, "a.txt", Some("a.txt")),
            (1, "The requirement is not met.", Some("The requirement is not met.")),
            (1, "it lists a.txt", Some("a.txt\nThe requirement is not met.")),
            (2, "it ran", Some("shell do 2")),
            (1, "", Some("a.txt\nThe requirement is not met.")),
            (1, "This is not met.", None),
        ];
        for (number, said, quoted) in table {
            let pass = |excerpt: &str| Finding::Pass {
                evidence: Evidence::ToolCall {
                    call_id: call(number, "", true).call_id,
                    excerpt: excerpt.to_owned(),
                },
            };
            let (judge, finding) = decided(async { Ok(pass(said)) }, MINUTE, &calls).await;
            match quoted {
                Some(quoted) => assert_eq!((judge, finding), (Judge::Model, pass(quoted)), "{said}"),
                None => assert_eq!(judge, Judge::Rule, "{said}"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_not() {
        let calls = [call(1, "3\n", true)];
        let broken = || JudgeError::Model(LlmError::Configuration { reason: "no model".to_owned() });
        let reason = |(judge, finding): (Judge, Finding)| match (judge, finding) {
            (Judge::Rule, Finding::Fail { failure_class: FailureClass::Unknown, reason, evidence: None }) => {
                reason
            }
            other => panic!("{other:?}"),
        };
        let reasons = [
            reason(decided(async { Ok(pass(7)) }, MINUTE, &calls).await),
            reason(decided(async { Err(broken()) }, MINUTE, &calls).await),
            reason(decided(async { panic!("a judge of somebody else") }, MINUTE, &calls).await),
            reason(decided(std::future::pending(), MINUTE, &calls).await),
        ];
        assert_eq!(
            reasons,
            [
                "the judge points at a call that was not made for this",
                "no verdict could be had: the model is configured wrongly: no model",
                "the judge panicked",
                "the judge gave no verdict within 60 s",
            ]
        );
    }
}
