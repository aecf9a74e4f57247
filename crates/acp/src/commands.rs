//! Slash commands: what a user asks of earlier runs instead of a new one.

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, SessionUpdate, UnstructuredCommandInput,
};
use artoo_front_end::Inquiry;
use artoo_types::RunId;

/// How many runs are listed.
const LISTED: usize = 20;

/// A command: its name, what it does, and what may stand behind it.
const COMMANDS: [(&str, &str, &str); 5] = [
    (
        "undo",
        "Take back what a run did to files: everything, or nothing with the reasons",
        "run, by default the last one of this session",
    ),
    ("diff", "Show what a run changed", "run, by default the last one of this session"),
    ("explain", "Explain why a run went as it did", "run, by default the last one of this session"),
    ("runs", "List the newest runs", ""),
    ("recall", "Say what memory would say to a request, and why", "words of a request"),
];

/// The commands, as the client is told of them.
pub(crate) fn available() -> SessionUpdate {
    let command = |(name, description, input): (&str, &str, &str)| {
        let command = AvailableCommand::new(name, description);
        if input.is_empty() {
            return command;
        }
        command.input(AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(input)))
    };
    let commands = COMMANDS.into_iter().map(command).collect();
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands))
}

/// A prompt that is no request.
#[derive(Debug, PartialEq)]
pub(crate) enum SlashCommand {
    /// What is asked of earlier runs.
    Inquiry(Inquiry),
    /// It is about the last run of the session, and there is none.
    NoRun,
}

/// The command in a prompt; `None` for a request. Without a run, it is about `last_run`, the last one of the session: never about a run of
/// another one.
pub(crate) fn read(text: &str, last_run: Option<RunId>) -> Option<SlashCommand> {
    let words = text.trim().strip_prefix('/')?;
    let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let rest = rest.trim();
    let last = || last_run.map(|run| run.to_string());
    let about = |of: fn(String) -> Inquiry| {
        let run = if rest.is_empty() { last() } else { Some(rest.to_owned()) };
        Some(run.map_or(SlashCommand::NoRun, |run| SlashCommand::Inquiry(of(run))))
    };
    match name {
        "undo" => about(Inquiry::Undo),
        "diff" => about(Inquiry::Changes),
        "explain" => about(Inquiry::Explanation),
        "runs" => Some(SlashCommand::Inquiry(Inquiry::Runs { most: LISTED })),
        "recall" if !rest.is_empty() => Some(SlashCommand::Inquiry(Inquiry::Recall(rest.to_owned()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_told_is_read() {
        for (name, _, _) in COMMANDS {
            assert!(read(&format!("/{name} words"), None).is_some(), "{name}");
        }
        assert_eq!(read(" /undo ", None), Some(SlashCommand::NoRun));
        let changes = SlashCommand::Inquiry(Inquiry::Changes("019a".to_owned()));
        assert_eq!(read("/diff 019a", None), Some(changes));
        for request in ["undo the last change", "/tmp/a.txt is too long", "/recall", "/", ""] {
            assert_eq!(read(request, None), None, "{request}");
        }
    }
}
