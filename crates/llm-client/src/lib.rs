//! Language models as artoo's roles see them: one request in, one completion out, or, with [`ask()`], one
//! checked value.
//!
//! *Architecture invariant*: this crate knows no provider, no wire format and nothing that a role does: roles
//! are only names here, under which [`metered`] accounts for a call. It opens no socket and reads no
//! environment; a provider crate does that behind [`LlmClient`].
//!
//! ```
//! use artoo_llm_client::{JsonSchema, Request};
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Count {
//!     files: u32,
//! }
//! // Any model that implements `LlmClient` answers it; `ask::<Count>(&model, request)` gives the checked value.
//! let request = Request::new("counter", "Count the files.", "a b c").with_schema(JsonSchema::of::<Count>("count"));
//! assert_eq!(request.purpose, "counter");
//! ```
//!
//! | need | use |
//! |---|---|
//! | a value of a type | [`ask()`] with [`JsonSchema::of`] |
//! | free text | [`LlmClient::complete`] |
//! | several answers to one question | [`ask_several`] with [`Request::sample`] |
//! | a count of tokens and calls | [`Metered`], [`Usage`] |
//! | a model for tests | `doubles::ScriptedModel`, with the feature `test-util` |
//! | a recorded session | [`cassette::Recorder`], [`cassette::Replayer`] |
//! | how far a call is | [`Reporter`] |
//! | a retry decision, for provider crates | [`next_delay`] |

mod ask;
mod call_line;
pub mod cassette;
mod client;
mod conversation;
#[cfg(feature = "test-util")]
pub mod doubles;
mod error;
mod estimate;
mod extract;
mod fence;
mod fitted;
mod grants;
mod metering;
mod output_budget;
mod profile;
mod prompt;
#[cfg(feature = "test-util")]
mod prompt_size;
mod reasoning;
mod reporting;
mod request;
mod retry;
mod retry_after;
mod schema;
mod silence;
mod standing;
mod strength;
mod text_calls;
mod tools;
mod usage;
mod user_statements;

pub use ask::{
    Obtained, Structured, ask, ask_alone, ask_once, ask_once_alone, ask_several, ask_typed, read_alone,
};
pub use call_line::call_line;
pub use client::{CallEnd, LlmClient, Metered};
pub use conversation::{Conversation, KeptConversation};
pub use error::{ErrorKind, LlmError};
pub use estimate::{estimate_message, estimate_tokens, estimate_usage};
pub use extract::{ExtractError, Extracted, MAX_ANSWER_BYTES, MAX_DEPTH, Want, extract_json};
pub use fence::{Origin, fenced, fenced_file, fenced_output, indented, inline, unfenced};
pub use grants::granted_in_advance;
pub use metering::metered;
pub use output_budget::{advice, earlier_results, fair_share};
pub use profile::{Calibration, ModelProfile, ProfileOverrides, ReasoningEffort, ToolCalling, parameters};
pub use prompt::with_schema_in_prompt;
#[cfg(feature = "test-util")]
pub use prompt_size::{PromptSize, prompt_size};
pub use reasoning::strip_reasoning;
pub use reporting::{Progress, Reporter, RetryReason, subtask_of_call};
pub use request::{
    AnswerRule, Choice, Completion, Image, JsonSchema, Message, MessageRole, Request, StopReason,
    ToolDefinition, ToolResult, ToolUse, Usage,
};
pub use retry::{Failure, GiveUp, RetryDecision, RetryPolicy, RetryState, next_delay};
pub use retry_after::{parse_http_date, parse_retry_after};
pub use silence::{Rest, Silence};
pub use standing::{fitting_lessons, laws, lessons};
pub use strength::{Contender, weaker_judge};
pub use text_calls::{TextCalls, calls_in_text, looks_like_calls};
pub use tools::with_tools_in_prompt;
pub use user_statements::user_statements;
