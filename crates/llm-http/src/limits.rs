//! The limits of one model that its server has named, and what a request may ask for within them.

use artoo_llm_client::{ModelProfile, Request, estimate_usage};

/// What a server has named so far. A client starts with nothing, and limits only shrink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Tokens of a prompt and its answer together.
    context: Option<u32>,
    /// Tokens of a prompt.
    prompt: Option<u32>,
    /// Tokens of an answer.
    output: Option<u32>,
    /// How the server counts.
    counting: Counting,
}

/// What an estimate has to be corrected by. What a server adds to each prompt, and how it cuts words, cannot be told
/// apart by one count, so the larger of both corrections is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counting {
    /// How many tokens of this server a thousand estimated ones are; 0 if unknown.
    per_thousand: u32,
    /// Tokens more than estimated.
    more: u32,
}

impl Limits {
    /// An answer has at most this many tokens.
    pub(crate) fn name_output(&mut self, most: u32) {
        self.output = smaller(self.output, Some(most));
    }

    /// A prompt and its answer have at most this many tokens.
    pub(crate) fn name_context(&mut self, most: u32) {
        self.context = smaller(self.context, Some(most));
    }

    /// A prompt has at most this many tokens.
    pub(crate) fn name_prompt(&mut self, most: u32) {
        self.prompt = smaller(self.prompt, Some(most));
    }

    /// The server has counted this many tokens in the prompt of `request`.
    pub(crate) fn count(&mut self, request: &Request, tokens: u32) {
        let estimate = estimate_usage(request, "").prompt_tokens.max(1);
        let (tokens, narrow) = (u64::from(tokens), |count: u64| u32::try_from(count).unwrap_or(u32::MAX));
        self.counting = Counting {
            per_thousand: narrow((tokens.saturating_mul(1_000) / estimate).clamp(500, 4_000)),
            more: narrow(tokens.saturating_sub(estimate)),
        };
    }

    /// The tokens that the prompt of `request` probably has.
    pub(crate) fn tokens(&self, request: &Request) -> u32 {
        let Counting { per_thousand, more } = self.counting;
        let estimate = estimate_usage(request, "").prompt_tokens;
        let per_thousand = if per_thousand == 0 { 1_000 } else { per_thousand };
        let corrected = estimate.saturating_mul(per_thousand.into()) / 1_000;
        u32::try_from(corrected.max(estimate.saturating_add(more.into()))).unwrap_or(u32::MAX)
    }

    /// What the answer to `request` may be asked to have at most, so that both fit; never less than
    /// `least`, since this is an estimate, and the server decides.
    pub(crate) fn fit(&self, request: &Request, least: u32) -> u32 {
        let wanted = request.max_tokens.min(self.output.unwrap_or(u32::MAX));
        match self.context {
            // Counting takes time, and a server that has named no context has refused nothing yet.
            None => wanted,
            Some(context) => {
                let rest = beside(context, self.tokens(request)).unwrap_or(0);
                wanted.min(rest.max(least.min(wanted)))
            }
        }
    }

    /// The profile of the model within these limits.
    pub(crate) fn within(&self, profile: &ModelProfile) -> ModelProfile {
        profile.clone().within(smaller(self.context, self.prompt), self.output)
    }

    /// Both: concurrent calls may have been told different things.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            context: smaller(self.context, other.context),
            prompt: smaller(self.prompt, other.prompt),
            output: smaller(self.output, other.output),
            counting: if other.counting == Counting::default() { self.counting } else { other.counting },
        }
    }
}

/// The tokens that are left for an answer beside a prompt of `prompt` tokens. Servers add marks to a prompt
/// that they do not always count, so an eighth of it is kept free.
pub(crate) fn beside(context: u32, prompt: u32) -> Option<u32> {
    const MARKS: u32 = 64;
    context.checked_sub(prompt)?.checked_sub(prompt / 8)?.checked_sub(MARKS)
}

/// The smaller of two limits, of which either may be unknown.
fn smaller(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asking(prompt: usize, most: u32) -> Request {
        Request::new("test", "", "word ".repeat(prompt)).with_max_tokens(most)
    }

    #[test]
    fn what_was_named_bounds_what_is_asked_for() {
        let mut limits = Limits::default();
        assert_eq!(limits.fit(&asking(1_000, 8_000), 256), 8_000);
        limits.name_output(4_096);
        limits.name_output(16_000);
        assert_eq!(limits.fit(&asking(1_000, 8_000), 256), 4_096);
        limits.name_context(4_000);
        let fit = limits.fit(&asking(1_000, 8_000), 256);
        assert!((1_500..2_700).contains(&fit), "{fit}");
        assert_eq!(limits.fit(&asking(10_000, 8_000), 256), 256, "the server decides");
        assert_eq!(limits.fit(&asking(10_000, 100), 256), 100, "never more than was wanted");
    }

    #[test]
    fn a_count_of_the_server_corrects_the_estimate() {
        let (request, mut limits) = (asking(1_000, 8_000), Limits::default());
        let estimate = limits.tokens(&request);
        limits.count(&request, estimate * 2);
        let corrected = limits.tokens(&request);
        assert!(corrected.abs_diff(estimate * 2) <= 2, "{corrected}");
    }

    #[test]
    fn the_profile_shrinks_to_what_is_served() {
        let mut limits = Limits::default();
        let known = ModelProfile::of("qwen3-32b");
        assert_eq!(limits.within(&known), known);
        limits.name_context(8_192);
        let served = limits.within(&known);
        assert_eq!((served.context_tokens, served.output_tokens), (8_192, 4_096));
        limits.name_prompt(6_000);
        assert_eq!(limits.within(&known).context_tokens, 6_000);
        let mut other = Limits::default();
        other.name_output(1_000);
        let both = limits.and(other);
        assert_eq!(both, other.and(limits));
        assert_eq!(both.within(&known).output_tokens, 1_000);
    }

    proptest! {
        #[test]
        fn nothing_is_asked_for_beyond_a_limit(
            context in 1_u32..300_000, output in 1_u32..100_000, prompt in 0_usize..2_000, wanted in 1_u32..100_000,
        ) {
            let mut limits = Limits::default();
            limits.name_context(context);
            limits.name_output(output);
            let request = asking(prompt, wanted);
            let fit = limits.fit(&request, 256);
            prop_assert!(fit >= 1 && fit <= wanted && fit <= output);
            prop_assert!(fit <= 256 || u64::from(fit) + u64::from(limits.tokens(&request)) <= u64::from(context));
        }
    }
}
