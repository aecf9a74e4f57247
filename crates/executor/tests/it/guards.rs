//! Calls that memory advises against: refused, asked about once, or only tried.

use std::sync::Arc;

use artoo_executor::Terms;
use artoo_llm_client::doubles::ScriptedModel;
use artoo_types::{
    Approval, ApprovalDecided, ApprovalRequested, ApprovalScope, BlockedTarget, CallEnding, FailureClass,
    GuardAction, GuardQuery, Held, HeldEnd, MegramId, MemoryAction, MemoryGuard, Message, Potentials,
    SubTask, ToolCall, ToolName,
};
use uuid::Uuid;

use crate::consent::Listed;
use crate::fixtures::{House, Knows, finished, results, subtask};

fn id() -> MegramId {
    MegramId::new(Uuid::from_u128(4))
}

fn shell(command: &str) -> BlockedTarget {
    BlockedTarget { tool: ToolName::new("shell"), target: command.to_owned() }
}

pub(crate) fn guard(command: &str, action: GuardAction) -> MemoryGuard {
    MemoryGuard {
        target: shell(command),
        action,
        potentials: Potentials { attention: 0.85, decision: -0.85, action: MemoryAction::Avoid },
        by_rule: false,
        because: vec![id()],
        lesson: "it counts folders, too.".to_owned(),
    }
}

fn held(action: GuardAction, came: HeldEnd) -> Option<Held> {
    Some(Held { action, because: vec![id()], came })
}

fn house(terms: Terms, guards: Vec<MemoryGuard>) -> House {
    beside(Knows::Guards(guards), terms)
}

fn beside(memory: Knows, terms: Terms) -> House {
    House::beside(Some(memory), terms, Arc::new(Listed), &Arc::new(ScriptedModel::new()), 4)
}

fn with_a_person() -> Terms {
    Terms { person_present: true, ..Terms::default() }
}

fn asked(said: &[Message]) -> Vec<ApprovalRequested> {
    let request = |message: &Message| {
        if let Message::ApprovalRequested(request) = message { Some(request.clone()) } else { None }
    };
    said.iter().filter_map(request).collect()
}

/// The only recorded call.
fn only(said: &[Message]) -> ToolCall {
    let [call] = finished(said).try_into().unwrap();
    call
}

#[tokio::test(start_paused = true)]
async fn without_a_person_it_is_refused_with_the_lesson_and_another_way_is_free() {
    for terms in [Terms::default(), Terms { approval: Approval::Never, ..with_a_person() }] {
        let mut house = house(terms, vec![guard("say 3", GuardAction::Refuse)]);
        house.dispatcher.publish(subtask(1, "say 3; say 4")).unwrap();
        let said = house.said().await;
        assert_eq!(asked(&said), []);
        let [refused, made] = finished(&said).try_into().unwrap();
        assert_eq!(
            (refused.ending, refused.held),
            (CallEnding::Refused, held(GuardAction::Refuse, HeldEnd::Refused))
        );
        let failure = refused.failure.unwrap();
        assert_eq!(failure.class, FailureClass::Logical, "it is advice, and no denial");
        assert_eq!(
            failure.reason,
            format!(
                "memory advises against this call ({}): it counts folders, too; do it in another way",
                id()
            )
        );
        assert_eq!((made.output.shown.as_str(), made.held), ("4", None));
        assert_eq!(results(&said).len(), 1);
        house.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_overrides_once() {
    for (action, words) in [
        (GuardAction::Refuse, "memory advises against this call"),
        (GuardAction::Confirm, "memory advises caution about this call"),
    ] {
        let mut house = house(with_a_person(), vec![MemoryGuard { by_rule: true, ..guard("say 3", action) }]);
        house.dispatcher.publish(subtask(1, "say 3")).unwrap();
        let said = house.said().await;
        let [question] = asked(&said).try_into().unwrap();
        assert!(question.reason.starts_with(words) && question.reason.ends_with('?'), "{}", question.reason);
        assert_eq!(
            (question.command.as_str(), question.person, question.because),
            ("say 3", true, vec![id()])
        );
        assert_eq!((question.effects, question.always), (vec![], None));
        assert!(finished(&said).is_empty() && results(&said).is_empty(), "its time rests");
        house.user.publish(answer(&question.call_id, true, None)).unwrap();
        let call = only(&house.said().await);
        assert_eq!((call.output.shown.as_str(), call.held), ("3", held(action, HeldEnd::Agreed)));
        // The same call in another subtask is a different call.
        let again =
            SubTask { subtask_id: artoo_types::SubTaskId::new(Uuid::from_u128(2)), ..subtask(1, "say 3") };
        house.dispatcher.publish(again).unwrap();
        let [question] = asked(&house.said().await).try_into().unwrap();
        house.user.publish(answer(&question.call_id, false, Some("use wc"))).unwrap();
        let call = only(&house.said().await);
        assert_eq!(call.held, held(action, HeldEnd::Refused));
        let reason = call.failure.unwrap().reason;
        assert!(reason.contains("the user says: use wc"), "{reason}");
        house.close().await;
    }
}

/// Overriding memory is not consent to the call's effects.
#[tokio::test(start_paused = true)]
async fn an_override_consents_to_no_effect() {
    let mut house = house(with_a_person(), vec![guard("ask deletes /a/b", GuardAction::Refuse)]);
    house.dispatcher.publish(subtask(1, "ask deletes /a/b")).unwrap();
    let [first] = asked(&house.said().await).try_into().unwrap();
    house.user.publish(answer(&first.call_id, true, None)).unwrap();
    let said = house.said().await;
    let [second] = asked(&said).try_into().unwrap();
    assert_eq!((second.because, second.effects.len()), (vec![], 1));
    house.user.publish(answer(&second.call_id, false, None)).unwrap();
    assert_eq!(only(&house.said().await).failure.unwrap().class, FailureClass::Denied);
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn where_caution_is_advised_and_nobody_is_there_it_is_only_tried() {
    let mut house = house(Terms::default(), vec![guard("trial", GuardAction::Confirm)]);
    house.dispatcher.publish(subtask(1, "trial; trial 2")).unwrap();
    let said = house.said().await;
    let [tried, free] = finished(&said).try_into().unwrap();
    assert_eq!(
        (tried.output.shown.as_str(), tried.held),
        ("true", held(GuardAction::Confirm, HeldEnd::Tried))
    );
    assert_eq!((free.output.shown.as_str(), free.held), ("false", None));
    house.close().await;
}

/// Experience is about the world as the run found it: after a change the same call is another question. A rule
/// holds all the same.
#[tokio::test(start_paused = true)]
async fn experience_holds_until_the_run_has_changed_something_and_a_rule_always() {
    for by_rule in [false, true] {
        let guard = MemoryGuard { by_rule, ..guard("say 3", GuardAction::Refuse) };
        let mut house = house(Terms::default(), vec![guard]);
        // In this house every call that was made may have changed something.
        house.dispatcher.publish(subtask(1, "say 4; say 3")).unwrap();
        let [_, call] = finished(&house.said().await).try_into().unwrap();
        assert_eq!(call.held.is_some(), by_rule);
        house.close().await;
    }
}

/// A memory that does not answer delays one call, not each of them.
#[tokio::test(start_paused = true)]
async fn a_silent_memory_is_waited_for_once() {
    let mut house = beside(Knows::Nothing, Terms::default());
    let began = tokio::time::Instant::now();
    house.dispatcher.publish(subtask(1, "say 3; say 4; say 5")).unwrap();
    let said = loop {
        let said = house.said_within(std::time::Duration::from_secs(1)).await;
        if !results(&said).is_empty() {
            break said;
        }
    };
    assert!(began.elapsed() < std::time::Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(finished(&said).iter().all(|call| call.held.is_none()), "{said:?}");
    house.close().await;
}

/// Memory is asked where experience of the call is filed: anywhere, in this folder, and as the answer to this
/// request.
#[tokio::test(start_paused = true)]
async fn memory_is_asked_about_the_very_call() {
    let mut house = house(Terms::default(), Vec::new());
    let step = subtask(1, "say 3");
    house.dispatcher.publish(step).unwrap();
    let said = house.said().await;
    let asked = said.iter().find_map(Message::payload::<GuardQuery>).unwrap();
    assert_eq!(asked.call, shell("say 3"));
    let pairs: Vec<&str> = asked.pairs.iter().map(|pair| pair.space.as_str()).collect();
    assert_eq!(pairs, ["tool:shell", "tool:shell", "intent:task"]);
    assert_eq!(asked.pairs[0].entity.as_str(), "path:say 3");
    assert!(asked.pairs[1].entity.as_str().ends_with(" $ say 3"), "{:?}", asked.pairs);
    house.close().await;
}

fn answer(call_id: &artoo_types::CallId, granted: bool, instead: Option<&str>) -> ApprovalDecided {
    ApprovalDecided {
        call_id: *call_id,
        granted,
        // Whatever scope the answer has, it holds once.
        scope: ApprovalScope::Run,
        reason: "the person said so".to_owned(),
        instead: instead.map(str::to_owned),
        rule: None,
    }
}
