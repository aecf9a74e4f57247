//! Parses a prompt for the simulated model.

use serde_json::Value;

use super::ways::Subject;

/// A parsed prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The first message of the user: surroundings, memory, the step.
    first: String,
    /// The same without the lines about the current task: the rest comes from memory or elsewhere.
    told: String,
    /// The commands of earlier turns.
    commands: Vec<String>,
    /// Their results.
    results: Vec<String>,
}

impl Seen {
    /// Parses the messages of a request.
    pub(super) fn of(body: &Value) -> Self {
        let mut seen = Self::default();
        for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
            let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
            match message.get("role").and_then(Value::as_str) {
                Some("assistant") => seen.commands.extend(command(text)),
                Some("user") if seen.first.is_empty() => text.clone_into(&mut seen.first),
                Some("user") => seen.results.push(text.to_owned()),
                _ => {}
            }
        }
        let is_at_hand = |line: &&str| AT_HAND.iter().any(|label| line.starts_with(label));
        seen.told = seen.first.lines().filter(|line| !is_at_hand(line)).collect::<Vec<_>>().join("\n");
        seen
    }

    /// The user's request.
    pub(super) fn request(&self) -> Option<String> {
        self.last_line("Request: ")
    }

    /// The step.
    pub(super) fn step(&self) -> Option<String> {
        self.last_line("Step: ")
    }

    /// The number of the last call shown to a judge.
    pub(super) fn last_call(&self) -> Option<u64> {
        self.last_line("Call ")?.split(':').next()?.parse().ok()
    }

    /// Everything before the first turn, without the current task.
    pub(super) fn told(&self) -> &str {
        &self.told
    }

    /// Whether this step has run this command already, in this attempt or in an earlier one.
    pub(super) fn made(&self, command: &str) -> bool {
        let earlier = |line: &str| line.starts_with("Earlier call: ") && line.ends_with(command);
        self.commands.iter().any(|made| made == command) || self.first.lines().any(earlier)
    }

    /// The program that a command must begin with, if the executor says so.
    pub(super) fn must_begin_with(&self) -> Option<String> {
        let said = [self.first.as_str()].into_iter().chain(self.results.iter().map(String::as_str));
        let programs = said.flat_map(|text| text.split("A command must begin with ").skip(1));
        let program =
            programs.last()?.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).next()?;
        Some(program.to_owned())
    }

    /// A path in a call's output where the subject was found.
    pub(super) fn found(&self, subject: &Subject) -> Option<String> {
        let outputs = self.results.iter().map(String::as_str).chain([self.after_the_step()]);
        let paths = outputs.flat_map(str::split_whitespace).filter_map(|word| word.strip_prefix("./"));
        paths.filter(|path| subject.is_called(path)).map(str::to_owned).next_back()
    }

    /// The first message's part about earlier attempts.
    fn after_the_step(&self) -> &str {
        self.first.rsplit_once("\nStep: ").map(|(_, after)| after).unwrap_or_default()
    }

    fn last_line(&self, label: &str) -> Option<String> {
        self.first.lines().rev().find_map(|line| line.strip_prefix(label)).map(str::to_owned)
    }
}

/// Prefixes of the lines about the current task.
const AT_HAND: [&str; 5] = ["Request: ", "Step: ", "It is done when:", "Earlier call: ", "Working folder: "];

fn command(turn: &str) -> Option<String> {
    let turn: Value = serde_json::from_str(turn).ok()?;
    turn.pointer("/arguments/command").and_then(Value::as_str).map(str::to_owned)
}
