//! Tests of the actor on a real bus.

use std::sync::Arc;

use artoo_llm_client::{
    LlmClient, LlmError, Usage,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_perceiver::{DefaultPerceiver, Dialogue, PerceiveError, Perceived, Perceiver, run};
use artoo_types::{Constraints, FaultKind, Message, MessageKind, Role, TaskSpec, UserRequest};
use async_trait::async_trait;
use serde_json::json;

use crate::fixtures::{client, request, scene};

/// Sends the requests, runs the actor, and returns the published messages.
async fn said(model: ScriptedModel, requests: &[UserRequest]) -> Vec<Message> {
    let model = Arc::new(model);
    let scene = scene();
    let user = scene.bus.port(Role::User).unwrap();
    for request in requests {
        user.publish(request.clone()).unwrap();
    }
    let port = scene.bus.port(Role::Perceiver).unwrap();
    let actor = tokio::spawn(run(port, Arc::new(DefaultPerceiver), client(&model)));
    // With time paused this returns only when nothing is left to do.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    scene.bus.close();
    let said = scene.said();
    actor.await.unwrap();
    model.assert_finished();
    said.into_iter().filter(|message| message.kind() != MessageKind::UserRequest).collect()
}

#[tokio::test(start_paused = true)]
async fn a_request_becomes_one_task_however_often_it_comes() {
    let asked = request("How many files?", &[]);
    let said = said(ScriptedModel::new(), &[asked.clone(), asked]).await;
    assert!(
        matches!(said.as_slice(), [Message::TaskSpec(task)] if task.intent == "How many files?"),
        "{said:?}"
    );
}

/// Whatever the behaviour makes of the words.
#[tokio::test(start_paused = true)]
async fn what_the_user_stated_beside_the_words_is_in_every_task() {
    let constraints = Constraints {
        scope: Some("docs".to_owned()),
        deadline: Some("2026-03-14T17:00:00+08:00".parse().unwrap()),
    };
    let model = ScriptedModel::new().expect(Expect::any(), Answer::json(json!({"intent": "Count again"})));
    for (asked, model) in
        [(request("Count", &[]), ScriptedModel::new()), (request("again", &[("Count", "3")]), model)]
    {
        let said = said(model, &[UserRequest { constraints: constraints.clone(), ..asked }]).await;
        let Some(Message::TaskSpec(task)) = said.last() else { panic!("{said:?}") };
        assert_eq!(task.constraints, constraints);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_call_is_on_record() {
    let model = ScriptedModel::new().expect(Expect::any(), Answer::json(json!({"intent": "Count again"})));
    let said = said(model, &[request("again", &[("Count", "3")])]).await;
    let [Message::ModelCall(call), Message::TaskSpec(_)] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!((call.role, call.subtask_id, call.error.as_deref()), (Role::Perceiver, None, None));
    assert!(call.prompt_tokens > 0);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_a_fault() {
    let unreachable = || LlmError::Unreachable {
        url: "http://x".into(),
        reason: "refused".into(),
        usage: Usage::default(),
    };
    let model = ScriptedModel::new().expect(Expect::any(), Answer::error(unreachable));
    let said = said(model, &[request("again", &[("Count", "3")])]).await;
    let [Message::ModelCall(call), Message::Fault(fault)] = said.as_slice() else { panic!("{said:?}") };
    assert!(call.error.as_deref().unwrap().contains("refused"));
    assert_eq!((fault.role, fault.kind), (Role::Perceiver, FaultKind::Provider));
}

/// Returns the inputs of the turns it received as the intent.
struct TellsTurns;

#[async_trait]
impl Perceiver for TellsTurns {
    async fn perceive(
        &self,
        request: &UserRequest,
        _: &Dialogue,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        let intent = request.turns.iter().map(|turn| turn.input.as_str()).collect::<Vec<_>>().join(" ");
        Ok(Perceived::Task(TaskSpec { intent, ..TaskSpec::verbatim(&request.text) }))
    }
}

/// The actor enforces the limit: a third-party perceiver sees the newest five turns, too.
#[tokio::test(start_paused = true)]
async fn a_foreign_perceiver_sees_five_turns_at_most() {
    let scene = scene();
    let turns = [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d"), ("5", "e"), ("6", "f"), ("7", "g")];
    scene.bus.port(Role::User).unwrap().publish(request("again", &turns)).unwrap();
    let port = scene.bus.port(Role::Perceiver).unwrap();
    let actor = tokio::spawn(run(port, Arc::new(TellsTurns), client(&Arc::new(ScriptedModel::new()))));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    scene.bus.close();
    actor.await.unwrap();
    let said = scene.said();
    assert!(
        matches!(said.as_slice(), [Message::UserRequest(_), Message::TaskSpec(task)] if task.intent == "3 4 5 6 7"),
        "{said:?}"
    );
}

struct Panics;

#[async_trait]
impl Perceiver for Panics {
    async fn perceive(
        &self,
        _: &UserRequest,
        _: &Dialogue,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        panic!("as planned")
    }
}

/// The supervisor watches for the end of the actor: a panic must reach it.
#[tokio::test(start_paused = true)]
async fn a_panic_ends_the_actor_for_the_supervisor_to_see() {
    let scene = scene();
    scene.bus.port(Role::User).unwrap().publish(request("x", &[])).unwrap();
    let port = scene.bus.port(Role::Perceiver).unwrap();
    let model = Arc::new(ScriptedModel::new());
    let ended = tokio::spawn(run(port, Arc::new(Panics), client(&model))).await;
    assert!(ended.unwrap_err().is_panic());
}
