//! Tests that the runs on one bus do not see each other.

use artoo_bus::BusError;
use artoo_types::{Message, Role};

use crate::fixtures::{bus_with, run_id, task_spec, user_request};

/// Lessons N7 and N8: the ancestor keyed state by a name that a model chose, and ran a late message against
/// the newer task. A hundred concurrent runs, each with its own messages.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_runs_at_once_stay_apart() {
    const ROUNDS: u64 = 50;
    let bus = bus_with(1_024);
    let tasks: Vec<_> = (1..=100_u128)
        .map(|n| {
            let bus = bus.clone();
            tokio::spawn(async move {
                let run = bus.open(run_id(n)).unwrap();
                let user = run.port(Role::User).unwrap();
                let mut perceiver = run.port(Role::Perceiver).unwrap();
                let mut planner = run.port(Role::Planner).unwrap();
                let mine = n.to_string();
                for round in 0..ROUNDS {
                    user.publish(user_request(&mine)).unwrap();
                    let request = perceiver.recv().await.unwrap();
                    assert_eq!((request.run_id, request.seq), (run_id(n), 2 * round + 1));
                    let Message::UserRequest(request) = &*request.message else { panic!("{request:?}") };
                    assert_eq!(request.text, mine);
                    perceiver.publish(task_spec(&request.text)).unwrap();
                    let spec = planner.recv().await.unwrap();
                    assert_eq!((spec.run_id, spec.seq), (run_id(n), 2 * round + 2));
                    tokio::task::yield_now().await;
                }
                run.close();
                assert_eq!(planner.recv().await, None);
                assert_eq!(perceiver.recv().await, None);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[test]
fn a_run_is_open_once_and_its_id_is_free_when_it_is_closed() {
    let bus = bus_with(16);
    let run = bus.open(run_id(1)).unwrap();
    assert_eq!(bus.open(run_id(1)).err(), Some(BusError::RunOpen { run_id: run_id(1) }));
    run.close();
    let again = bus.open(run_id(1)).unwrap();
    drop(run);
    assert_eq!(
        bus.open(run_id(1)).err(),
        Some(BusError::RunOpen { run_id: run_id(1) }),
        "the old handle is harmless"
    );
    drop(again);
    assert!(bus.open(run_id(1)).is_ok());
}
