//! The kinds of hostility: what a server, a model, a command or a person may do to a run. Many follow public bug reports
//! (`docs/design/field-reports.md`), the others are their neighbours.

mod answers;
mod calls;
mod scripts;
mod texts;
mod transport;

use serde_json::{Value, json};

use super::{
    call::{Call, Role, Wire},
    model::{Judge, Planner, Task},
    reply::Reply,
    stream::{Completion, Stream, ToolCall},
};
use crate::rng::Draw;

/// What half an answer says. A run that delivers it has believed one.
pub(super) const HALF: &str = "half-an-answer-4711";
/// How the files begin that only a call makes that was cut. None may be there.
pub(super) const CUT: &str = "cut-call-";

/// A kind of hostility.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The group that it belongs to.
    pub group: Group,
    /// What it does.
    pub does: Does,
}

/// What kinds have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// No hostility.
    Sound,
    /// Counts of tokens.
    Usage,
    /// Answers that are not whole.
    Incomplete,
    /// Whole answers in an odd form.
    Form,
    /// Calls of tools in pieces, twice, or wrong.
    Calls,
    /// Calls of tools as text.
    Texts,
    /// Errors that a provider says.
    Refusals,
    /// What no client expects on a connection.
    Transport,
    /// What the model does.
    Models,
    /// What commands leave behind.
    Commands,
    /// Signals to artoo.
    Signals,
}

impl Group {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Usage => "counts",
            Self::Incomplete => "incomplete answers",
            Self::Form => "odd forms",
            Self::Calls => "calls",
            Self::Texts => "calls as text",
            Self::Refusals => "refusals",
            Self::Transport => "transport",
            Self::Models => "models",
            Self::Commands => "commands",
            Self::Signals => "signals",
        }
    }
}

/// What a kind does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// Nothing: server and model are sound, and the run is to be accepted.
    Nothing,
    /// It answers in the place of the sound server.
    Answers(On, fn(&mut Answer<'_>) -> Reply),
    /// The run is about this.
    Asks(Task),
    /// The judges are like this.
    Judges(Judge),
    /// The planner is like this.
    Plans(Planner),
    /// A signal of this name comes in the middle.
    Signals(&'static str),
}

/// Which answers a kind can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    /// Any.
    Any,
    /// Any in chat completions.
    Chat,
    /// Any in Messages.
    Messages,
    /// Those with calls.
    Calls,
    /// Those with calls, in chat completions.
    ChatCalls,
    /// Those with calls, in Messages.
    MessagesCalls,
}

impl On {
    /// Whether this kind can change such an answer.
    pub(super) fn fits(self, wire: Wire, said: &Completion) -> bool {
        self.wire().is_none_or(|own| own == wire) && (!self.needs_calls() || !said.calls.is_empty())
    }

    /// The wire that a run needs for it.
    pub(super) fn wire(self) -> Option<Wire> {
        match self {
            Self::Any | Self::Calls => None,
            Self::Chat | Self::ChatCalls => Some(Wire::Chat),
            Self::Messages | Self::MessagesCalls => Some(Wire::Messages),
        }
    }

    /// Whether only answers with calls can be changed.
    pub(super) fn needs_calls(self) -> bool {
        match self {
            Self::Calls | Self::ChatCalls | Self::MessagesCalls => true,
            Self::Any | Self::Chat | Self::Messages => false,
        }
    }
}

/// All kinds.
pub(super) fn all() -> impl Iterator<Item = &'static Kind> {
    [answers::KINDS, calls::KINDS, texts::KINDS, transport::REFUSALS, transport::KINDS, scripts::KINDS]
        .into_iter()
        .flatten()
}

/// The sound answer, and what a kind needs to make something else of it.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// The request.
    pub call: &'a Call,
    /// Its number in the run.
    pub number: usize,
    /// The wire.
    pub wire: Wire,
    /// What the model says.
    pub said: Completion,
    /// Its events.
    pub stream: Stream,
    /// Chance.
    pub draw: Draw,
}

impl<'a> Answer<'a> {
    /// The answer of a model to a request.
    pub(super) fn new(call: &'a Call, number: usize, wire: Wire, said: Completion, draw: Draw) -> Self {
        let stream = said.stream(wire, call.bytes);
        Self { call, number, wire, said, stream, draw }
    }

    /// Has the model say something else.
    fn say(&mut self, said: Completion) {
        self.stream = said.stream(self.wire, self.call.bytes);
        self.said = said;
    }

    /// Makes words into half an answer that would be known again.
    fn half_words(&mut self) {
        if !self.said.calls.is_empty() {
            return;
        }
        let role = self.call.role();
        let text = match role {
            Role::Action | Role::Words => format!("There are 3 files, and {HALF}, so that"),
            Role::Plan | Role::Parts | Role::Verdict | Role::Resolved => {
                let half = self.said.text.chars().count() / 2;
                self.said.text.chars().take(half).collect()
            }
        };
        self.say(Completion::words(text));
    }

    /// The same, and makes a call into one that would be known again if it ran. Such a call is whole JSON: what is cut behind it cannot be
    /// seen in it.
    fn half(&mut self) {
        if self.said.calls.is_empty() || self.call.role() != Role::Action {
            return self.half_words();
        }
        let path = format!("{CUT}{}.txt", self.number);
        let arguments = json!({"path": path, "content": "the first half of"});
        let call = ToolCall { id: format!("call_{}", self.number), name: "write_file".to_owned(), arguments };
        self.say(Completion { text: String::new(), calls: vec![call] });
    }

    /// The first call with its arguments as text.
    fn first_call(&self) -> (String, String, String) {
        match self.said.calls.first() {
            Some(ToolCall { id, name, arguments }) => (id.clone(), name.clone(), arguments.to_string()),
            None => (String::new(), String::new(), String::new()),
        }
    }

    /// Replaces the events of the content.
    fn with(&mut self, content: Vec<Value>) -> Reply {
        self.stream.content = content;
        self.stream.reply()
    }
}

/// A kind that answers.
const fn kind(name: &'static str, group: Group, on: On, does: fn(&mut Answer<'_>) -> Reply) -> Kind {
    Kind { name, group, does: Does::Answers(on, does) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::soak::{model::Model, reply::Act};

    fn call() -> Call {
        let body = json!({"tools": [{"function": {"name": "shell"}}], "messages": [], "max_tokens": 8192});
        Call { path: "/v1/chat/completions".into(), bytes: 400, body }
    }

    #[test]
    fn each_name_is_of_one_kind() {
        let names: BTreeSet<&str> = all().map(|kind| kind.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
        );
    }

    /// A kind that says what the sound server says tries nothing.
    #[test]
    fn each_kind_differs_from_the_sound_server() {
        let model = Model { task: Task::Count, judge: Judge::Satisfied, planner: Planner::Plain };
        let call = call();
        for kind in all() {
            let Does::Answers(on, does) = kind.does else { continue };
            let wire = on.wire().unwrap_or(Wire::Chat);
            let answer = || Answer::new(&call, 1, wire, model.says(&call, 1), Draw::new(7));
            assert!(on.fits(wire, &answer().said), "{}", kind.name);
            assert_ne!(does(&mut answer()), answer().stream.reply(), "{}", kind.name);
        }
    }

    #[test]
    fn half_an_answer_can_be_known_again() {
        let call = call();
        let said = Completion::call("c", "shell", json!({"command": "ls"}));
        let mut answer = Answer::new(&call, 5, Wire::Chat, said, Draw::new(1));
        answer.half();
        assert_eq!(answer.said.calls[0].arguments["path"], "cut-call-5.txt");
        let mut answer = Answer::new(&call, 5, Wire::Chat, Completion::words("Done"), Draw::new(1));
        answer.half();
        let Act::Send(first) = &answer.stream.reply().acts[0] else { panic!("nothing is sent") };
        assert!(String::from_utf8_lossy(first).contains(HALF));
    }
}
