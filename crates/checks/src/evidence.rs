//! Whether a pass may stand on what it points at.

use artoo_types::{CallEnding, EarlierResult, Evidence, Finding, ToolCall};

/// What an answer can be borne out by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record<'a> {
    /// The calls that were made for it.
    pub tool_calls: &'a [ToolCall],
    /// What earlier steps found, which were judged themselves.
    pub earlier: &'a [EarlierResult],
}

/// Words by which a reason says that the criterion is not met. English only, as the prompts of the judges are.
const DENIALS: [&str; 9] = [
    "not met",
    "unmet",
    "not satisfied",
    "not fulfilled",
    "does not show",
    "do not show",
    "nothing shows",
    "cannot be confirmed",
    "cannot be verified",
];

/// Why a pass may not stand, in words; `None` for a pass that may, and for every failure.
///
/// It must point at one of the calls, which ran, or at something that was seen; and its own words may not say the opposite. What an
/// earlier step found is quoted, and no word of the judge's.
///
/// ```
/// use artoo_checks::{Record, unfounded};
/// use artoo_types::{Evidence, Finding};
/// let pass = |text: &str| Finding::Pass { evidence: Evidence::Observation { text: text.to_owned() } };
/// let nothing = Record::default();
/// assert_eq!(unfounded(&pass("3 lines"), nothing), None);
/// assert!(unfounded(&pass(" "), nothing).is_some());
/// assert!(unfounded(&pass("The criterion is not met."), nothing).is_some());
/// ```
pub fn unfounded(finding: &Finding, record: Record<'_>) -> Option<&'static str> {
    let evidence = match finding {
        Finding::Pass { evidence } => evidence,
        Finding::Fail { .. } => return None,
    };
    let words = match evidence {
        Evidence::ToolCall { call_id, excerpt } => {
            let Some(call) = record.tool_calls.iter().find(|call| call.call_id == *call_id) else {
                return Some("the judge points at a call that was not made for this");
            };
            if call.ending == CallEnding::Refused {
                return Some("the judge points at a call that was refused, so it shows nothing");
            }
            excerpt
        }
        Evidence::Observation { text } if text.trim().is_empty() => {
            return Some("the judge points at nothing");
        }
        Evidence::Observation { text }
            if record.earlier.iter().any(|result| result.output.contains(text.as_str())) =>
        {
            return None;
        }
        Evidence::Observation { text } => text,
    };
    let words = words.to_lowercase();
    let denies = DENIALS.iter().any(|denial| words.contains(denial));
    denies.then_some("the judge passes it and says that it is not so")
}
