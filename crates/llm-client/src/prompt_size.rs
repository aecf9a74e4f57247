//! The size of a prompt, for tests that notice when one grows.

use std::fmt;

use crate::{Request, ToolDefinition, estimate_message, estimate_tokens};

/// About how many tokens a request sends, by its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptSize {
    /// The constant part.
    pub system: u64,
    /// The schema of the answer.
    pub schema: u64,
    /// The names, descriptions and parameters of the tools.
    pub tools: u64,
    /// The turns.
    pub turns: u64,
}

/// The size of a request, estimated from its characters. A crate keeps a table of the sizes of its prompts as a
/// snapshot, so that none grows unnoticed.
///
/// ```
/// use artoo_llm_client::{Request, prompt_size};
///
/// let size = prompt_size(&Request::new("counter", "Count the files.", "a b c d"));
/// assert_eq!(size.to_string(), "system 4, turns 2");
/// ```
pub fn prompt_size(request: &Request) -> PromptSize {
    let tool = |tool: &ToolDefinition| {
        estimate_tokens(&tool.name)
            + estimate_tokens(&tool.description)
            + estimate_tokens(&tool.parameters.to_string())
    };
    PromptSize {
        system: estimate_tokens(&request.system),
        schema: request.schema.as_ref().map_or(0, |schema| estimate_tokens(&schema.schema.to_string())),
        tools: request.tools.iter().map(tool).sum(),
        turns: request.messages.iter().map(estimate_message).sum(),
    }
}

impl fmt::Display for PromptSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts =
            [("system", self.system), ("schema", self.schema), ("tools", self.tools), ("turns", self.turns)];
        let shown = parts.iter().filter(|(_, tokens)| *tokens > 0);
        f.write_str(&shown.map(|(name, tokens)| format!("{name} {tokens}")).collect::<Vec<_>>().join(", "))
    }
}
