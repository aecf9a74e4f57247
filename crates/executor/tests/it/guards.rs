//! Calls that memory advises against: refused, asked about once, or only tried.

use std::sync::Arc;

use artoo_executor::{Blocked, Ledger, Terms};
use artoo_llm_client::doubles::ScriptedModel;
use artoo_types::{
    Approval, ApprovalDecided, ApprovalRequested, ApprovalScope, BlockedTarget, CallEnding, FailureClass,
    GuardAction, Held, HeldEnd, MegramId, MemoryAction, MemoryGuard, Message, Potentials, SubTask, ToolCall,
    ToolName,
};
use uuid::Uuid;

use crate::consent::Listed;
use crate::fixtures::{House, finished, results, subtask};

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
        because: vec![id()],
        lesson: "it counts folders, too.".to_owned(),
    }
}

fn held(action: GuardAction, came: HeldEnd) -> Option<Held> {
    Some(Held { action, because: vec![id()], came })
}

fn house(terms: Terms) -> House {
    House::under(terms, Arc::new(Listed), &Arc::new(ScriptedModel::new()), 4)
}

fn with_a_person() -> Terms {
    Terms { person_present: true, ..Terms::default() }
}

fn guarded(intent: &str, action: GuardAction) -> SubTask {
    SubTask { guards: vec![guard("say 3", action)], ..subtask(1, intent) }
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

#[test]
fn a_guard_is_about_one_exact_call_and_the_stricter_one_counts() {
    let guards = [guard("ls | wc -l", GuardAction::Confirm), guard("ls | wc -l", GuardAction::Refuse)];
    let ledger = Ledger::new("Count", &[], Blocked::default()).guarded(&guards);
    let found = |command: &str| {
        let call = shell(command);
        ledger.guard(&call, &call).map(|guard| guard.action)
    };
    assert_eq!(found("ls | wc -l"), Some(GuardAction::Refuse));
    assert_eq!(found("ls -A | wc -l"), None);
    let glob = BlockedTarget { tool: ToolName::new("glob"), ..shell("ls | wc -l") };
    assert_eq!(ledger.guard(&glob, &glob), None);
}

/// Memory knows calls as they are recorded, with secrets redacted.
#[test]
fn a_call_with_a_secret_is_known_without_it() {
    let guards = [guard("curl -u ada:[redacted]", GuardAction::Refuse)];
    let ledger = Ledger::new("Count", &[], Blocked::default()).guarded(&guards);
    let call = shell("curl -u ada:very-secret");
    assert_eq!(ledger.guard(&call, &call), None);
    assert!(ledger.guard(&call, &shell("curl -u ada:[redacted]")).is_some());
}

#[tokio::test(start_paused = true)]
async fn without_a_person_it_is_refused_with_the_lesson_and_another_way_is_free() {
    for terms in [Terms::default(), Terms { approval: Approval::Never, ..with_a_person() }] {
        let mut house = house(terms);
        house.dispatcher.publish(guarded("say 3; say 4", GuardAction::Refuse)).unwrap();
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
        let mut house = house(with_a_person());
        house.dispatcher.publish(guarded("say 3", action)).unwrap();
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
        let again = SubTask {
            subtask_id: artoo_types::SubTaskId::new(Uuid::from_u128(2)),
            ..guarded("say 3", action)
        };
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
    let mut house = house(with_a_person());
    let step = SubTask {
        guards: vec![guard("ask deletes /a/b", GuardAction::Refuse)],
        ..subtask(1, "ask deletes /a/b")
    };
    house.dispatcher.publish(step).unwrap();
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
    let mut house = house(Terms::default());
    let step = SubTask { guards: vec![guard("trial", GuardAction::Confirm)], ..subtask(1, "trial; trial 2") };
    house.dispatcher.publish(step).unwrap();
    let said = house.said().await;
    let [tried, free] = finished(&said).try_into().unwrap();
    assert_eq!(
        (tried.output.shown.as_str(), tried.held),
        ("true", held(GuardAction::Confirm, HeldEnd::Tried))
    );
    assert_eq!((free.output.shown.as_str(), free.held), ("false", None));
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
