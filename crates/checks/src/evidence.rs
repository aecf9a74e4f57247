//! Whether a pass may stand on what it points at.

use artoo_types::{CallEnding, Evidence, Finding, ToolCall};

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
/// It must point at one of `calls`, which ran, or at something that was seen; and its own words may not say the opposite.
///
/// ```
/// use artoo_checks::unfounded;
/// use artoo_types::{Evidence, Finding};
/// let pass = |text: &str| Finding::Pass { evidence: Evidence::Observation { text: text.to_owned() } };
/// assert_eq!(unfounded(&pass("3 lines"), &[]), None);
/// assert!(unfounded(&pass(" "), &[]).is_some());
/// assert!(unfounded(&pass("The criterion is not met."), &[]).is_some());
/// ```
pub fn unfounded(finding: &Finding, calls: &[ToolCall]) -> Option<&'static str> {
    let evidence = match finding {
        Finding::Pass { evidence } => evidence,
        Finding::Fail { .. } => return None,
    };
    let words = match evidence {
        Evidence::ToolCall { call_id, excerpt } => {
            let Some(call) = calls.iter().find(|call| call.call_id == *call_id) else {
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
        Evidence::Observation { text } => text,
    };
    let words = words.to_lowercase();
    let denies = DENIALS.iter().any(|denial| words.contains(denial));
    denies.then_some("the judge passes it and says that it is not so")
}
