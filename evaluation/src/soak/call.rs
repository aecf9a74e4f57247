//! What artoo asked the server.

use serde_json::Value;

/// The wire format of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// Chat completions.
    Chat,
    /// Anthropic's Messages.
    Messages,
}

/// Who asks, as far as the request shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// The planner.
    Plan,
    /// The executor.
    Action,
    /// The judge of the whole, who takes the request apart.
    Parts,
    /// The judge of a step.
    Verdict,
    /// A follow-up that is put into words of its own.
    Resolved,
    /// Whoever wants words.
    Words,
}

impl Role {
    /// All of them.
    pub(super) const ALL: [Self; 6] =
        [Self::Plan, Self::Action, Self::Parts, Self::Verdict, Self::Resolved, Self::Words];

    /// Whether it judges.
    pub(super) fn judges(self) -> bool {
        matches!(self, Self::Parts | Self::Verdict)
    }
}

/// A request of artoo.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The path.
    pub path: String,
    /// The body; null if it is no JSON.
    pub body: Value,
    /// The size of the body.
    pub bytes: usize,
}

impl Call {
    /// Who asks. A server that refused schemas or tools gets them in the prompt, so this looks there last.
    pub(super) fn role(&self) -> Role {
        let name = self.body.pointer("/response_format/json_schema/name").and_then(Value::as_str);
        if let Some(role) = name.and_then(named) {
            return role;
        }
        if let Some(schema) = self.body.get("output_config") {
            return told(&schema.to_string());
        }
        if let Some(role) = self.tools().find_map(named) {
            return role;
        }
        if self.goes_on() {
            return Role::Parts;
        }
        if self.has_tools() {
            return Role::Action;
        }
        told(&self.texts().collect::<Vec<_>>().join("\n"))
    }

    /// The tool that stands for a schema, where the server is asked that way.
    pub(super) fn schema_tool(&self) -> Option<&str> {
        self.tools().find(|name| named(name).is_some())
    }

    /// Whether tools are offered.
    pub(super) fn has_tools(&self) -> bool {
        self.tools().next().is_some()
    }

    /// Whether a judge goes on with the executor's conversation.
    fn goes_on(&self) -> bool {
        self.texts().any(|text| text.contains("your role changes: you now judge"))
    }

    /// The number of results of tools that the conversation holds; of answers, where tools are told in the prompt.
    pub(super) fn turns(&self) -> usize {
        if !self.has_tools() {
            return self.messages().filter(|message| is_of(message, "assistant")).count();
        }
        let in_blocks = |message: &Value| {
            let blocks = message.get("content").and_then(Value::as_array);
            blocks.map_or(0, |blocks| {
                blocks
                    .iter()
                    .filter(|block| block.get("type").is_some_and(|kind| kind == "tool_result"))
                    .count()
            })
        };
        self.messages().map(|message| if is_of(message, "tool") { 1 } else { in_blocks(message) }).sum()
    }

    /// The lines of all messages.
    pub(super) fn lines(&self) -> Vec<String> {
        self.texts().flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// The limit of tokens that the request sets.
    pub(super) fn limit(&self) -> u64 {
        let of = |name| self.body.get(name).and_then(Value::as_u64);
        of("max_tokens").or_else(|| of("max_completion_tokens")).unwrap_or_default()
    }

    /// How many verdicts a judge is asked for at once; 0 for one that is no list, and for none besides the parts.
    pub(super) fn verdicts(&self) -> u64 {
        let schema = self
            .body
            .pointer("/response_format/json_schema/schema")
            .or_else(|| self.body.pointer("/output_config/format/schema"));
        match schema {
            Some(schema) => {
                schema.pointer("/properties/verdicts/minItems").and_then(Value::as_u64).unwrap_or_default()
            }
            None if self.goes_on() => criteria(&self.lines()),
            None => u64::from(self.texts().any(|text| text.contains("\"verdicts\""))),
        }
    }

    fn messages(&self) -> impl Iterator<Item = &Value> {
        self.body.get("messages").and_then(Value::as_array).into_iter().flatten()
    }

    fn tools(&self) -> impl Iterator<Item = &str> {
        let tools = self.body.get("tools").and_then(Value::as_array).into_iter().flatten();
        tools.filter_map(|tool| tool.pointer("/function/name").or_else(|| tool.get("name"))?.as_str())
    }

    fn texts(&self) -> impl Iterator<Item = String> + '_ {
        let system = self.body.get("system").map(flat);
        system.into_iter().chain(self.messages().filter_map(|message| message.get("content")).map(flat))
    }
}

/// The number of criteria at the end of a judge's prompt.
fn criteria(lines: &[String]) -> u64 {
    let several = lines.iter().rposition(|line| line == "Criteria:").map(|at| lines.len() - at - 1);
    let count =
        several.unwrap_or_else(|| lines.iter().filter(|line| line.starts_with("Criterion: ")).count());
    u64::try_from(count).unwrap_or_default()
}

/// The text of a content, which is a text or a list of parts.
fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn is_of(message: &Value, role: &str) -> bool {
    message.get("role").is_some_and(|own| own == role)
}

/// The role that asks for a schema of this name.
fn named(name: &str) -> Option<Role> {
    match name {
        "plan" => Some(Role::Plan),
        "action" => Some(Role::Action),
        "parts" => Some(Role::Parts),
        "verdict" | "verdicts" | "task_verdict" => Some(Role::Verdict),
        "resolved_request" | "resolved_or_open" => Some(Role::Resolved),
        _ => None,
    }
}

/// The role by the fields that a schema or a prompt names.
fn told(text: &str) -> Role {
    let names = |field: &str| text.contains(&format!("\"{field}\""));
    if names("subtasks") {
        Role::Plan
    } else if names("parts") {
        Role::Parts
    } else if names("verdict") || names("verdicts") {
        Role::Verdict
    } else if names("arguments") {
        Role::Action
    } else if names("questions") {
        Role::Resolved
    } else {
        Role::Words
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(body: Value) -> Call {
        Call { path: "/v1/chat/completions".into(), bytes: body.to_string().len(), body }
    }

    #[test]
    fn who_asks_is_seen_in_each_form() {
        let schema = |name: &str| json!({"response_format": {"json_schema": {"name": name}}});
        assert_eq!(call(schema("plan")).role(), Role::Plan);
        assert_eq!(call(schema("task_verdict")).role(), Role::Verdict);
        assert_eq!(call(json!({"tools": [{"function": {"name": "shell"}}]})).role(), Role::Action);
        assert_eq!(call(json!({"tools": [{"name": "parts"}]})).role(), Role::Parts);
        let of_messages = json!({"output_config": {"format": {"schema": {"properties": {"subtasks": {}}}}}});
        assert_eq!(call(of_messages).role(), Role::Plan);
        let in_the_prompt =
            json!({"messages": [{"role": "system", "content": "{\"tool\": \"x\", \"arguments\": {}}"}]});
        assert_eq!(call(in_the_prompt).role(), Role::Action);
        assert_eq!(call(json!({"messages": []})).role(), Role::Words);
    }

    #[test]
    fn turns_are_results_of_tools() {
        let tools = json!([{"function": {"name": "shell"}}]);
        let chat =
            json!({"tools": tools, "messages": [{"role": "tool", "content": "a"}, {"role": "assistant"}]});
        assert_eq!(call(chat).turns(), 1);
        let blocks = json!([{"type": "tool_result"}, {"type": "tool_result"}]);
        assert_eq!(
            call(json!({"tools": tools, "messages": [{"role": "user", "content": blocks}]})).turns(),
            2
        );
        assert_eq!(call(json!({"messages": [{"role": "assistant", "content": ""}]})).turns(), 1);
    }
}
