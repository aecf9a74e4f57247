//! Composes one answer from several outputs: a model writes it, code checks it.

use artoo_checks::{Record, unsupported_claim};
use artoo_llm_client::{
    Completion, LlmClient, LlmError, Message, ModelProfile, Origin, Request, StopReason, fenced, inline,
};
use artoo_types::{EarlierResult, Surroundings, TaskSpec, ToolCall};

use crate::answer_parts::Part;

/// The constant part of the prompt.
pub const ANSWER_PROMPT: &str = include_str!("../prompts/answer.md");

/// Why there is no composed answer. The outputs are then delivered as they are.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComposeError {
    /// The outputs exceed the model's input or output limit.
    #[error("they are too long to be written again")]
    TooLong,
    /// The model failed.
    #[error("{0}")]
    Model(#[from] LlmError),
    /// The text contains claims that nothing supports, and still did after a second request.
    #[error("a model was asked twice: {0}")]
    Unborne(String),
}

/// The material of an answer: the request, the findings and changes of the steps, and the outputs of their
/// calls.
pub(crate) struct Grounds<'a> {
    /// The task.
    pub(crate) spec: &'a TaskSpec,
    /// Environment of the run: time, folders, platform.
    pub(crate) surroundings: &'a Surroundings,
    /// The results of the steps.
    pub(crate) parts: &'a [Part<'a>],
    /// The calls of all steps.
    pub(crate) tool_calls: &'a [ToolCall],
}

impl Grounds<'_> {
    /// The unsupported parts of a text, in words. The request counts as support: an answer to a question
    /// about 60 files may mention 60 files.
    pub(crate) fn unsupported_claim(&self, text: &str) -> Option<String> {
        unsupported_claim(text, false, Record { tool_calls: self.tool_calls, earlier: &self.told() }, "")
    }

    /// The parts of the results that a text omits, in words: the numbers and names of each single-line
    /// result. Of longer results it may mention only what the request is about.
    pub(crate) fn left_out(&self, text: &str) -> Option<String> {
        let told = [EarlierResult { intent: String::new(), output: text.to_owned(), left_out_bytes: 0 }];
        let said = Record { tool_calls: &[], earlier: &told };
        let mut short =
            self.parts.iter().map(|part| part.output.trim()).filter(|output| output.lines().count() == 1);
        let lacking = short.find(|output| unsupported_claim(output, false, said, "").is_some())?;
        Some(format!("it does not say {lacking:?}, which a step found"))
    }

    /// The request and the results of the steps, each in the form of an earlier result.
    pub(crate) fn told(&self) -> Vec<EarlierResult> {
        let told = |text: String| EarlierResult { intent: String::new(), output: text, left_out_bytes: 0 };
        let request = [self.spec.intent.clone(), self.spec.raw_input.clone()];
        request.into_iter().chain(self.parts.iter().map(Part::text)).map(told).collect()
    }
}

/// Asks for the answer, and asks once more if code finds unsupported claims in it.
pub(crate) async fn compose(grounds: &Grounds<'_>, model: &dyn LlmClient) -> Result<String, ComposeError> {
    let mut request = request(grounds, &model.profile()).ok_or(ComposeError::TooLong)?;
    let first = model.complete(&request).await?;
    let Err(wrong) = checked(&first, grounds) else { return Ok(first.text.trim().to_owned()) };
    let told = format!(
        "This cannot be handed over: {wrong}. Write the answer again, with nothing in it that the results do not show."
    );
    match request.messages.last_mut() {
        // Providers reject empty turns and two consecutive turns of the same role.
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

/// The request; `None` if the outputs are too long for it. They are shown in full or not at all: the model
/// cannot report what was cut.
fn request(grounds: &Grounds<'_>, profile: &ModelProfile) -> Option<Request> {
    // A token has about four bytes, three in texts with many numbers and names.
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
        StopReason::End => {
            grounds.unsupported_claim(text).or_else(|| grounds.left_out(text)).map_or(Ok(()), Err)
        }
        StopReason::Length => Err("it is too long, and was cut off".to_owned()),
        StopReason::Refused => Err("it is a refusal".to_owned()),
    }
}
