//! Laws of requests with earlier turns.
//!
//! The caller's model is wrapped to record its requests, and for one law its answers are corrupted: a
//! perceiver may rely on its own code, not on the model.

use std::sync::{Arc, Mutex, PoisonError};

use artoo_llm_client::{Completion, LlmClient, LlmError, Request};
use artoo_types::{MAX_TURNS, TaskSpec, Turn, UserRequest};
use async_trait::async_trait;

use super::{outcome, request};
use crate::{Dialogue, Perceiver};

/// The meaning of these requests given their turns. A scripted model returns it in the requested shape.
pub const MEANT: &str = "How many .md files in ~/letters-7 changed since yesterday?";

/// The newest message: it names a file type and a time, and refers to the previous turn for the place.
const ASKED: &str = "and how many .md files since yesterday?";

/// The facts in the newest message.
const FACTS: [&str; 2] = [".md", "yesterday"];

/// The fact that only the previous turn contains.
const PLACE: &str = "~/letters-7";

/// Checks every law of this module in turn.
///
/// # Errors
/// See [`super::check_all`].
pub async fn check_all(perceiver: &dyn Perceiver, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    resolves_against_the_turns(perceiver, model).await?;
    shows_five_turns_at_most(perceiver, model).await?;
    keeps_the_facts_whatever_the_model_says(perceiver, model).await
}

/// The intent includes what only an earlier turn says, so that it is self-contained (lesson 7); `raw_input`
/// is the newest message.
///
/// # Errors
/// See [`super::check_all`].
pub async fn resolves_against_the_turns(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let task = task(perceiver, model, &after(1)).await?;
    if task.raw_input != ASKED {
        return Err(format!("raw_input of {ASKED:?} is {:?}", task.raw_input));
    }
    match FACTS.into_iter().chain([PLACE]).find(|part| !task.intent.contains(part)) {
        None => Ok(()),
        Some(lost) => Err(format!(
            "after a turn about {PLACE}, the intent of {ASKED:?} lacks {lost:?}: {:?}",
            task.intent
        )),
    }
}

/// Of more than [`MAX_TURNS`] turns, the model is shown the newest.
///
/// # Errors
/// See [`super::check_all`].
pub async fn shows_five_turns_at_most(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let heard = Arc::new(Between::new(model, |answer| answer));
    let client: Arc<dyn LlmClient> = Arc::clone(&heard) as _;
    let turns = MAX_TURNS + 2;
    task(perceiver, &client, &after(turns)).await?;
    let shown = heard.shown();
    match (1..=turns - MAX_TURNS).map(mark).find(|mark| shown.contains(mark.as_str())) {
        None => Ok(()),
        Some(mark) => Err(format!("of {turns} turns the model was shown one of the oldest: {mark}")),
    }
}

/// The intent contains the facts of the newest message verbatim, even if the model replaces them (lesson 57).
///
/// # Errors
/// See [`super::check_all`].
pub async fn keeps_the_facts_whatever_the_model_says(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let spoil = |answer: String| answer.replace("yesterday", "the 31st of December").replace(".md", "text");
    let client: Arc<dyn LlmClient> = Arc::new(Between::new(model, spoil));
    let task = task(perceiver, &client, &after(1)).await?;
    match FACTS.into_iter().find(|fact| !task.intent.contains(fact)) {
        None => Ok(()),
        Some(lost) => {
            Err(format!("the model lost {lost:?}, and so did the intent of {ASKED:?}: {:?}", task.intent))
        }
    }
}

/// The newest message after this many turns; the last one names the place.
fn after(turns: usize) -> UserRequest {
    let turn = |number| {
        Turn::new(
            format!("How many .txt files are in {PLACE}? ({})", mark(number)),
            format!("{number} ({})", mark(number)),
        )
    };
    UserRequest { turns: (1..=turns).map(turn).collect(), ..request(ASKED) }
}

/// A unique mark of a turn in a prompt.
fn mark(turn: usize) -> String {
    format!("mark-{turn}-of-a-turn")
}

async fn task(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
    request: &UserRequest,
) -> Result<TaskSpec, String> {
    let task = outcome(perceiver, model, request, &Dialogue::new(false)).await?;
    task.ok_or_else(|| format!("{:?} was asked back, and nobody is there", request.text))
}

/// Wraps the caller's model: records the requests, and changes the answers.
struct Between {
    model: Arc<dyn LlmClient>,
    change: fn(String) -> String,
    shown: Mutex<String>,
}

impl Between {
    fn new(model: &Arc<dyn LlmClient>, change: fn(String) -> String) -> Self {
        Self { model: Arc::clone(model), change, shown: Mutex::new(String::new()) }
    }

    /// Everything that the model was sent.
    fn shown(&self) -> String {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl LlmClient for Between {
    fn model(&self) -> &str {
        self.model.model()
    }

    fn structured(&self) -> bool {
        self.model.structured()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let texts = request.messages.iter().map(|message| message.content.as_str());
        let texts: Vec<&str> = texts.chain([&*request.system]).collect();
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).push_str(&texts.join("\n"));
        let answer = self.model.complete(request).await?;
        Ok(Completion { text: (self.change)(answer.text), ..answer })
    }
}
