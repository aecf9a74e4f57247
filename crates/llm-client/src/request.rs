//! Requests to a model and its completions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One request to a model.
///
/// `system` is the constant part of a role's prompt. It always comes first, so that a provider can cache it
/// and the embedded model can keep its state. The part that changes from call to call goes into `messages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The requester, for accounting and tests; never sent to the model. For example `planner`.
    pub purpose: String,
    /// The constant part of the prompt.
    pub system: Arc<str>,
    /// The changing part, oldest first. The last message is the user's.
    pub messages: Vec<Message>,
    /// The required shape of the answer. `None` asks for free text.
    pub schema: Option<JsonSchema>,
    /// What decides whether an answer has that shape.
    #[serde(default, skip_serializing_if = "AnswerRule::is_schema")]
    pub answer_rule: AnswerRule,
    /// The tools that may be called. Constant over a conversation, so that a provider can cache them. A
    /// client whose server takes none puts them into the prompt and reads the calls from the text: see
    /// [`with_tools_in_prompt`](crate::with_tools_in_prompt).
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub tools: Arc<[ToolDefinition]>,
    /// Maximum generated tokens.
    pub max_tokens: u32,
    /// Sampling temperature in hundredths; 0 is greedy. An integer, so that requests can be compared and
    /// hashed.
    pub temperature_percent: u16,
    /// Random seed of a sample, where supported: the same seed gives the same answer. `None` leaves it to the
    /// provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How a free-text answer begins, where the client can have the model go on from there: a form that a weak model then keeps. The
    /// completion does not repeat it. Other clients ignore it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer_begins: String,
}

/// Temperature of a sample in hundredths: high enough that two samples may differ, low enough that each makes
/// sense.
const SAMPLE_TEMPERATURE: u16 = 70;

impl Request {
    /// A request with one user message, greedy decoding and at most 1,024 generated tokens.
    pub fn new(purpose: impl Into<String>, system: impl Into<Arc<str>>, user: impl Into<String>) -> Self {
        Self {
            purpose: purpose.into(),
            system: system.into(),
            messages: vec![Message::user(user)],
            schema: None,
            answer_rule: AnswerRule::Schema,
            tools: Arc::new([]),
            max_tokens: 1024,
            temperature_percent: 0,
            seed: None,
            answer_begins: String::new(),
        }
    }

    /// Sample number `number` of the same question: 0 is the request itself, every other one has its own
    /// seed.
    /// ```
    /// use artoo_llm_client::Request;
    /// let request = Request::new("executor", "You act.", "Count the files.");
    /// assert_eq!(request.sample(0), request);
    /// assert_ne!(request.sample(1), request.sample(2));
    /// ```
    #[must_use]
    pub fn sample(&self, number: u32) -> Self {
        let mut sample = self.clone();
        if number > 0 {
            sample.temperature_percent = self.temperature_percent.max(SAMPLE_TEMPERATURE);
            sample.seed = Some(u64::from(number));
        }
        sample
    }

    /// Asks for an answer of this shape.
    pub fn with_schema(mut self, schema: JsonSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Lets the type that is read decide alone: see [`AnswerRule::Type`].
    pub fn read_by_type(mut self) -> Self {
        self.answer_rule = AnswerRule::Type;
        self
    }

    /// Offers these tools.
    pub fn with_tools(mut self, tools: Arc<[ToolDefinition]>) -> Self {
        self.tools = tools;
        self
    }

    /// Has the answer begin with this text.
    pub fn with_answer_begun(mut self, text: impl Into<String>) -> Self {
        self.answer_begins = text.into();
        self
    }

    /// Limits the generated tokens.
    pub fn with_max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The speaker.
    pub role: MessageRole,
    /// The text.
    pub content: String,
    /// Tool calls of the model in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolUse>,
    /// Results of the previous turn's calls, in a turn of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ToolResult>,
    /// The model's reasoning in this turn, in the provider's own form, to be sent back unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<serde_json::Value>,
}

impl Message {
    /// A turn of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self::of(MessageRole::User, content.into())
    }

    /// A turn of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::of(MessageRole::Assistant, content.into())
    }

    /// The turn of the model made from this completion.
    pub fn said(completion: &Completion) -> Self {
        Self {
            calls: completion.calls.clone(),
            reasoning: completion.reasoning.clone(),
            ..Self::assistant(completion.text.clone())
        }
    }

    /// The results of the previous turn's calls, one for each.
    pub fn results(results: Vec<ToolResult>) -> Self {
        Self { results, ..Self::user("") }
    }

    fn of(role: MessageRole, content: String) -> Self {
        Self { role, content, calls: Vec::new(), results: Vec::new(), reasoning: Vec::new() }
    }
}

/// A tool as described to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Its name: letters, digits, underscores and hyphens, as providers require.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Arc<serde_json::Value>,
}

/// A tool call requested by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The provider's id, unique in its turn. The result refers to it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments verbatim from the model: JSON, or an attempt at it.
    pub arguments: String,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of its [`ToolUse`].
    pub id: String,
    /// The text for the model.
    pub content: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Attached images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its media type, for example `image/png`.
    pub media_type: String,
    /// Its bytes in Base64.
    pub data: Arc<str>,
}

/// The speaker of a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The requester.
    User,
    /// The model.
    Assistant,
}

/// What decides whether an answer can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRule {
    /// The schema, then the type.
    #[default]
    Schema,
    /// The type alone: what it ignores may stand in the answer, and what it has a default for may be missing. The schema
    /// is only what the model is asked for, so it can name every key, as strict servers demand.
    Type,
}

impl AnswerRule {
    /// Whether it is the usual one.
    pub fn is_schema(&self) -> bool {
        match self {
            Self::Schema => true,
            Self::Type => false,
        }
    }
}

/// A named JSON Schema (draft 2020-12) that an answer must satisfy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonSchema {
    /// A name of letters, digits and underscores, as providers require.
    pub name: String,
    /// The schema itself.
    pub schema: Arc<serde_json::Value>,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The text, with reasoning blocks removed.
    pub text: String,
    /// The tools that the model calls, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolUse>,
    /// The reasoning, if the provider wants it back with the next turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<serde_json::Value>,
    /// Why generation ended.
    pub stop: StopReason,
    /// The usage.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The model's confidence in its choices, if the client knows: one entry for each field of the answer
    /// whose schema enumerates its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// The model's confidence in a value that it chose from a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The field of the answer.
    pub field: String,
    /// The probability of the chosen value among those that the schema allows, in thousandths. An integer, so
    /// that answers can be compared.
    pub permille: u16,
}

impl Completion {
    /// A complete text answer without calls.
    /// ```
    /// use artoo_llm_client::{Completion, StopReason, Usage};
    /// assert_eq!(Completion::of_text("3", Usage::default(), "m").stop, StopReason::End);
    /// ```
    pub fn of_text(text: impl Into<String>, usage: Usage, model: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            calls: Vec::new(),
            reasoning: Vec::new(),
            stop: StopReason::End,
            usage,
            model: model.into(),
            choices: Vec::new(),
        }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    End,
    /// `max_tokens` was reached; the text is truncated.
    Length,
    /// The provider refused to continue (content filter).
    Refused,
}

/// Tokens and time of one call, or of several added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub prompt_tokens: u64,
    /// Input tokens that the provider or the embedded model had already processed.
    pub cached_tokens: u64,
    /// Output tokens.
    pub completion_tokens: u64,
    /// True if the provider sent no usage block and the counts are estimated from the text.
    pub estimated: bool,
    /// Wall-clock time of the call in milliseconds.
    pub elapsed_ms: u64,
    /// Requests sent, including retries.
    pub requests: u32,
}
