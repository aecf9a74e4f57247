//! What goes to a model and what comes back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One request to a model.
///
/// `system` is the part of the prompt that never changes for a role. It always comes first, so that a
/// provider can cache it and the embedded model can keep its state. What changes from call to call goes into
/// `messages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Who asks, for accounting and for tests; never sent to the model. For example `planner`.
    pub purpose: String,
    /// The constant part of the prompt.
    pub system: Arc<str>,
    /// The changing part, oldest first. The last message is the user's.
    pub messages: Vec<Message>,
    /// The shape the answer must have. `None` asks for free text.
    pub schema: Option<JsonSchema>,
    /// The tools that may be called. Constant over a conversation, so that a provider can cache it. A client
    /// whose server takes none puts them into the prompt and reads the calls from the text: see
    /// [`with_tools_in_prompt`](crate::with_tools_in_prompt).
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub tools: Arc<[ToolDefinition]>,
    /// Upper bound on generated tokens.
    pub max_tokens: u32,
    /// Sampling temperature in hundredths; 0 is greedy. An integer, so that requests can be compared and
    /// hashed.
    pub temperature_percent: u16,
    /// What the dice of a sample are thrown by, where they can be chosen: the same seed, the same answer.
    /// `None` leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// The temperature of a sample in hundredths: high enough that two of them may differ, and low enough that
/// each makes sense.
const SAMPLE_TEMPERATURE: u16 = 70;

impl Request {
    /// A request with one user message, greedy decoding and 1,024 tokens of room.
    pub fn new(purpose: impl Into<String>, system: impl Into<Arc<str>>, user: impl Into<String>) -> Self {
        Self {
            purpose: purpose.into(),
            system: system.into(),
            messages: vec![Message::user(user)],
            schema: None,
            tools: Arc::new([]),
            max_tokens: 1024,
            temperature_percent: 0,
            seed: None,
        }
    }

    /// The sample of this number of the same question: 0 is the request as it is, every other one has dice of
    /// its own.
    ///
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

    /// Offers these tools.
    pub fn with_tools(mut self, tools: Arc<[ToolDefinition]>) -> Self {
        self.tools = tools;
        self
    }

    /// Bounds the generated tokens.
    pub fn with_max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: MessageRole,
    /// What is said.
    pub content: String,
    /// Tools that the model called in this turn of its.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolUse>,
    /// What came of the calls of the turn before, in a turn of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ToolResult>,
    /// What the model thought in this turn of its, in the provider's own form: it wants it back unchanged.
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

    /// The turn of the model that this completion is.
    pub fn said(completion: &Completion) -> Self {
        Self {
            calls: completion.calls.clone(),
            reasoning: completion.reasoning.clone(),
            ..Self::assistant(completion.text.clone())
        }
    }

    /// What came of the calls of the turn before, one for each.
    pub fn results(results: Vec<ToolResult>) -> Self {
        Self { results, ..Self::user("") }
    }

    fn of(role: MessageRole, content: String) -> Self {
        Self { role, content, calls: Vec::new(), results: Vec::new(), reasoning: Vec::new() }
    }
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Its name: letters, digits, underscores and hyphens, as providers require.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Arc<serde_json::Value>,
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The provider's name for it, unique in its turn. The result goes back under it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON, or what should have been.
    pub arguments: String,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Of which call: the id of its [`ToolUse`].
    pub id: String,
    /// What the model is told.
    pub content: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Pictures that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its kind, for example `image/png`.
    pub media_type: String,
    /// Its bytes in Base64.
    pub data: Arc<str>,
}

/// The speaker of a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The one who asks.
    User,
    /// The model.
    Assistant,
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
    /// What it thought, where the provider wants that back with the next turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<serde_json::Value>,
    /// Why generation ended.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
    /// The model that answered, in the provider's words.
    pub model: String,
    /// How sure the model was of what it chose, where the client knows: one entry for each field of the
    /// answer whose schema lists its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// How sure a model was of a value that it chose from a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The field of the answer.
    pub field: String,
    /// The probability of the chosen value among those that the schema allows, in thousandths. An integer, so
    /// that answers can be compared.
    pub permille: u16,
}

impl Completion {
    /// A whole answer in words, without calls.
    ///
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
    /// It was done.
    End,
    /// It reached `max_tokens`; the text is cut.
    Length,
    /// The provider refused to go on (content filter).
    Refused,
}

/// Tokens and time of one call, or of several added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub prompt_tokens: u64,
    /// Tokens read that the provider or the embedded model had already processed.
    pub cached_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// True where the provider sent no usage block and the counts are estimated from the text.
    pub estimated: bool,
    /// Wall-clock time of the call in milliseconds.
    pub elapsed_ms: u64,
    /// Requests sent, retries included.
    pub requests: u32,
}
