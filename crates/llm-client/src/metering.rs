//! Publishes every model call of a role as a `ModelCall` message.

use std::sync::Arc;

use artoo_types::{ModelCall, Role, SubTaskId};

use crate::ask::is_usable;
use crate::{CallEnd, LlmClient, Metered};

/// The failure text of a dropped call.
const DROPPED: &str = "given up before it answered";

/// Wraps `inner` so that every call of `role`, including failed and dropped ones, is published as a
/// [`ModelCall`] with its usage.
///
/// Each role's actor wraps its model before it passes it to the behaviour, so that a behaviour cannot make an
/// uncounted call. Whether an answer had the requested shape is decided here too, from the answer itself: a
/// behaviour that asks again does not hide it.
pub fn metered(
    inner: Arc<dyn LlmClient>,
    role: Role,
    subtask_id: Option<SubTaskId>,
    publish: impl Fn(ModelCall) + Send + Sync + 'static,
) -> Arc<dyn LlmClient> {
    let model = inner.model().to_owned();
    let metered = Metered::new(inner, move |request, end| {
        let (usage, model, error, usable) = match end {
            CallEnd::Answered(completion) => {
                let usable = is_usable(completion, request);
                (completion.usage, completion.model.clone(), None, usable)
            }
            CallEnd::Failed(error) => (error.usage(), model.clone(), Some(error.to_string()), None),
            CallEnd::Dropped(usage) => (usage, model.clone(), Some(DROPPED.to_owned()), None),
        };
        publish(ModelCall {
            role,
            subtask_id,
            model,
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
            estimated: usage.estimated,
            elapsed_ms: usage.elapsed_ms,
            requests: usage.requests,
            usable,
            error,
        });
    });
    Arc::new(metered.of_subtask(subtask_id))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::doubles::{Answer, Expect, ScriptedModel};
    use crate::{JsonSchema, LlmError, Request, Usage, ask};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Count {
        #[expect(dead_code, reason = "only its schema is used")]
        files: u32,
    }

    /// A failed call is billed as well, so a budget has to include it. An unusable answer counts by itself,
    /// and not again in the error that it leads to.
    #[tokio::test]
    async fn what_a_failed_call_used_is_on_record() {
        let used =
            |tokens| Usage { prompt_tokens: tokens, completion_tokens: 3, requests: 1, ..Usage::default() };
        let broken = move || LlmError::Protocol {
            url: "http://model.test".to_owned(),
            reason: "it broke off".to_owned(),
            usage: used(40),
        };
        let model = ScriptedModel::new()
            .expect(Expect::any(), Answer::error(broken))
            .expect(Expect::any(), Answer::text("three").with_usage(used(10)))
            .expect(Expect::any(), Answer::text("still three").with_usage(used(20)));
        let told = Arc::new(Mutex::new(Vec::new()));
        let teller = Arc::clone(&told);
        let client = metered(Arc::new(model), Role::Planner, None, move |call| {
            teller.lock().unwrap().push((call.prompt_tokens, call.completion_tokens, call.requests));
        });
        let request =
            || Request::new("counter", "Count.", "a b c").with_schema(JsonSchema::of::<Count>("count"));
        client.complete(&request()).await.unwrap_err();
        let unusable = ask::<Count>(client.as_ref(), request()).await.map(|_| ()).unwrap_err();
        assert!(matches!(unusable, LlmError::Unusable { .. }), "{unusable}");
        assert_eq!(unusable.usage(), Usage::default());
        assert_eq!(*told.lock().unwrap(), [(40, 3, 1), (10, 3, 1), (20, 3, 1)]);
    }

    /// A deadline drops the call, and a budget must still include it. A finished call is reported once.
    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_given_up_is_on_record() {
        let model = ScriptedModel::new()
            .expect(Expect::any(), Answer::hang())
            .expect(Expect::any(), Answer::text("three"));
        let told = Arc::new(Mutex::new(Vec::new()));
        let teller = Arc::clone(&told);
        let client = metered(Arc::new(model), Role::MetaValidator, None, move |call| {
            teller.lock().unwrap().push(call);
        });
        let request = Request::new("counter", "Count.", "a b c");
        let patience = std::time::Duration::from_secs(3);
        tokio::time::timeout(patience, client.complete(&request)).await.unwrap_err();
        // A future that was never polled sent nothing.
        drop(client.complete(&request));
        client.complete(&request).await.unwrap();
        let told = told.lock().unwrap();
        let [dropped, answered] = told.as_slice() else { panic!("{told:?}") };
        let estimated = crate::estimate_usage(&request, "");
        assert!(estimated.prompt_tokens > 0);
        assert_eq!((dropped.prompt_tokens, dropped.completion_tokens), (estimated.prompt_tokens, 0));
        assert_eq!((dropped.estimated, dropped.elapsed_ms, dropped.requests), (true, 3000, 1));
        assert_eq!(dropped.error.as_deref(), Some("given up before it answered"));
        assert_eq!((&answered.error, answered.usable), (&None, None));
    }

    /// Lesson 87: the ancestor could not say how often a model's answers were unusable.
    #[tokio::test]
    async fn answers_without_the_shape_are_told_although_they_are_asked_for_again() {
        let model = ScriptedModel::new()
            .expect(Expect::any(), Answer::text("three"))
            .expect(Expect::any(), Answer::text("It is {\"files\": 3}."))
            .expect(Expect::any(), Answer::text("any text"))
            .expect(Expect::any(), Answer::error(|| LlmError::Configuration { reason: "no".to_owned() }));
        let told = Arc::new(Mutex::new(Vec::new()));
        let teller = Arc::clone(&told);
        let client = metered(Arc::new(model), Role::Planner, None, move |call| {
            teller.lock().unwrap().push((call.usable, call.error.is_some()));
        });
        let request = || Request::new("counter", "Count.", "a b c");
        let shaped = || request().with_schema(JsonSchema::of::<Count>("count"));
        ask::<Count>(client.as_ref(), shaped()).await.unwrap();
        client.complete(&request()).await.unwrap();
        client.complete(&shaped()).await.unwrap_err();
        let told = told.lock().unwrap().clone();
        assert_eq!(told, [(Some(false), false), (Some(true), false), (None, false), (None, true)]);
    }

    /// Samples are billed one by one, including dropped ones; a request that was never sent is not.
    #[tokio::test(start_paused = true)]
    async fn each_of_several_calls_is_on_record() {
        let used = |tokens| Usage { prompt_tokens: tokens, requests: 1, ..Usage::default() };
        let model = ScriptedModel::new()
            .expect(Expect::any(), Answer::text("one").with_usage(used(10)))
            .expect(Expect::any(), Answer::text("two").with_usage(used(20)))
            .expect(Expect::any(), Answer::error(|| LlmError::Configuration { reason: "no".to_owned() }))
            .expect(Expect::any(), Answer::hang());
        let told = Arc::new(Mutex::new(Vec::new()));
        let teller = Arc::clone(&told);
        let client = metered(Arc::new(model), Role::Executor, None, move |call| {
            teller.lock().unwrap().push((call.prompt_tokens, call.estimated, call.error.is_some()));
        });
        let request = Request::new("sampler", "Guess.", "a b c");
        let samples: Vec<_> = (0..4).map(|number| request.sample(number)).collect();
        assert_eq!(client.complete_several(&samples).await.len(), 3);
        let patience = std::time::Duration::from_secs(3);
        tokio::time::timeout(patience, client.complete_several(&samples[..2])).await.unwrap_err();
        let estimated = crate::estimate_usage(&request, "").prompt_tokens;
        assert_eq!(
            *told.lock().unwrap(),
            [
                (10, false, false),
                (20, false, false),
                (0, false, true),
                (estimated, true, true),
                (estimated, true, true)
            ]
        );
    }
}
