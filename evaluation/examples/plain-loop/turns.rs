//! The conversation: a command, its output, and so on until there is an answer.

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Message, Obtained, Request, ask};
use schemars::JsonSchema as Schema;
use serde::Deserialize;

use crate::shell::Shell;

/// Maximum number of turns.
const TURNS: usize = 12;

const SYSTEM: &str = "You help a person on their own computer. You have a shell in their folder. Work step by step: run one command, \
    read its output, and go on until you know the answer or the work is done. In each turn give one JSON object: \
    {\"do\": \"run\", \"text\": \"<shell command>\"} to run a command, {\"do\": \"answer\", \"text\": \"<answer>\"} to end with the \
    answer for the person, or {\"do\": \"give_up\", \"text\": \"<why>\"} where it cannot be done. Look at the files before you \
    answer, change only what the person asks for, and answer shortly.";

/// One turn of the model.
#[derive(Debug, Deserialize, Schema)]
struct Turn {
    /// What to do.
    r#do: Deed,
    /// The command, the answer, or the reason.
    text: String,
}

#[derive(Clone, Copy, Debug, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Deed {
    /// Run a command.
    Run,
    /// End with an answer.
    Answer,
    /// End without an answer.
    GiveUp,
}

/// How the loop ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// With an answer.
    Answered(String),
    /// Without an answer, for this reason.
    GaveUp(String),
}

/// The conversation so far and its usage.
#[derive(Debug)]
pub(crate) struct Talk {
    messages: Vec<Message>,
    /// Model calls.
    pub calls: u64,
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens.
    pub completion_tokens: u64,
}

impl Talk {
    /// Starts the conversation about a request.
    pub(crate) fn new(request: &str) -> Self {
        Self { messages: vec![Message::user(request)], calls: 0, prompt_tokens: 0, completion_tokens: 0 }
    }

    /// Works until the end; after the last turn the loop gives up.
    pub(crate) async fn work(&mut self, client: &dyn LlmClient, shell: &Shell) -> Result<End, LlmError> {
        for _ in 0..TURNS {
            let turn = self.turn(client).await?;
            match turn.r#do {
                Deed::Answer => return Ok(End::Answered(turn.text)),
                Deed::GiveUp => return Ok(End::GaveUp(turn.text)),
                Deed::Run => {
                    let output = shell.run(&turn.text).await;
                    self.messages.push(Message::user(output));
                }
            }
        }
        Ok(End::GaveUp("no turn is left".to_owned()))
    }

    /// The messages so far.
    #[cfg(test)]
    pub(crate) fn told(&self) -> Vec<String> {
        self.messages.iter().map(|message| message.content.clone()).collect()
    }

    async fn turn(&mut self, client: &dyn LlmClient) -> Result<Turn, LlmError> {
        let mut request = Request::new("plain", SYSTEM, "");
        request.messages = self.messages.clone();
        let asked = request.with_schema(JsonSchema::of::<Turn>("turn")).with_max_tokens(600);
        let answer = ask::<Turn>(client, asked).await?;
        self.calls += if matches!(answer.obtained, Obtained::Repaired { .. }) { 2 } else { 1 };
        self.prompt_tokens += answer.usage.prompt_tokens;
        self.completion_tokens += answer.usage.completion_tokens;
        let said = serde_json::json!({"do": name(answer.value.r#do), "text": answer.value.text});
        self.messages.push(Message::assistant(said.to_string()));
        Ok(answer.value)
    }
}

fn name(deed: Deed) -> &'static str {
    match deed {
        Deed::Run => "run",
        Deed::Answer => "answer",
        Deed::GiveUp => "give_up",
    }
}
