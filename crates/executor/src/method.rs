//! What counts as the same means: the tool, and for a command the program that does the work.

use artoo_types::{BlockedTarget, ToolName};

/// The means of a call: its tool, and for `shell` its first program, looked for behind `cd`, assignments and wrappers.
///
/// ```
/// use artoo_executor::method;
/// use artoo_types::{BlockedTarget, ToolName};
/// let shell = |command: &str| BlockedTarget { tool: ToolName::new("shell"), target: command.into() };
/// assert_eq!(method(&shell("cd docs && LC_ALL=C find . | wc -l")).1.as_deref(), Some("find"));
/// assert_eq!(method(&shell("/usr/bin/find docs")), method(&shell("find logs")));
/// assert_ne!(method(&shell("ls docs")), method(&shell("find docs")));
/// ```
pub fn method(call: &BlockedTarget) -> (ToolName, Option<String>) {
    let program = (call.tool.as_str() == "shell").then(|| first_program(&call.target)).flatten();
    (call.tool.clone(), program)
}

fn first_program(command: &str) -> Option<String> {
    let segments = command.split(['|', ';', '&', '\n', '(', ')', '`']);
    for segment in segments {
        let mut words = segment.split_whitespace().map(|word| word.trim_matches(['"', '\'', '{', '}', '$']));
        let program = words.find(|word| !word.is_empty() && !is_prefix(word));
        if let Some(program) = program
            && !matches!(program, "cd" | "export" | "set" | "echo" | "true")
        {
            return Some(program.rsplit('/').next().unwrap_or(program).to_owned());
        }
    }
    None
}

/// Assignments and wrappers that stand before the program.
fn is_prefix(word: &str) -> bool {
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    assignment || matches!(word, "time" | "nice" | "env" | "command" | "exec" | "sudo" | "nohup" | "timeout")
}
