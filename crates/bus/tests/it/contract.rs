//! Tests of the contract table and its enforcement.

use artoo_bus::{BusError, Refusal, RefusalReason, RoleSet, contract};
use artoo_types::{MessageKind, Role};

use crate::fixtures::{run, run_id, sample};

#[test]
fn the_table_as_the_docs_print_it() {
    insta::assert_snapshot!(contract::markdown());
}

#[test]
fn the_docs_print_the_table_as_it_is() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/bus.md")).unwrap();
    assert!(
        page.contains(&contract::markdown()),
        "docs/design/bus.md is stale; it must hold:\n{}",
        contract::markdown()
    );
}

#[test]
fn only_ggs_ends_a_run_and_teaches_memory() {
    for kind in [MessageKind::FinalResult, MessageKind::MegramWrite] {
        assert_eq!(contract::contract(kind).from, RoleSet::of(&[Role::Ggs]));
    }
}

/// Specification v0.8, principle 5: the auditor never sends messages to any agent.
#[test]
fn the_auditor_may_publish_nothing_but_its_report_to_the_user() {
    let kinds: Vec<_> = contract::table().filter(|row| row.from.contains(Role::Auditor)).collect();
    assert_eq!(kinds.iter().map(|row| row.kind).collect::<Vec<_>>(), [MessageKind::AuditReport]);
    assert!(kinds.iter().all(|row| row.to == RoleSet::of(&[Role::User])));
    let received: Vec<_> =
        contract::table().filter(|row| row.to.contains(Role::Auditor)).map(|row| row.from).collect();
    assert_eq!(received, [RoleSet::of(&[Role::User])]);
}

#[test]
fn a_role_set_knows_the_order_of_the_roles() {
    for (n, role) in Role::ALL.into_iter().enumerate() {
        assert_eq!(role as usize, n);
        assert_eq!(RoleSet::of(&[role]).iter().collect::<Vec<_>>(), [role]);
    }
    assert_eq!(RoleSet::ALL.iter().collect::<Vec<_>>(), Role::ALL);
}

/// Every pair of role and kind, on a real run: allowed messages reach exactly the listed mailboxes, all
/// others only the record.
#[tokio::test]
async fn the_bus_enforces_every_pair() {
    for from in Role::ALL {
        for kind in MessageKind::ALL.iter().copied() {
            let run = run();
            let mut observer = run.observe(8);
            let mut ports: Vec<_> = Role::ALL.into_iter().map(|role| run.port(role).unwrap()).collect();
            let sender = ports.iter().find(|port| port.role() == from).unwrap().sender();
            let message = sample(kind);
            let published = sender.publish(message.clone());
            run.close();

            let mut received = RoleSet::EMPTY;
            for port in &mut ports {
                while let Some(envelope) = port.recv().await {
                    assert_eq!((envelope.from, envelope.seq, &*envelope.message), (from, 1, &message));
                    assert!(!received.contains(port.role()), "a duplicate");
                    received = RoleSet::of(&received.iter().chain([port.role()]).collect::<Vec<_>>());
                }
            }
            let seen = observer.recv().await.unwrap().envelope().unwrap().clone();
            assert_eq!(observer.recv().await, None);

            let row = contract::contract(kind);
            if row.from.contains(from) {
                assert_eq!(published, Ok(1));
                assert_eq!(received, row.to.without(from), "{from} {kind:?}");
                assert_eq!((&*seen.message, Refusal::of(&seen)), (&message, None));
            } else {
                assert_eq!(published, Err(BusError::Boundary { role: from, kind }));
                assert_eq!(received, RoleSet::EMPTY, "{from} {kind:?}");
                assert_eq!(seen.from, Role::Supervisor);
                assert_eq!(
                    Refusal::of(&seen),
                    Some(Refusal { role: from, kind, reason: RefusalReason::Boundary })
                );
            }
        }
    }
}

/// Decision 2: every run ends in exactly one final result.
#[tokio::test]
async fn a_second_final_result_is_refused_and_on_record() {
    let run = run();
    let mut observer = run.observe(8);
    let ggs = run.port(Role::Ggs).unwrap();
    assert_eq!(ggs.publish(sample(MessageKind::FinalResult)), Ok(1));
    let second = ggs.publish(sample(MessageKind::FinalResult));
    assert_eq!(second, Err(BusError::SecondFinalResult { run_id: run_id(1), role: Role::Ggs }));
    assert_eq!(ggs.publish(sample(MessageKind::MegramWrite)), Ok(3), "the run may still teach memory");

    let mut user = run.port(Role::User).unwrap();
    run.close();
    assert_eq!(user.recv().await.unwrap().seq, 1);
    assert_eq!(user.recv().await, None);
    observer.recv().await.unwrap();
    let refusal = Refusal::of(observer.recv().await.unwrap().envelope().unwrap()).unwrap();
    assert_eq!(refusal.reason, RefusalReason::SecondFinalResult);
}

/// A duplicate report would make R7 decide twice on one plan.
#[tokio::test]
async fn a_second_report_of_a_plan_is_refused_and_on_record() {
    let run = run();
    let mut observer = run.observe(16);
    let dispatcher = run.port(Role::Dispatcher).unwrap();
    let gate = run.port(Role::MetaValidator).unwrap();
    let refused = Err(BusError::SecondReport { run_id: run_id(1), role: Role::MetaValidator });
    for round in 0..2 {
        dispatcher.publish(sample(MessageKind::DispatchManifest)).unwrap();
        assert!(gate.publish(sample(MessageKind::ReplanRequest)).is_ok(), "{round}");
        assert_eq!(gate.publish(sample(MessageKind::ReplanRequest)), refused);
        assert_eq!(gate.publish(sample(MessageKind::OutcomeSummary)), refused);
    }
    let mut ggs = run.port(Role::Ggs).unwrap();
    run.close();
    let mut received = 0;
    while ggs.recv().await.is_some() {
        received += 1;
    }
    assert_eq!(received, 2, "one of each plan");
    let reasons: Vec<_> = std::iter::from_fn(|| observer.try_recv())
        .filter_map(|observed| Refusal::of(observed.envelope().unwrap()))
        .map(|refusal| refusal.reason)
        .collect();
    assert_eq!(reasons, [RefusalReason::SecondReport; 4]);
}

#[test]
fn nobody_can_forge_a_refusal() {
    let run = run();
    let mut observer = run.observe(8);
    let refusal = Refusal { role: Role::Ggs, kind: MessageKind::Plan, reason: RefusalReason::Boundary };
    let forged = artoo_types::Warning { role: Role::Ggs, message: refusal.to_string() };
    run.port(Role::Executor).unwrap().publish(forged).unwrap();
    assert_eq!(Refusal::of(observer.try_recv().unwrap().envelope().unwrap()), None);
}
