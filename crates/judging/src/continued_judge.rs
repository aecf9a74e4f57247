//! A judge that goes on with the conversation in which the work was done.
//!
//! The request begins with that conversation, word for word and with its tools, so that the provider has read most of it
//! already. The model that judges is then the one that worked, and has its own words before it. What it must not
//! overlook, code tells it in the last message, and each verdict is bound to a call that was made, as that of a separate
//! judge is.

use artoo_llm_client::{Completion, LlmClient, LlmError, Message, Request, ToolResult, read_alone};
use artoo_types::Finding;

use crate::request_judge::{self, Parts};
use crate::{JudgeError, Seen, WholeRequest};

/// How often the model is asked before a separate judge is.
const TURNS: usize = 2;
/// What the model is told of a call that it makes in place of a verdict.
const REFUSED: &str = "Refused: the work is over, and no tool can be called any more.";
const REMINDER: &str = "Judge the work by what is already there. Answer with the JSON object alone.";

/// The findings on a request and on `further` criteria, if the model gives a verdict. `None`: it gave none, or the
/// conversation does not fit its context, so that a separate judge is to be asked.
///
/// `asked` is the conversation with the question at its end. It is sent without a schema, which would not go together
/// with tools. A call is refused once, and an unusable answer is asked for once more, at most twice in all.
///
/// # Errors
/// [`JudgeError::Model`]: the model failed in a way in which another request fails as well.
pub async fn ask_continued(
    model: &dyn LlmClient,
    seen: &Seen<'_>,
    request: WholeRequest<'_>,
    further: usize,
    asked: Request,
) -> Result<Option<(Finding, Vec<Finding>)>, JudgeError> {
    let room = model.profile().room(request_judge::tokens(further));
    let mut asked = asked.with_max_tokens(room);
    for _ in 0..TURNS {
        let completion = match model.complete(&asked).await {
            Ok(completion) => completion,
            Err(error) if is_of_this_request(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if !completion.calls.is_empty() {
            refuse(&mut asked, &completion);
            continue;
        }
        let schema = request_judge::schema(further, request.grounds);
        let read =
            read_alone::<Parts>(&completion, &schema).and_then(|mut answer| {
                match request_judge::flaw(&mut answer, seen, request, further) {
                    Some(wrong) => Err(wrong),
                    None => Ok(answer),
                }
            });
        match read {
            Ok(answer) => return Ok(Some(request_judge::findings(&answer, seen))),
            Err(wrong) => tell(&mut asked, &completion, &wrong),
        }
    }
    Ok(None)
}

/// Whether the server refuses this request, and may take another one.
fn is_of_this_request(error: &LlmError) -> bool {
    matches!(error, LlmError::TooLong { .. } | LlmError::Status { status: 400 | 413 | 422, .. })
}

fn refuse(asked: &mut Request, completion: &Completion) {
    let refused = completion.calls.iter().map(|call| ToolResult {
        id: call.id.clone(),
        content: REFUSED.to_owned(),
        is_error: true,
        images: Vec::new(),
    });
    let refused = Message { content: REMINDER.to_owned(), ..Message::results(refused.collect()) };
    asked.messages.extend([Message::said(completion), refused]);
}

fn tell(asked: &mut Request, completion: &Completion, wrong: &str) {
    let told =
        format!("This cannot be used: {wrong}. Answer again, with the whole JSON object and nothing else.");
    match asked.messages.last_mut() {
        // Providers refuse empty turns, and two turns of the same speaker in a row.
        Some(last) if completion.text.trim().is_empty() => {
            last.content = format!("{}\n\n{told}", last.content)
        }
        Some(_) | None => asked.messages.extend([Message::said(completion), Message::user(told)]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
    use artoo_llm_client::{MessageRole, ToolDefinition, Usage};
    use serde_json::{Value, json};

    use super::*;
    use crate::Grounds;
    use crate::conformance::call;

    fn question() -> Request {
        let tool = ToolDefinition {
            name: "shell".to_owned(),
            description: "Run a command.".to_owned(),
            parameters: Arc::new(json!({})),
        };
        Request::new("judge", "You act.", "Judge.").with_tools(Arc::new([tool]))
    }

    async fn judged(answers: Vec<Answer>) -> (Result<Option<bool>, JudgeError>, Vec<Request>) {
        let mut model = ScriptedModel::new();
        for answer in answers {
            model = model.expect(Expect::purpose("judge").no_schema(), answer);
        }
        let count = call(1, "3\n", true);
        let seen = Seen { calls: vec![&count], earlier: &[], answer: "3" };
        let request = WholeRequest { text: "Count them", laws: &[], grounds: Grounds::Shown };
        let found = ask_continued(&model, &seen, request, 1, question()).await;
        model.assert_finished();
        let passes = |found: (Finding, Vec<Finding>)| {
            std::iter::once(&found.0).chain(&found.1).all(|finding| matches!(finding, Finding::Pass { .. }))
        };
        (found.map(|found| found.map(passes)), model.requests())
    }

    fn said(verdict: &str, number: u32) -> Value {
        json!({
            "parts": [{"quote": "Count them", "reason": "it counts", "verdict": verdict, "call": number}],
            "verdicts": [{"reason": "it is a number", "verdict": verdict, "confidence": "high"}],
        })
    }

    #[tokio::test]
    async fn a_verdict_is_read_from_the_text() {
        for (verdict, passes) in [("pass", true), ("fail", false)] {
            let fenced = format!("```json\n{}\n```", said(verdict, 1));
            for text in [said(verdict, 1).to_string(), fenced] {
                let (found, sent) = judged(vec![Answer::text(text)]).await;
                assert_eq!((found.unwrap(), sent.len()), (Some(passes), 1));
            }
        }
    }

    #[tokio::test]
    async fn a_call_is_refused_once() {
        let calls = || Answer::calls([("shell", json!({"command": "ls"}))]);
        let (found, sent) = judged(vec![calls(), Answer::json(said("pass", 1))]).await;
        assert_eq!(found.unwrap(), Some(true));
        let last = sent[1].messages.last().unwrap();
        assert!(last.results[0].is_error && last.results[0].content.starts_with("Refused"), "{last:?}");
        assert_eq!(sent[1].messages[..1], sent[0].messages[..]);
        assert_eq!(judged(vec![calls(), calls()]).await.0.unwrap(), None);
    }

    /// Words beside the verdict may revoke it; a call that was not made shows nothing.
    #[tokio::test]
    async fn what_is_no_verdict_is_asked_for_once_more() {
        let quoted = format!("A file says {}, and that is an injection.", said("pass", 1));
        for (wrong, told) in [
            (quoted.as_str(), "other words beside the JSON value"),
            ("It is all done.", "cannot be used"),
            (&said("pass", 7).to_string(), "call 7, and there is none"),
            (&said("matched", 1).to_string(), "\"matched\""),
            (&said("fail", 1).to_string().replace("it counts", " "), "a verdict has no reason"),
        ] {
            let (found, sent) = judged(vec![Answer::text(wrong), Answer::json(said("fail", 1))]).await;
            assert_eq!(found.unwrap(), Some(false), "{wrong}");
            let last = sent[1].messages.last().unwrap();
            assert!(last.role == MessageRole::User && last.content.contains(told), "{wrong}: {last:?}");
            assert_eq!(
                judged(vec![Answer::text(wrong), Answer::text(wrong)]).await.0.unwrap(),
                None,
                "{wrong}"
            );
        }
        let (found, sent) = judged(vec![Answer::text(" "), Answer::json(said("pass", 1))]).await;
        assert_eq!((found.unwrap(), sent[1].messages.len()), (Some(true), 1), "no empty turn is sent");
    }

    #[tokio::test]
    async fn only_what_another_request_may_mend_goes_to_another_judge() {
        let status = |status| {
            Answer::error(move || LlmError::Status {
                url: "http://model.test".to_owned(),
                status,
                message: "no".to_owned(),
                usage: Usage::default(),
            })
        };
        let too_long = Answer::error(|| LlmError::TooLong {
            model: "m".to_owned(),
            tokens: None,
            limit: None,
            said: String::new(),
        });
        for answer in [too_long, status(400)] {
            assert_eq!(judged(vec![answer]).await.0.unwrap(), None);
        }
        assert!(judged(vec![status(500)]).await.0.is_err());
    }
}
