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
        "run, by default the newest",
    ),
    ("diff", "Show what a run changed", "run, by default the newest"),
    ("explain", "Explain why a run went as it did", "run, by default the newest"),
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

/// The command in a prompt; `None` for a request. Without a run, it is about `last_run`, the last one of the session.
pub(crate) fn read(text: &str, last_run: Option<RunId>) -> Option<Inquiry> {
    let words = text.trim().strip_prefix('/')?;
    let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let rest = rest.trim();
    let last = || last_run.map_or_else(|| "last".to_owned(), |run| run.to_string());
    let run = || if rest.is_empty() { last() } else { rest.to_owned() };
    match name {
        "undo" => Some(Inquiry::Undo(run())),
        "diff" => Some(Inquiry::Changes(run())),
        "explain" => Some(Inquiry::Explanation(run())),
        "runs" => Some(Inquiry::Runs { most: LISTED }),
        "recall" if !rest.is_empty() => Some(Inquiry::Recall(rest.to_owned())),
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
        assert_eq!(read(" /undo ", None), Some(Inquiry::Undo("last".to_owned())));
        assert_eq!(read("/diff 019a", None), Some(Inquiry::Changes("019a".to_owned())));
        for request in ["undo the last change", "/tmp/a.txt is too long", "/recall", "/", ""] {
            assert_eq!(read(request, None), None, "{request}");
        }
    }
}
