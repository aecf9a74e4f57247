//! Sampling of the first turn of a step that finds something out: several commands are derived, and a
//! majority vote picks one.
//!
//! A weak model's command is right more often than not, and its mistakes differ. So after the first command
//! the model is asked for a different method and, if the two disagree, for two more samples of the original
//! question. Each command is rehearsed in a sandbox in which nothing persists: on the files as they are, with
//! the paths that the step names hidden, and with some of their lines doubled. Repeated samples alone are not
//! enough: a small model bound to a schema gives the same answer at any temperature (measured on the embedded
//! one). Source: `docs/deviations.md`, "Samples".

use std::path::PathBuf;
use std::sync::Arc;

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Message, Request, ask_several};
use artoo_types::{Perturbation, Samples};
use serde_json::{Value, json};

use super::majority::{self, Came, Candidate, Winner, failed, winner};
use super::subject;
use crate::{Action, AttemptContext, CallTool, ExecuteError};

const SHELL: &str = "shell";
const PYTHON: &str = "python3";
/// A command that tests whether commands can be rehearsed at all.
const NOTHING: &str = "true";
/// The reply to the first command that asks for a method with different mistakes. The program is requested on
/// its own: a small model seldom quotes correctly within a command within a text.
const IN_PYTHON: &str = "To check that, do the same step in Python alone: answer with a program that prints what the step asks for, and nothing else.";
/// The same for a first command that already was a program.
const IN_SHELL: &str = "To check that, do the same step without python3, with other programs of the shell. Answer with one call.";
/// The maximum length of a program, in characters.
const LONGEST_PROGRAM: usize = 600;

/// The chosen turn.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) turn: Value,
    /// The agreement of the samples on it; `None` if nothing was rehearsed.
    pub(crate) samples: Option<Samples>,
}

/// Whether a step's first turn is sampled: it finds something out, and commands can be rehearsed.
pub(crate) async fn is_due(cx: &AttemptContext, tools: &dyn CallTool) -> bool {
    let finds_out = cx.subtask.kind.is_find_out() && !cx.subtask.is_about_a_deed();
    finds_out && tools.rehearse(NOTHING, &Perturbation::AsIs).await.is_ok()
}

/// Asks for the first turn. `None` if the first sample is unusable; the caller then asks once more without
/// sampling.
pub(crate) async fn first_turn(
    request: &Request,
    programs: &[String],
    subject: &[PathBuf],
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Option<Taken>, ExecuteError> {
    let first = match ask_several::<Value>(model.as_ref(), vec![request.clone()]).await.pop() {
        Some(Ok(answer)) => answer.value,
        Some(Err(LlmError::Unusable { .. })) | None => return Ok(None),
        Some(Err(error)) => return Err(error.into()),
    };
    let Some(written) = command(&first) else {
        return Ok(Some(Taken { turn: first, samples: None }));
    };
    let has_python = programs.iter().any(|program| program == PYTHON);
    let another = if has_python && !majority::programs(&written).iter().any(|program| program == PYTHON) {
        in_python(request, &first)
    } else {
        in_another_way(request, &first, IN_SHELL)
    };
    let mut derived = Derived { subject: subject.to_vec(), turns: Vec::new(), candidates: Vec::new() };
    derived.add(Some(first), tools).await;
    for requests in [vec![another], vec![request.sample(2), request.sample(3)]] {
        for answer in ask_several::<Value>(model.as_ref(), requests).await {
            // An unusable answer only reduces the number of samples.
            derived.add(answer.ok().map(|answer| as_call(answer.value)), tools).await;
        }
        if derived.winner().is_none_or(|winner| winner.is_settled) {
            break;
        }
    }
    Ok(derived.taken())
}

/// The same request again, with the first command in the conversation.
fn in_another_way(request: &Request, first: &Value, how: &str) -> Request {
    let mut request = request.clone();
    request.messages.push(Message::assistant(first.to_string()));
    request.messages.push(Message::user(how));
    request
}

fn in_python(request: &Request, first: &Value) -> Request {
    let schema = json!({
        "type": "object",
        "properties": {"python": {"type": "string", "minLength": 1, "maxLength": LONGEST_PROGRAM}},
        "required": ["python"],
        "additionalProperties": false,
    });
    let schema = JsonSchema { name: "program".to_owned(), schema: Arc::new(schema) };
    in_another_way(request, first, IN_PYTHON).with_schema(schema)
}

/// Converts a turn that is a program into the call that runs it.
fn as_call(turn: Value) -> Value {
    let Some(program) = turn.get("python").and_then(Value::as_str) else { return turn };
    let command = format!("{PYTHON} -c {}", subject::quoted(program));
    json!({"tool": SHELL, "arguments": {"command": command}, "output_is_answer": true})
}

/// Whether a turn is a call that was requested before, so that it yields nothing new.
pub(crate) fn is_known(turn: &Value, tools: &dyn CallTool) -> bool {
    match Action::read(turn) {
        Some(Action::Call { tool, arguments, .. }) => tools.is_known(&tool, &arguments),
        Some(Action::Answer(_) | Action::GiveUp(_)) | None => false,
    }
}

/// The turns so far, and the results of their commands.
struct Derived {
    subject: Vec<PathBuf>,
    turns: Vec<Option<Value>>,
    candidates: Vec<Candidate>,
}

impl Derived {
    async fn add(&mut self, turn: Option<Value>, tools: &dyn CallTool) {
        let sample = self.asked();
        let turn = turn.filter(|turn| !is_known(turn, tools));
        let command = turn.as_ref().and_then(command);
        self.turns.push(turn);
        let Some(command) = command else { return };
        let known = self.candidates.iter().find(|candidate| candidate.command == command);
        let came = match known.map(|candidate| candidate.came.clone()) {
            Some(came) => Some(came),
            None => rehearse(&command, &self.subject, tools).await,
        };
        self.candidates.extend(came.map(|came| Candidate { sample, command, came }));
    }

    fn asked(&self) -> u32 {
        u32::try_from(self.turns.len()).unwrap_or(u32::MAX)
    }

    fn winner(&self) -> Option<Winner> {
        winner(&self.candidates, self.asked())
    }

    fn taken(self) -> Option<Taken> {
        let (sample, samples) =
            self.winner().map_or((0, None), |winner| (winner.sample, Some(winner.samples)));
        let turn = self.turns.into_iter().nth(usize::try_from(sample).unwrap_or(usize::MAX)).flatten();
        turn.map(|turn| Taken { turn, samples })
    }
}

/// The shell command of a turn, if it has one.
fn command(turn: &Value) -> Option<String> {
    match Action::read(turn)? {
        Action::Call { tool, arguments, .. } if tool.as_str() == SHELL => {
            Some(arguments.get("command")?.as_str()?.to_owned())
        }
        Action::Call { .. } | Action::Answer(_) | Action::GiveUp(_) => None,
    }
}

/// Runs a command in each world; `None` if it cannot be rehearsed on the unchanged files. A command that
/// fails there is not rehearsed in the other worlds.
async fn rehearse(command: &str, subject: &[PathBuf], tools: &dyn CallTool) -> Option<Came> {
    let as_is = tools.rehearse(command, &Perturbation::AsIs).await.ok()?;
    let mut came = Came { as_is, hidden: None, doubled: None };
    if !subject.is_empty() && !failed(&came.as_is) {
        came.hidden = tools.rehearse(command, &Perturbation::Hidden(subject.to_vec())).await.ok();
        came.doubled = tools.rehearse(command, &Perturbation::Doubled(subject.to_vec())).await.ok();
    }
    Some(came)
}
