//! Detects commands that only print their own arguments.

use artoo_types::{ToolCall, ToolKind};

/// Whether a call is a command that only prints literal text: `echo 4` shows that somebody wrote 4, nothing
/// else.
///
/// Only plain cases are recognised: anything that the shell would expand (variables, substitutions, patterns,
/// files) makes it more than printing, and the output of another program is its own.
pub(crate) fn only_prints(call: &ToolCall) -> bool {
    let command = call.arguments.get("command").and_then(serde_json::Value::as_str);
    call.tool.is(ToolKind::Shell) && command.is_some_and(|command| prints(command, 3))
}

/// Whether a command always exits with status 0, in plain cases: it only prints, or its last part guarantees
/// it.
pub(crate) fn always_succeeds(command: &str) -> bool {
    let last = command.trim().rsplit(['|', ';', '\n']).find(|part| !part.trim().is_empty());
    prints(command, 3) || last.is_some_and(|part| matches!(part.trim(), "true" | ":" | "exit 0"))
}

/// Up to `depth` shells may be nested.
fn prints(command: &str, depth: u32) -> bool {
    let command = command.trim();
    if let Some(inner) = inner_command(command) {
        return depth > 0 && prints(inner, depth - 1);
    }
    let replaced = |c: char| matches!(c, '$' | '`' | '<' | '*' | '?' | '[' | '~');
    let mut segments = command.split(['|', ';', '&', '\n']).map(str::trim).filter(|part| !part.is_empty());
    !command.contains(replaced)
        && segments.all(|segment| {
            let mut words = segment.split_whitespace();
            let first = words.by_ref().find(|word| !matches!(*word, "command" | "builtin" | "exec" | "env"));
            match first.map(|first| first.rsplit('/').next().unwrap_or(first)) {
                Some("echo" | "printf" | "true" | ":") => true,
                Some("cat" | "tee") => words.next().is_none(),
                Some(_) | None => false,
            }
        })
}

/// The argument of a shell's `-c`, if that is the whole command.
fn inner_command(command: &str) -> Option<&str> {
    let (shell, rest) = command.split_once(' ')?;
    let shell = shell.rsplit('/').next().unwrap_or(shell);
    let rest = rest.trim().strip_prefix("-c")?.trim();
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = rest.strip_prefix(quote)?.strip_suffix(quote)?;
    (matches!(shell, "sh" | "bash" | "dash" | "zsh" | "ksh") && !inner.contains(quote)).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::{always_succeeds, prints};

    #[test]
    fn what_cannot_fail_is_known_where_it_is_plain() {
        for command in [
            "true",
            "echo ok",
            "pytest || true",
            "make test; exit 0",
            "pytest\n:\n",
            "sh -c 'true'",
            "exit 0",
        ] {
            assert!(always_succeeds(command), "{command}");
        }
        for command in [
            "pytest",
            "pytest && true",
            "pytest || exit 1",
            "awk '{ x; true'",
            "test -f a && echo ok",
            "[ -f a ]",
            "! grep -q x a",
        ] {
            assert!(!always_succeeds(command), "{command}");
        }
    }

    #[test]
    fn only_plain_text_is_printing() {
        for command in [
            "echo 4",
            " printf '%s\\n' 4 ",
            "echo 4 | cat",
            "true; echo 4",
            "/bin/echo 4",
            "bash -c 'echo 4'",
            "command echo 4",
        ] {
            assert!(prints(command, 3), "{command}");
        }
        for command in [
            "echo $((2 + 2))",
            "echo *.txt",
            "cat a.txt",
            "wc -l a.txt",
            "echo 4; ls",
            "echo `ls`",
            "cat < a",
            "echo a | wc -l",
            "bash -c 'ls'",
            "",
        ] {
            assert!(!prints(command, 3) || command.is_empty(), "{command}");
        }
    }
}
