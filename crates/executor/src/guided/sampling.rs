//! The first turn of a step that finds something out: it is derived in several ways, and the command is taken that means what most mean.
//!
//! A weak model's command is right more often than not, and its mistakes differ. So once it has written one, it is asked for another way, and
//! for two samples more of the first question where these do not agree. What each puts out is seen where nothing of it lasts: on the files
//! as they are, with what the step names hidden, and with lines of it doubled. Samples alone do not do: a small model that is bound to a
//! schema says the same whatever the dice (measured on the embedded one). Source: `docs/deviations.md`, "Samples".

use std::path::PathBuf;
use std::sync::Arc;

use artoo_llm_client::{LlmClient, LlmError, Message, Request, ask_several};
use artoo_types::{Perturbation, Samples};
use serde_json::Value;

use super::agreement::{Came, Candidate, Winner, failed, winner};
use crate::{Action, AttemptContext, CallTool, ExecuteError};

/// A command by which it is seen whether any can be rehearsed.
const NOTHING: &str = "true";
/// What is said to the first command, so that another comes.
const ANOTHER_WAY: &str = "To check that, do the same step in another way, with none of these programs: in place of find, grep, ls, awk or sed write python3 -c with each statement on a line of its own, and the other way round. Answer with one call.";

/// The turn that was taken.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) turn: Value,
    /// How far the samples agree on it; `None` where nothing was rehearsed.
    pub(crate) samples: Option<Samples>,
}

/// Whether a step's first turn is sampled: it finds something out, and commands can be rehearsed.
pub(crate) async fn is_due(cx: &AttemptContext, tools: &dyn CallTool) -> bool {
    let finds_out = cx.subtask.kind.is_find_out() && !cx.subtask.is_about_a_deed();
    finds_out && tools.rehearse(NOTHING, &Perturbation::AsIs).await.is_ok()
}

/// Asks for the first turn. `None` where the first sample is of no use, so that it is asked for once more by itself.
pub(crate) async fn first_turn(
    request: &Request,
    subject: &[PathBuf],
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Option<Taken>, ExecuteError> {
    let first = match ask_several::<Value>(model.as_ref(), vec![request.clone()]).await.pop() {
        Some(Ok(answer)) => answer.value,
        Some(Err(LlmError::Unusable { .. })) | None => return Ok(None),
        Some(Err(error)) => return Err(error.into()),
    };
    if command(&first).is_none() {
        return Ok(Some(Taken { turn: first, samples: None }));
    }
    let another = in_another_way(request, &first);
    let mut derived = Derived { subject: subject.to_vec(), turns: Vec::new(), candidates: Vec::new() };
    derived.add(Some(first), tools).await;
    for requests in [vec![another], vec![request.sample(2), request.sample(3)]] {
        for answer in ask_several::<Value>(model.as_ref(), requests).await {
            // One sample fewer where it is of no use.
            derived.add(answer.ok().map(|answer| answer.value), tools).await;
        }
        if derived.winner().is_none_or(|winner| winner.is_settled) {
            break;
        }
    }
    Ok(derived.taken())
}

/// The same question once more, with what was done already.
fn in_another_way(request: &Request, first: &Value) -> Request {
    let mut request = request.clone();
    request.messages.push(Message::assistant(first.to_string()));
    request.messages.push(Message::user(ANOTHER_WAY));
    request
}

/// The turns so far, and what their commands put out.
struct Derived {
    subject: Vec<PathBuf>,
    turns: Vec<Option<Value>>,
    candidates: Vec<Candidate>,
}

impl Derived {
    async fn add(&mut self, turn: Option<Value>, tools: &dyn CallTool) {
        let sample = self.asked();
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

/// The command of a turn that is one.
fn command(turn: &Value) -> Option<String> {
    match Action::read(turn)? {
        Action::Call { tool, arguments, .. } if tool.as_str() == "shell" => {
            Some(arguments.get("command")?.as_str()?.to_owned())
        }
        Action::Call { .. } | Action::Answer(_) | Action::GiveUp(_) => None,
    }
}

/// What a command puts out in each world; `None` where it cannot be rehearsed as the world is. One that fails as the world is fails anywhere.
async fn rehearse(command: &str, subject: &[PathBuf], tools: &dyn CallTool) -> Option<Came> {
    let as_is = tools.rehearse(command, &Perturbation::AsIs).await.ok()?;
    let mut came = Came { as_is, hidden: None, doubled: None };
    if !subject.is_empty() && !failed(&came.as_is) {
        came.hidden = tools.rehearse(command, &Perturbation::Hidden(subject.to_vec())).await.ok();
        came.doubled = tools.rehearse(command, &Perturbation::Doubled(subject.to_vec())).await.ok();
    }
    Some(came)
}
