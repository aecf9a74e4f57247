//! The token counts of a server, and whether they can be true.

use artoo_llm_client::{Request, Usage, estimate_usage};
use serde_json::Value;

/// A server's own token counts. `None` where it sent no number that can be a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Including cached ones.
    pub(crate) prompt: Option<u64>,
    pub(crate) cached: u64,
    pub(crate) completion: Option<u64>,
}

/// A count below the estimate divided by this is too low for any vocabulary.
const FEWEST: u64 = 256;
/// A count above the estimate multiplied by this is too high for any vocabulary.
const MOST: u64 = 8;
/// The most tokens that a gateway may add to a prompt.
const ADDED: u64 = 100_000;
/// The most tokens of reasoning that a server may keep to itself.
const HIDDEN: u64 = 2_000_000;

impl Counts {
    /// The usage of `request`, whose answer is estimated at `said` tokens. Counts that are missing or cannot
    /// be true are estimated, and the usage says so.
    ///
    /// A count is believed if it is not far from the estimate, give or take what a gateway adds to the prompt
    /// and what a model thinks out of sight. Only nothing takes no tokens.
    pub(crate) fn usage(self, request: &Request, said: u64) -> Usage {
        let estimate = estimate_usage(request, "");
        let written = estimate.prompt_tokens;
        let is_believable = |count: u64, estimate: u64, beyond: u64| {
            let most = estimate.saturating_mul(MOST).saturating_add(beyond);
            (estimate / FEWEST..=most).contains(&count) && (count > 0 || estimate == 0)
        };
        let prompt = self.prompt.filter(|count| is_believable(*count, written, ADDED));
        let completion = self.completion.filter(|count| is_believable(*count, said, HIDDEN));
        let prompt_tokens = prompt.unwrap_or(written);
        Usage {
            prompt_tokens,
            cached_tokens: if prompt.is_some() { self.cached.min(prompt_tokens) } else { 0 },
            completion_tokens: completion.unwrap_or(said),
            estimated: prompt.is_none() || completion.is_none(),
            ..estimate
        }
    }
}

/// A count: a whole number that is not negative. A number in words is none; who sends such numbers counts
/// otherwise than we know.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else { return None };
    number.as_u64().or_else(|| {
        // `110.0`, from servers whose language has one kind of number. Beyond 2^53 it would not be exact.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let number =
            number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..EXACT).contains(number))?;
        format!("{number:.0}").parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn request() -> Request {
        Request::new("test", "x".repeat(40_000), "How many?")
    }

    fn used(prompt: Value, completion: Value) -> (u64, u64, bool) {
        let counts = Counts { prompt: count(&prompt), cached: 0, completion: count(&completion) };
        let usage = counts.usage(&request(), 5);
        (usage.prompt_tokens, usage.completion_tokens, usage.estimated)
    }

    #[test]
    fn counts_that_cannot_be_are_estimated() {
        let written = estimate_usage(&request(), "").prompt_tokens;
        assert!(written > 10_000);
        assert_eq!(used(json!(9_000), json!(7)), (9_000, 7, false));
        assert_eq!(used(json!(9_000.0), json!(7.0)), (9_000, 7, false));
        assert_eq!(used(json!(100), json!(1)), (100, 1, false), "few, but possible");
        assert_eq!(used(json!(9_000), json!(400_000)), (9_000, 400_000, false), "long hidden reasoning");
        for impossible in [
            json!(0),
            json!(-1),
            json!("9000"),
            json!(null),
            json!(9_000.5),
            json!(true),
            json!([9_000]),
            json!(u64::MAX),
            json!(1e300),
            json!(50_000_000_000_u64),
        ] {
            assert_eq!(used(impossible.clone(), json!(7)), (written, 7, true), "{impossible}");
            assert_eq!(used(json!(9_000), impossible.clone()), (9_000, 5, true), "{impossible}");
        }
        assert_eq!(used(json!(1), json!(7)), (written, 7, true), "one token for 40,000 characters");
    }

    #[test]
    fn nothing_takes_nothing() {
        let counts = Counts { prompt: Some(9_000), cached: 10_000, completion: Some(0) };
        let usage = counts.usage(&request(), 0);
        assert_eq!((usage.completion_tokens, usage.cached_tokens, usage.estimated), (0, 9_000, false));
    }

    proptest! {
        /// Whatever a server says, a prompt takes tokens, and no sum of a long run can overflow.
        #[test]
        fn a_prompt_is_never_free(prompt in any::<Option<u64>>(), cached in any::<u64>(), completion in any::<Option<u64>>()) {
            let usage = Counts { prompt, cached, completion }.usage(&request(), 5);
            prop_assert!(usage.prompt_tokens > 0 && usage.prompt_tokens < 1_000_000);
            prop_assert!(usage.completion_tokens > 0 && usage.completion_tokens < 10_000_000);
            prop_assert!(usage.cached_tokens <= usage.prompt_tokens);
        }
    }
}
