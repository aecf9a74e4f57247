//! Tool loop of one attempt, as a state machine: the next request, the calls to make, and how it ends. Pure;
//! the executor does the I/O.

mod conversation;
mod no_parser;
mod progress;
mod tool_calls;

use std::sync::Arc;

use artoo_llm_client::{
    Completion, Image, JsonSchema, Message, ModelProfile, Request, StopReason, ToolCalling, ToolDefinition,
    ToolUse, looks_like_calls, unfenced,
};
use artoo_types::{Arguments, FailureClass, GaveUp, GiveUpKind, ToolCall, ToolName};
use serde_json::{Value, json};

use crate::attempt_end::{completed, failed, gave_up, shows, unfinished, was_started};
use crate::endings::{ASK_USER, GIVE_UP};
use crate::{Action, Attempt, AttemptContext, User, prompt};

pub use conversation::Conversation;

use conversation::Came;
use no_parser::NO_PARSER;
use progress::{Progress, Standstill};

/// The rules of the constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// Instructions for models with native tool calling.
const NATIVE_PROMPT: &str = include_str!("../prompts/native.md");
/// Instructions for models that call tools in JSON.
const JSON_PROMPT: &str = include_str!("../prompts/json.md");

/// Output limit of one turn, in tokens: a file may be written whole.
const TURN_TOKENS: u32 = 16_384;
/// What the model is told of each call of a turn that was cut.
const CUT_CALL: &str = "The turn with this call was cut off because it is too long, so the call may be incomplete. Nothing was called. Write the call again, shorter, or in parts with one call for each.";
/// What the model is told of a call that arrived as text and cannot be read.
const UNREAD_CALL: &str = "That looks like a tool call, but it arrived as text that cannot be read. Nothing was called. Write the call as one JSON object and nothing else: {\"tool\": NAME, \"arguments\": {...}}";
/// What the model is told of an answer that rests on nothing. Whether it was meant as a question, the model says with its
/// next call; code does not guess.
const UNSHOWN: &str = "No tool has shown that yet. Look first: an answer has to come from what tools showed.";
/// The same where the user is there.
const UNSHOWN_OR_ASKED: &str = "No tool has shown that yet. Look first: an answer has to come from what tools showed. If it is a question to the user, call ask_user; otherwise it does not reach them.";
/// Fill level of the context, in hundredths, above which old exchanges are compacted; and the level after
/// compaction.
const FULL: u64 = 70;
const ROOMY: u64 = 40;

/// One attempt.
#[derive(Debug)]
pub(crate) struct ToolLoop<'a> {
    cx: &'a AttemptContext,
    profile: ModelProfile,
    form: Form,
    system: Arc<str>,
    conversation: Conversation,
    /// Whether there is anything to answer from.
    seen: bool,
    progress: Progress,
    /// Whether a turn had a call that neither the server nor artoo could read.
    has_unread_call: bool,
    /// Number of consecutive turns that asked for nothing but the last call, which had succeeded.
    repeats: u32,
    /// The last call that was started.
    last: Option<ToolCall>,
}

/// How tools are called. Constant over an attempt, so that the provider's prompt cache stays valid.
#[derive(Debug)]
enum Form {
    Native(Arc<[ToolDefinition]>),
    Json(JsonSchema),
}

/// The next action, given the model's turn.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// Ask the model again.
    Again,
    /// Make these calls, in this order.
    Call(Vec<Wanted>),
    /// Ask the person.
    AskPerson {
        /// The id under which the answer is returned.
        id: String,
        /// How the attempt gives up if no one answers.
        otherwise: GaveUp,
    },
    /// The attempt is over.
    End(Attempt),
    /// The completion is not a valid turn.
    Unusable,
}

/// A call requested by the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wanted {
    /// The id under which its result is returned.
    pub(crate) id: String,
    pub(crate) tool: ToolName,
    pub(crate) arguments: Arguments,
    /// Whether its output, unchanged, is the answer.
    pub(crate) is_answer: bool,
}

/// A call that was made.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) call: ToolCall,
    /// Whether it may have effects that its record does not show.
    pub(crate) hides: bool,
    /// The output, if it is an image.
    pub(crate) picture: Option<Image>,
}

impl<'a> ToolLoop<'a> {
    /// `schema` builds the schema of a JSON turn.
    pub(crate) fn new(
        cx: &'a AttemptContext,
        profile: ModelProfile,
        schema: impl FnOnce() -> JsonSchema,
    ) -> Self {
        let (form, how) = match profile.tool_calling {
            ToolCalling::Native => {
                let tools = tool_calls::definitions(&cx.tools, cx.environment.user());
                (Form::Native(tools), NATIVE_PROMPT)
            }
            ToolCalling::Json => (Form::Json(schema()), JSON_PROMPT),
        };
        let system = match &form {
            Form::Native(_) => format!("{SYSTEM_PROMPT}{how}"),
            Form::Json(_) => {
                let ends = prompt::ends_in_json(cx.environment.user());
                format!("{SYSTEM_PROMPT}{how}{ends}\nTools:\n{}", prompt::tools(&cx.tools))
            }
        };
        let conversation = continued(cx).unwrap_or_else(|| Conversation::new(prompt::step(cx, &profile)));
        let seen = cx.earlier.iter().any(shows);
        Self {
            cx,
            profile,
            form,
            system: system.into(),
            conversation,
            seen,
            progress: Progress::default(),
            has_unread_call: false,
            repeats: 0,
            last: None,
        }
    }

    /// Takes the model's profile as it is known now.
    pub(crate) fn refit(&mut self, profile: ModelProfile) {
        self.profile = profile;
    }

    /// The next request. Old exchanges are compacted if the prompt would exceed the model's context.
    pub(crate) fn request(&mut self) -> Request {
        if self.tokens() > self.share(FULL) {
            self.compact();
        }
        let request = Request {
            messages: self.conversation.messages(self.is_native()),
            ..Request::new("executor", Arc::clone(&self.system), "")
        };
        let request = match &self.form {
            Form::Native(tools) => request.with_tools(Arc::clone(tools)),
            Form::Json(schema) => request.with_schema(schema.clone()),
        };
        request.with_max_tokens(self.profile.room(TURN_TOKENS))
    }

    /// Compacts old exchanges. Returns whether there was anything to compact.
    pub(crate) fn compact(&mut self) -> bool {
        let fixed = self.tokens().saturating_sub(self.conversation.tokens());
        self.conversation.compact(self.share(ROOMY).saturating_sub(fixed))
    }

    /// Whether the model calls tools natively.
    pub(crate) fn is_native(&self) -> bool {
        matches!(self.form, Form::Native(_))
    }

    /// Processes a completion.
    pub(crate) fn heard(&mut self, completion: &Completion) -> Next {
        let (said, answer) = match &self.form {
            Form::Native(_) => (Message::said(completion), Some(completion.text.clone())),
            Form::Json(_) => match said_in_json(&completion.text) {
                Some(read) => read,
                None => return Next::Unusable,
            },
        };
        if said.calls.is_empty() {
            let text = answer.unwrap_or_default();
            return self.said_in_words(said, text.trim(), completion.stop);
        }
        let calls = said.calls.clone();
        self.conversation.said(said);
        match completion.stop {
            StopReason::End => self.called(calls),
            StopReason::Length => self.cut(calls),
            StopReason::Refused => self.refused(&completion.text),
        }
    }

    /// Processes the results of calls, matched by id.
    pub(crate) fn came(&mut self, calls: Vec<Made>) -> Next {
        self.progress.turn(calls.iter().map(|made| (&made.call, made.hides)));
        self.repeats = if self.is_the_last_again(&calls) { self.repeats.saturating_add(1) } else { 0 };
        for Made { id, call, picture, .. } in calls {
            self.seen |= shows(&call);
            self.conversation.came(Came::of(id, &call, picture));
            // A refused call shows nothing, and is not what went wrong.
            if was_started(&call) {
                self.has_unread_call = false;
                self.last = Some(call);
            }
        }
        if let Some(warning) = self.progress.warning() {
            self.conversation.told(&warning);
        }
        self.go_on()
    }

    /// Whether a turn asked for nothing but the last call, which succeeded and was not made again.
    fn is_the_last_again(&self, calls: &[Made]) -> bool {
        match (calls, &self.last) {
            ([Made { call, .. }], Some(last)) => {
                let is_same = call.tool == last.tool && call.arguments == last.arguments;
                is_same && !was_started(call) && last.succeeded() && shows(last)
            }
            (_, _) => false,
        }
    }

    /// Processes the person's answer; without one, the attempt ends as the question specified.
    pub(crate) fn answered(&mut self, id: String, answer: Option<String>, otherwise: GaveUp) -> Next {
        let Some(answer) = answer else { return Next::End(gave_up(otherwise, self.last.as_ref())) };
        self.progress.said(&answer);
        self.conversation.came(Came::words(id, format!("The user answers: {answer}")));
        self.go_on()
    }

    /// Takes the result of the call whose output is the answer.
    pub(crate) fn answered_by(&mut self, Made { id, call, picture, .. }: Made) {
        self.conversation.came(Came::of(id, &call, picture));
    }

    /// What was said, for the attempt that corrects this one.
    pub(crate) fn into_conversation(self) -> Conversation {
        self.conversation
    }

    /// The last call that was started.
    pub(crate) fn last(&self) -> Option<&ToolCall> {
        self.last.as_ref()
    }

    fn called(&mut self, calls: Vec<ToolUse>) -> Next {
        let (mut wanted, mut given_up) = (Vec::new(), None);
        for call in calls {
            match tool_calls::read(call, &self.cx.tools) {
                tool_calls::Read::Call(call) => wanted.push(call),
                tool_calls::Read::GiveUp { id, gave_up } if given_up.is_none() => {
                    given_up = Some((id, gave_up))
                }
                tool_calls::Read::GiveUp { id, .. } => {
                    self.conversation.came(Came::words(id, "Said once.".to_owned()))
                }
                tool_calls::Read::Unreadable { id, problem } => {
                    self.conversation.came(Came::words(id, problem));
                }
            }
        }
        if let Some((id, otherwise)) = given_up {
            return self.given_up(id, otherwise, wanted);
        }
        if !wanted.is_empty() {
            return Next::Call(wanted);
        }
        self.progress.nothing();
        self.go_on()
    }

    /// A turn that was cut at the token limit. None of its calls is made: the last one may be incomplete although it
    /// parses, and the others were meant to come before something that is missing.
    fn cut(&mut self, calls: Vec<ToolUse>) -> Next {
        for call in calls {
            self.conversation.came(Came::words(call.id, CUT_CALL.to_owned()));
        }
        self.progress.nothing();
        self.go_on()
    }

    fn refused(&self, text: &str) -> Next {
        let reason = format!("the model's provider refused to go on: {text}");
        Next::End(failed(FailureClass::Unknown, reason, self.last.as_ref()))
    }

    /// Calls in the same turn are not made.
    fn given_up(&mut self, id: String, mut given: GaveUp, beside: Vec<Wanted>) -> Next {
        match given.kind {
            GiveUpKind::Impossible | GiveUpKind::NeedsConsent => {
                Next::End(gave_up(given, self.last.as_ref()))
            }
            GiveUpKind::NeedsPerson => {
                for call in beside {
                    let words = "Not called, because the user was asked first.".to_owned();
                    self.conversation.came(Came::words(call.id, words));
                }
                given.question.get_or_insert_with(|| given.reason.clone());
                Next::AskPerson { id, otherwise: given }
            }
        }
    }

    fn said_in_words(&mut self, said: Message, text: &str, stop: StopReason) -> Next {
        self.conversation.said(said);
        let problem = match stop {
            StopReason::Refused => return self.refused(text),
            StopReason::Length => "That was cut off because it is too long. Say it again, and much shorter.",
            StopReason::End if text.is_empty() => "That was empty. Call a tool, or answer.",
            StopReason::End if self.is_unread_call(text) => {
                self.has_unread_call = true;
                UNREAD_CALL
            }
            StopReason::End if self.has_nothing() => match self.cx.environment.user() {
                User::Present => UNSHOWN_OR_ASKED,
                User::Absent => UNSHOWN,
            },
            StopReason::End => return Next::End(completed(unfenced(text), false)),
        };
        self.conversation.told(problem);
        self.progress.nothing();
        self.go_on()
    }

    /// Whether the words are a call in the model's own syntax, which the server was to read and did not.
    fn is_unread_call(&self, text: &str) -> bool {
        match &self.form {
            Form::Native(tools) => looks_like_calls(text, tools),
            Form::Json(_) => false,
        }
    }

    /// Whether there is nothing to answer from: no call and no earlier step has shown anything.
    fn has_nothing(&self) -> bool {
        !self.seen && self.cx.subtask.earlier.is_empty()
    }

    fn go_on(&self) -> Next {
        match self.progress.standstill() {
            // A model that has the result and only asks for the same call again has nothing to add to it: the result goes
            // to the judges.
            Some(Standstill::Fruitless(turns)) if self.repeats >= turns => {
                let output = self.last().map(|call| call.output.shown.trim().to_owned()).unwrap_or_default();
                return Next::End(completed(output, true));
            }
            Some(Standstill::Fruitless(turns)) => {
                let why = if self.has_unread_call { NO_PARSER } else { "" };
                let reason = format!("{turns} turns in a row came to nothing{why}");
                return Next::End(unfinished(reason, self.last()));
            }
            // A correction would lead into the same circle; another plan may lead out of it.
            Some(Standstill::Stale(turns)) => {
                let reason = format!(
                    "{turns} turns in a row brought nothing new: no line of output that differs in more than \
                     figures, no new change of a file"
                );
                return Next::End(failed(FailureClass::Logical, reason, self.last()));
            }
            None => {}
        }
        Next::Again
    }

    fn share(&self, hundredths: u64) -> u64 {
        let room =
            u64::from(self.profile.context_tokens).saturating_sub(u64::from(self.profile.room(TURN_TOKENS)));
        room.max(1) * hundredths / 100
    }

    fn tokens(&self) -> u64 {
        let tools = match &self.form {
            Form::Native(tools) => tool_calls::tokens(tools),
            Form::Json(_) => 0,
        };
        artoo_llm_client::estimate_tokens(&self.system) + tools + self.conversation.tokens()
    }
}

/// The conversation of the attempt that this one corrects, with the correction at its end.
fn continued(cx: &AttemptContext) -> Option<Conversation> {
    let correction = cx.correction.as_ref()?;
    cx.conversation.clone()?.continued(&prompt::correction(correction, cx.environment.user()))
}

/// Converts a JSON turn into the equivalent native message, or the answer; `None` if it is neither.
fn said_in_json(text: &str) -> Option<(Message, Option<String>)> {
    let turn: Value = serde_json::from_str(text).ok()?;
    let said = Message::assistant(text);
    let call = |name: &str, arguments: Value| {
        vec![ToolUse { id: "turn".to_owned(), name: name.to_owned(), arguments: arguments.to_string() }]
    };
    Some(match Action::read(&turn)? {
        Action::Answer(answer) => (said, Some(answer)),
        Action::AskUser(question) => {
            (Message { calls: call(ASK_USER, json!({ "question": question })), ..said }, None)
        }
        Action::GiveUp(given) => {
            (Message { calls: call(GIVE_UP, serde_json::to_value(given).ok()?), ..said }, None)
        }
        Action::Call { tool, mut arguments, output_is_answer } => {
            if output_is_answer {
                arguments.insert(tool_calls::IS_ANSWER.to_owned(), true.into());
            }
            (Message { calls: call(tool.as_str(), arguments.into()), ..said }, None)
        }
    })
}
