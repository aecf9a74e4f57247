//! JSON Schemas as token grammars: an answer cannot violate its schema because no token outside it can be
//! chosen.

use std::sync::Arc;

use artoo_llm_client::JsonSchema;
use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{InferenceCapabilities, SimpleVob, TokenId};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use crate::error::LocalError;
use crate::options::LocalOptions;
use crate::schema_bounds;
use crate::vocab::Vocab;

/// The grammar compiler of one vocabulary.
pub(crate) struct Grammars {
    factory: ParserFactory,
    string_limit: usize,
    list_limit: usize,
}

/// The state of one constrained answer.
pub(crate) struct Constraint {
    matcher: Matcher,
}

impl Grammars {
    /// Prepares grammars over a vocabulary, with the limits of the options.
    pub(crate) fn new(vocab: &Arc<Vocab>, options: &LocalOptions) -> Result<Self, String> {
        let capabilities = InferenceCapabilities { ff_tokens: true, ..Default::default() };
        let mut factory =
            ParserFactory::new(&vocab.environment(), capabilities, &SlicedBiasComputer::json_slices())
                .map_err(|e| e.to_string())?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory, string_limit: options.string_limit, list_limit: options.list_limit })
    }

    /// Starts a constrained answer.
    ///
    /// The JSON is compact: a small model that may write whitespace between tokens can do so without end.
    pub(crate) fn constraint(&self, schema: &JsonSchema) -> Result<Constraint, LocalError> {
        let failed = |reason: String| LocalError::Schema { name: schema.name.clone(), reason };
        let mut value = Value::clone(&schema.schema);
        schema_bounds::bound(&mut value, self.string_limit, self.list_limit);
        match &mut value {
            Value::Object(object) => {
                object.insert("x-guidance".to_owned(), json!({"whitespace_flexible": false}));
            }
            Value::Bool(true) => value = json!({"x-guidance": {"whitespace_flexible": false}}),
            Value::Bool(false) | Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(failed("it is not an object".to_owned()));
            }
        }
        let parser = self.factory.create_parser(TopLevelGrammar::from_json_schema(value));
        let matcher = Matcher::new(parser);
        match matcher.get_error() {
            Some(reason) => Err(failed(reason)),
            None => Ok(Constraint { matcher }),
        }
    }
}

impl Constraint {
    /// A copy from here on, which continues independently.
    pub(crate) fn fork(&self) -> Self {
        Self { matcher: self.matcher.deep_clone() }
    }

    /// The tokens that the grammar forces next, already consumed.
    pub(crate) fn take_forced(&mut self) -> Result<Vec<TokenId>, LocalError> {
        let tokens = self.matcher.consume_ff_tokens();
        self.check()?;
        Ok(tokens)
    }

    /// Whether the answer is complete and nothing can follow.
    pub(crate) fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }

    /// The tokens that may come next.
    pub(crate) fn allowed(&mut self) -> Result<SimpleVob, LocalError> {
        self.matcher.compute_mask_or_eos().map_err(|e| LocalError::Broken { reason: format!("grammar: {e}") })
    }

    /// Consumes the chosen token.
    pub(crate) fn take(&mut self, token: TokenId) -> Result<(), LocalError> {
        self.matcher.consume_token(token).map_err(|e| LocalError::Broken { reason: format!("grammar: {e}") })
    }

    fn check(&self) -> Result<(), LocalError> {
        match self.matcher.get_error() {
            Some(reason) => Err(LocalError::Broken { reason: format!("grammar: {reason}") }),
            None => Ok(()),
        }
    }
}
