//! Limits for runs with a weak model: they apply if the executor's profile says that it is guided, and
//! nowhere else.
//!
//! | guard | what it costs | what it buys |
//! |---|---|---|
//! | one correction of a step, one replan | whatever a third attempt would have brought | most of the time of a run that fails |

use artoo_llm_client::ModelProfile;
use artoo_types::Limits;

/// Maximum corrections and replans. Further attempts of the embedded model never helped: it repeats itself.
const TRIED_AGAIN: u32 = 1;

/// The limits of a run with this model: as requested, or lower.
pub(crate) fn bounded(limits: Limits, profile: &ModelProfile) -> Limits {
    if !profile.guided {
        return limits;
    }
    Limits {
        max_replans: limits.max_replans.min(TRIED_AGAIN),
        max_retries: limits.max_retries.min(TRIED_AGAIN),
        ..limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weak_model_tries_less_often_and_no_other_does() {
        let bounds = |limits, profile: &ModelProfile| {
            let limits = bounded(limits, profile);
            (limits.max_replans, limits.max_retries)
        };
        let none = Limits { max_replans: 0, max_retries: 0, ..Limits::default() };
        assert_eq!(bounds(Limits::default(), &ModelProfile::default()), (3, 2));
        assert_eq!(bounds(Limits::default(), &ModelProfile::embedded()), (1, 1));
        assert_eq!(bounds(none, &ModelProfile::embedded()), (0, 0));
    }
}
