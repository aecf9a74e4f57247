//! Steering a second derivation: what of the tools is left once the means of the first are taken away.
//!
//! Refusing a call after it was made costs a small model a turn, and it often makes the same call again. So the schema of
//! the turn itself leaves out what would be refused: a decoder that is constrained cannot even begin it.

use std::collections::BTreeSet;

use artoo_types::BlockedTarget;
use serde_json::json;

use crate::{ToolSpec, method};

/// Programs that can derive an answer about files and text by themselves, the most capable first.
const CAPABLE: [&str; 9] = ["python3", "awk", "perl", "find", "grep", "jq", "sed", "ls", "stat"];

/// What a second derivation may use: tools that the first did not, and for `shell` one other program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Means {
    /// The programs or tools that were used before.
    pub(crate) used: Vec<String>,
    /// The program that a command must begin with; `None` where the machine has no other, and any is left to the ledger.
    pub(crate) program: Option<String>,
}

impl Means {
    /// What is left after `avoid` on a machine with these programs; `None` for a first derivation.
    pub(crate) fn left(avoid: &[BlockedTarget], programs: &[String]) -> Option<Self> {
        if avoid.is_empty() {
            return None;
        }
        let methods: BTreeSet<_> = avoid.iter().map(method).collect();
        let used: Vec<String> = methods
            .iter()
            .map(|(tool, program)| program.clone().unwrap_or_else(|| tool.to_string()))
            .collect();
        let free =
            |program: &&&str| programs.iter().any(|p| p == **program) && !used.iter().any(|u| u == **program);
        let program = CAPABLE.iter().find(free).map(|program| (*program).to_owned());
        Some(Self { used, program })
    }

    /// The tools without those that were used and those that answer nothing, and `shell` bound to the other program.
    pub(crate) fn steer(&self, tools: Vec<ToolSpec>) -> Vec<ToolSpec> {
        let free = |tool: &ToolSpec| {
            tool.name.as_str() == "shell"
                || (tool.name.as_str() != "write_file" && !self.used.contains(&tool.name.to_string()))
        };
        let mut tools: Vec<ToolSpec> = tools.into_iter().filter(free).collect();
        if let Some(program) = &self.program {
            for tool in tools.iter_mut().filter(|tool| tool.name.as_str() == "shell") {
                let command = tool.arguments.pointer_mut("/properties/command");
                if let Some(command) = command.and_then(serde_json::Value::as_object_mut) {
                    // The tool's own pattern, for example that quotes are closed, holds for the rest of the command.
                    let own = command.get("pattern").and_then(serde_json::Value::as_str).unwrap_or_default();
                    let rest = own.strip_prefix('^').unwrap_or(own);
                    let pattern = format!("^{program} {rest}");
                    command.insert("pattern".to_owned(), json!(pattern));
                }
            }
        }
        tools
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::ToolName;

    use super::*;

    fn spec(name: &str) -> ToolSpec {
        ToolSpec {
            name: ToolName::new(name),
            summary: String::new(),
            arguments: json!({"properties": {"command": {"type": "string"}}}),
            output_is_answer: true,
        }
    }

    fn used(tool: &str, target: &str) -> BlockedTarget {
        BlockedTarget { tool: ToolName::new(tool), target: target.to_owned() }
    }

    #[test]
    fn a_second_derivation_cannot_begin_with_the_same_program() {
        let programs = ["find", "python3"].map(str::to_owned);
        let tools = vec![spec("glob"), spec("write_file"), spec("shell")];
        assert_eq!(Means::left(&[], &programs), None);

        let after_find = Means::left(&[used("shell", "find docs | wc -l")], &programs).unwrap();
        assert_eq!(after_find, Means { used: vec!["find".into()], program: Some("python3".into()) });
        let left = after_find.steer(tools.clone());
        assert_eq!(left.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["glob", "shell"]);
        assert_eq!(left[1].arguments["properties"]["command"]["pattern"], "^python3 ");

        let after_glob =
            Means::left(&[used("glob", "*.txt"), used("shell", "python3 -c 1")], &programs).unwrap();
        assert_eq!(after_glob.program.as_deref(), Some("find"));
        assert_eq!(after_glob.steer(tools).len(), 1);

        let nothing_left = Means::left(&[used("shell", "find .")], &["find".to_owned()]).unwrap();
        assert_eq!(nothing_left.program, None);
    }
}
