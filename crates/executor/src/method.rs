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
/// assert_eq!(method(&shell("bash -c 'timeout 5 find docs'")), method(&shell("find logs")));
/// assert_eq!(method(&shell("echo docs | xargs -n 1 find")), method(&shell("find logs")));
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
            && !is_beside_the_point(program)
        {
            return Some(program.rsplit('/').next().unwrap_or(program).to_owned());
        }
    }
    None
}

/// Commands that prepare the work or report it, and heads of loops: not what does it.
fn is_beside_the_point(program: &str) -> bool {
    matches!(
        program,
        "cd" | "export"
            | "set"
            | "echo"
            | "printf"
            | "true"
            | "read"
            | "for"
            | "case"
            | "done"
            | "fi"
            | "esac"
    )
}

/// What stands before the program: assignments, wrappers with their options and times, other shells, words of the shell's grammar.
fn is_prefix(word: &str) -> bool {
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    if word.starts_with('-')
        || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    {
        return true;
    }
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    let word = word.rsplit('/').next().unwrap_or(word);
    let wrapper = matches!(
        word,
        "time"
            | "nice"
            | "env"
            | "command"
            | "exec"
            | "sudo"
            | "nohup"
            | "timeout"
            | "eval"
            | "xargs"
            | "busybox"
            | "stdbuf"
            | "setsid"
    );
    let shell = matches!(word, "sh" | "bash" | "dash" | "zsh" | "ksh");
    let grammar = matches!(word, "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "!");
    assignment || wrapper || shell || grammar
}
