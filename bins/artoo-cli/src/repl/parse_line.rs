//! Parser for a line entered at the prompt: request, shell command or slash command.

use crate::error::CommandError;

use super::slash::Slash;

/// A parsed line.
#[derive(Debug, PartialEq)]
pub(super) enum Entered {
    /// Only whitespace.
    Nothing,
    /// A request.
    Request(String),
    /// A shell command (`!`), carried out as a run would do it.
    Command(String),
    /// A slash command of the REPL or of the program.
    Slash(Slash),
}

impl Entered {
    /// Parses a line typed at the prompt: a command that lost its slash is not a request either.
    ///
    /// # Errors
    /// As [`Self::of`]; or the line is the name of a command and no more. `/NAME` is the command, `> NAME` the request.
    pub(super) fn at_prompt(line: &str) -> Result<Self, CommandError> {
        match Slash::without_slash(line.trim()) {
            Some(slash) => slash.map(Self::Slash),
            None => Self::of(line),
        }
    }

    /// Parses a line. A leading slash means a command, unless the line starts with a path:
    /// `/etc/hosts: what is in it?`.
    ///
    /// # Errors
    /// The command is unknown, or its arguments are invalid.
    pub(super) fn of(line: &str) -> Result<Self, CommandError> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(Self::Nothing);
        }
        if let Some(text) = line.strip_prefix('>') {
            // Same prefix as while a run works: the next request.
            return Self::of(text);
        }
        if let Some(command) = line.strip_prefix('!') {
            let command = command.trim();
            return Ok(if command.is_empty() { Self::Nothing } else { Self::Command(command.to_owned()) });
        }
        match line.strip_prefix('/') {
            Some(rest) if !is_path(rest) => Slash::of(rest).map(Self::Slash),
            Some(_) | None => Ok(Self::Request(line.to_owned())),
        }
    }
}

/// Whether a line is a command, known or mistyped: it ends with its line end, also within a paste.
pub(super) fn is_command(line: &str) -> bool {
    match Entered::at_prompt(line) {
        Ok(Entered::Slash(_) | Entered::Command(_)) | Err(_) => true,
        Ok(Entered::Nothing | Entered::Request(_)) => false,
    }
}

/// Whether the text after the slash looks like a path: its first word contains another slash.
fn is_path(rest: &str) -> bool {
    rest.split_whitespace().next().is_some_and(|word| word.contains('/'))
}

#[cfg(test)]
mod tests {
    use artoo_types::Approval;

    use super::super::slash::TABLE;
    use super::*;

    #[test]
    fn a_line_says_what_it_is() {
        let check =
            |line: &str, expected: Entered| assert_eq!(Entered::of(line).unwrap(), expected, "{line}");
        let request = |text: &str| Entered::Request(text.to_owned());
        check("  ", Entered::Nothing);
        check("!", Entered::Nothing);
        check(" 数 files ", request("数 files"));
        check("> and now 2024", request("and now 2024"));
        check("/etc/hosts: what is in it?", request("/etc/hosts: what is in it?"));
        check("! ls | wc -l", Entered::Command("ls | wc -l".to_owned()));
        check(">! ls", Entered::Command("ls".to_owned()));
        check("/exit", Entered::Slash(Slash::Exit));
        check("/plan on", Entered::Slash(Slash::Plan(true)));
        check("/approval ask", Entered::Slash(Slash::Approval(Approval::Ask)));
        check(
            "/bg say \"it\", don't shout",
            Entered::Slash(Slash::Background("say \"it\", don't shout".to_owned())),
        );
        let words = |words: &[&str]| Slash::Command(words.iter().map(|word| (*word).to_owned()).collect());
        check("/runs", Entered::Slash(words(&["runs", "list"])));
        check("/memory why \"two words\"", Entered::Slash(words(&["memory", "why", "two words"])));
        check("/model", Entered::Slash(words(&["model", "list"])));
        check("/model qwen3", Entered::Slash(Slash::Model("qwen3".to_owned())));
        check("/undo --dry-run", Entered::Slash(Slash::AboutRun("undo", vec!["--dry-run".to_owned()])));
    }

    #[test]
    fn a_command_without_its_slash_is_no_request() {
        let check = |line: &str, expected: Entered| {
            assert_eq!(Entered::at_prompt(line).unwrap(), expected, "{line}");
        };
        for line in ["exit", " Quit ", "EXIT"] {
            check(line, Entered::Slash(Slash::Exit));
        }
        check("help", Entered::Slash(Slash::Help));
        check("?", Entered::Slash(Slash::Help));
        for name in TABLE.iter().map(|(name, ..)| *name).filter(|name| !["help", "exit"].contains(name)) {
            let error = Entered::at_prompt(name).unwrap_err();
            let hint = error.next_step().unwrap_or_default();
            assert!(
                hint.contains(&format!("/{name}")) && hint.contains(&format!("> {name}")),
                "{name}: {hint}"
            );
        }
        // Said outright, several words, and other words are requests.
        for (line, request) in [
            ("> undo", "undo"),
            ("undo it", "undo it"),
            ("yes", "yes"),
            ("数一数", "数一数"),
            ("undo.", "undo."),
        ] {
            check(line, Entered::Request(request.to_owned()));
        }
        // An answer to a question, and a note to a run, is never taken for a command that lost its slash.
        assert_eq!(Entered::of("stop").unwrap(), Entered::Request("stop".to_owned()));
    }

    #[test]
    fn a_paste_ends_with_the_line_of_a_command() {
        for line in ["/cost", "/nonsense", "! ls", "exit", "undo"] {
            assert!(is_command(line), "{line}");
        }
        for line in ["", "how many", "/etc/hosts: what is in it?", "undo\nthe last"] {
            assert!(!is_command(line), "{line:?}");
        }
    }

    #[test]
    fn a_mistake_says_what_would_be_right() {
        let check = |line: &str, expected: &str| {
            let error = Entered::of(line).unwrap_err();
            let said = format!("{error} ({})", error.next_step().unwrap_or_default());
            assert!(said.contains(expected), "{line}: {said}");
        };
        check("/hlep", "did you mean /help?");
        check("/plan maybe", "/plan takes: on | off");
        check("/approval", "/approval takes: auto | ask | never");
        check("/cwd", "/cwd takes: FOLDER");
        check("/bg", "/bg takes: REQUEST");
        check("/save \"open", "a quote in the command is not closed");
    }
}
