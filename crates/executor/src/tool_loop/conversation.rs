//! Conversation of one attempt, and its compaction when it outgrows the model's context.

use artoo_llm_client::{Image, Message, ToolResult, estimate_message, inline};
use artoo_types::ToolCall;
use serde_json::Value;

use crate::prompt;

/// Number of final exchanges that are never compacted, whatever their size.
const KEPT_WHOLE: usize = 2;
/// The longest text argument kept in an old call, in characters.
const ARGUMENT: usize = 400;

/// What a call is answered that the end of the attempt came before.
const ENDED: &str = "The attempt ended here.";

/// What a model was told in an attempt, and what it said and did. The attempt that corrects it goes on with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    task: String,
    exchanges: Vec<Exchange>,
    tokens: u64,
}

/// A turn of the model, and the reply to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exchange {
    said: Message,
    came: Vec<Came>,
    /// Text sent to the model besides the results.
    told: String,
    is_cut: bool,
    tokens: u64,
}

/// The result of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Came {
    id: String,
    /// The full text.
    whole: String,
    /// The one-line text used after compaction.
    record: String,
    is_error: bool,
    /// Shown until the exchange is compacted.
    picture: Option<Image>,
}

impl Came {
    pub(super) fn of(id: String, call: &ToolCall, picture: Option<Image>) -> Self {
        let is_error = call.failure.is_some();
        Self { id, whole: prompt::result(call), record: record(call), is_error, picture }
    }

    /// A reply that is not the output of a call.
    pub(super) fn words(id: String, words: String) -> Self {
        Self { id, whole: words.clone(), record: words, is_error: false, picture: None }
    }
}

impl Conversation {
    pub(super) fn new(task: String) -> Self {
        let tokens = estimate_message(&Message::user(task.as_str()));
        Self { task, exchanges: Vec::new(), tokens }
    }

    pub(super) fn said(&mut self, said: Message) {
        let exchange = Exchange { said, came: Vec::new(), told: String::new(), is_cut: false, tokens: 0 };
        self.exchanges.push(exchange);
        self.count_last();
    }

    pub(super) fn came(&mut self, came: Came) {
        if let Some(last) = self.exchanges.last_mut() {
            last.came.push(came);
        }
        self.count_last();
    }

    pub(super) fn told(&mut self, told: &str) {
        if let Some(last) = self.exchanges.last_mut() {
            told.clone_into(&mut last.told);
        }
        self.count_last();
    }

    /// The conversation of an attempt that has ended, with a last word to it: each call has its result, since
    /// providers refuse one that has none. `None` if the model said nothing in it.
    pub(super) fn continued(mut self, told: &str) -> Option<Self> {
        let last = self.exchanges.last_mut()?;
        for call in &last.said.calls {
            if last.came.iter().all(|came| came.id != call.id) {
                last.came.push(Came::words(call.id.clone(), ENDED.to_owned()));
            }
        }
        self.told(told);
        Some(self)
    }

    /// Estimated number of tokens.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Compacts the oldest exchanges to their records until at most `target` tokens remain; the last ones
    /// stay whole. Returns whether the conversation became smaller.
    pub(super) fn compact(&mut self, target: u64) -> bool {
        let before = self.tokens;
        let old = self.exchanges.len().saturating_sub(KEPT_WHOLE);
        for exchange in self.exchanges.iter_mut().take(old).filter(|exchange| !exchange.is_cut) {
            if self.tokens <= target {
                break;
            }
            self.tokens -= exchange.tokens;
            exchange.cut();
            self.tokens += exchange.tokens;
        }
        self.tokens < before
    }

    /// The turns as messages. Calls and results use the provider's native form if it has one, otherwise text.
    pub(super) fn messages(&self, is_native: bool) -> Vec<Message> {
        let turns = self.exchanges.iter().flat_map(|exchange| exchange.messages(is_native));
        std::iter::once(Message::user(self.task.as_str())).chain(turns).collect()
    }

    fn count_last(&mut self) {
        if let Some(last) = self.exchanges.last_mut() {
            self.tokens -= last.tokens;
            last.count();
            self.tokens += last.tokens;
        }
    }
}

impl Exchange {
    fn messages(&self, is_native: bool) -> Vec<Message> {
        if is_native {
            let results = self.came.iter().map(|came| ToolResult {
                id: came.id.clone(),
                content: self.shown(came).to_owned(),
                is_error: came.is_error,
                images: came.picture.iter().filter(|_| !self.is_cut).cloned().collect(),
            });
            let came = Message { content: self.told.clone(), ..Message::results(results.collect()) };
            return vec![self.said.clone(), came];
        }
        let mut text: Vec<&str> = self.came.iter().map(|came| self.shown(came)).collect();
        text.push(if self.told.is_empty() { prompt::GO_ON } else { &self.told });
        vec![Message::assistant(self.said.content.as_str()), Message::user(text.join("\n"))]
    }

    fn shown<'a>(&self, came: &'a Came) -> &'a str {
        if self.is_cut { &came.record } else { &came.whole }
    }

    fn cut(&mut self) {
        self.is_cut = true;
        for call in &mut self.said.calls {
            call.arguments = briefer(&call.arguments);
        }
        self.count();
    }

    fn count(&mut self) {
        self.tokens = self.messages(true).iter().map(estimate_message).sum();
    }
}

/// One line on what the call was and where its output is stored.
fn record(call: &ToolCall) -> String {
    let made: String = inline(&format!("{} {}", call.tool, call.target())).chars().take(ARGUMENT).collect();
    let how = prompt::how_it_ended(call);
    match &call.output.evidence {
        Some(id) => {
            let id = id.as_str().get(..12).unwrap_or_default();
            format!(
                "{how} ({made}; its output of {} bytes is cut here: read_evidence shows {id} again)",
                call.output.bytes
            )
        }
        None => format!("{how} ({made})"),
    }
}

/// The arguments with long texts truncated, still a JSON object.
fn briefer(arguments: &str) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(arguments) else { return arguments.to_owned() };
    for value in fields.values_mut() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if text.chars().count() > ARGUMENT {
            let head: String = text.chars().take(ARGUMENT / 2).collect();
            *value = Value::String(format!("{head}[... {} more bytes, cut here]", text.len() - head.len()));
        }
    }
    Value::Object(fields).to_string()
}
