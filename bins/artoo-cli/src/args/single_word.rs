//! A single word on the command line: a command or a mistake, never a request that runs.

use clap::{Command as Definition, CommandFactory};

use super::Cli;
use crate::error::CommandError;
use crate::suggest::nearest;

/// What other programs call something that artoo has under another name, and what it is here. It only words a hint.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["status", "history", "ls", "ps", "jobs"], "past runs: `artoo runs list`"),
    (&["log", "logs"], "what a run did: `artoo runs show`; the auditor's log: `artoo audit tail`"),
    (&["rollback", "revert", "restore", "back"], "to take back what a run did: `artoo undo`"),
    (&["changes", "changed"], "what a run changed: `artoo diff`"),
    (&["why"], "why a run went as it did: `artoo explain`"),
    (&["cancel", "kill", "abort", "end"], "to end a run that works: `artoo stop`"),
    (&["continue", "retry", "again"], "to go on: `artoo resume`"),
    (&["chat", "repl", "start", "begin"], "a conversation: `artoo`, without a word"),
    (&["exit", "quit"], "in a conversation, /exit leaves"),
    (&["init", "login", "auth", "install", "configure"], "to choose a model: `artoo setup`"),
    (&["settings", "options"], "the configuration: `artoo config show`"),
    (&["check", "health", "diagnose", "debug", "info"], "what works on this machine: `artoo doctor`"),
    (
        &["update", "upgrade", "self-update"],
        "artoo does not update itself; which one it is: `artoo version`; update it as it was installed",
    ),
    (
        &["uninstall"],
        "artoo is removed as it was installed; what it keeps is in the data folder: `artoo doctor`",
    ),
];

/// Whether a text can only be a slip of the keyboard or another program's command: ASCII letters, digits, hyphens and
/// underscores without a blank. A request in a script that sets no blanks has other letters.
fn is_word(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text != "-" && text.bytes().all(is_part)
}

/// The error for a request that is a single word; `None` for any other request.
///
/// A text without a blank that has other characters too, such as `setup.`, is an error only if it is nearly a command.
pub(super) fn refused(request: &str) -> Option<CommandError> {
    let text = request.trim();
    if text.contains(char::is_whitespace) {
        return None;
    }
    let cli = Cli::command();
    if cli.find_subcommand(text).is_some() {
        let error = CommandError::usage(format!("`{text}` is a command, and no request"));
        return Some(error.hint(format!("the command: artoo {text}; {}", as_request(text))));
    }
    let meant = meant(text, &cli);
    if meant.is_none() && !is_word(text) {
        return None;
    }
    let meant = meant.unwrap_or_else(|| "all commands: `artoo help`".to_owned());
    let error = CommandError::usage(format!("there is no command `{text}`"));
    let between = if meant.ends_with('?') { " " } else { "; " };
    Some(error.hint(format!("{meant}{between}{}", as_request(text))))
}

/// The error for the first of several words, if it is nearly a command; what follows then belongs to that.
pub(super) fn mistyped(first: &str) -> Option<CommandError> {
    let cli = Cli::command();
    if first.contains(char::is_whitespace) || cli.find_subcommand(first).is_some() {
        return None;
    }
    let name = nearest(first, names(&cli).iter().map(String::as_str))?.to_owned();
    Some(
        CommandError::usage(format!("there is no command `{first}`"))
            .hint(format!("did you mean `artoo {name}`? {}", as_request(first))),
    )
}

/// The error of `artoo help` for words that name no command.
pub(super) fn no_help(words: &[String]) -> CommandError {
    let cli = Cli::command();
    let (mut known, mut unknown) = (&cli, "");
    for word in words {
        let Some(below) = known.find_subcommand(word) else {
            unknown = word;
            break;
        };
        known = below;
    }
    let error = CommandError::usage(format!("there is no command `{}`", words.join(" ")));
    match nearest(unknown, names(known).iter().map(String::as_str)) {
        Some(name) => error.hint(format!("did you mean `{name}`? all commands: artoo help")),
        None => error.hint("all commands: artoo help"),
    }
}

fn as_request(word: &str) -> String {
    format!("to ask it as a request: artoo run \"{word}\"")
}

fn names(command: &Definition) -> Vec<String> {
    command.get_subcommands().map(|below| below.get_name().to_owned()).collect()
}

/// The command that a word may stand for: one of that name below another command, another program's word for one,
/// or the nearest name.
fn meant(word: &str, cli: &Definition) -> Option<String> {
    let lower = word.to_lowercase();
    let below: Vec<(String, String)> = cli
        .get_subcommands()
        .flat_map(|command| {
            let path = command.get_name().to_owned();
            names(command).into_iter().map(move |name| (format!("artoo {path} {name}"), name))
        })
        .collect();
    // All commands of that name below others.
    let named = |name: &str| {
        let same = below.iter().filter(|(_, known)| known == name);
        let paths: Vec<String> = same.map(|(path, _)| format!("`{path}`")).collect();
        let (last, others) = paths.split_last()?;
        let all = if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) };
        Some(format!("did you mean {all}?"))
    };
    if let Some(same) = named(&lower) {
        return Some(same);
    }
    if let Some((_, here)) = ELSEWHERE.iter().find(|(words, _)| words.contains(&lower.as_str())) {
        return Some((*here).to_owned());
    }
    if let Some(name) = nearest(&lower, names(cli).iter().map(String::as_str)) {
        return Some(format!("did you mean `artoo {name}`?"));
    }
    named(nearest(&lower, below.iter().map(|(_, name)| name.as_str()))?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hint(word: &str) -> Option<String> {
        refused(word).map(|error| error.next_step().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_word_is_answered_with_the_command_that_is_meant() {
        let check = |word: &str, expected: &str| {
            let said = hint(word).unwrap_or_default();
            assert!(said.contains(expected), "{word}: {said}");
            assert!(said.contains(&format!("artoo run \"{}\"", word.trim())), "{word}: {said}");
        };
        check("list", "`artoo runs list`");
        check("List", "`artoo runs list`");
        check("lsit", "`artoo model list`");
        check("lsit", "`artoo runs list`");
        check("status", "`artoo runs list`");
        check("update", "does not update itself");
        check("docter", "`artoo doctor`");
        check("udno", "`artoo undo`");
        check(" versoin ", "`artoo version`");
        check("remembr", "`artoo memory remember`");
        check("hello", "all commands: `artoo help`");
        check("42", "all commands");
        check("do-it", "all commands");
        check("config_set", "all commands");
        check("setup.", "`artoo setup`");
        // What stands behind `--` is an argument, also where it has the name of a command.
        check("undo", "the command: artoo undo");
    }

    #[test]
    fn a_request_without_blanks_in_another_script_is_one() {
        for request in
            ["数一数文件", "ファイルを数えて", "นับไฟล์", "파일수", "-", "", "what?", "README.md", "2+2", "двa"]
        {
            assert_eq!(hint(request), None, "{request}");
        }
    }

    #[test]
    fn every_command_that_a_hint_names_is_there() {
        let cli = Cli::command();
        for (words, here) in ELSEWHERE {
            for word in *words {
                assert!(
                    cli.find_subcommand(word).is_none() && hint(word).is_some(),
                    "{word} is a command itself"
                );
            }
            for path in here.split('`').skip(1).step_by(2).filter_map(|piece| piece.strip_prefix("artoo ")) {
                let mut command = &cli;
                for name in path.split(' ') {
                    command = command.find_subcommand(name).unwrap_or_else(|| panic!("no {name} in {path}"));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_single_word_is_ever_a_request(word in "[a-zA-Z0-9][a-zA-Z0-9_-]{0,20}") {
            prop_assert!(refused(&word).is_some());
        }

        #[test]
        fn several_words_are_never_taken_for_one(words in "[a-z]{1,8}( [a-z]{1,8}){1,4}") {
            prop_assert!(refused(&words).is_none());
        }
    }
}
