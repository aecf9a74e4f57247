//! The tools of all servers of a run: offered one by one, or behind a search where they are many.

use std::sync::Arc;

use artoo_tools::{Captured, Given, ServerReach, Tool, ToolContext, ToolEffect, ToolError, ToolReport};
use artoo_types::{Arguments, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{McpError, McpTool};

/// Tools that a search gives at most.
const FOUND: usize = 8;

/// The tools of all servers of a run.
#[derive(Clone, Debug, Default)]
pub struct ServerTools(Arc<[Arc<McpTool>]>);

impl ServerTools {
    /// These tools.
    pub fn new(tools: Vec<Arc<McpTool>>) -> Self {
        Self(tools.into())
    }

    /// All of them.
    pub fn all(&self) -> &[Arc<McpTool>] {
        &self.0
    }

    /// What a model is offered: each tool, where there are at most `most`; otherwise `mcp_search`, which finds them by words, and
    /// `mcp_call`, which calls one as if it had been offered itself.
    ///
    /// ```
    /// use artoo_mcp::ServerTools;
    ///
    /// assert!(ServerTools::default().offered(40).is_empty());
    /// ```
    pub fn offered(&self, most: usize) -> Vec<Arc<dyn Tool>> {
        if self.0.len() <= most {
            return self.0.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>).collect();
        }
        vec![Arc::new(Search(self.clone())), Arc::new(Call(self.clone()))]
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.0.iter().map(|tool| tool.name().to_string()).collect();
        names.join(", ")
    }

    fn reach(&self) -> ServerReach {
        self.0.iter().map(|tool| tool.server().reach()).max().unwrap_or(ServerReach::Nothing)
    }
}

/// Finds tools by words.
struct Search(ServerTools);

/// Calls one of them.
struct Call(ServerTools);

#[async_trait]
impl Tool for Search {
    fn name(&self) -> ToolName {
        ToolName::new("mcp_search")
    }

    fn summary(&self) -> &str {
        "find tools of the servers by words; call them with mcp_call"
    }

    fn in_this_run(&self) -> Option<String> {
        Some(format!("mcp_search finds these tools: {}", self.0.names()))
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Server(ServerReach::Nothing)
    }

    fn output_is_answer(&self) -> bool {
        false
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"query": {"type": "string", "maxLength": 200, "description": "words of what the tool should do, or its name"}},
            "required": ["query"],
            "additionalProperties": false
        })
    }

    async fn call(&self, arguments: &Arguments, _: &ToolContext) -> ToolReport {
        let query =
            Given::new(arguments, &["query"]).and_then(|given| given.text("query").map(str::to_lowercase));
        let query = match query {
            Ok(query) => query,
            Err(error) => return error.into(),
        };
        let words: Vec<&str> =
            query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let score = |tool: &McpTool| {
            let definition = tool.definition();
            let name = tool.name().to_string().to_lowercase();
            let said = definition.description.unwrap_or_default().to_lowercase();
            words
                .iter()
                .map(|word| 3 * usize::from(name.contains(word)) + usize::from(said.contains(word)))
                .sum::<usize>()
        };
        let mut found: Vec<(usize, &Arc<McpTool>)> =
            self.0.0.iter().map(|tool| (score(tool), tool)).collect();
        found.retain(|(score, _)| *score > 0);
        found.sort_by_key(|(score, tool)| (std::cmp::Reverse(*score), tool.name()));
        let told: Vec<String> = found.iter().take(FOUND).map(|(_, tool)| told(tool)).collect();
        let more = found.len().saturating_sub(FOUND);
        let text = match (told.is_empty(), more) {
            (true, _) => "no tool has these words; try others, or one of the names\n".to_owned(),
            (false, 0) => told.join("\n"),
            (false, more) => format!("{}\n[{more} more]\n", told.join("\n")),
        };
        let output =
            Captured::Foreign { origin: "the servers of tools".to_owned(), bytes: text.into_bytes() };
        ToolReport { output, ..ToolReport::text("") }
    }
}

/// What a model needs to call it.
fn told(tool: &McpTool) -> String {
    format!("{}: {}\narguments: {}\n", tool.name(), tool.description(), tool.arguments())
}

#[async_trait]
impl Tool for Call {
    fn name(&self) -> ToolName {
        ToolName::new("mcp_call")
    }

    fn summary(&self) -> &str {
        "call a tool of a server by its name, as mcp_search tells it"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Server(self.0.reach())
    }

    fn output_is_answer(&self) -> bool {
        false
    }

    /// Each tool refuses by itself where it may change nothing.
    fn can_be_tried(&self) -> bool {
        true
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 64, "description": "the name of the tool"},
                "arguments": {"type": "object", "description": "its arguments, by its own schema"}
            },
            "required": ["name"],
            "additionalProperties": false
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match self.carry_out(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

impl Call {
    async fn carry_out(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, McpError> {
        let given = Given::new(arguments, &["name", "arguments"])?;
        let name = given.text("name")?;
        let inner = match arguments.get("arguments") {
            None | Some(Value::Null) => Arguments::new(),
            Some(Value::Object(inner)) => inner.clone(),
            Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return Err(ToolError::argument("arguments", "must be an object").into());
            }
        };
        let found = self.0.0.iter().find(|tool| tool.name().as_str() == name);
        let tool =
            found.ok_or_else(|| ToolError::argument("name", "is none of the tools that mcp_search finds"))?;
        tool.carry_out(&inner, cx).await
    }
}
