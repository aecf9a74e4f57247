//! Validity of a pass, by the evidence that it points at.

use artoo_types::{CallEnding, EarlierResult, Evidence, Finding, ToolCall};

/// The evidence that can support an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record<'a> {
    /// The calls made for it.
    pub tool_calls: &'a [ToolCall],
    /// Results of earlier steps, which were judged themselves.
    pub earlier: &'a [EarlierResult],
}

/// Why a pass is invalid, in words; `None` for a valid pass, and for every failure.
///
/// It must point at one of the calls, which ran, or at an observation. Its text is not interpreted: a judge
/// answers in a form that says whether it passes.
///
/// ```
/// use artoo_checks::{Record, invalid_pass};
/// use artoo_types::{Evidence, Finding};
/// let pass = |text: &str| Finding::Pass { evidence: Evidence::Observation { text: text.to_owned() } };
/// let nothing = Record::default();
/// assert_eq!(invalid_pass(&pass("3 lines"), nothing), None);
/// assert!(invalid_pass(&pass(" "), nothing).is_some());
/// ```
pub fn invalid_pass(finding: &Finding, record: Record<'_>) -> Option<&'static str> {
    let evidence = match finding {
        Finding::Pass { evidence } => evidence,
        Finding::Fail { .. } => return None,
    };
    match evidence {
        Evidence::ToolCall { call_id, .. } => {
            let Some(call) = record.tool_calls.iter().find(|call| call.call_id == *call_id) else {
                return Some("the judge points at a call that was not made for this");
            };
            let is_refused = call.ending == CallEnding::Refused;
            is_refused.then_some("the judge points at a call that was refused, so it shows nothing")
        }
        Evidence::Observation { text } => text.trim().is_empty().then_some("the judge points at nothing"),
    }
}
