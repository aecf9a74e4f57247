//! A tool that is a function.

use artoo_types::{Arguments, CallEnding, CallFailure, FailureClass, ToolName};
use async_trait::async_trait;
use serde_json::Value;

use crate::{Tool, ToolContext, ToolEffect, ToolReport};

/// A [`Tool`] made of a function from arguments to text. An `Err` says why the call failed, for the model to read.
///
/// It runs on the async thread: work that blocks needs a tool of its own.
///
/// ```
/// use artoo_tools::{FunctionTool, Tool, ToolEffect};
/// use serde_json::json;
///
/// let article = json!({"type": "string", "maxLength": 64, "description": "its name"});
/// let arguments = json!({"type": "object", "properties": {"article": article}, "additionalProperties": false});
/// let tool = FunctionTool::new("stock", "how many of an article are in store", arguments, |arguments| {
///     let article = arguments.get("article").ok_or("name the article")?;
///     Ok(if article == "plums" { "17" } else { "0" }.to_owned())
/// });
/// assert_eq!(tool.reads().effect(), ToolEffect::Reads);
/// ```
pub struct FunctionTool<F> {
    name: ToolName,
    summary: String,
    effect: ToolEffect,
    arguments: Value,
    call: F,
}

impl<F: Fn(&Arguments) -> Result<String, String> + Send + Sync> FunctionTool<F> {
    /// A tool of this name that may do anything, see [`ToolEffect::Unknown`]. What `summary` and `arguments` hold, see [`Tool`].
    pub fn new(name: &str, summary: impl Into<String>, arguments: Value, call: F) -> Self {
        let (name, summary) = (ToolName::new(name), summary.into());
        Self { name, summary, effect: ToolEffect::Unknown, arguments, call }
    }

    /// It only looks at something, and changes nothing.
    #[must_use]
    pub fn reads(self) -> Self {
        Self { effect: ToolEffect::Reads, ..self }
    }
}

#[async_trait]
impl<F: Fn(&Arguments) -> Result<String, String> + Send + Sync> Tool for FunctionTool<F> {
    fn name(&self) -> ToolName {
        self.name.clone()
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn effect(&self) -> ToolEffect {
        self.effect
    }

    fn arguments(&self) -> Value {
        self.arguments.clone()
    }

    async fn call(&self, arguments: &Arguments, _: &ToolContext) -> ToolReport {
        match (self.call)(arguments) {
            Ok(text) => ToolReport::text(text),
            Err(reason) => {
                let failure = CallFailure { class: FailureClass::Unknown, reason, hint: None };
                ToolReport { ending: CallEnding::Returned, failure: Some(failure), ..ToolReport::text("") }
            }
        }
    }
}

impl<F> std::fmt::Debug for FunctionTool<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FunctionTool").field("name", &self.name).finish_non_exhaustive()
    }
}
