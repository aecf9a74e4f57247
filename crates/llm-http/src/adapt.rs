//! How one call adapts to what its server refuses: a simpler dialect, a smaller limit, tools in the prompt.

use std::borrow::Cow;

use artoo_llm_client::{ReasoningEffort, Request};

use crate::dialect::{Dialect, Level};
use crate::error_body::ErrorBody;
use crate::limits::{Limits, beside};
use crate::model::Terms;
use crate::overrun::Overrun;

/// What a client has learned of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// The features of the protocol that it takes.
    pub(crate) dialect: Dialect,
    /// The limits that it has named.
    pub(crate) limits: Limits,
}

/// A refusal of a request, as an error status or inside a stream that began well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status; 0 if none was named.
    pub(crate) status: u16,
    /// What the server said.
    pub(crate) body: ErrorBody,
}

/// What follows a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The request is sent at once in another form, which is not a retry of the same request.
    Send,
    /// The same request may be sent again after a wait: the model wrote something bad, and may not again.
    Repeat,
    /// The prompt does not fit, whatever the limit of its answer.
    TooLong {
        /// Its tokens, if they are known.
        tokens: Option<u32>,
        /// The tokens that fit, if they are known.
        limit: Option<u32>,
    },
    /// Nothing about the request helps.
    Nothing,
}

/// The limit of the answer, for this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// What is wanted, within the limits that are known.
    Fit,
    /// At most this.
    Most(u32),
    /// None, so that the server takes what is left.
    Nothing,
}

/// One call on its way through refusals.
pub(crate) struct Adaptation<'a> {
    request: &'a Request,
    ladder: &'static [Level],
    effort: Option<ReasoningEffort>,
    /// An answer with less room than this is of no use.
    least: u32,
    /// What is known, with what this call has found out.
    pub(crate) known: Capabilities,
    /// A dialect for this call alone: its cause is the model, and says nothing about the server.
    lowered: Option<Dialect>,
    ask: Ask,
    refused: u32,
    generations: u32,
}

impl<'a> Adaptation<'a> {
    /// A call with what is known so far.
    pub(crate) fn new(
        request: &'a Request,
        ladder: &'static [Level],
        known: Capabilities,
        effort: Option<ReasoningEffort>,
        least: u32,
    ) -> Self {
        let least = least.min(request.max_tokens).max(1);
        let (lowered, ask) = (None, Ask::Fit);
        Self { request, ladder, effort, least, known, lowered, ask, refused: 0, generations: 0 }
    }

    /// The request as it is sent now. After a failed generation it asks for another sample: at temperature 0 the
    /// model would write the same again.
    pub(crate) fn request(&self) -> Cow<'a, Request> {
        match self.generations {
            0 => Cow::Borrowed(self.request),
            failed => Cow::Owned(self.request.sample(failed)),
        }
    }

    /// The dialect in which it is sent now.
    pub(crate) fn dialect(&self) -> Dialect {
        self.lowered.unwrap_or(self.known.dialect)
    }

    /// What it asks for now.
    pub(crate) fn terms(&self) -> Terms {
        let limit = match self.ask {
            _ if !self.dialect().limit.is_sent() => None,
            Ask::Fit => Some(self.known.limits.fit(self.request, self.least)),
            Ask::Most(most) => Some(most.min(self.request.max_tokens)),
            Ask::Nothing => None,
        };
        Terms { limit, effort: self.effort }
    }

    /// Takes a refusal of what was sent.
    pub(crate) fn refused(&mut self, refusal: &Refusal) -> Next {
        let Refusal { status, body } = refusal;
        if body.is_about_generation() {
            return self.generation_failed();
        }
        let sent = self.terms().limit;
        if let Some(overrun) = Overrun::of(*status, body, sent) {
            return self.overrun(*status, overrun, sent);
        }
        let simpler = self.dialect().after_refusal(*status, &body.complaint(), self.ladder, self.request);
        match (simpler, self.lowered) {
            (None, _) => return Next::Nothing,
            (Some(simpler), None) => self.known.dialect = simpler,
            (Some(simpler), Some(_)) => self.lowered = Some(simpler),
        }
        Next::Send
    }

    /// The first repeat is another sample; from the second on the server has less to read from the answer.
    fn generation_failed(&mut self) -> Next {
        self.generations = self.generations.saturating_add(1);
        if self.generations > 1
            && let Some(lowered) = self.dialect().after_generation(self.ladder, self.request)
        {
            self.lowered = Some(lowered);
        }
        Next::Repeat
    }

    fn overrun(&mut self, status: u16, overrun: Overrun, sent: Option<u32>) -> Next {
        /// Each time the limit is at least halved; a server that refuses every one is not asked for ever.
        const MOST: u32 = 8;
        self.refused = self.refused.saturating_add(1);
        if self.refused > MOST {
            return Next::Nothing;
        }
        match overrun {
            // What an account can pay changes; it is no limit of the model.
            Overrun::Output { most } if status == 402 => {
                if most < self.least || !self.dialect().limit.is_sent() {
                    return Next::Nothing;
                }
                self.ask = Ask::Most(most);
                Next::Send
            }
            Overrun::Output { most } => {
                self.known.limits.name_output(most);
                if !self.dialect().limit.is_sent() {
                    return Next::Nothing;
                }
                self.ask = if sent.is_some() { Ask::Fit } else { Ask::Most(most) };
                Next::Send
            }
            Overrun::Sum { context, prompt } => self.sum(context, prompt, sent),
            Overrun::Prompt { most, prompt } => {
                if let Some(most) = most {
                    self.known.limits.name_prompt(most);
                }
                if let Some(prompt) = prompt {
                    self.known.limits.count(self.request, prompt);
                }
                Next::TooLong { tokens: prompt, limit: most }
            }
            Overrun::Unclear => match (sent, self.dialect().limit.name()) {
                (Some(_), Some(_)) => {
                    self.ask = Ask::Nothing;
                    Next::Send
                }
                (Some(sent), None) => self.shrink(sent, None, None),
                (None, _) => Next::TooLong { tokens: None, limit: None },
            },
        }
    }

    fn sum(&mut self, context: u32, prompt: Option<u32>, sent: Option<u32>) -> Next {
        self.known.limits.name_context(context);
        if let Some(prompt) = prompt {
            self.known.limits.count(self.request, prompt);
        }
        let Some(sent) = sent else { return Next::TooLong { tokens: prompt, limit: Some(context) } };
        let tokens = prompt.unwrap_or_else(|| self.known.limits.tokens(self.request));
        match beside(context, tokens).filter(|room| *room >= self.least) {
            Some(room) if room < sent => {
                self.ask = Ask::Most(room);
                Next::Send
            }
            // By an estimate alone nothing is given up.
            Some(_) => self.shrink(sent, prompt, Some(context)),
            None if prompt.is_none() => self.shrink(sent, None, Some(context)),
            None => Next::TooLong { tokens: prompt, limit: Some(context) },
        }
    }

    /// Asks for half of what was asked for, as long as that is of any use.
    fn shrink(&mut self, sent: u32, tokens: Option<u32>, limit: Option<u32>) -> Next {
        if sent <= self.least {
            return Next::TooLong { tokens, limit };
        }
        self.ask = Ask::Most((sent / 2).max(self.least));
        Next::Send
    }
}

#[cfg(test)]
mod tests {
    use artoo_redaction::Redactor;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::dialect::{LimitField, LimitName};

    const LADDER: [Level; 2] = [Level::Schema, Level::Prompt];

    fn known(limit: LimitField) -> Capabilities {
        let dialect = Dialect {
            level: Level::Schema,
            tools: true,
            stream_usage: true,
            temperature: true,
            seed: true,
            effort: false,
            limit,
        };
        Capabilities { dialect, limits: Limits::default() }
    }

    const USUAL: LimitField = LimitField::Usual(LimitName::MaxTokens);

    fn refusal(status: u16, message: &str) -> Refusal {
        let body = json!({"error": {"message": message}}).to_string();
        Refusal { status, body: ErrorBody::read(body.as_bytes(), &Redactor::new()) }
    }

    /// The limits that are sent to a server that says `message` to each, and how that ends.
    fn sent(limit: LimitField, wanted: u32, message: &str) -> (Vec<Option<u32>>, Next) {
        let request = Request::new("test", "", "word ".repeat(100)).with_max_tokens(wanted);
        let mut call = Adaptation::new(&request, &LADDER, known(limit), None, 256);
        let mut limits = Vec::new();
        loop {
            limits.push(call.terms().limit);
            let next = call.refused(&refusal(400, message));
            if next != Next::Send || limits.len() > 20 {
                return (limits, next);
            }
        }
    }

    #[test]
    fn a_limit_that_the_server_names_is_asked_for_at_once() {
        let (limits, _) = sent(
            USUAL,
            8_000,
            "This model's maximum context length is 8192 tokens and your request has 1200 input tokens",
        );
        assert_eq!(limits.get(..2), Some([Some(8_000), Some(8192 - 1200 - 150 - 64)].as_slice()));
        let (limits, _) =
            sent(LimitField::Required, 64_000, "max_tokens: 64000 > 8192, which is the maximum");
        assert_eq!(limits.get(..2), Some([Some(64_000), Some(8_192)].as_slice()));
    }

    #[test]
    fn without_a_number_the_limit_is_left_out_or_halved() {
        let long = Next::TooLong { tokens: None, limit: None };
        let vague = "the request exceeds the context window";
        assert_eq!(sent(USUAL, 8_000, vague), (vec![Some(8_000), None], long));
        let halves = [1_000, 500, 256].map(Some).to_vec();
        assert_eq!(sent(LimitField::Required, 1_000, vague), (halves, long));
        let short = "maximum context length is 300 tokens, your messages resulted in 250 tokens";
        let expected = Next::TooLong { tokens: Some(250), limit: Some(300) };
        assert_eq!(sent(USUAL, 100, short), (vec![Some(100)], expected));
    }

    #[test]
    fn a_limit_that_is_not_sent_cannot_be_lowered() {
        let output = "max_tokens: 64000 > 8192, which is the maximum";
        assert_eq!(sent(LimitField::Omitted, 64_000, output), (vec![None], Next::Nothing));
    }

    #[test]
    fn what_an_account_can_pay_is_not_remembered() {
        let request = Request::new("test", "", "").with_max_tokens(32_000);
        let mut call = Adaptation::new(&request, &LADDER, known(USUAL), None, 256);
        let credit = refusal(402, "You requested up to 32000 tokens, but can only afford 2000.");
        assert_eq!((call.refused(&credit), call.terms().limit), (Next::Send, Some(2_000)));
        assert_eq!(call.known, known(USUAL));
        let mut poor = Adaptation::new(&request, &LADDER, known(USUAL), None, 256);
        let nothing = refusal(402, "You requested up to 32000 tokens, but can only afford 0.");
        assert_eq!(poor.refused(&nothing), Next::Nothing);
    }

    #[test]
    fn a_model_that_writes_badly_says_nothing_about_its_server() {
        let schema = artoo_llm_client::JsonSchema { name: "n".into(), schema: json!({}).into() };
        let request = Request::new("test", "", "").with_schema(schema);
        let mut call = Adaptation::new(&request, &LADDER, known(USUAL), None, 256);
        let failed = refusal(400, "Failed to generate JSON. Please adjust your prompt.");
        assert_eq!(call.refused(&failed), Next::Repeat);
        assert_eq!((call.dialect(), call.request().seed), (known(USUAL).dialect, Some(1)));
        assert_eq!(call.refused(&failed), Next::Repeat);
        assert_eq!((call.dialect().level, call.request().seed), (Level::Prompt, Some(2)));
        assert_eq!(call.known, known(USUAL));
    }

    proptest! {
        /// However a server words its refusals, a call comes to an end.
        #[test]
        fn adapting_ends(
            status in prop::sample::select(vec![400_u16, 402, 413, 422, 429, 500]),
            context in 0_u32..100_000, prompt in 0_u32..100_000, wanted in 1_u32..100_000, required in any::<bool>(),
            wording in 0_usize..6,
        ) {
            let message = [
                format!("maximum context length is {context} tokens and your request has {prompt} input tokens"),
                format!("maximum context length is {context} tokens"),
                format!("max_tokens: {wanted} > {context}"),
                format!("max_tokens is wrong: {prompt}"),
                "context window exceeded".to_owned(),
                format!("{prompt} + {wanted} > {context}: tools, response_format, temperature"),
            ];
            let message = &message[wording];
            let request = Request::new("test", "", "word ".repeat(50)).with_max_tokens(wanted);
            let limit = if required { LimitField::Required } else { USUAL };
            let mut call = Adaptation::new(&request, &LADDER, known(limit), None, 256);
            let mut steps = 0;
            while call.refused(&refusal(status, message)) == Next::Send {
                prop_assert!(call.terms().limit.is_none_or(|limit| limit >= 1 && limit <= wanted));
                steps += 1;
                prop_assert!(steps <= 20, "{}", message);
            }
        }
    }
}
