//! The last conversation of a run's executor, which another role may continue.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_types::SubTaskId;

use crate::{CallEnd, Completion, LlmClient, Message, Metered, Request, ToolResult, ToolUse};

/// Keeps the conversation about one subtask, the last one that was begun. Clones share it.
///
/// Who continues a conversation with the same model is billed a fraction for what the provider has read already, as
/// long as the new request begins with the old one word for word. So what is kept is what was sent, not what was meant
/// to be sent.
#[derive(Clone, Debug, Default)]
pub struct KeptConversation(Arc<Mutex<Option<Heard>>>);

#[derive(Debug)]
struct Heard {
    subtask_id: SubTaskId,
    conversation: Conversation,
    /// Whether each request continued the one before it.
    is_whole: bool,
}

impl KeptConversation {
    /// The model, whose requests about this subtask are kept, each in place of the one before it.
    pub fn of(&self, subtask_id: SubTaskId, model: Arc<dyn LlmClient>) -> Arc<dyn LlmClient> {
        let kept = self.clone();
        Arc::new(Metered::new(model, move |request, end| {
            if let CallEnd::Answered(completion) = end {
                kept.hear(subtask_id, request, completion);
            }
        }))
    }

    /// Takes the conversation about this subtask. `None` if there is none that can be continued: it was compacted or
    /// begun anew, so that it lacks something, or its tools were not called natively.
    pub fn take(&self, subtask_id: SubTaskId) -> Option<Conversation> {
        let heard = self.locked().take_if(|heard| heard.subtask_id == subtask_id)?;
        let is_native =
            heard.conversation.request.schema.is_none() && !heard.conversation.request.tools.is_empty();
        (heard.is_whole && is_native).then_some(heard.conversation)
    }

    fn hear(&self, subtask_id: SubTaskId, request: &Request, completion: &Completion) {
        let mut kept = self.locked();
        let before = kept.as_ref().filter(|heard| heard.subtask_id == subtask_id);
        let is_whole =
            before.is_none_or(|heard| heard.is_whole && heard.conversation.is_continued_by(request));
        let conversation = Conversation { request: request.clone(), said: Message::said(completion) };
        *kept = Some(Heard { subtask_id, conversation, is_whole });
    }

    fn locked(&self) -> MutexGuard<'_, Option<Heard>> {
        // A panic elsewhere leaves a conversation that is whole or replaced.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A conversation: the last request, and what the model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    request: Request,
    said: Message,
}

impl Conversation {
    /// The calls of the last turn, which have no result in the conversation.
    pub fn open_calls(&self) -> &[ToolUse] {
        &self.said.calls
    }

    /// The words of the last turn.
    pub fn last_words(&self) -> &str {
        &self.said.content
    }

    /// The request that goes on with these words. It begins with the last request, unchanged, with the same tools.
    /// `results` are those of the [open calls](Self::open_calls), in their order.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use std::sync::Arc;
    /// use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
    /// use artoo_llm_client::{KeptConversation, LlmClient, Request, ToolDefinition};
    ///
    /// let (kept, id) = (KeptConversation::default(), "00000000-0000-0000-0000-000000000001".parse().unwrap());
    /// let model = kept.of(id, Arc::new(ScriptedModel::new().expect(Expect::any(), Answer::text("3"))));
    /// let tool = ToolDefinition {
    ///     name: "shell".into(), description: "Run a command.".into(), parameters: Arc::new(serde_json::json!({})),
    /// };
    /// let request = Request::new("executor", "You act.", "Count.").with_tools(Arc::new([tool]));
    /// model.complete(&request).await?;
    /// let asked = kept.take(id).unwrap().continued("judge", "Was that right?", Vec::new());
    /// assert_eq!((&asked.system, &asked.tools), (&request.system, &request.tools));
    /// assert_eq!(asked.messages[..1], request.messages);
    /// assert_eq!(asked.messages.len(), 3);
    /// assert!(kept.take(id).is_none());
    /// # Ok::<(), artoo_llm_client::LlmError>(())
    /// # }).unwrap();
    /// ```
    pub fn continued(&self, purpose: &str, words: impl Into<String>, results: Vec<String>) -> Request {
        let answered = self.said.calls.iter().zip(results).map(|(call, content)| ToolResult {
            id: call.id.clone(),
            content,
            is_error: false,
            images: Vec::new(),
        });
        let words = Message { content: words.into(), ..Message::results(answered.collect()) };
        let mut request = Request { purpose: purpose.to_owned(), ..self.request.clone() };
        request.messages.extend([self.said.clone(), words]);
        request
    }

    /// Whether a request begins with all of this.
    fn is_continued_by(&self, request: &Request) -> bool {
        let after = request.messages.strip_prefix(self.request.messages.as_slice());
        after.and_then(<[Message]>::first) == Some(&self.said)
            && (&request.system, &request.tools) == (&self.request.system, &self.request.tools)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::doubles::{Answer, Expect, ScriptedModel};
    use crate::{JsonSchema, ToolDefinition};

    fn id(number: u8) -> SubTaskId {
        format!("00000000-0000-0000-0000-00000000000{number}").parse().unwrap()
    }

    fn request(messages: Vec<Message>) -> Request {
        let tool = ToolDefinition {
            name: "shell".to_owned(),
            description: "Run a command.".to_owned(),
            parameters: Arc::new(json!({})),
        };
        Request { messages, ..Request::new("executor", "You act.", "").with_tools(Arc::new([tool])) }
    }

    /// What is kept after these requests, each of which is answered by its number.
    async fn kept(requests: &[Request]) -> KeptConversation {
        let kept = KeptConversation::default();
        let mut script = ScriptedModel::new();
        for number in 1..=requests.len() {
            script = script.expect(Expect::any(), Answer::text(number.to_string()));
        }
        let model = kept.of(id(1), Arc::new(script));
        for request in requests {
            model.complete(request).await.unwrap();
        }
        kept
    }

    #[tokio::test]
    async fn a_conversation_that_only_grew_can_be_continued() {
        let first = request(vec![Message::user("Count")]);
        let grown = |said: &str| {
            request(vec![Message::user("Count"), Message::assistant(said), Message::user("Go on")])
        };
        assert!(kept(&[first.clone(), grown("1")]).await.take(id(1)).is_some());
        assert!(kept(std::slice::from_ref(&first)).await.take(id(2)).is_none(), "of another subtask");
        let compacted =
            request(vec![Message::user("Count"), Message::assistant("1, cut"), Message::user("Go on")]);
        let anew = request(vec![Message::user("Count it again")]);
        let other_system = Request { system: "You act well.".into(), ..grown("1") };
        let in_json = JsonSchema { name: "action".to_owned(), schema: Arc::new(json!({})) };
        for (broken, why) in [
            (vec![first.clone(), compacted], "compacted"),
            (vec![first.clone(), anew], "begun anew"),
            (vec![first.clone(), other_system], "another system"),
            (vec![first.clone().with_tools(Arc::new([]))], "no tools"),
            (vec![first.clone().with_schema(in_json)], "turns in JSON"),
            (vec![first.clone(), first.clone(), grown("2")], "what was said was dropped"),
        ] {
            assert!(kept(&broken).await.take(id(1)).is_none(), "{why}");
        }
    }

    #[tokio::test]
    async fn open_calls_get_their_results_before_the_words() {
        let kept = KeptConversation::default();
        let calls = Answer::calls([("shell", json!({"command": "ls"}))]);
        let model = kept.of(id(1), Arc::new(ScriptedModel::new().expect(Expect::any(), calls)));
        model.complete(&request(vec![Message::user("Count")])).await.unwrap();
        let conversation = kept.take(id(1)).unwrap();
        assert_eq!(conversation.open_calls().len(), 1);
        let asked = conversation.continued("judge", "Judge it.", vec!["a.txt".to_owned()]);
        let last = asked.messages.last().unwrap();
        assert_eq!((last.content.as_str(), last.results[0].content.as_str()), ("Judge it.", "a.txt"));
        assert_eq!(last.results[0].id, conversation.open_calls()[0].id);
    }
}
