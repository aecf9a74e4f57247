//! Guided attempt loop, for weak models only: a model whose profile says `guided` runs here, every other
//! model in the tool loop.
//!
//! The guards, each with its cost and its reason:
//!
//! - The command of a step is derived before anything is called, as three programs and a shell command or, of one table, a query,
//!   which are compared by what they do ([`derivation`], [`majority`]). Cost: four derivations in a batch, and rehearsals. Reason: it
//!   writes code well where nothing stands around it, its chance mistakes are outvoted, and so are literals.
//! - A command that a number of the request makes no difference to agrees with none ([`numbers`]). Cost: numbers that are
//!   spelt in another way than in figures or units. Reason: it drops conditions, in all ways alike.
//! - It is told which values of a table the request names, and a command to which these make no difference agrees with none
//!   ([`values`]). Cost: a line, and a rehearsal for each command and value. Reason: it drops conditions, and misreads names
//!   that are inflected.
//! - It is told which word of the request stands in the texts of some files of a folder ([`told_apart`]). Cost: a search of 200
//!   small files. Reason: it looks for files of that name.
//! - A short text that its command made without a word is looked at by a call of its own. Cost: a call. Reason: asked to write
//!   something and to tell it, it writes.
//! - What at least half of the commands looked for and did not find, and the request names, ends the step ([`missing`]). Cost: a
//!   name that all of them have wrong. Reason: the one command that finds it all the same says 0, or adds up something else.
//! - It is told what the step names, as a shell takes it, with how a file begins ([`subject`]). Cost: some lines.
//!   Reason: it forgets quotes, translates names, and guesses columns.
//! - Only where commands cannot be rehearsed, or other tools are offered, it chooses a tool: one JSON action a
//!   turn. Cost: a turn for each call. Reason: a small model loses calls if it makes several at once.
//! - No reading of earlier outputs, and no file as an answer ([`tool_limits`]). Cost: the rest of a long output; a
//!   short file that is the answer. Reason: it invents what to read, and takes a file for the answer.
//! - Giving up late. Cost: turns that find nothing. Reason: it gives up at the first error.
//! - Six turns, of which four may be fruitless in a row. Cost: long work. Reason: it goes round in circles.
//! - Samples in place of a call whose result is known. Cost: three samples over the same prompt. Reason: at
//!   temperature 0 it would repeat the call.
//! - No command that is left running ([`tool_limits`]). Cost: servers and watches. Reason: it forgets what it has
//!   started.
//! - Commands of 400 characters with closed quotes, where they stand in JSON ([`tool_limits`]). Cost: long
//!   commands. Reason: it ends the JSON text at a quote, or never.

mod absence;
mod bearing_out;
mod code_block;
mod compared;
mod derivation;
mod majority;
mod missing;
mod numbers;
pub(crate) mod prompt;
mod subject;
mod table;
mod told_apart;
pub(crate) mod tool_limits;
mod values;
mod way;

use std::path::PathBuf;
use std::sync::Arc;

use artoo_llm_client::{LlmClient, LlmError, Message, Request, ask, ask_several, unfenced};
use artoo_types::{
    Arguments, CallEnding, FailureClass, FileChange, FileChangeKind, GaveUp, GiveUpKind, ToldChanges,
    ToolCall, ToolKind,
};
use serde_json::Value;

use crate::attempt_end::{completed, ended, failed, gave_up, shows, unfinished};
use crate::schema_cache::{Schemas, Turn};
use crate::{Action, Attempt, AttemptContext, CallTool, ExecuteError};
use code_block::Language;
use way::Way;

/// The rules of the constant part of the prompt, in full and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Number of duplicates that ends an attempt. Source: `docs/deviations.md`, "Duplicate calls" (lessons 58 and
/// 90).
pub(crate) const MAX_DUPLICATES: u32 = 2;
/// The longest file, in lines, that is told because the step made it.
const MADE_LINES: usize = 8;
/// Maximum number of turns of an attempt.
const MAX_TURNS: u32 = 6;
/// Output limit of one turn, in tokens.
const TURN_TOKENS: u32 = 4096;
/// The constant part of the prompt that asks what a command means that found nothing.
const CLOSING_PROMPT: &str = include_str!("../prompts/closing.md");
/// Output limit of the answer to it, in tokens.
const CLOSING_TOKENS: u32 = 400;
/// Number of turns without any result after which the model may give up.
const TRIES: u32 = 3;
/// Number of consecutive fruitless calls that ends the attempt: later calls are seldom better, and each costs
/// a turn.
const MAX_VAIN: u32 = 4;
/// Whether the model that derived this command was told the lessons of memory.
pub(crate) fn hears_lessons(command: &str, is_whole: bool) -> bool {
    prompt::is_told_more(Way::of(command).language, is_whole)
}

/// Number of samples drawn in place of a call whose result is known. At temperature 0 the model would repeat
/// the call, whatever the prompt says.
const OTHERS: u32 = 3;

/// One attempt of a guided model.
pub(crate) async fn attempt(
    schemas: &Schemas,
    cx: &AttemptContext,
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Attempt, ExecuteError> {
    let cx = &tool_limits::bounded(cx);
    let system: Arc<str> = prompt::system(cx).into();
    let subject = subject::of(cx).await;
    let told = subject::told(&subject, &cx.surroundings.working_folder);
    let mut messages = vec![Message::user(prompt::step(cx, told.as_deref(), &model.profile()))];
    let mut last: Option<ToolCall> = None;
    let mut vain = 0;
    let mut seen = cx.earlier.iter().any(shows) || !cx.subtask.earlier.is_empty();
    let may_derive = derivation::is_possible(cx, tools).await;
    if may_derive && derivation::is_only_choice(cx) {
        return derived(schemas, cx, &subject, tools, model).await;
    }
    for number in 0..MAX_TURNS {
        // A small model gives up at the first error; it is allowed to once it has seen a result or has tried
        // often enough. After a call that succeeded there is something to answer from, even if the call found
        // nothing.
        let did_well = last.as_ref().is_some_and(ToolCall::succeeded);
        let may_give_up = (seen && !did_well) || number >= TRIES;
        let offered = Turn::Guided { may_answer: seen, may_give_up };
        let request = Request {
            messages: messages.clone(),
            ..Request::new("executor", system.clone(), "")
                .with_schema(schemas.of(&cx.tools, offered))
                .with_max_tokens(model.profile().room(TURN_TOKENS))
        };
        let turn = match next_turn(request, tools, model).await {
            // A correction may still help a model that produces nothing usable after a fruitless call.
            Err(ExecuteError::Model(LlmError::Unusable { reason, .. })) if vain > 0 => {
                return Ok(unfinished(
                    format!("nothing that was said next could be used: {reason}"),
                    last.as_ref(),
                ));
            }
            next => next?,
        };
        let (tool, arguments, declared) = match Action::read(&turn) {
            Some(Action::Answer(answer)) => return Ok(completed(unfenced(&answer), false)),
            Some(Action::GiveUp(reason)) => {
                return Ok(failed(FailureClass::Logical, reason.reason, last.as_ref()));
            }
            Some(Action::Call { tool, .. }) if may_derive && number == 0 && tool.is(ToolKind::Shell) => {
                return derived(schemas, cx, &subject, tools, model).await;
            }
            Some(Action::Call { tool, arguments, output_is_answer }) => {
                let may = cx.tools.iter().any(|spec| spec.name == tool && spec.output_is_answer);
                (tool, arguments, output_is_answer && may)
            }
            // The schema permits nothing else; another turn would send the same request again.
            Some(Action::AskUser(_)) | None => {
                return Err(ExecuteError::Model(LlmError::Unusable {
                    model: model.model().to_owned(),
                    schema: "action".to_owned(),
                    reason: "it is neither a call, an answer nor a reason to give up".to_owned(),
                }));
            }
        };
        let call = match tools.call(&tool, arguments).await {
            Ok(call) => call,
            Err(stopped) => return Ok(ended(&stopped, last.as_ref())),
        };
        if declared
            && call.succeeded()
            && let Some(whole) = tools.whole_output(&call).await
            && !whole.trim().is_empty()
        {
            return Ok(completed(whole.trim().to_owned(), true));
        }
        seen |= shows(&call);
        let in_vain = came_to_nothing(&call);
        vain = if in_vain { vain + 1 } else { 0 };
        messages.push(Message::assistant(turn.to_string()));
        let forgot = in_vain && subject::is_left_out(&subject, &call.target());
        messages.push(Message::user(prompt::after(&call, told.as_deref().filter(|_| forgot))));
        last = Some(call);
        if vain >= MAX_VAIN {
            return Ok(unfinished(format!("{vain} calls in a row came to nothing"), last.as_ref()));
        }
    }
    Ok(unfinished(format!("no answer within {MAX_TURNS} turns"), last.as_ref()))
}

/// An attempt whose one command is derived. Its output is the answer, and a change speaks for itself; the model is
/// asked what it means only where the command found nothing.
async fn derived(
    schemas: &Schemas,
    cx: &AttemptContext,
    subject: &[PathBuf],
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Attempt, ExecuteError> {
    let described = subject::described(&cx.subtask, subject, &cx.surroundings.working_folder, tools).await;
    let told = |language| prompt::derived_step(cx, &described, &model.profile(), language);
    let Some(derived) = derivation::derive(cx, &told, &described, subject, tools, model).await? else {
        return Ok(unfinished("nothing that was written could be run".to_owned(), None));
    };
    let arguments = [("command".to_owned(), derived.command.into())].into_iter().collect();
    let call = match tools.call(&ToolKind::Shell.into(), arguments).await {
        Ok(call) => call,
        Err(stopped) => return Ok(ended(&stopped, None)),
    };
    if let Some(name) = &derived.missing
        && call.failure.is_some()
    {
        let reason = format!("{name} is not there");
        return Ok(gave_up(GaveUp { kind: GiveUpKind::Impossible, reason, question: None }, Some(&call)));
    }
    let samples = Some(derived.samples);
    let in_vain = came_to_nothing(&call);
    let whole = tools.whole_output(&call).await.filter(|whole| !whole.trim().is_empty());
    if let Some(whole) = whole.filter(|_| !in_vain) {
        return Ok(Attempt { samples, ..completed(whole.trim().to_owned(), true) });
    }
    if !in_vain && call.changed_files() {
        let told = ToldChanges::of(&call.files);
        let named = told.named.iter().map(|file| file.line());
        let counted = told.counted.iter().map(ToString::to_string);
        let built = call.build_output.iter().map(ToString::to_string);
        let mut lines: Vec<String> = named.chain(counted).chain(built).collect();
        if let Some(path) = short_text(&call) {
            match tools.call(&ToolKind::Shell.into(), look_at(path)).await {
                Ok(look) if look.succeeded() => {
                    let content = tools.whole_output(&look).await;
                    lines.extend(content.map(|content| content.trim().to_owned()));
                }
                Ok(_) => {}
                Err(stopped) => return Ok(ended(&stopped, Some(&call))),
            }
        }
        return Ok(Attempt { samples, ..completed(lines.join("\n"), false) });
    }
    // What is not there is not found by another command either; other mistakes may be mended.
    if let Some(failure) =
        call.failure.as_ref().filter(|failure| failure.class != FailureClass::Environmental)
        && in_vain
    {
        return Ok(unfinished(failure.reason.clone(), Some(&call)));
    }
    // What looked, and found nothing, has an answer.
    let may_give_up = derived.samples.depends != Some(true);
    let request = Request::new("executor", CLOSING_PROMPT, prompt::closing(&told(Language::Shell), &call))
        .with_schema(schemas.of(&[], Turn::Guided { may_answer: true, may_give_up }))
        .with_max_tokens(model.profile().room(CLOSING_TOKENS));
    let turn = ask::<Value>(model.as_ref(), request).await?.value;
    Ok(match Action::read(&turn) {
        Some(Action::Answer(answer)) => Attempt { samples, ..completed(unfenced(&answer), false) },
        Some(Action::GiveUp(reason)) => failed(FailureClass::Logical, reason.reason, Some(&call)),
        // The schema permits nothing else.
        Some(Action::Call { .. } | Action::AskUser(_)) | None => {
            unfinished("no answer".to_owned(), Some(&call))
        }
    })
}

/// The one file that a command made and says nothing about, if it has few lines: what is to be written is often to be told, too.
fn short_text(call: &ToolCall) -> Option<&str> {
    let [FileChange { path, change: FileChangeKind::Created, diff: Some(diff), .. }] = call.files.as_slice()
    else {
        return None;
    };
    let added = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++ ")).count();
    path.to_str().filter(|_| (1..=MADE_LINES).contains(&added))
}

/// A call that shows a file.
fn look_at(path: &str) -> Arguments {
    [("command".to_owned(), format!("cat -- {}", subject::quoted(path)).into())].into_iter().collect()
}

/// The model's next turn, which is another one where it would only repeat a call.
async fn next_turn(
    request: Request,
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Value, ExecuteError> {
    let turn = ask::<Value>(model.as_ref(), request.clone()).await?.value;
    if !is_known(&turn, tools) {
        return Ok(turn);
    }
    let others = (1..=OTHERS).map(|number| request.sample(number)).collect();
    let others = ask_several::<Value>(model.as_ref(), others).await.into_iter().flatten();
    let fresh = others.map(|other| other.value).find(|other| !is_known(other, tools));
    Ok(fresh.unwrap_or(turn))
}

/// Whether a turn is a call that was requested before, so that it yields nothing new.
fn is_known(turn: &Value, tools: &dyn CallTool) -> bool {
    match Action::read(turn) {
        Some(Action::Call { tool, arguments, .. }) => tools.is_known(&tool, &arguments),
        Some(Action::Answer(_) | Action::AskUser(_) | Action::GiveUp(_)) | None => false,
    }
}

/// Whether a call was fruitless: it was refused, or it failed with a message on stderr. A search without a
/// hit exits with status 1 and writes nothing to stderr.
fn came_to_nothing(call: &ToolCall) -> bool {
    match call.ending {
        CallEnding::Refused => true,
        CallEnding::Exited { .. } => call.failure.is_some() && !call.stderr.shown.trim().is_empty(),
        CallEnding::Returned
        | CallEnding::Signalled { .. }
        | CallEnding::TimedOut
        | CallEnding::Cancelled => call.failure.is_some(),
    }
}
