//! The default perceiver: copies the request, and asks a model only about follow-ups.

use std::{fmt::Write as _, sync::Arc};

use artoo_case_file::visibility::{Fact, Limit, Reader, Viewer, form};
use artoo_llm_client::{JsonSchema, LlmClient, Origin, Request, ask, fenced};
use artoo_types::{Rejection, RunId, TaskId, TaskSpec, Turn, UserRequest};
use async_trait::async_trait;
use serde::Deserialize;

use crate::{
    Dialogue, Exchange, PerceiveError, Perceived, Perceiver, dangling_request::question_about,
    dialogue::presentable, guided,
};

/// The longest request in bytes. A longer text belongs in a file: every later prompt repeats the intent.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");

/// Added to the prompt if the person can be asked back.
pub const ASKING_PROMPT: &str = include_str!("../prompts/asking.md");

/// The maximum length of an answer that is kept, in characters.
const ANSWER_KEPT: usize = 2000;

/// The longest request that a model restates, in bytes. A longer one is explicit enough, and is copied.
const MAX_RESTATED_BYTES: usize = 2000;

/// The maximum length of an earlier request shown, in characters: one may have been rejected for its length.
const INPUT_SHOWN: usize = 2000;

/// The maximum length of an earlier result shown, in characters.
const RESULT: Limit = form(Viewer::Perceiver, Reader::Capable, Fact::EarlierTurns).limit();

/// Copies the request; asks a model only if there are earlier turns that it may refer to.
///
/// A restated request is followed by the user's own words, so that the model's reading never replaces them.
/// If the turns do not resolve a reference and a person is present, the model may ask back. A first request
/// is asked back by code if it surely cannot be understood: "do it again".
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultPerceiver;

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Resolved {
    #[schemars(length(min = 1, max = 4000))]
    intent: String,
    #[serde(default)]
    #[schemars(range(min = 1, max = 5))]
    rejects: Option<usize>,
}

// The same, if a person can be asked. Not a doc comment: that would be sent to the model with the schema.
#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ResolvedOrOpen {
    #[serde(default)]
    #[schemars(length(max = 3), inner(length(max = 300)))]
    questions: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 4000))]
    intent: String,
    #[serde(default)]
    #[schemars(range(min = 1, max = 5))]
    rejects: Option<usize>,
}

#[async_trait]
impl Perceiver for DefaultPerceiver {
    async fn perceive(
        &self,
        request: &UserRequest,
        dialogue: &Dialogue,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        let copy = copied(request, dialogue)?;
        let text = request.text.trim();
        if request.turns.is_empty() {
            let question = open_question(text, dialogue);
            return Ok(question.map_or(Perceived::Task(copy), |question| Perceived::Unclear(vec![question])));
        }
        if text.len() > MAX_RESTATED_BYTES {
            return Ok(Perceived::Task(copy));
        }
        if model.profile().guided {
            let intent = guided::restated(request, dialogue, model).await?;
            return Ok(Perceived::Task(match intent {
                Some(restated) => with_own_words(restated.trim(), copy),
                None => copy,
            }));
        }
        let prompt = Request::new("perceiver", SYSTEM_PROMPT, conversation(request, text, dialogue));
        let prompt = prompt.with_max_tokens(model.profile().room(1024)).read_by_type();
        let (questions, intent, rejects) = if dialogue.may_ask() {
            let prompt = Request { system: format!("{SYSTEM_PROMPT}{ASKING_PROMPT}").into(), ..prompt }
                .with_schema(JsonSchema::of::<ResolvedOrOpen>("resolved_or_open"));
            let answer = ask::<ResolvedOrOpen>(model.as_ref(), prompt).await?.value;
            (presentable(answer.questions), answer.intent, answer.rejects)
        } else {
            let prompt = prompt.with_schema(JsonSchema::of::<Resolved>("resolved_request"));
            let answer = ask::<Resolved>(model.as_ref(), prompt).await?.value;
            (Vec::new(), answer.intent, answer.rejects)
        };
        if !questions.is_empty() {
            return Ok(Perceived::Unclear(questions));
        }
        let rejects = rejects.and_then(|number| number.checked_sub(1));
        let corrects = rejects.and_then(|at| request.recent_turns().get(at)?.run_id);
        let task = with_own_words(intent.trim(), copy);
        Ok(Perceived::Task(TaskSpec { corrects, earlier: earlier(request, corrects), ..task }))
    }
}

/// The question about a first request, or about the answer to that question, as long as asking is allowed.
fn open_question(text: &str, dialogue: &Dialogue) -> Option<String> {
    let newest = dialogue.exchanges().last().map_or(text, |exchange| exchange.answer.trim());
    if dialogue.may_ask() { question_about(newest).map(str::to_owned) } else { None }
}

/// The request as a task in the user's own words, followed by the questions and answers.
///
/// # Errors
/// [`PerceiveError::Empty`] and [`PerceiveError::TooLong`].
pub(crate) fn copied(request: &UserRequest, dialogue: &Dialogue) -> Result<TaskSpec, PerceiveError> {
    let text = request.text.trim();
    if !text.chars().any(char::is_alphanumeric) {
        return Err(PerceiveError::Empty);
    }
    if text.len() > MAX_REQUEST_BYTES {
        return Err(PerceiveError::TooLong { bytes: text.len(), limit: MAX_REQUEST_BYTES });
    }
    let (mut intent, mut subject) = (text.to_owned(), text.to_owned());
    for Exchange { questions, answer } in dialogue.exchanges() {
        let answer: String = answer.trim().chars().take(ANSWER_KEPT).collect();
        if !answer.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(intent, "\n(Asked: {} Answered: {answer})", questions.join(" "));
            let _ = write!(subject, "\n{answer}");
        }
    }
    let subject = (subject != intent).then_some(subject);
    let (raw_input, earlier) = (request.text.clone(), earlier(request, None));
    Ok(TaskSpec { intent, subject, raw_input, earlier, ..TaskSpec::verbatim(text) })
}

/// The turns that the planner has to know of: those whose result the user rejected, and the one that this request
/// corrects.
fn earlier(request: &UserRequest, corrects: Option<RunId>) -> Vec<Turn> {
    let rejected = |turn: &Turn| {
        let corrected = (turn.run_id.is_some() && turn.run_id == corrects).then_some(Rejection::Corrected);
        let rejected = turn.rejected.or(corrected)?;
        let result = RESULT.cut(&turn.result).into_owned();
        Some(Turn { result, rejected: Some(rejected), ..turn.clone() })
    };
    request.recent_turns().iter().filter_map(rejected).collect()
}

/// The restated request together with the user's own words, so that planner, executor and judges have both
/// and the model's reading never replaces the message. If the two differ only in punctuation, blanks and
/// capitals, nothing was open, and the user's own words are the request.
fn with_own_words(restated: &str, copy: TaskSpec) -> TaskSpec {
    if !restated.chars().any(char::is_alphanumeric) || letters(restated).eq(letters(&copy.intent)) {
        return copy;
    }
    let intent = format!("{restated}\n(In the user's words: {})", copy.intent);
    TaskSpec { task_id: TaskId::from_text(&intent), intent, subject: Some(restated.to_owned()), ..copy }
}

/// The letters and digits of a text in lower case.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The variable part of the prompt: the turns (oldest first), the current time and the newest message. An earlier result may contain text of files and tools, so it is fenced: it can neither pose as the newest
/// message nor give orders.
fn conversation(request: &UserRequest, text: &str, dialogue: &Dialogue) -> String {
    let mut prompt = String::new();
    for (number, turn) in request.recent_turns().iter().enumerate() {
        let input: String = turn.input.chars().take(INPUT_SHOWN).collect();
        let result = format!("{}\n{}", RESULT.cut(&turn.result), turn.beside());
        let result = fenced(Origin::SubTask, &result);
        // Writing to a string cannot fail.
        let rejected = turn.rejected.map(|how| format!("afterwards: the user {}\n", how.words()));
        let rejected = rejected.unwrap_or_default();
        let _ = writeln!(prompt, "Turn {}\nuser: {input}\nresult:\n{result}\n{rejected}", number + 1);
    }
    let _ = write!(prompt, "{}\nNewest message: {text}", request.surroundings.now_line());
    for Exchange { questions, answer } in dialogue.exchanges() {
        let answer: String = answer.trim().chars().take(ANSWER_KEPT).collect();
        let answer = if answer.is_empty() { "(none: go ahead)" } else { &answer };
        let _ = write!(prompt, "\nYou asked: {}\nThe user answered: {answer}", questions.join(" "));
    }
    prompt
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn where_only_marks_blanks_and_capitals_differ_the_users_words_stay() {
        let table = [
            ("count  the *.TXT files", "Count the *.txt files."),
            ("¿qué es «b.txt»?", "Qué es \"b.txt\""),
            ("买 3个苹果、牛奶", "买3个苹果，牛奶。"),
            ("rm x -- -y", "Rm x -y"),
        ];
        for (text, restated) in table {
            assert_eq!(with_own_words(restated, TaskSpec::verbatim(text)), TaskSpec::verbatim(text));
        }
        let task = with_own_words("Count a and b", TaskSpec::verbatim("count a b"));
        assert_eq!(task.intent, "Count a and b\n(In the user's words: count a b)");
        assert_eq!(task.subject(), "Count a and b", "the frame is no word of the request");
    }

    proptest! {
        #[test]
        fn the_users_words_are_there_whatever_the_model_says(restated in ".{0,40}", text in "[a-z0-9./~ ]{1,40}") {
            let intent = with_own_words(restated.trim(), TaskSpec::verbatim(&text)).intent;
            prop_assert!(intent.contains(&text), "{text:?} is not in {intent:?}");
        }
    }
}
