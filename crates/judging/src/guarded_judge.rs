//! Guards around a judge: deadline, panics, and verification that its passes rest on evidence.

use std::{future::Future, panic::AssertUnwindSafe, time::Duration};

use artoo_checks::{Record, invalid_pass};
use artoo_llm_client::LlmError;
use artoo_types::{Evidence, FailureClass, Finding, Judge};
use futures_util::FutureExt as _;

use crate::supporting_call::{quoted, stands_in};

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The model failed.
    #[error("no verdict could be had: {0}")]
    Model(#[from] LlmError),
}

/// Runs a judge that is asked about `count` criteria, and returns who decided each of them.
///
/// Default reject: a judge that returns an error, panics, takes longer than `deadline`, returns more or fewer
/// findings than criteria, or whose pass is [`invalid_pass`] (it points at no call that ran, at nothing, or says
/// the opposite) yields a failure of class `unknown`, by rule. That is neither evidence nor a lesson. The
/// quotation of a pass is taken from the record of the call: a judge's own words are replaced by the part of
/// the record that shares most of them. The judge's own function has to be called inside `judging`, since an
/// implementation may panic before it returns its future.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use std::time::Duration;
/// use artoo_checks::Record;
/// use artoo_judging::decided;
/// use artoo_types::{FailureClass, Finding, Judge};
///
/// let silent = decided(std::future::pending(), 1, Duration::ZERO, Record::default()).await;
/// assert!(matches!(silent.as_slice(), [(Judge::Rule, Finding::Fail { failure_class: FailureClass::Unknown, .. })]));
/// # });
/// ```
pub async fn decided(
    judging: impl Future<Output = Result<Vec<Finding>, JudgeError>>,
    count: usize,
    deadline: Duration,
    record: Record<'_>,
) -> Vec<(Judge, Finding)> {
    let reason = match tokio::time::timeout(deadline, AssertUnwindSafe(judging).catch_unwind()).await {
        Ok(Ok(Ok(findings))) if findings.len() == count => {
            let may_stand = |finding| match grounded(finding, record) {
                Ok(finding) => (Judge::Model, finding),
                Err(reason) => unknown(reason.to_owned()),
            };
            return findings.into_iter().map(may_stand).collect();
        }
        Ok(Ok(Ok(findings))) => format!("the judge gave {} verdicts on {count} criteria", findings.len()),
        Ok(Ok(Err(error))) => error.to_string(),
        Ok(Err(_)) => "the judge panicked".to_owned(),
        Err(_) => format!("the judge gave no verdict within {} s", deadline.as_secs()),
    };
    (0..count).map(|_| unknown(reason.clone())).collect()
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

fn unknown(reason: String) -> (Judge, Finding) {
    (Judge::Rule, Finding::Fail { failure_class: FailureClass::Unknown, reason, evidence: None })
}

#[cfg(test)]
mod tests {
    use artoo_types::Evidence;

    use artoo_types::{EarlierResult, ToolCall};

    use super::*;
    use crate::conformance::call;

    async fn one(
        judging: impl Future<Output = Result<Finding, JudgeError>>,
        tool_calls: &[ToolCall],
    ) -> (Judge, Finding) {
        let judging = async { judging.await.map(|finding| vec![finding]) };
        decided(judging, 1, MINUTE, Record { tool_calls, earlier: &[] }).await.remove(0)
    }

    /// The result of an earlier step may be quoted, an empty quotation may not; and one verdict on two
    /// criteria is invalid.
    #[tokio::test(start_paused = true)]
    async fn all_are_decided_or_none() {
        let output = "The requirement is not met.".to_owned();
        let earlier = [EarlierResult { intent: "Look".to_owned(), output, left_out_bytes: 0 }];
        let record = Record { tool_calls: &[], earlier: &earlier };
        let looked = |text: &str| Finding::Pass { evidence: Evidence::Observation { text: text.to_owned() } };
        let (quotes, says) = (looked("requirement is not met"), looked(" "));
        let found = decided(async { Ok(vec![quotes.clone(), says.clone()]) }, 2, MINUTE, record).await;
        assert_eq!(found.first(), Some(&(Judge::Model, quotes.clone())));
        assert_eq!(found.get(1).map(|(judge, _)| *judge), Some(Judge::Rule));
        let found = decided(async { Ok(vec![quotes]) }, 2, MINUTE, record).await;
        let told = |(judge, finding): &(Judge, Finding)| {
            *judge == Judge::Rule
                && matches!(finding, Finding::Fail { reason, .. } if reason.contains("1 verdicts on 2"))
        };
        assert!(found.len() == 2 && found.iter().all(told), "{found:?}");
    }

    const MINUTE: Duration = Duration::from_secs(60);

    fn pass(number: u128) -> Finding {
        let call_id = call(number, "", true).call_id;
        Finding::Pass { evidence: Evidence::ToolCall { call_id, excerpt: "3".to_owned() } }
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_stand() {
        let calls = [call(1, "3\n", true), call(2, "", false)];
        assert_eq!(one(async { Ok(pass(1)) }, &calls).await, (Judge::Model, pass(1)));
        // A call that failed may be evidence, too.
        let (judge, finding) = one(async { Ok(pass(2)) }, &calls).await;
        assert!(judge == Judge::Model && matches!(finding, Finding::Pass { .. }), "{finding:?}");
        let looked = Finding::Pass { evidence: Evidence::Observation { text: "3 lines".to_owned() } };
        assert_eq!(one(async { Ok(looked.clone()) }, &[]).await, (Judge::Model, looked));
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
            let (judge, finding) = one(async { Ok(pass(said)) }, &calls).await;
            assert_eq!((judge, finding), (Judge::Model, pass(quoted)), "{said}");
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
            reason(one(async { Ok(pass(7)) }, &calls).await),
            reason(one(async { Err(broken()) }, &calls).await),
            reason(one(async { panic!("a judge of somebody else") }, &calls).await),
            reason(one(std::future::pending(), &calls).await),
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
