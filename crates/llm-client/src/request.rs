//! What goes to a model and what comes back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One request to a model.
///
/// `system` is the part of the prompt that never changes for a role. It always comes first, so that a provider can
/// cache it and the embedded model can keep its state. What changes from call to call goes into `messages`.
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
    /// Upper bound on generated tokens.
    pub max_tokens: u32,
    /// Sampling temperature in hundredths; 0 is greedy. An integer, so that requests can be compared and hashed.
    pub temperature_percent: u16,
}

impl Request {
    /// A request with one user message, greedy decoding and 1,024 tokens of room.
    pub fn new(purpose: impl Into<String>, system: impl Into<Arc<str>>, user: impl Into<String>) -> Self {
        Self {
            purpose: purpose.into(),
            system: system.into(),
            messages: vec![Message::user(user)],
            schema: None,
            max_tokens: 1024,
            temperature_percent: 0,
        }
    }

    /// Asks for an answer of this shape.
    pub fn with_schema(mut self, schema: JsonSchema) -> Self {
        self.schema = Some(schema);
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
}

impl Message {
    /// A turn of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: MessageRole::User, content: content.into() }
    }

    /// A turn of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: MessageRole::Assistant, content: content.into() }
    }
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
    /// Why generation ended.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
    /// The model that answered, in the provider's words.
    pub model: String,
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
