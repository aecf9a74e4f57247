//! One answer of several outputs, written by a model and checked by code.

use artoo_checks::{Record, unborne};
use artoo_llm_client::{
    Completion, LlmClient, LlmError, Message, ModelProfile, Origin, Request, StopReason, fenced, inline,
};
use artoo_types::{EarlierResult, Surroundings, TaskSpec, ToolCall};

use crate::parts::Part;

/// The constant part of the prompt.
pub const ANSWER_PROMPT: &str = include_str!("../prompts/answer.md");

/// Why there is no composed answer. The outputs are handed over as they are then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComposeError {
    /// The outputs are longer than what the model may read or write.
    #[error("they are too long to be written again")]
    TooLong,
    /// The model failed.
    #[error("{0}")]
    Model(#[from] LlmError),
    /// What it wrote says what nothing shows, even when asked again.
    #[error("a model was asked twice: {0}")]
    Unborne(String),
}

/// What may be in an answer: the request, what the steps found and changed, and what their calls showed.
pub(crate) struct Grounds<'a> {
    /// The task.
    pub(crate) spec: &'a TaskSpec,
    /// Where and when.
    pub(crate) surroundings: &'a Surroundings,
    /// What the steps found.
    pub(crate) parts: &'a [Part<'a>],
    /// The calls of all of them.
    pub(crate) tool_calls: &'a [ToolCall],
}

impl Grounds<'_> {
    /// What of a text nothing shows, in words. The request counts as shown: who asked for 60 files may be told of 60 files.
    pub(crate) fn unborne(&self, text: &str) -> Option<String> {
        unborne(text, false, Record { tool_calls: self.tool_calls, earlier: &self.told() }, "")
    }

    /// What of the results a text does not say, in words: the figures and names of each that is a single line. Of longer ones it may say
    /// what the request is about.
    pub(crate) fn left_out(&self, text: &str) -> Option<String> {
        let told = [EarlierResult { intent: String::new(), output: text.to_owned(), left_out_bytes: 0 }];
        let said = Record { tool_calls: &[], earlier: &told };
        let mut short =
            self.parts.iter().map(|part| part.output.trim()).filter(|output| output.lines().count() == 1);
        let lacking = short.find(|output| unborne(output, false, said, "").is_some())?;
        Some(format!("it does not say {lacking:?}, which a step found"))
    }

    /// What was said: the request, and what the steps say. Each is shown as if by an earlier step.
    pub(crate) fn told(&self) -> Vec<EarlierResult> {
        let told = |text: String| EarlierResult { intent: String::new(), output: text, left_out_bytes: 0 };
        let request = [self.spec.intent.clone(), self.spec.raw_input.clone()];
        request.into_iter().chain(self.parts.iter().map(Part::text)).map(told).collect()
    }
}

/// Asks for the answer, and once more where code finds in it what nothing shows.
pub(crate) async fn compose(grounds: &Grounds<'_>, model: &dyn LlmClient) -> Result<String, ComposeError> {
    let mut request = request(grounds, &model.profile()).ok_or(ComposeError::TooLong)?;
    let first = model.complete(&request).await?;
    let Err(wrong) = checked(&first, grounds) else { return Ok(first.text.trim().to_owned()) };
    let told = format!(
        "This cannot be handed over: {wrong}. Write the answer again, with nothing in it that the results do not show."
    );
    match request.messages.last_mut() {
        // Providers refuse empty turns and two turns of the same speaker in a row.
        Some(last) if first.text.trim().is_empty() => last.content = format!("{}\n{told}", last.content),
        Some(_) | None => {
            request.messages.push(Message::said(&first));
            request.messages.push(Message::user(told));
        }
    }
    let second = model.complete(&request).await?;
    checked(&second, grounds).map_err(ComposeError::Unborne)?;
    Ok(second.text.trim().to_owned())
}

/// The question; nothing where the outputs are too long for it. They are shown whole or not at all: what is cut cannot be told.
fn request(grounds: &Grounds<'_>, profile: &ModelProfile) -> Option<Request> {
    // A token has about four bytes, three where there are many figures and names.
    const BYTES_OF_A_TOKEN: usize = 3;
    const FOR_WORDS: u32 = 512;
    let texts: Vec<&str> = grounds
        .parts
        .iter()
        .flat_map(|part| [part.output.as_str()].into_iter().chain(part.changes.iter().map(String::as_str)))
        .collect();
    let bytes = texts.iter().map(|text| text.len()).sum::<usize>();
    let tokens = u32::try_from(bytes / BYTES_OF_A_TOKEN).ok()?.saturating_add(FOR_WORDS);
    if tokens > profile.output_tokens || tokens > profile.context_tokens / 3 {
        return None;
    }
    let mut lines = vec![grounds.surroundings.now_line(), format!("Request: {}", grounds.spec.intent.trim())];
    for (number, part) in (1..).zip(grounds.parts) {
        lines.push(format!("Result {number} ({}):", inline(part.intent)));
        if !part.output.trim().is_empty() {
            lines.push(fenced(Origin::SubTask, part.output.trim_end()));
        }
        if !part.changes.is_empty() {
            lines.push("Changed:".to_owned());
            lines.push(fenced(Origin::ToolOutput, &part.changes.join("\n")));
        }
    }
    Some(Request::new("answer", ANSWER_PROMPT, lines.join("\n")).with_max_tokens(profile.room(tokens)))
}

fn checked(completion: &Completion, grounds: &Grounds<'_>) -> Result<(), String> {
    let text = completion.text.trim();
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    match completion.stop {
        StopReason::End => grounds.unborne(text).or_else(|| grounds.left_out(text)).map_or(Ok(()), Err),
        StopReason::Length => Err("it is too long, and was cut off".to_owned()),
        StopReason::Refused => Err("it is a refusal".to_owned()),
    }
}
